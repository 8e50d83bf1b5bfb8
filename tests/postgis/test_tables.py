"""Tables come from the pack, with their constraints and indexes."""

from __future__ import annotations

import pytest
import sqlalchemy as sa
from geoalchemy2 import Geometry
from sqlalchemy.schema import CreateSchema, CreateTable, DropSchema

from groundframe.errors import PackError
from groundframe.postgis.connect import Database
from groundframe.postgis.tables import key_and_indexes, make_tables
from groundframe.schema.packs import load_pack

PACK = load_pack("massachusetts")


def test_every_table_can_be_made(database_url: str) -> None:
    """PostgreSQL takes the tables as they are, and makes what the contract says."""
    with Database(database_url) as database, database.connect() as connection:
        connection.execute(CreateSchema("made"))
        tables = make_tables(PACK, "made")
        for table in (tables.dataset, *tables.entities.values()):
            connection.execute(CreateTable(table))
        inspector = sa.inspect(connection)
        assert inspector.get_pk_constraint("crash", schema="made")["constrained_columns"] == []
        for table in tables.entities.values():
            key, indexes = key_and_indexes(table)
            connection.execute(key)
            for index in indexes:
                connection.execute(index)
        inspector = sa.inspect(connection)
        assert inspector.get_pk_constraint("crash", schema="made")["constrained_columns"] == ["key"]
        columns = {column["name"]: column for column in inspector.get_columns("crash", schema="made")}
        for name, kind in {
            "key": "TEXT",
            "severity": "TEXT",
            "non_motorist_types": "TEXT[]",
            "speed_limit": "DOUBLE PRECISION",
            "speed_limit_reported": "DOUBLE PRECISION",
            "speed_limit_basis": "TEXT",
            "persons_killed": "INTEGER",
            "date": "DATE",
            "time_of_day": "TIME WITHOUT TIME ZONE",
            "town_key": "TEXT",
            "town_basis": "TEXT",
            "road_distance_m": "DOUBLE PRECISION",
            "row_digest": "TEXT",
        }.items():
            assert columns[name]["type"].compile(connection.dialect).removesuffix(' COLLATE "C"') == kind
        assert "town_distance_m" not in columns
        for name, srid in (("geom", 26986), ("geom_wgs", 4326)):
            geometry = columns[name]["type"]
            assert isinstance(geometry, Geometry)
            assert geometry.srid == srid
        assert [name for name in columns if name == "source"] == ["source"]
        indexed = {tuple(index["column_names"]) for index in inspector.get_indexes("crash", schema="made")}
        assert {("id",), ("weather",), ("non_motorist_types",)} <= indexed
        roads = {tuple(index["column_names"]) for index in inspector.get_indexes("road", schema="made")}
        assert {("id",), ("geom",), ("name",)} <= roads
        connection.execute(DropSchema("made", cascade=True))


@pytest.mark.parametrize(
    ("table", "row"),
    [
        ("crash", {"speed_limit": 999.0}),
        ("crash", {"persons_killed": -1}),
        ("crash", {"geom": "SRID=26986;LINESTRING(0 0, 1 1)"}),
        ("town", {"geom": "SRID=26986;POINT(0 0)"}),
        ("town", {"geom": "SRID=26986;POLYGON EMPTY"}),
    ],
)
def test_what_a_table_refuses(database_url: str, table: str, row: dict[str, object]) -> None:
    """Numbers out of range, the wrong kind of geometry and empty geometry stay out."""
    with Database(database_url) as database, database.connect() as connection:
        connection.execute(CreateSchema("refusing"))
        target = next(t for t in make_tables(PACK, "refusing").entities.values() if t.name == table)
        connection.execute(CreateTable(target))
        plain = {"key": "a:1", "source": "a", "row_digest": ""}
        connection.execute(target.insert(), plain)
        with pytest.raises(sa.exc.IntegrityError):
            connection.execute(target.insert(), {**plain, **row})


def test_clashing_names() -> None:
    """A pack whose columns or tables would clash is refused."""
    crash = PACK.entity("Crash")
    field = crash.field("severity").model_copy(update={"name": "town_key"})
    clash = crash.model_copy(update={"fields": (*crash.fields, field)})
    with pytest.raises(PackError, match="two columns named 'town_key'"):
        make_tables(PACK.model_copy(update={"entities": (clash,)}), "gf_x")
    town = PACK.entity("Town").model_copy(update={"table": "dataset"})
    with pytest.raises(PackError, match="two tables would be named 'dataset'"):
        make_tables(PACK.model_copy(update={"entities": (town,)}), "gf_x")
