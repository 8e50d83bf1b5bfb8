"""How many features there are by two parts of date and time: what is asked by the hour, month or year."""

from __future__ import annotations

from psycopg import sql

from groundframe.compiler.physical import Narrow
from groundframe.postgis.load.build import Build

__all__ = ["add_groups", "make_groups"]


def make_groups(build: Build, narrow: Narrow) -> None:
    """Make the tables of an entity."""
    for table in narrow.groupings:
        named = sql.Identifier(build.schema, table)
        build.run("CREATE TABLE {table} AS {counts}", table=named, counts=_counts(build, narrow, table, 0))
        build.run("ANALYZE {table}", table=named)


def add_groups(build: Build, narrow: Narrow, after: int) -> None:
    """Add what features with numbers beyond `after` bring in, in rows of their own."""
    for table in narrow.groupings:
        build.run(
            "INSERT INTO {table} {counts}",
            table=sql.Identifier(build.schema, table),
            counts=_counts(build, narrow, table, after),
        )


def _counts(build: Build, narrow: Narrow, table: str, after: int) -> sql.Composed:
    columns = [f"{part}_part" for part in narrow.groupings[table]]
    split = narrow.entity.split_field
    columns += ["source_code", *([f"{split}_code"] if f"{split}_code" in narrow.columns else [])]
    named = sql.SQL(", ").join(map(sql.Identifier, columns))
    return sql.SQL(
        "SELECT {named}, count(*)::integer AS n FROM {narrow} WHERE id > {after} GROUP BY {named}"
    ).format(named=named, narrow=sql.Identifier(build.schema, narrow.table), after=sql.Literal(after))
