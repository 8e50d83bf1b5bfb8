"""How many pairs, and how many linked features, each feature has: where the highest of a count begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from psycopg import sql

from groundframe.compiler.physical import Narrow, Near, Physical
from groundframe.postgis.load.build import Build

__all__ = ["Counted", "add_counts", "counted_tables", "make_counts"]


@dataclass(frozen=True, slots=True)
class Counted:
    """A table of counts: of the rows of `source` by one of its columns.

    Attributes
    ----------
    what : str
        What is counted by what, in words.
    numbered : mapping of str to str
        Columns of the source with numbers of features, and the entities of these.
    """

    what: str
    table: str
    source: str
    column: str
    numbered: Mapping[str, str]


def counted_tables(physical: Physical) -> Iterator[Counted]:
    """The tables of counts that there are."""
    yield from (_of_pairs(near) for near in physical.pairs if near.counted)
    for narrow in physical.entities.values():
        yield from (_of_link(narrow, link) for link in narrow.counted_links)


def _of_pairs(near: Near) -> Counted:
    return Counted(f"{near.b} by {near.a}", near.counts, near.table, "a", {"a": near.a, "b": near.b})


def _of_link(narrow: Narrow, link: str) -> Counted:
    name = narrow.entity.name
    return Counted(f"{name} by {link}", narrow.link_counts(link), narrow.table, f"{link}_id", {"id": name})


def make_counts(build: Build, counted: Counted) -> None:
    """Make a table of counts, the highest first."""
    table = sql.Identifier(build.schema, counted.table)
    build.run(
        "CREATE TABLE {table} AS {counts} ORDER BY 2 DESC, 1",
        table=table,
        counts=_counts(build, counted, sql.SQL("true")),
    )
    build.run("ALTER TABLE {table} ADD PRIMARY KEY (id)", table=table)
    build.run("CREATE INDEX ON {table} (n DESC, id)", table=table)
    build.run("ANALYZE {table}", table=table)


def add_counts(build: Build, counted: Counted, after: Mapping[str, int]) -> None:
    """Count what features with numbers beyond those of `after` bring in."""
    new = [
        sql.SQL("{} > {}").format(sql.Identifier(column), sql.Literal(after[entity]))
        for column, entity in counted.numbered.items()
        if entity in after
    ]
    if new:
        build.run(
            """
            INSERT INTO {table} AS old (id, n) {counts}
            ON CONFLICT (id) DO UPDATE SET n = old.n + excluded.n
            """,
            table=sql.Identifier(build.schema, counted.table),
            counts=_counts(build, counted, sql.SQL(" OR ").join(new)),
        )


def _counts(build: Build, counted: Counted, which: sql.Composable) -> sql.Composed:
    return sql.SQL(
        "SELECT {column} AS id, count(*)::integer AS n FROM {source}"
        " WHERE {column} IS NOT NULL AND ({which}) GROUP BY 1"
    ).format(
        column=sql.Identifier(counted.column),
        source=sql.Identifier(build.schema, counted.source),
        which=which,
    )
