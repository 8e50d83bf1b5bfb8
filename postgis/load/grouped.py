"""How many features there are by two parts of date and time: what is asked by the hour, month or year."""

from __future__ import annotations

from collections.abc import Iterator

from psycopg import sql

from groundframe.compiler.physical import Narrow
from groundframe.postgis.load.build import Build

__all__ = ["add_groups", "make_groups"]


def make_groups(build: Build, narrow: Narrow) -> None:
    """Make the tables of an entity."""
    for table, counts in _counts(build, narrow, 0):
        build.run("CREATE TABLE {table} AS {counts}", table=table, counts=counts)
        build.run("ANALYZE {table}", table=table)


def add_groups(build: Build, narrow: Narrow, after: int) -> None:
    """Add what features with numbers beyond `after` bring in, in rows of their own."""
    for table, counts in _counts(build, narrow, after):
        build.run("INSERT INTO {table} {counts}", table=table, counts=counts)


def _counts(build: Build, narrow: Narrow, after: int) -> Iterator[tuple[sql.Identifier, sql.Composed]]:
    """The tables with what is to be in them, counted once by all parts together."""
    if not narrow.groupings:
        return
    together = build.scratch("parts", narrow.entity)
    codes = [name for name in ("source_code", narrow.split_column) if name is not None]
    build.run(
        """
        CREATE UNLOGGED TABLE {together} AS
        SELECT {columns}, count(*) AS n FROM {narrow} WHERE id > {after} GROUP BY {columns}
        """,
        together=together,
        columns=_listed([*(f"{part}_part" for part in narrow.parts), *codes]),
        narrow=sql.Identifier(build.schema, narrow.table),
        after=sql.Literal(after),
    )
    for table, parts in narrow.groupings.items():
        columns = _listed([*(f"{part}_part" for part in parts), *codes])
        counts = sql.SQL("SELECT {columns}, sum(n)::integer AS n FROM {together} GROUP BY {columns}")
        yield (
            sql.Identifier(build.schema, table),
            counts.format(columns=columns, together=together),
        )
    build.run("DROP TABLE {together}", together=together)


def _listed(columns: list[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, columns))
