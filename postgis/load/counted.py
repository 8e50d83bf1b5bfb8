"""How many pairs, and how many linked features, each feature has: where the highest of a count begin."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from psycopg import sql

from groundframe.compiler.physical import Narrow, Near, Physical
from groundframe.postgis.load.build import Build

__all__ = ["Counted", "add_counts", "counted_tables", "flags_to_count", "make_counts"]


_LONGEST_NAME = 63


@dataclass(frozen=True, slots=True)
class Counted:
    """A table of counts: of the rows of `source` by one of its columns.

    Attributes
    ----------
    what : str
        What is counted by what, in words.
    numbered : mapping of str to str
        Columns of the source with numbers of features, and the entities of these.
    flagged : tuple of (str, str, str) or None
        Only rows are counted whose feature a concept holds for: the column with its number, its narrow
        table, and the column of the concept there.
    """

    what: str
    table: str
    source: str
    column: str
    numbered: Mapping[str, str]
    flagged: tuple[str, str, str] | None = None


def counted_tables(physical: Physical) -> Iterator[Counted]:
    """The tables of counts that there are."""
    for near in physical.pairs:
        if near.counted:
            narrow = physical.entities[near.b]
            yield from (_of_pairs(near, narrow, flag) for flag in ("", *narrow.counted_flags))
    for narrow in physical.entities.values():
        for link in narrow.counted_links:
            yield from (_of_link(narrow, link, flag) for flag in ("", *narrow.counted_flags))


def flags_to_count(physical: Physical, narrow: Narrow) -> list[str]:
    """The concepts that pairs and links are counted by: in their default variant, if they hold for few."""
    wanted = [f"is_{one.name}_{one.default}" for one in narrow.pack.concepts]
    tables = [near.counts() for near in physical.pairs if near.b == narrow.entity.name]
    tables += [narrow.link_counts(link) for link in narrow.counted_links]
    longest = max(map(len, tables), default=0)
    return [
        flag.column
        for flag in narrow.flags
        if flag.column in wanted
        and narrow.selective(flag.column)
        and longest + len(f"_{flag.column}") <= _LONGEST_NAME
    ]


def _of_pairs(near: Near, narrow: Narrow, flag: str) -> Counted:
    what = f"{near.b}{flag and f' ({flag})'} by {near.a}"
    flagged = ("b", narrow.table, flag) if flag else None
    return Counted(what, near.counts(flag), near.table, "a", {"a": near.a, "b": near.b}, flagged)


def _of_link(narrow: Narrow, link: str, flag: str) -> Counted:
    name = narrow.entity.name
    what = f"{name}{flag and f' ({flag})'} by {link}"
    flagged = ("id", narrow.table, flag) if flag else None
    return Counted(what, narrow.link_counts(link, flag), narrow.table, f"{link}_id", {"id": name}, flagged)


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
        sql.SQL("{} > {}").format(sql.Identifier("source", column), sql.Literal(after[entity]))
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
    flagged: sql.Composable = sql.SQL("")
    if counted.flagged is not None:
        number, table, flag = counted.flagged
        flagged = sql.SQL("JOIN {} flagged ON flagged.id = {} AND flagged.{}").format(
            sql.Identifier(build.schema, table), sql.Identifier("source", number), sql.Identifier(flag)
        )
    return sql.SQL(
        "SELECT {column} AS id, count(*)::integer AS n FROM {source} source {flagged}"
        " WHERE {column} IS NOT NULL AND ({which}) GROUP BY 1"
    ).format(
        column=sql.Identifier("source", counted.column),
        source=sql.Identifier(build.schema, counted.source),
        flagged=flagged,
        which=which,
    )
