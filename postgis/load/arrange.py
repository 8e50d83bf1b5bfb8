"""The end of a load: what stands beside the entities' tables, and the new schema in the place of the old."""

from __future__ import annotations

from collections.abc import Mapping
from operator import itemgetter
from typing import Any

import sqlalchemy as sa
from psycopg import sql
from sqlalchemy.schema import CreateTable

from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import dataset_schema
from groundframe.postgis.load.build import Build, settle
from groundframe.postgis.load.lanes import run_apart
from groundframe.postgis.load.narrow import build_physical
from groundframe.postgis.load.staging import Progress
from groundframe.postgis.load.summary import LoadReport
from groundframe.postgis.load.swap import dropped_on_failure, swap
from groundframe.postgis.reader import let_read
from groundframe.postgis.tables import FORMAT

__all__ = ["arrange", "describe", "vacuum"]


def arrange(database: Database, build: Build, report: LoadReport, tell: Progress) -> None:
    """Make what stands beside the entities' tables, describe what there is, and let it take its place."""
    tell("arranging", 0)
    build.connection.execute(CreateTable(build.tables.dataset))
    describe(build, report, build_physical(build))
    let_read(build.connection, build.schema)
    tables = [
        sql.Identifier(build.schema, name)
        for name in sa.inspect(build.connection).get_table_names(schema=build.schema)
    ]
    # Until they have all their indexes the server has no business with them.
    for table in tables:
        build.run("ALTER TABLE {table} SET (autovacuum_enabled = off)", table=table)
    # For the other connections to see the tables. Nobody asks for them before they have their name.
    with dropped_on_failure(database, build.schema):
        build.connection.commit()
        tell("indexing", 0)
        statements = sorted(build.apart, key=itemgetter(0), reverse=True)
        run_apart(database, (statement for _, statement in statements))
        vacuum(database, build.schema)
        # Begins the transaction, which what runs by a cursor does not.
        settle(build.connection)
        for table in tables:
            build.run("ALTER TABLE {table} RESET (autovacuum_enabled)", table=table)
        swap(build, dataset_schema(report.dataset))
        build.connection.commit()


def describe(build: Build, report: LoadReport, physical: Mapping[str, Any]) -> None:
    """Write the one row about the dataset."""
    build.connection.execute(build.tables.dataset.delete())
    build.connection.execute(
        build.tables.dataset.insert(),
        {
            "format": FORMAT,
            "pack": report.pack,
            "pack_version": report.pack_version,
            "pack_digest": build.pack.digest,
            "data_version": report.data_version,
            "synthetic": report.synthetic,
            "report": report.as_dict(),
            "physical": physical,
        },
    )


def vacuum(database: Database, schema: str) -> None:
    """Let index-only scans work at once, instead of after the server has come round to it."""
    with database.connect() as connection:
        tables = sa.inspect(connection).get_table_names(schema=schema)
    statements = [sql.SQL("VACUUM {}").format(sql.Identifier(schema, table)) for table in tables]
    run_apart(database, statements, at_once=False)
