"""Putting a new schema in the place of an old one while queries run."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress

import psycopg
import sqlalchemy as sa
from psycopg import sql

from groundframe.errors import DatabaseError, LoadError
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import dataset_schema, require_dataset
from groundframe.postgis.load.build import Build

__all__ = [
    "drop_dataset",
    "drop_replaced",
    "dropped_on_failure",
    "locked_for_load",
    "swap",
    "under_construction",
]

_OLD = "gfold_"
_PATIENCE = "2s"


def under_construction(name: str) -> str:
    """The schema in which the dataset of that name is built."""
    return f"gfnew_{name}"


@contextmanager
def locked_for_load(connection: sa.Connection, name: str) -> Iterator[None]:
    """Keep others from loading the same dataset, over several transactions; raise when one does already."""
    key = sa.func.hashtextextended(f"groundframe load {name}", 0)
    if not connection.scalar(sa.select(sa.func.pg_try_advisory_lock(key))):
        raise LoadError(f"Another load of dataset '{name}' is running.", "Load again when it has ended.")
    try:
        yield
    finally:
        # With a connection that is lost the lock is gone as well.
        with suppress(sa.exc.DBAPIError, psycopg.Error):
            connection.rollback()
            connection.execute(sa.select(sa.func.pg_advisory_unlock(key)))


@contextmanager
def dropped_on_failure(database: Database, schema: str) -> Iterator[None]:
    """Drop the schema when something fails: it is committed, and nothing else would undo it."""
    try:
        yield
    except BaseException:
        # What cannot be dropped now is dropped by the next load.
        with suppress(DatabaseError), database.begin() as connection:
            connection.execute(sa.schema.DropSchema(schema, cascade=True, if_exists=True))
        raise


def swap(build: Build, schema: str) -> None:
    """Rename the schema of `build` to `schema`, and what had that name out of the way.

    A rename waits for nobody: queries that run have resolved their tables and finish on the old ones.
    """
    (oid,) = build.one("SELECT to_regnamespace({name})::oid", name=sql.Literal(schema))
    if oid is not None:
        build.cursor.execute(_put_aside(schema, oid))
    build.run(
        "ALTER SCHEMA {new} RENAME TO {schema}",
        new=sql.Identifier(build.schema),
        schema=sql.Identifier(schema),
    )


def _put_aside(schema: str, oid: int) -> sql.Composed:
    """What renames a schema by its own object id, by which `drop_replaced` knows it."""
    return sql.SQL("ALTER SCHEMA {schema} RENAME TO {aside}").format(
        schema=sql.Identifier(schema), aside=sql.Identifier(f"{_OLD}{oid}")
    )


def _wait_shortly(connection: sa.Connection) -> None:
    """Let the transaction wait for readers no longer than they should notice."""
    connection.execute(sa.text("SELECT set_config('lock_timeout', :wait, true)"), {"wait": _PATIENCE})


def drop_dataset(database: Database, name: str) -> None:
    """Drop the dataset of that name, with all that is in it.

    It is gone at once. Queries that run finish on its tables, which go when nobody reads them any more: now,
    or at the end of a later load or drop.

    Raises
    ------
    DatasetError
        When there is none of the name.
    LoadError
        When a load of it is running.
    DatabaseError
        When the role may not.
    """
    require_dataset(database, name)
    with database.connect() as connection, locked_for_load(connection, name):
        _wait_shortly(connection)
        schema = dataset_schema(name)
        oid = connection.scalar(sa.text("SELECT to_regnamespace(:name)::oid"), {"name": schema})
        connection.execute(sa.schema.DropSchema(under_construction(name), cascade=True, if_exists=True))
        driver = connection.connection.driver_connection
        connection.exec_driver_sql(_put_aside(schema, oid).as_string(driver))
        connection.commit()
    drop_replaced(database)


def drop_replaced(database: Database) -> None:
    """Drop the schemas that loads have put aside; those that queries still read are left to a later load."""
    with database.connect() as connection:
        aside = connection.scalars(
            sa.text(
                "SELECT nspname FROM pg_namespace WHERE nspname = :prefix || oid::text"
                " AND pg_has_role(nspowner, 'USAGE') ORDER BY oid"
            ),
            {"prefix": _OLD},
        ).all()
    for schema in aside:
        try:
            with database.begin() as connection:
                _wait_shortly(connection)
                connection.execute(sa.schema.DropSchema(schema, cascade=True, if_exists=True))
        except DatabaseError:
            continue
