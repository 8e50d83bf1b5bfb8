"""The synthetic state: the same every time, whole, and with everything in it that makes data hard."""

from __future__ import annotations

import datetime as dt
import time
from collections import Counter
from itertools import pairwise

import numpy as np
import pytest
import shapely

from groundframe.errors import UsageError
from groundframe.postgis.load.plane import DEGREES, plane_of
from groundframe.postgis.load.rows import Row, row_digest
from groundframe.postgis.load.synthetic import generate
from groundframe.schema.packs import load_pack

PACK = load_pack("massachusetts")
ENTITIES = ("Town", "Road", "School", "BusStop", "Crosswalk", "Crash")
State = dict[str, list[Row]]


def make(seed: int = 1, crashes: int | None = None, size: str = "demo") -> State:
    source = generate(PACK, seed=seed, crashes=crashes, size=size)
    return {entity: list(source.rows(entity)) for entity in ENTITIES}


@pytest.fixture(scope="module", params=[1, 2, 3])
def state(request: pytest.FixtureRequest) -> State:
    return make(request.param)


def digests(state: State) -> list[str]:
    return sorted(row_digest(row) for rows in state.values() for row in rows)


def located(rows: list[Row]) -> tuple[list[Row], np.ndarray]:
    kept = [row for row in rows if row.geometry is not None]
    return kept, np.array([row.geometry for row in kept])


def towns_of(state: State, geometries: np.ndarray) -> list[list[str]]:
    """Names of the towns that each geometry touches."""
    found: list[list[str]] = [[] for _ in geometries]
    polygons = np.array([row.geometry for row in state["Town"]])
    for geometry, town in shapely.STRtree(polygons).query(geometries, predicate="intersects").T.tolist():
        found[geometry].append(str(state["Town"][town].values["name"]))
    return found


def test_a_seed_makes_the_same_rows_in_whatever_order_they_are_taken() -> None:
    backwards = generate(PACK, size="small", seed=5)
    rows = {entity: list(backwards.rows(entity)) for entity in reversed(ENTITIES)}
    again = make(size="small", seed=5)
    assert digests(rows) == digests(again)
    assert rows == again


def test_another_seed_makes_other_rows() -> None:
    one, other = (set(digests(make(size="small", seed=seed))) for seed in (1, 2))
    assert len(one & other) < 0.05 * len(one)


def test_more_crashes_change_nothing_else() -> None:
    few, many = make(size="small", crashes=100), make(size="small", crashes=400)
    assert (len(few["Crash"]), len(many["Crash"])) == (100, 400)
    assert all(few[entity] == many[entity] for entity in ENTITIES if entity != "Crash")


def test_sizes(state: State) -> None:
    assert len(state["Crash"]) == 15_000
    assert len(state["Town"]) == 59
    assert len(state["School"]) == 200
    assert 4_500 < len(state["Road"]) < 6_500
    assert len(make(size="small")["Crash"]) == 5_000


def test_it_takes_seconds() -> None:
    started = time.perf_counter()
    make()
    assert time.perf_counter() - started < 15


def test_impossible_wishes_are_refused() -> None:
    with pytest.raises(UsageError, match="demo, state"):
        generate(PACK, size="huge")
    with pytest.raises(UsageError, match="at least"):
        generate(PACK, crashes=0)
    with pytest.raises(UsageError, match="seed"):
        generate(PACK, seed=-1)


def test_it_says_that_it_is_synthetic() -> None:
    source = generate(PACK, size="small")
    rows = [row for entity in ENTITIES for row in source.rows(entity)]
    assert source.synthetic
    assert all(PACK.source(row.source).synthetic for row in rows)
    assert (
        sum(report.loaded for report in source.reports)
        == sum(r.rows_read for r in source.reports)
        == len(rows)
    )
    assert not any(report.rejected or report.unknown_values or report.repaired for report in source.reports)
    assert list(source.rows("Intersection")) == []


def test_a_report_counts_rows_once_however_often_they_are_taken() -> None:
    source = generate(PACK, size="small")
    for _ in range(2):
        list(source.rows("School"))
    assert [(report.entity, report.loaded) for report in source.reports] == [("School", 120)]


def test_keys_are_unique_and_geometries_fit(state: State) -> None:
    rows = [row for own in state.values() for row in own]
    assert len({row.key for row in rows}) == len(rows)
    for entity in ENTITIES:
        _, geometries = located(state[entity])
        kinds = {kind.lower().removeprefix("multi") for kind in (g.geom_type for g in geometries)}
        allowed = {{"line": "linestring"}.get(kind, kind) for kind in PACK.entity(entity).geometry}
        assert kinds == allowed
        assert shapely.is_valid(geometries).all()
        assert (shapely.get_coordinates(geometries) * 1024 % 1 == 0).all()


def test_every_value_of_every_vocabulary_occurs(state: State) -> None:
    for entity in ENTITIES:
        for field in PACK.entity(entity).fields:
            if field.values_from == "sources" or not field.values:
                continue
            seen: set[object] = set()
            for row in state[entity]:
                value = row.values.get(field.name)
                seen |= set(value) if isinstance(value, tuple) else {value}
            assert set(field.canonical_values()) <= seen, (entity, field.name)


def test_every_field_is_filled_and_sometimes_not(state: State) -> None:
    always = {("Town", "name"), ("School", "name"), ("Road", "length")}
    for entity in ENTITIES:
        for field in PACK.entity(entity).fields:
            if field.values_from == "sources":
                continue
            filled = [row.values.get(field.name) for row in state[entity]]
            missing = sum(value is None or value in field.unknown_values for value in filled)
            assert missing < len(filled) / 2, (entity, field.name)
            assert (missing == 0) == ((entity, field.name) in always), (entity, field.name)


def test_lists_have_none_one_and_two_members(state: State) -> None:
    sizes = Counter(len(row.values.get("weather", ())) for row in state["Crash"])  # type: ignore[arg-type]
    assert {1, 2} <= set(sizes)
    people = Counter(len(row.values.get("non_motorist_types", ())) for row in state["Crash"])  # type: ignore[arg-type]
    assert {0, 1, 2} <= set(people)


def test_towns_tile_the_state_without_overlap(state: State) -> None:
    _, polygons = located(state["Town"])
    assert len(polygons) == 59
    assert shapely.union_all(polygons).area == pytest.approx(shapely.area(polygons).sum(), abs=1e-3)
    pairs = shapely.STRtree(polygons).query(polygons, predicate="intersects")
    for one, other in pairs[:, pairs[0] < pairs[1]].T:
        assert shapely.intersection(polygons[one], polygons[other]).area == 0


def test_places_lie_in_their_towns(state: State) -> None:
    at = np.array([(place.longitude, place.latitude) for place in PACK.gazetteer])
    points = np.asarray(shapely.points(plane_of(PACK).project(at, DEGREES)))
    found = towns_of(state, points)
    assert found == [[place.town] for place in PACK.gazetteer]


def test_towns_that_are_easily_confused_are_there(state: State) -> None:
    names = {row.values["name"] for row in state["Town"]}
    assert names >= {
        "Manchester-by-the-Sea",
        "Medford",
        "Bedford",
        "New Bedford",
        "Hadley",
        "South Hadley",
        "Hawley",
    }
    assert names >= {"Oxford", "Boxford", "Tolland", "Holland", "Springfield", "Worcester", "Lenox", "Quincy"}


def test_streets_make_a_network(state: State) -> None:
    lines = np.array([row.geometry for row in state["Road"]])
    lengths = shapely.length(lines)
    assert lengths.min() > 50
    assert lengths.max() < 280
    ends = Counter(end for line in lines for end in (line.coords[0], line.coords[-1]))
    meeting = Counter(ends.values())
    assert {1, 2, 3, 4, 5, 6} <= set(meeting)
    assert meeting[3] > 400
    assert meeting[4] > 400
    names = Counter(row.values.get("name") for row in state["Road"])
    assert names["Main Street"] > 300
    limits = Counter(row.values.get("speed_limit") for row in state["Road"])
    assert {20, 25, 30, 35, 40, 45, 50, 55, 65, None} <= set(limits)


def test_a_street_runs_on_under_its_name(state: State) -> None:
    towns = towns_of(state, shapely.centroid([row.geometry for row in state["Road"]]))
    mains = Counter(
        town[0]
        for row, town in zip(state["Road"], towns, strict=True)
        if row.values.get("name") == "Main Street"
    )
    assert len(mains) > 50


def test_schools_and_their_namesakes(state: State) -> None:
    kept, geometries = located(state["School"])
    towns = towns_of(state, geometries)
    by_name: dict[object, set[str]] = {}
    for row, town in zip(kept, towns, strict=True):
        by_name.setdefault(row.values["name"], set()).update(town)
    names = Counter(row.values["name"] for row in state["School"])
    assert names["Jacob Hiatt Magnet School"] == 1
    assert by_name["Jacob Hiatt Magnet School"] == {"Worcester"}
    assert names["Abraham Lincoln School"] == 3
    assert names["Memorial School"] == 5
    assert sum(count == 1 for count in names.values()) > 150


def test_crashes_without_coordinates_state_their_town(state: State) -> None:
    lost = [row for row in state["Crash"] if row.geometry is None]
    assert len(lost) == 300
    assert sum(row.values.get("stated_town") is not None for row in lost) > 280
    assert any(row.geometry is None for row in state["School"])
    assert any(row.geometry is None for row in state["BusStop"])


def test_some_stated_towns_are_wrong(state: State) -> None:
    kept, geometries = located(state["Crash"])
    wrong = [
        row
        for row, towns in zip(kept, towns_of(state, geometries), strict=True)
        if "stated_town" in row.values and row.values["stated_town"] not in towns
    ]
    assert 50 < len(wrong) < 500


def test_crashes_on_borders_nodes_streets_and_off_them(state: State) -> None:
    _, crashes = located(state["Crash"])
    assert sum(len(towns) > 1 for towns in towns_of(state, crashes)) >= 50
    lines = np.array([row.geometry for row in state["Road"]])
    nodes = {end for line in lines for end in (line.coords[0], line.coords[-1])}
    on_node = sum((point.x, point.y) in nodes for point in crashes)
    assert on_node / len(crashes) == pytest.approx(0.4, abs=0.03)
    (_, _), distances = shapely.STRtree(lines).query_nearest(crashes, return_distance=True, all_matches=False)
    assert (distances > 15).mean() > 0.02
    assert ((distances > 0) & (distances <= 15)).mean() > 0.4


def test_crashes_exactly_500_m_from_a_school(state: State) -> None:
    _, crashes = located(state["Crash"])
    _, schools = located(state["School"])
    near, school = shapely.STRtree(schools).query(crashes, predicate="dwithin", distance=501)
    exact = shapely.distance(crashes[near], schools[school]) == 500.0
    assert exact.sum() >= 50


def test_days_and_hours_that_are_easily_lost(state: State) -> None:
    values = [row.values for row in state["Crash"]]
    days = Counter(day for value in values if isinstance(day := value.get("date"), dt.date))
    assert min(days) == dt.date(2013, 1, 1)
    assert max(days) == dt.date(2025, 12, 31)
    assert all(days[dt.date(year, 2, 29)] for year in (2016, 2020, 2024))
    assert all(days[dt.date(year, 12, 31)] for year in range(2013, 2026))
    times = Counter(at for value in values if isinstance(at := value.get("time_of_day"), dt.time))
    assert 100 < times[dt.time(0, 0)] < 200
    assert {at.hour for at in times} == set(range(24))


def test_there_are_ties(state: State) -> None:
    _, crashes = located(state["Crash"])
    by_town = Counter(town for towns in towns_of(state, crashes) for town in towns)
    assert max(Counter(by_town.values()).values()) > 1
    _, schools = located(state["School"])
    tree = shapely.STRtree(crashes)
    near = Counter(tree.query(schools, predicate="dwithin", distance=500)[0].tolist())
    ranked = sorted(near.values(), reverse=True)
    assert any(one == next_one for one, next_one in pairwise(ranked[:40]))
    assert len(near) < len(schools), "a school without any crash"
