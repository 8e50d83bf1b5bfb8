"""Links, checked against shapely row by row."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import pytest
import shapely
import sqlalchemy as sa
from shapely.geometry.base import BaseGeometry

from groundframe.postgis.connect import Database
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.postgis.tables import make_tables
from groundframe.schema.model import Pack

Load = Callable[[list[Row]], Mapping[str, dict[str, Any]]]


@pytest.fixture
def load(database: Database, toy_pack: Pack, in_memory: Callable[..., Any]) -> Load:
    """Load rows and give back the stored ones by key."""

    def loaded(rows: list[Row]) -> Mapping[str, dict[str, Any]]:
        load_dataset(database, toy_pack, "toy", in_memory(rows))
        found: dict[str, dict[str, Any]] = {}
        with database.connect() as connection:
            for table in make_tables(toy_pack, "gf_toy").entities.values():
                columns = [c for c in table.columns if not c.name.startswith("geom")]
                for record in connection.execute(sa.select(*columns)).mappings():
                    found[record["key"]] = dict(record)
        return found

    return loaded


def _square(x: float, y: float, side: float = 100) -> BaseGeometry:
    return shapely.box(x, y, x + side, y + side)


def test_points_on_borders(load: Load, row: Callable[..., Row]) -> None:
    """A border point belongs to the smallest key; a point outside to none; holes are outside."""
    holed = _square(0, 0).difference(_square(40, 40, 20))
    found = load(
        [
            row("Zone", "z:b", holed),
            row("Zone", "z:a", _square(100, 0)),
            row("Zone", "z:c", _square(0, 100)),
            row("Event", "e:edge", shapely.Point(100, 50)),
            row("Event", "e:corner", shapely.Point(100, 100)),
            row("Event", "e:inner edge", shapely.Point(40, 50)),
            row("Event", "e:hole", shapely.Point(50, 50)),
            row("Event", "e:other edge", shapely.Point(50, 100)),
            row("Event", "e:outside", shapely.Point(500, 500)),
        ]
    )
    assert {key: (r["zone_key"], r["zone_basis"]) for key, r in found.items() if key.startswith("e:")} == {
        "e:edge": ("z:a", "covered"),
        "e:corner": ("z:a", "covered"),
        "e:inner edge": ("z:b", "covered"),
        "e:hole": (None, None),
        "e:other edge": ("z:b", "covered"),
        "e:outside": (None, None),
    }


def test_greatest_part(load: Load, row: Callable[..., Row]) -> None:
    """Lines and polygons go where most of them is, ties to the smallest key; touching is not lying in."""
    line = shapely.LineString
    found = load(
        [
            row("Zone", "z:b", _square(0, 0)),
            row("Zone", "z:a", _square(100, 0)),
            row("Way", "w:inside", line([(10, 10), (90, 90)])),
            row("Way", "w:more in b", line([(40, 50), (150, 50)])),
            row("Way", "w:equal", line([(60, 50), (140, 50)])),
            row("Way", "w:along the border", line([(100, 10), (100, 90)])),
            row("Way", "w:touches", line([(0, 50), (-50, 50)])),
            row("Way", "w:partly outside", line([(-50, 50), (10, 50)])),
            row("Way", "w:outside", line([(-50, 50), (-10, 50)])),
            row("Plot", "p:more in a", shapely.box(90, 10, 120, 20)),
            row("Plot", "p:equal", shapely.box(80, 10, 120, 20)),
            row("Plot", "p:in b", shapely.box(10, 10, 20, 20)),
            row("Plot", "p:points", shapely.MultiPoint([(10, 10), (20, 20), (150, 50)])),
            row("Plot", "p:points at the border", shapely.MultiPoint([(100, 10), (100, 20), (50, 50)])),
        ]
    )
    assert {key: (r["zone_key"], r["zone_basis"]) for key, r in found.items() if key[0] in "wp"} == {
        "w:inside": ("z:b", "covered"),
        "w:more in b": ("z:b", "largest_part"),
        "w:equal": ("z:a", "largest_part"),
        "w:along the border": ("z:a", "covered"),
        "w:touches": (None, None),
        "w:partly outside": ("z:b", "largest_part"),
        "w:outside": (None, None),
        "p:more in a": ("z:a", "largest_part"),
        "p:equal": ("z:a", "largest_part"),
        "p:in b": ("z:b", "covered"),
        "p:points": ("z:b", "largest_part"),
        "p:points at the border": ("z:b", "covered"),
    }


def test_unlocated_rows_go_where_they_say(load: Load, row: Callable[..., Row]) -> None:
    """Only rows without geometry are linked by name: folded, without affixes, by alias; namesakes by key."""
    found = load(
        [
            row("Zone", "z:2", _square(0, 0), name="Northfield"),
            row("Zone", "z:1", _square(100, 0), name="NORTHFIELD"),
            row("Zone", "z:3", _square(200, 0), name="Millville"),
            row("Event", "e:same", stated_zone="northfield"),
            row("Event", "e:affix", stated_zone="Borough of Northfield"),
            row("Event", "e:alias", stated_zone="OLD MILL borough"),
            row("Event", "e:unknown", stated_zone="Southfield"),
            row("Event", "e:silent"),
            row("Event", "e:located", shapely.Point(50, 50), stated_zone="Millville"),
            row("Event", "e:outside", shapely.Point(500, 50), stated_zone="Millville"),
        ]
    )
    assert {key: (r["zone_key"], r["zone_basis"]) for key, r in found.items() if key.startswith("e:")} == {
        "e:same": ("z:1", "stated"),
        "e:affix": ("z:1", "stated"),
        "e:alias": ("z:3", "stated"),
        "e:unknown": (None, None),
        "e:silent": (None, None),
        "e:located": ("z:2", "covered"),
        "e:outside": (None, None),
    }


def test_nearest(load: Load, row: Callable[..., Row]) -> None:
    """The nearest within reach, half a millimetre included; the stated street wins where it is in reach."""
    point = shapely.Point
    found = load(
        [
            row("Way", "w:b", shapely.LineString([(0, 0), (100, 0)]), name="Freeway"),
            row("Way", "w:a", shapely.LineString([(0, 20), (100, 20)]), name="Mill Lane"),
            row("Way", "w:c", shapely.LineString([(0, 300), (100, 300)]), name="Far Lane"),
            row("Event", "e:near b", point(50, 4)),
            row("Event", "e:tie", point(50, 10)),
            row("Event", "e:on bridge", point(50, 6), stated_way="MILL LN"),
            row("Event", "e:stated too far", point(50, 4), stated_way="Mill Lane"),
            row("Event", "e:stated elsewhere", point(50, 4), stated_way="Far Lane"),
            row("Event", "e:at the limit", point(50, -15)),
            row("Event", "e:beyond", point(50, -15 - 1 / 1024)),
            row("Event", "e:past the end", point(109, -12)),
            row("Event", "e:unlocated", stated_way="Mill Lane"),
        ]
    )
    links = {
        key: (r["way_key"], r["way_basis"], r["way_distance_m"])
        for key, r in found.items()
        if key.startswith("e:")
    }
    assert links == {
        "e:near b": ("w:b", "nearest", 4.0),
        "e:tie": ("w:a", "nearest", 10.0),
        "e:on bridge": ("w:a", "stated_name", 14.0),
        "e:stated too far": ("w:b", "nearest", 4.0),
        "e:stated elsewhere": ("w:b", "nearest", 4.0),
        "e:at the limit": ("w:b", "nearest", 15.0),
        "e:beyond": (None, None, None),
        "e:past the end": ("w:b", "nearest", 15.0),
        "e:unlocated": (None, None, None),
    }


def test_carried_values(load: Load, row: Callable[..., Row]) -> None:
    """What is reported wins unless it means unknown; then the linked feature's, unless that does too."""
    way = shapely.LineString([(0, 0), (100, 0)])
    other = shapely.LineString([(0, 100), (100, 100)])
    near, far, beside = shapely.Point(50, 1), shapely.Point(50, 50), shapely.Point(50, 101)
    found = load(
        [
            row("Way", "w:1", way, limit=30.0, paving="stone"),
            row("Way", "w:2", other, paving="Unknown"),
            row("Event", "e:reported", near, limit=20.0, paving="none"),
            row("Event", "e:blank", near),
            row("Event", "e:unknown", near, paving="Unknown"),
            row("Event", "e:no link", far, paving="Unknown"),
            row("Event", "e:unknown there", beside),
        ]
    )
    columns = ("limit", "limit_reported", "limit_basis", "paving", "paving_reported", "paving_basis")
    carried = {key: tuple(r[c] for c in columns) for key, r in found.items() if key.startswith("e:")}
    assert carried == {
        "e:reported": (20.0, 20.0, "reported", "none", "none", "reported"),
        "e:blank": (30.0, None, "way", "stone", None, "way"),
        "e:unknown": (30.0, None, "way", "stone", "Unknown", "way"),
        "e:no link": (None, None, None, "Unknown", "Unknown", None),
        "e:unknown there": (None, None, None, None, None, None),
    }


def test_nothing_to_link_to(load: Load, row: Callable[..., Row]) -> None:
    """Without the linked entity the links are empty, and what is carried is what was reported."""
    found = load([row("Event", "e:1", shapely.Point(0, 0), limit=20.0, stated_zone="Northfield")])
    event = found["e:1"]
    assert (event["zone_key"], event["zone_basis"], event["way_key"], event["way_distance_m"]) == (None,) * 4
    assert (event["limit"], event["limit_basis"], event["paving_basis"]) == (20.0, "reported", None)


def _node_rows(row: Callable[..., Row]) -> list[Row]:
    line = shapely.LineString
    return [
        row("Way", "w:1", line([(0, 0), (100, 0)]), name="Mill Lane"),
        row("Way", "w:2", line([(100, 0.3), (200, 0)]), name="Mill Ln"),
        row("Way", "w:3", line([(100, 0.3), (100, 90)]), name="Abbey Road"),
        row("Way", "w:4", line([(200, 0), (300, 0)]), name="Mill Lane"),
        # A trail over the Mill Lane, without an end at it; it ends where another trail begins.
        row("Way", "w:5", line([(50, -50), (50, 50)])),
        row("Way", "w:6", line([(50, 50), (50, 150)])),
        # Three nameless ends; and a loop of one segment on a stem.
        row("Way", "w:7", line([(1000, 0), (1100, 0)])),
        row("Way", "w:8", line([(1000, 0), (1000, 100)])),
        row("Way", "w:9", line([(1000, 0), (900, 0)])),
        row("Way", "w:10", line([(300, 0), (350, 50), (400, 0), (300, 0)]), name="Mill Lane"),
        # Two parts that meet are one line; here another street begins.
        row(
            "Way", "w:11", shapely.MultiLineString([[(2000, 0), (2050, 0)], [(2050, 0), (2100, 0)]]), name="A"
        ),
        row("Way", "w:12", line([(2050, 0), (2050, 50)]), name="B"),
        row("Way", "w:13", line([(2100, 0), (2100, 50)]), name="C"),
    ]


def test_network_nodes(load: Load, row: Callable[..., Row]) -> None:
    """Three ends or two streets make a node, whatever the grid cell; a trail crossing does not."""
    found = load([*_node_rows(row), row("Zone", "z:1", _square(-1, -1, 500))])
    nodes = {key: r for key, r in found.items() if key.startswith("derived:")}
    assert {(r["title"], r["ends"]) for r in nodes.values()} == {
        ("Abbey Road & Mill Lane", 3),
        (None, 3),
        ("Mill Lane", 3),
        ("A & C", 2),
    }
    assert {r["zone_key"] for r in nodes.values() if r["title"] and "Mill" in r["title"]} == {"z:1"}
    # Two of the three ends of the first node are 0.3 m above the axis.
    assert "derived:2001000_2000003" in nodes
    assert {r["source"] for r in nodes.values()} == {"derived"}


def test_against_brute_force(load: Load, row: Callable[..., Row]) -> None:
    """A few hundred random features on a coarse raster, so that borders and ties abound."""
    random = np.random.default_rng(7)

    def place(low: int = 0, high: int = 40) -> tuple[float, float]:
        x, y = random.integers(low, high, 2)
        return float(x) * 2.5, float(y) * 2.5

    def segment(reach: int) -> BaseGeometry:
        start = place()
        right, up = random.integers(1, reach, 2) * 2.5
        return shapely.LineString([start, (start[0] + right, start[1] + up * random.choice([-1, 0, 1]))])

    zones = [
        row("Zone", f"z:{i}", _square(x * 25, y * 25, 25), name=f"N{i % 5}")
        for i, (x, y) in enumerate([(x, y) for x in range(4) for y in range(4)])
    ]
    names = ["Mill Lane", "Abbey Road", "High Street", None]
    ways = [row("Way", f"w:{i}", segment(8), name=names[i % 4]) for i in range(120)]
    plots = [row("Plot", f"p:{i}", shapely.box(*place(), *place(41, 45))) for i in range(40)]
    events = [
        row(
            "Event",
            f"e:{i}",
            None if i % 10 == 0 else shapely.Point(place(-3, 43)),
            stated_way=names[int(random.integers(0, 4))],
            stated_zone=f"n{int(random.integers(0, 6))}",
        )
        for i in range(400)
    ]
    found = load([*zones, *ways, *plots, *events])
    bases: set[str | None] = set()
    for item in [*ways, *plots, *events]:
        stored = found[item.key]
        assert (stored["zone_key"], stored["zone_basis"]) == _covering(item, zones), item.key
        bases.add(stored["zone_basis"])
        if item.entity == "Event":
            assert (stored["way_key"], stored["way_basis"], stored["way_distance_m"]) == _nearest(item, ways)
            bases.add(stored["way_basis"])
    assert bases == {"covered", "largest_part", "stated", "nearest", "stated_name", None}


def _covering(item: Row, zones: list[Row]) -> tuple[str | None, str | None]:
    if item.geometry is None:
        stated = str(item.values["stated_zone"]).casefold()
        named = sorted(zone.key for zone in zones if str(zone.values["name"]).casefold() == stated)
        return (named[0], "stated") if named else (None, None)
    kind = shapely.get_dimensions(item.geometry)
    parts = []
    for zone in zones:
        assert zone.geometry is not None
        part = zone.geometry.intersection(item.geometry)
        size = [float(not part.is_empty), round(part.length * 1e3), round(part.area * 1e6)][kind]
        if size > 0:
            parts.append((-size, zone.key, zone.geometry.covers(item.geometry)))
    if not parts:
        return None, None
    _, key, covers = min(parts)
    return key, "covered" if covers else "largest_part"


def _nearest(item: Row, ways: list[Row]) -> tuple[str | None, str | None, float | None]:
    if item.geometry is None:
        return None, None, None
    near = []
    for way in ways:
        assert way.geometry is not None
        distance = way.geometry.distance(item.geometry)
        if distance <= 15.0005:
            named = way.values["name"] is not None and way.values["name"] == item.values["stated_way"]
            near.append((not named, round(distance, 3), way.key))
    if not near:
        return None, None, None
    other, distance, key = min(near)
    return key, "nearest" if other else "stated_name", distance
