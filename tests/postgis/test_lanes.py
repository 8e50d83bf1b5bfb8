"""What is made by several connections at a time is there for readers whole or not at all."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import shapely
import sqlalchemy as sa
from psycopg import sql

from groundframe.errors import DatabaseError
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.postgis.load.lanes import run_apart
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.schema.model import Pack

Make = Callable[..., Row]


def schemas(database: Database) -> list[str]:
    with database.connect() as connection:
        found = connection.scalars(
            sa.text("SELECT nspname FROM pg_namespace WHERE starts_with(nspname, 'gf') ORDER BY 1")
        )
        return list(found)


def made(database: Database, table: str, statements: list[str]) -> set[str]:
    """The indexes of a new table after some statements in lanes."""
    with database.begin() as connection:
        connection.exec_driver_sql("CREATE SCHEMA gf_lanes")
        connection.exec_driver_sql(f"CREATE TABLE gf_lanes.{table} AS SELECT generate_series(1, 9) AS a")
    run_apart(database, [sql.SQL(statement).format() for statement in statements])
    return {index["name"] or "" for index in sa.inspect(database.engine).get_indexes(table, "gf_lanes")}


def test_all_statements_are_run(database: Database) -> None:
    statements = [f"CREATE INDEX i{number} ON gf_lanes.one (a)" for number in range(5)]
    assert made(database, "one", statements) == {f"i{number}" for number in range(5)}


def test_one_that_fails_is_told(database: Database) -> None:
    with pytest.raises(sa.exc.ProgrammingError, match="does not exist"):
        made(database, "one", ["CREATE INDEX i ON gf_lanes.one (a)", "CREATE INDEX j ON gf_lanes.one (b)"])


def test_what_a_killed_load_has_left_is_replaced(
    database: Database, toy_pack: Pack, row: Make, in_memory: Callable[..., Any]
) -> None:
    with database.begin() as connection:
        connection.exec_driver_sql("CREATE SCHEMA gfnew_toy")
        connection.exec_driver_sql("CREATE TABLE gfnew_toy.zone (key text)")
    rows = [row("Zone", "z:1", shapely.box(0, 0, 9, 9), name="Northfield")]
    load_dataset(database, toy_pack, "toy", in_memory(rows))
    assert schemas(database) == ["gf_toy"]


@pytest.mark.parametrize("problem", [KeyboardInterrupt, DatabaseError("The database ran out of room.")])
def test_a_load_that_ends_among_its_indexes_leaves_nothing(
    database: Database,
    toy_pack: Pack,
    row: Make,
    in_memory: Callable[..., Any],
    problem: BaseException | type[BaseException],
) -> None:
    rows = [row("Zone", f"z:{n}", shapely.box(n, 0, n + 1, 9), name=f"Zone {n}") for n in range(3)]
    first = load_dataset(database, toy_pack, "toy", in_memory(rows[:2]))

    def ends(what: str, done: int) -> None:
        if what == "indexing":
            raise problem

    with pytest.raises(problem if isinstance(problem, type) else type(problem)):
        load_dataset(database, toy_pack, "toy", in_memory(rows), progress=ends)
    assert schemas(database) == ["gf_toy"]
    assert open_dataset(database, "toy", pack=toy_pack).data_version == first.data_version
    # And the next is not kept out.
    load_dataset(database, toy_pack, "toy", in_memory(rows))


def test_tables_are_the_servers_to_look_after_again(
    database: Database, toy_pack: Pack, row: Make, in_memory: Callable[..., Any]
) -> None:
    rows = [row("Zone", "z:1", shapely.box(0, 0, 9, 9), name="Northfield")]
    load_dataset(database, toy_pack, "toy", in_memory(rows))
    with database.connect() as connection:
        settings = connection.scalars(
            sa.text(
                "SELECT reloptions FROM pg_class"
                " WHERE relnamespace = 'gf_toy'::regnamespace AND relkind = 'r'"
            )
        ).all()
    assert len(settings) > len(toy_pack.entities)
    assert not any(settings)
