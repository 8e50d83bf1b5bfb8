"""Finding and opening datasets, and what is said when that cannot be."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import shapely
import sqlalchemy as sa

from groundframe.errors import DatabaseError, DatasetError, UsageError
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import dataset_names, open_dataset
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.postgis.tables import dataset_table
from groundframe.schema.model import Pack

Fill = Callable[..., None]


@pytest.fixture
def fill(database: Database, toy_pack: Pack, in_memory: Callable[..., Any], row: Callable[..., Row]) -> Fill:
    """Load a dataset of that name with one row."""

    def filled(name: str, *, pack: Pack = toy_pack) -> None:
        load_dataset(database, pack, name, in_memory([row("Zone", "z:1", shapely.box(0, 0, 1, 1), name="A")]))

    return filled


def test_choosing(database: Database, fill: Fill, toy_pack: Pack) -> None:
    """None, one, several, a wrong one: each has its own error, with what to do."""
    assert dataset_names(database) == ()
    with pytest.raises(DatasetError, match="holds no data yet") as none:
        open_dataset(database)
    assert none.value.hint == "Load some: groundframe load demo"

    fill("one")
    opened = open_dataset(database, pack=toy_pack)
    assert (opened.name, opened.schema, opened.synthetic) == ("one", "gf_one", False)
    assert opened.report["sources"][0]["rows"] == 1
    assert opened.tables.entities["Zone"].fullname == "gf_one.zone"

    fill("tmp_beside")
    assert open_dataset(database, pack=toy_pack).name == "one"
    assert open_dataset(database, "tmp_beside", pack=toy_pack).name == "tmp_beside"
    with database.begin() as connection:
        connection.execute(sa.schema.DropSchema("gf_tmp_beside", cascade=True))

    fill("another")
    assert dataset_names(database) == ("another", "one")
    with pytest.raises(UsageError, match="several datasets: another, one") as several:
        open_dataset(database, pack=toy_pack)
    assert several.value.exit_code == 2
    assert open_dataset(database, "one", pack=toy_pack).data_version == opened.data_version
    with pytest.raises(DatasetError, match="There is no dataset 'two'"):
        open_dataset(database, "two")
    for name in ("", "Two", "a b", '"; drop schema gf_one; --', "_x", "1x", "é", "x" * 49):
        with pytest.raises(UsageError, match="cannot be named"):
            open_dataset(database, name)


def test_schemas_that_only_look_like_it(database: Database) -> None:
    """A schema of that kind of name without the table about the dataset is none."""
    with database.begin() as connection:
        connection.execute(sa.schema.CreateSchema("gf_empty"))
    assert dataset_names(database) == ()


def test_other_versions(database: Database, fill: Fill, toy_pack: Pack) -> None:
    """Another major version, layout or pack and missing columns are refused; a minor version is not."""
    fill("toy")
    minor = toy_pack.model_copy(update={"version": "1.9.0", "digest": "e" * 64})
    assert open_dataset(database, "toy", pack=minor).pack.version == "1.9.0"

    major = toy_pack.model_copy(update={"version": "2.0.0", "digest": "e" * 64})
    with pytest.raises(
        DatasetError, match=r"version 1\.2\.0 of the pack 'toyland', which is now at 2\.0\.0"
    ) as old:
        open_dataset(database, "toy", pack=major)
    assert old.value.hint == "Load it again: groundframe load toyland --data FOLDER --dataset toy"

    zone = toy_pack.entity("Zone")
    wider = zone.model_copy(update={"fields": (*zone.fields, toy_pack.entity("Way").field("limit"))})
    grown = minor.model_copy(
        update={"entities": tuple(wider if e.name == "Zone" else e for e in toy_pack.entities)}
    )
    with pytest.raises(DatasetError, match=r"before pack 'toyland' had Zone\.limit"):
        open_dataset(database, "toy", pack=grown)

    with pytest.raises(DatasetError, match="of the pack 'toyland', not 'other'"):
        open_dataset(database, "toy", pack=toy_pack.model_copy(update={"name": "other"}))

    with database.begin() as connection:
        connection.execute(dataset_table("gf_toy").update().values(format=0, synthetic=True))
        # The first layout had fewer columns.
        connection.execute(sa.text("ALTER TABLE gf_toy.dataset DROP COLUMN physical"))
    with pytest.raises(DatasetError, match="by another version of groundframe") as layout:
        open_dataset(database, "toy", pack=toy_pack)
    assert layout.value.hint == "Load it again: groundframe load demo --dataset toy"


def test_replaced_while_open(database: Database, fill: Fill, toy_pack: Pack) -> None:
    """A transaction that has met the tables of a later load is told so, however old its snapshot."""
    fill("toy")
    opened = open_dataset(database, pack=toy_pack)
    events, zones = (
        sa.select(sa.func.count()).select_from(opened.tables.entities[name]) for name in ("Event", "Zone")
    )
    with database.connect() as reader:
        reader.execution_options(isolation_level="REPEATABLE READ")
        assert reader.scalar(events) == 0
        opened.verify(reader)
        fill("toy")
        # Locking a table for the first time is when a connection surely hears of renamed schemas.
        assert reader.scalar(zones) == 0
        with pytest.raises(DatasetError, match="loaded anew in the meantime"):
            opened.verify(reader)
    with database.connect() as reader:
        open_dataset(database, pack=toy_pack).verify(reader)


def test_no_postgis(make_database: Callable[..., str]) -> None:
    """A database without PostGIS is told apart from one without data."""
    with (
        Database(make_database(postgis=False)) as bare,
        pytest.raises(DatabaseError, match="has no PostGIS") as caught,
    ):
        open_dataset(bare)
    assert "CREATE EXTENSION postgis" in caught.value.hint


def test_postgis_in_a_schema_of_its_own(
    make_database: Callable[..., str], toy_pack: Pack, in_memory: Callable[..., Any], row: Callable[..., Row]
) -> None:
    """Where the extension lives does not matter."""
    url = make_database(postgis=False)
    with Database(url) as database, database.begin() as connection:
        connection.exec_driver_sql('CREATE SCHEMA "Geo stuff"; CREATE EXTENSION postgis SCHEMA "Geo stuff"')
    with Database(url) as database:
        load_dataset(database, toy_pack, "toy", in_memory([row("Zone", "z:1", shapely.box(0, 0, 1, 1))]))
        assert open_dataset(database, pack=toy_pack).name == "toy"


@pytest.mark.parametrize(
    ("url", "message"),
    [
        (
            "postgresql://nobody:secret@127.0.0.1:9/maps",
            r"No database answers at postgresql://nobody:\*\*\*@127",
        ),
        ("postgres://nobody@/maps?host=/nonexistent", "No database answers at postgresql://nobody@/maps"),
        ("mysql://nobody@localhost/maps", "for mysql, not PostgreSQL"),
        ("not a url", "is not a URL"),
        ("", "is not a URL"),
    ],
)
def test_no_database(url: str, message: str) -> None:
    """What cannot be reached is one sentence, without the password."""
    with pytest.raises(DatabaseError, match=message) as caught:
        dataset_names(Database(url))
    assert "secret" not in str(caught.value)
    assert "\n" not in str(caught.value)


def test_no_such_database(database_url: str) -> None:
    """A server that answers without that database says so."""
    url = sa.make_url(database_url).set(database="nowhere").render_as_string()
    with pytest.raises(DatabaseError, match='database "nowhere" does not exist'):
        dataset_names(Database(url))


def test_permission_denied(database: Database, fill: Fill, toy_pack: Pack) -> None:
    """A role sees only the datasets it may read; reading more than it may is one sentence."""
    fill("toy")
    opened = open_dataset(database, pack=toy_pack)
    with database.connect() as connection:
        connection.exec_driver_sql("CREATE ROLE guest; SET LOCAL ROLE guest")
        with pytest.raises(sa.exc.ProgrammingError) as denied:
            connection.execute(sa.select(opened.tables.dataset))
    assert str(database.translate(denied.value)).startswith(
        f"The role of {database.label} may not do this: permission"
    )


def test_statement_timeout_and_full_pool(database_url: str) -> None:
    """A query that is stopped and a pool that is empty are errors of the database."""
    with Database(database_url, pool_size=1, acquire_timeout=0.1) as database:
        with (
            pytest.raises(DatabaseError, match="The database stopped the query"),
            database.connect() as connection,
        ):
            connection.exec_driver_sql("SET LOCAL statement_timeout = 10; SELECT pg_sleep(10)")
        with database.connect(), pytest.raises(DatabaseError, match="All 1 connections"), database.connect():
            pass


def test_faults_of_the_program_are_not_disguised(database: Database) -> None:
    """A wrong statement is not reported as a trouble of the database."""
    with pytest.raises(sa.exc.ProgrammingError), database.connect() as connection:
        connection.exec_driver_sql("SELECT * FROM no_such_table")
