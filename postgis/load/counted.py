"""How many pairs, and how many linked features, each feature has: where the highest of a count begin."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import attrgetter

from psycopg import sql

from groundframe.compiler.near import Near
from groundframe.compiler.physical import LONGEST_NAME, Narrow, Physical
from groundframe.postgis.load.build import Build

__all__ = ["Counted", "add_counts", "counted_tables", "flags_to_count", "make_counts"]


@dataclass(frozen=True, slots=True)
class Counted:
    """A table of counts: of the rows of `source` by one of its columns.

    Attributes
    ----------
    what : str
        What is counted by what, in words.
    entity : str
        Whose features are counted.
    numbered : mapping of str to str
        Columns of the source with numbers of features, and the entities of these.
    flagged : tuple of (str, str, str) or None
        Only rows are counted whose feature a concept holds for: the column with its number, its narrow
        table, and the column of the concept there.
    """

    what: str
    entity: str
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
    """The concepts that pairs and links are counted by: those that hold for few."""
    tables = [near.counts() for near in physical.pairs if near.b == narrow.entity.name]
    tables += [narrow.link_counts(link) for link in narrow.counted_links]
    longest = max(map(len, tables), default=0)
    return [
        flag.column
        for flag in narrow.flags
        if narrow.selective(flag.column) and longest + len(f"_{flag.column}") <= LONGEST_NAME
    ]


def _of_pairs(near: Near, narrow: Narrow, flag: str) -> Counted:
    what = f"{near.b} by {near.a}"
    flagged = ("b", narrow.table, flag) if flag else None
    numbered = {"a": near.a, "b": near.b}
    return Counted(what, near.b, near.counts(flag), near.table, "a", numbered, flagged)


def _of_link(narrow: Narrow, link: str, flag: str) -> Counted:
    name = narrow.entity.name
    what = f"{name} by {link}"
    flagged = ("id", narrow.table, flag) if flag else None
    table = narrow.link_counts(link, flag)
    return Counted(what, name, table, narrow.table, f"{link}_id", {"id": name}, flagged)


def make_counts(build: Build, tables: Iterable[Counted]) -> None:
    """Make tables of counts, the highest first."""
    for _, group in groupby(tables, attrgetter("source", "column")):
        same = list(group)
        apart = [one for one in same if one.flagged is not None]
        for one in same:
            if one.flagged is None:
                _make(build, one, _counts(build, one, sql.SQL("true")))
        if apart:
            _make_apart(build, apart)


def _make_apart(build: Build, tables: Sequence[Counted]) -> None:
    """Make the tables of several concepts with what is counted by the same, which is read once."""
    scratch = build.scratch("flagged", build.pack.entity(tables[0].entity))
    flags = [sql.Identifier(one.flagged[-1]) for one in tables if one.flagged is not None]
    counts = [
        sql.SQL("count(*) FILTER (WHERE {flag})::integer AS {flag}").format(flag=flag) for flag in flags
    ]
    grouped = _grouped(build, tables[0], counts, [sql.SQL(" OR ").join(flags)])
    build.run("CREATE UNLOGGED TABLE {scratch} AS {grouped}", scratch=scratch, grouped=grouped)
    for one, flag in zip(tables, flags, strict=True):
        found = sql.SQL("SELECT id, {flag} AS n FROM {scratch} WHERE {flag} > 0")
        _make(build, one, found.format(flag=flag, scratch=scratch))
    build.run("DROP TABLE {scratch}", scratch=scratch)


def _make(build: Build, counted: Counted, counts: sql.Composed) -> None:
    table = sql.Identifier(build.schema, counted.table)
    build.run("CREATE TABLE {table} AS {counts} ORDER BY 2 DESC, 1", table=table, counts=counts)
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
    flag = sql.SQL("true") if counted.flagged is None else sql.Identifier(counted.flagged[-1])
    return _grouped(build, counted, [sql.SQL("count(*)::integer AS n")], [flag, which])


def _grouped(
    build: Build, counted: Counted, counts: Sequence[sql.Composable], where: Sequence[sql.Composable]
) -> sql.Composed:
    """Counts of what is counted by the column; concepts are those of the features' narrow table."""
    beside: sql.Composable = sql.SQL("")
    if counted.flagged is not None and counted.flagged[1] != counted.source:
        number, table, _ = counted.flagged
        beside = sql.SQL("JOIN {} flagged ON flagged.id = {}").format(
            sql.Identifier(build.schema, table), sql.Identifier("source", number)
        )
    return sql.SQL(
        "SELECT {column} AS id, {counts} FROM {source} source {beside}"
        " WHERE {column} IS NOT NULL AND {where} GROUP BY 1"
    ).format(
        column=sql.Identifier("source", counted.column),
        counts=sql.SQL(", ").join(counts),
        source=sql.Identifier(build.schema, counted.source),
        beside=beside,
        where=sql.SQL(" AND ").join(sql.SQL("({})").format(one) for one in where),
    )
