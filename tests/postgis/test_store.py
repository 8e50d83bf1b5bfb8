"""Loading: what is stored, what a second load changes, and that a failed one changes nothing."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from datetime import date, time
from typing import Any

import psycopg
import pyproj
import pytest
import shapely
import sqlalchemy as sa

from groundframe.errors import DatabaseError, LoadError
from groundframe.postgis.connect import Database
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row, row_digest
from groundframe.postgis.load.summary import LoadReport
from groundframe.postgis.version import digest_of
from groundframe.schema.model import Pack

Make = Callable[..., Row]
Load = Callable[..., LoadReport]


@pytest.fixture
def load(database: Database, toy_pack: Pack, in_memory: Callable[..., Any]) -> Load:
    """Load rows into the dataset 'toy'."""

    def loaded(rows: list[Row], *, add: bool = False) -> LoadReport:
        return load_dataset(database, toy_pack, "toy", in_memory(rows), add=add)

    return loaded


def _query(database: Database, statement: str) -> list[tuple[Any, ...]]:
    with database.connect() as connection:
        return [tuple(row) for row in connection.exec_driver_sql(statement)]


def _events(row: Make) -> list[Row]:
    square = shapely.box(0, 0, 100, 100)
    return [
        row("Zone", "z:1", square, name="Northfield"),
        row("Way", "w:1", shapely.LineString([(0, 0), (100, 0)]), name="Mill Lane", limit=30.0),
        row(
            "Event",
            "ledger:1",
            shapely.Point(50, 5),
            day=date(2020, 2, 29),
            clock=time(23, 59),
            tags=("b", "a"),
            flag=False,
            limit=20,
        ),
        row("Event", "ledger:2", None, day=date(2019, 1, 1), tags=(), stated_zone="Northfield"),
    ]


def test_values_come_back(load: Load, row: Make, database: Database) -> None:
    """Every kind of value is stored as it was given; an empty list is not NULL."""
    rows = _events(row)
    load(rows)
    stored = _query(
        database,
        "SELECT source, day, clock, tags, flag, limit_reported, row_digest,"
        " ST_SRID(geom), ST_X(geom), ST_SRID(geom_wgs)"
        " FROM gf_toy.event ORDER BY key",
    )
    assert stored == [
        (
            "ledger",
            date(2020, 2, 29),
            time(23, 59),
            ["b", "a"],
            False,
            20.0,
            row_digest(rows[2]),
            26986,
            200050.0,
            4326,
        ),
        ("ledger", date(2019, 1, 1), None, [], None, None, row_digest(rows[3]), None, None, None),
    ]


def test_geographic_geometry(load: Load, row: Make, database: Database, toy_pack: Pack) -> None:
    """WGS 84 to 7 decimals, longitude first, outer rings counter-clockwise; PROJ's own definition agrees."""
    clockwise = shapely.Polygon([(0, 0), (0, 90), (90, 90), (90, 0)], [[(10, 10), (20, 10), (20, 20)]])
    load([row("Zone", "z:1", clockwise), row("Event", "e:1", shapely.Point(33, 55))])
    ((x, y),) = _query(database, "SELECT ST_X(geom_wgs), ST_Y(geom_wgs) FROM gf_toy.event")
    transformer = pyproj.Transformer.from_crs(26986, 4269, always_xy=True)
    geom = row("Event", "e:1", shapely.Point(33, 55)).geometry
    assert isinstance(geom, shapely.Point)
    longitude, latitude = transformer.transform(geom.x, geom.y)
    assert (x, y) == (round(longitude, 7), round(latitude, 7))
    assert x == pytest.approx(-71.4996, abs=1e-3)
    ((right_handed, holes),) = _query(
        database, "SELECT ST_IsPolygonCCW(geom_wgs), ST_NumInteriorRings(geom_wgs) FROM gf_toy.zone"
    )
    assert (right_handed, holes) == (True, 1)


def test_data_version(load: Load, row: Make, toy_pack: Pack) -> None:
    """The digest of pack and sorted rows: order, repetition and loading twice do not matter."""
    rows = _events(row)
    expected = digest_of(
        toy_pack.digest, [(r.entity, row_digest(r)) for r in sorted(rows, key=lambda r: (r.entity, r.key))]
    )
    first = load(rows)
    assert first.data_version == expected
    assert load([*reversed(rows), rows[2]]).data_version == expected
    assert load(rows, add=True).data_version == expected
    assert load(rows[:-1]).data_version != expected


def test_adding(load: Load, row: Make, database: Database) -> None:
    """Rows are added to those that are there; the same rows again leave the dataset alone."""
    rows = _events(row)
    first = load(rows[:3])
    again = load(rows[:3], add=True)
    assert not again.changed
    assert {(c.entity, c.new, c.already_loaded, c.repeated) for c in again.rows if c.entity == "Event"} == {
        ("Event", 0, 1, 0)
    }
    (oid,) = _query(database, "SELECT 'gf_toy'::regnamespace::oid")
    added = load([*rows[2:], rows[2]], add=True)
    assert added.changed
    assert added.data_version == load(rows).data_version != first.data_version
    assert {(c.entity, c.new, c.already_loaded, c.repeated) for c in added.rows if c.entity == "Event"} == {
        ("Event", 1, 1, 1)
    }
    assert _query(database, "SELECT 'gf_toy'::regnamespace::oid") != [oid]


def test_adding_keeps_what_was_reported(load: Load, row: Make, database: Database) -> None:
    """Carried values are worked out anew from the reported ones, and links from the new neighbours."""
    rows = _events(row)
    load(rows)
    closer = row("Way", "w:2", shapely.LineString([(0, 4), (100, 4)]), name="Abbey Road", limit=50.0)
    silent = row("Event", "ledger:3", shapely.Point(50, 6))
    load([closer, silent], add=True)
    assert _query(
        database, 'SELECT key, way_key, "limit", limit_reported, limit_basis FROM gf_toy.event ORDER BY key'
    ) == [
        ("ledger:1", "w:2", 20.0, 20.0, "reported"),
        ("ledger:2", None, None, None, None),
        ("ledger:3", "w:2", 50.0, None, "way"),
    ]


def _state(database: Database) -> list[tuple[Any, ...]]:
    return _query(
        database,
        "SELECT (SELECT data_version FROM gf_toy.dataset), (SELECT count(*) FROM gf_toy.event),"
        " 'gf_toy'::regnamespace::oid,"
        " (SELECT array_agg(nspname ORDER BY 1) FROM pg_namespace WHERE nspname ~ '^gf')",
    )


def test_failed_loads_change_nothing(
    load: Load, row: Make, database: Database, toy_pack: Pack, in_memory: Callable[..., Any]
) -> None:
    """Whatever fails and wherever, the dataset is as it was, and nothing is left lying about."""
    rows = _events(row)
    load(rows)
    before = _state(database)

    class Broken:
        reports = ()

        def rows(self, entity: str) -> Iterator[Row]:
            yield from in_memory(rows).rows(entity)
            if entity == "Event":
                raise LoadError("The file is cut off.")

    with pytest.raises(LoadError, match="cut off"):
        load_dataset(database, toy_pack, "toy", Broken())
    assert _state(database) == before

    with pytest.raises(LoadError, match="There are no rows to load"):
        load([])
    with pytest.raises(LoadError, match="The database refuses a row"):
        load([row("Way", "w:1", shapely.LineString([(0, 0), (1, 1)]), limit=-5.0)])
    with pytest.raises(LoadError, match="The database refuses a row"):
        load([row("Zone", "z:1", None, name="a\x00b")])
    with pytest.raises(ValueError, match="not a row of Zone"):
        load([row("Zone", "z:1", None, nickname="a")])
    assert _state(database) == before


def test_conflicts(load: Load, row: Make, database: Database) -> None:
    """One key with two contents is refused by name, within a load and against what is there."""
    rows = _events(row)
    load(rows)
    before = _state(database)
    other = row("Event", "ledger:1", shapely.Point(50, 5), day=date(2020, 2, 28), tags=("b", "a"), flag=False)
    with pytest.raises(
        LoadError, match=r"The dataset holds event 'ledger:1' with other content \(day, clock, limit\)\."
    ):
        load([other], add=True)
    moved = row("Zone", "z:1", shapely.box(0, 0, 10, 10), name="Northfield")
    with pytest.raises(LoadError, match=r"The files hold zone 'z:1' with different contents \(location\)"):
        load([*rows, moved])
    assert _state(database) == before


def test_running_queries_finish(load: Load, row: Make, database: Database, database_url: str) -> None:
    """A query that streams while the dataset is replaced reads the old rows to the end; new ones the new."""
    load([row("Event", f"e:{i}", shapely.Point(i, 0)) for i in range(500)])
    with psycopg.connect(database_url) as reader:
        with reader.cursor(name="stream") as cursor:
            cursor.itersize = 10
            streamed = iter(cursor.execute("SELECT key FROM gf_toy.event ORDER BY key"))
            keys = [next(streamed)[0]]
            load([row("Event", "e:new", shapely.Point(0, 0))])
            assert _query(database, "SELECT key FROM gf_toy.event") == [("e:new",)]
            keys += [key for (key,) in streamed]
        assert len(keys) == 500
        assert _query(database, "SELECT count(*) FROM pg_namespace WHERE nspname ~ '^gfold_'") == [(1,)]
    load([row("Event", "e:newer", shapely.Point(0, 0))])
    assert _query(database, "SELECT count(*) FROM pg_namespace WHERE nspname ~ '^gfold_'") == [(0,)]


def test_one_load_at_a_time(
    load: Load, row: Make, database: Database, toy_pack: Pack, in_memory: Callable[..., Any]
) -> None:
    """A second load of the same dataset is told so at once; one of another dataset is not in the way."""
    started, go_on = threading.Event(), threading.Event()

    class Slow:
        reports = ()

        def rows(self, entity: str) -> Iterator[Row]:
            started.set()
            assert go_on.wait(30)
            yield from in_memory(_events(row)).rows(entity)

    thread = threading.Thread(target=load_dataset, args=(database, toy_pack, "toy", Slow()))
    thread.start()
    try:
        assert started.wait(30)
        with pytest.raises(LoadError, match="Another load of dataset 'toy' is running"):
            load(_events(row))
        load_dataset(database, toy_pack, "other", in_memory(_events(row)))
    finally:
        go_on.set()
        thread.join()
    assert _query(database, "SELECT count(*) FROM gf_toy.event, gf_other.zone") == [(2,)]


def test_what_stands_in_the_way(
    load: Load,
    row: Make,
    database: Database,
    make_database: Callable[..., str],
    toy_pack: Pack,
    in_memory: Callable[..., Any],
) -> None:
    """A schema that is no dataset is left alone; a database without PostGIS is named."""
    with database.begin() as connection:
        connection.execute(sa.schema.CreateSchema("gf_toy"))
    with pytest.raises(LoadError, match="'gf_toy' exists in the database and is no dataset"):
        load(_events(row))
    with Database(make_database(postgis=False)) as bare, pytest.raises(DatabaseError, match="has no PostGIS"):
        load_dataset(bare, toy_pack, "toy", in_memory(_events(row)))


def test_tables_are_in_spatial_order_and_analysed(load: Load, row: Make, database: Database) -> None:
    """Neighbours in space are neighbours on disk, and the planner knows the tables."""
    load([row("Event", f"e:{i}", shapely.Point(i * 7919 % 1000, i * 104729 % 1000)) for i in range(1000)])
    ((step,),) = _query(
        database,
        "SELECT avg(ST_Distance(geom, after)) FROM"
        " (SELECT geom, lead(geom) OVER (ORDER BY ctid) AS after FROM gf_toy.event) AS pairs",
    )
    assert step < 60  # a random order has about 520
    assert _query(
        database,
        "SELECT relpersistence::text, reltuples::int, relallvisible > 0"
        " FROM pg_class WHERE oid = 'gf_toy.event'::regclass",
    ) == [("p", 1000, True)]


def test_report(load: Load, row: Make, database: Database) -> None:
    """Sources, links, what is stated elsewhere, and overlaps; stored as it is returned."""
    day, clock = date(2020, 5, 1), time(12, 0)
    rows = [
        row("Zone", "z:1", shapely.box(0, 0, 100, 100), name="Northfield"),
        row("Zone", "z:2", shapely.box(100, 0, 200, 100), name="Southfield"),
        row("Event", "ledger:1", shapely.Point(50, 5), day=day, clock=clock, stated_zone="Southfield"),
        row("Event", "ledger:2", shapely.Point(150, 5), day=date(2021, 1, 1), stated_zone="SOUTHFIELD"),
        row("Event", "ledger:3", shapely.Point(950, 5), limit=10.0, stated_zone="Northfield"),
        row("Event", "ledger:4", None, stated_zone="Elsewhere"),
        row("Event", "diary:1", shapely.Point(90, 35), day=day, clock=clock),
        row("Event", "diary:2", shapely.Point(50, 60), day=day, clock=clock),
        row("Event", "diary:3", shapely.Point(50, 5), day=day, clock=time(12, 1)),
    ]
    report = load(rows)
    (stored,) = _query(database, "SELECT report FROM gf_toy.dataset")
    assert stored[0] == report.as_dict()
    assert not report.synthetic
    assert load([row("Event", "dream:1")], add=True).synthetic
    sources = {source.source: source for source in report.sources}
    ledger = sources["ledger"]
    assert (ledger.title, ledger.rows, ledger.located, ledger.first, ledger.last) == (
        "The ledger",
        4,
        3,
        day,
        date(2021, 1, 1),
    )
    assert ledger.known == {"day": 2, "clock": 1, "limit": 1}
    assert ledger.coverage == {
        "area": "all",
        "first": None,
        "last": None,
        "completeness": "sample",
        "breaks": [],
    }
    assert sources["diary"].coverage is None
    link = next(link for link in report.links if (link.entity, link.link) == ("Event", "zone"))
    assert link.basis == {"covered": 5, "none": 2}
    assert (link.located_outside, link.stated_elsewhere, link.stated_unknown) == (1, 2, 1)
    assert {(pair.stated, pair.found, pair.rows) for pair in link.examples} == {
        ("Southfield", "Northfield", 1),
        ("Northfield", "", 1),
    }
    (overlap,) = report.overlaps
    assert (overlap.sources, overlap.rows, overlap.first, overlap.last) == (("diary", "ledger"), 1, day, day)
