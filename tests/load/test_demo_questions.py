"""Every published question finds something in the demo, and each of its conditions takes something away.

Counted over the rows with numpy and shapely; links and carried fields play no part. A condition on a carried
field is taken from the reported value alone, which leaves fewer crashes than the question finds.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from functools import reduce

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray
from shapely.geometry.base import BaseGeometry

from groundframe.postgis.load.plane import DEGREES, plane_of
from groundframe.postgis.load.rows import Row
from groundframe.postgis.load.synthetic import generate
from groundframe.schema.packs import load_pack

PACK = load_pack("massachusetts")
Mask = NDArray[np.bool_]
Counts = NDArray[np.int64]


class Layer:
    """The features of one entity that have coordinates, as arrays."""

    def __init__(self, rows: list[Row]) -> None:
        self.rows = [row for row in rows if row.geometry is not None]
        self.geometries = np.array([row.geometry for row in self.rows])

    def where(self, field: str, test: Callable[..., bool]) -> Mask:
        """Features whose value is known and passes the test."""
        values = [row.values.get(field) for row in self.rows]
        return np.array([value is not None and test(value) for value in values])

    def within(self, area: BaseGeometry | None) -> Mask:
        return np.asarray(shapely.intersects(self.geometries, area))

    def near(self, others: NDArray[np.object_], metres: float) -> Mask:
        found = np.zeros(len(self.rows), dtype=bool)
        found[shapely.STRtree(others).query(self.geometries, predicate="dwithin", distance=metres)[0]] = True
        return found

    def count_near(self, others: NDArray[np.object_], metres: float) -> Counts:
        """How many of the others lie within that distance of each feature."""
        near, _ = shapely.STRtree(others).query(self.geometries, predicate="dwithin", distance=metres)
        return np.bincount(near, minlength=len(self.rows))


class Demo:
    """The demo with the conditions of the questions."""

    def __init__(self, seed: int) -> None:
        source = generate(PACK, seed=seed)
        self.towns = {str(row.values["name"]): row.geometry for row in source.rows("Town")}
        self.roads, self.schools, self.stops, self.crosswalks, self.crashes = (
            Layer(list(source.rows(entity))) for entity in ("Road", "School", "BusStop", "Crosswalk", "Crash")
        )
        place = next(place for place in PACK.gazetteer if place.name == "Amherst Center")
        at = plane_of(PACK).project(np.array([[place.longitude, place.latitude]]), DEGREES)
        self.center = np.asarray(shapely.points(at), dtype=object)
        crashes = self.crashes
        self.is_fatal = crashes.where("severity", lambda value: value == "Fatal injury")
        self.in_quincy, self.in_amherst = (crashes.within(self.towns[name]) for name in ("Quincy", "Amherst"))

    def involves(self, event: str, person: str) -> Mask:
        crashes = self.crashes
        return (
            crashes.where("first_harmful_event", lambda value: value == event)
            | crashes.where("most_harmful_events", lambda value: event in value)
            | crashes.where("non_motorist_types", lambda value: person in value)
        )

    def conditions(self) -> dict[str, Mask]:
        """The conditions on a crash, by name."""
        crashes = self.crashes
        return {
            "Quincy": self.in_quincy,
            "Amherst": self.in_amherst,
            "Lenox": crashes.within(self.towns["Lenox"]),
            "Springfield": crashes.within(self.towns["Springfield"]),
            "Worcester": crashes.within(self.towns["Worcester"]),
            "fatal": self.is_fatal,
            "pedestrian": self.involves("Collision with pedestrian", "Pedestrian"),
            "cyclist": self.involves("Collision with cyclist", "Cyclist"),
            "animal": crashes.where("first_harmful_event", lambda value: "animal" in value),
            "no sidewalk": crashes.where("sidewalk", lambda value: value == "none"),
            "above 40": crashes.where("speed_limit", lambda value: value > 40),
            "T": crashes.where("junction_type", lambda value: value == "T-intersection"),
            "four-way": crashes.where("junction_type", lambda value: value == "Four-way intersection"),
            "7 to 10": crashes.where("time_of_day", lambda value: 7 <= value.hour < 10),
            "7 to 9": crashes.where("time_of_day", lambda value: 7 <= value.hour < 9),
            "18 to 23": crashes.where("time_of_day", lambda value: 18 <= value.hour < 23),
            "winter of 2025": crashes.where(
                "date", lambda day: dt.date(2025, 1, 6) <= day <= dt.date(2025, 2, 5)
            ),
            "1 km": crashes.near(self.center, 1000),
            "500 m": crashes.near(self.center, 500),
            "crosswalk": crashes.near(self.crosswalks.geometries, 200),
            "stop": crashes.near(self.stops.geometries, 200),
            "school": crashes.near(self.schools.geometries, 500),
        }


@pytest.fixture(scope="module", params=[1, 2, 3])
def demo(request: pytest.FixtureRequest) -> Demo:
    return Demo(request.param)


@pytest.fixture(scope="module")
def conditions(demo: Demo) -> dict[str, Mask]:
    return demo.conditions()


def meeting(conditions: dict[str, Mask], names: tuple[str, ...]) -> Mask:
    """Crashes that meet all of the conditions."""
    return reduce(np.logical_and, (conditions[name] for name in names), np.ones_like(conditions["fatal"]))


def without_one(names: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    for name in names:
        yield name, tuple(other for other in names if other != name)


@pytest.mark.parametrize(
    "question",
    [
        "Quincy",
        "Lenox",
        "1 km",
        "Springfield",
        "Worcester",
        "Quincy, fatal",
        "1 km, fatal",
        "Quincy, pedestrian",
        "animal",
        "Amherst, no sidewalk",
        "Quincy, no sidewalk",
        "Amherst, above 40",
        "Quincy, T",
        "Amherst, four-way",
        "Quincy, 7 to 10",
        "winter of 2025",
        "fatal, winter of 2025",
        "1 km, 7 to 10",
        "Quincy, 18 to 23",
        "Quincy, pedestrian, 7 to 9",
        "Amherst, crosswalk",
        "Quincy, school",
        "Quincy, stop",
        "Quincy, fatal, pedestrian",
        "Quincy, fatal, no sidewalk",
        "Quincy, pedestrian, no sidewalk, 7 to 10",
        "Quincy, pedestrian, T",
        "1 km, pedestrian",
        "Quincy, fatal, pedestrian, no sidewalk",
        "500 m, cyclist",
        "Quincy, fatal, T, 7 to 10",
        "Amherst, above 40, no sidewalk",
        "Quincy, pedestrian, four-way",
    ],
)
def test_crashes_are_found_and_each_condition_matters(conditions: dict[str, Mask], question: str) -> None:
    names = tuple(question.split(", "))

    found = meeting(conditions, names).sum()
    assert found >= 1
    for left_out, others in without_one(names):
        assert meeting(conditions, others).sum() > found, f"without {left_out}"


def test_roads_and_stops_around_a_place(demo: Demo) -> None:
    fast = demo.roads.where("speed_limit", lambda limit: limit > 30)
    near = demo.roads.near(demo.center, 1000)
    assert (fast & near).sum() >= 3
    assert (~fast & near).any()
    assert (fast & ~near).any()
    stops = demo.stops.near(demo.center, 500)
    assert 2 <= stops.sum() < len(stops)


def test_crosswalks_schools_and_roads_of_towns(demo: Demo) -> None:
    for layer, town in (
        (demo.crosswalks, "Amherst"),
        (demo.schools, "Quincy"),
        (demo.roads, "Amherst"),
        (demo.roads, "Hadley"),
        (demo.roads, "Northampton"),
    ):
        inside = layer.within(demo.towns[town])
        assert 3 <= inside.sum() < len(inside), town


def test_crashes_around_the_magnet_school(demo: Demo) -> None:
    school = demo.schools.where("name", lambda name: name == "Jacob Hiatt Magnet School")
    near = demo.crashes.near(demo.schools.geometries[school], 1000)
    assert 3 <= near.sum() < len(near)


def test_schools_of_quincy_are_not_schools_near_quincy(demo: Demo) -> None:
    own = demo.schools.within(demo.towns["Quincy"])
    by_own = demo.crashes.near(demo.schools.geometries[own], 500)
    by_any = demo.crashes.near(demo.schools.geometries, 500)
    across_the_line = by_own & ~demo.in_quincy
    assert across_the_line.any()
    assert (by_any & demo.in_quincy).sum() != by_own.sum()


def ranked(counts: Counts, top: int) -> list[tuple[int, int]]:
    order = sorted(range(len(counts)), key=lambda index: (-counts[index], index))
    return [(index, int(counts[index])) for index in order[:top]]


@pytest.mark.parametrize(
    ("what", "scope", "chosen", "top"),
    [
        ("schools", "Quincy", (), 10),
        ("schools", "", (), 20),
        ("schools", "", ("fatal",), 10),
        ("schools", "Quincy", ("no sidewalk",), 10),
        ("schools", "", ("7 to 10",), 10),
        ("stops", "Quincy", (), 10),
        ("schools", "Quincy", ("pedestrian", "no sidewalk"), 5),
        ("stops", "Quincy", ("fatal",), 10),
        ("schools", "Quincy", ("7 to 10",), 5),
    ],
)
def test_rankings_of_sites(
    demo: Demo, conditions: dict[str, Mask], what: str, scope: str, chosen: tuple[str, ...], top: int
) -> None:
    sites: Layer = getattr(demo, what)

    def answer(names: tuple[str, ...], *, scoped: bool, metres: float = 500) -> list[tuple[int, int]]:
        kept = meeting(conditions, names)
        counts = sites.count_near(demo.crashes.geometries[kept], metres)
        if scoped:
            counts = np.where(sites.within(demo.towns[scope]), counts, -1)
        return ranked(counts, top)

    found = answer(chosen, scoped=bool(scope))
    assert len(found) == top
    assert found[-1][1] >= 1
    assert found[0][1] > found[-1][1]
    for left_out, others in without_one(chosen):
        assert answer(others, scoped=bool(scope)) != found, f"without {left_out}"
    if scope:
        assert answer(chosen, scoped=False) != found, "without the town"


@pytest.mark.parametrize(
    ("chosen", "top"),
    [
        ((), 20),
        (("fatal",), 10),
        (("pedestrian",), 10),
        (("7 to 10",), 10),
        (("school",), 10),
        (("pedestrian", "school"), 10),
        (("fatal", "pedestrian"), 10),
    ],
)
def test_rankings_of_towns(
    demo: Demo, conditions: dict[str, Mask], chosen: tuple[str, ...], top: int
) -> None:
    town, crash = shapely.STRtree(demo.crashes.geometries).query(
        np.array(list(demo.towns.values())), predicate="intersects"
    )

    def answer(names: tuple[str, ...]) -> list[tuple[int, int]]:
        kept = meeting(conditions, names)
        return ranked(np.bincount(town[kept[crash]], minlength=len(demo.towns)), top)

    found = answer(chosen)
    assert found[-1][1] >= 1
    for left_out, others in without_one(chosen):
        assert answer(others) != found, f"without {left_out}"


@pytest.mark.parametrize(
    ("place", "chosen", "top"),
    [
        ("Amherst", (), 10),
        ("Quincy", (), 10),
        ("Quincy", ("fatal",), 10),
        ("Amherst", ("no sidewalk",), 10),
        ("1 km", (), 10),
        ("1 km", ("pedestrian",), 5),
    ],
)
def test_rankings_of_road_segments(
    demo: Demo, conditions: dict[str, Mask], place: str, chosen: tuple[str, ...], top: int
) -> None:
    inside = demo.roads.near(demo.center, 1000) if place == "1 km" else demo.roads.within(demo.towns[place])
    tree = shapely.STRtree(demo.roads.geometries)
    crash, road = tree.query_nearest(demo.crashes.geometries, max_distance=15, all_matches=False)

    def answer(names: tuple[str, ...], *, everywhere: bool = False) -> list[tuple[int, int]]:
        kept = meeting(conditions, names)
        counts = np.bincount(road[kept[crash]], minlength=len(inside))
        return ranked(counts if everywhere else np.where(inside, counts, -1), top)

    found = answer(chosen)
    assert found[-1][1] >= 1
    assert answer(chosen, everywhere=True) != found
    for left_out, others in without_one(chosen):
        assert answer(others) != found, f"without {left_out}"
