"""How many features there are of each kind that is often counted: where a tally begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from psycopg import sql

from groundframe.compiler.passes.use_stored_sums import kind_of
from groundframe.compiler.physical import Narrow
from groundframe.compiler.predicates import (
    TRUE,
    And,
    IsUnknown,
    LinkPresent,
    Located,
    Not,
    Predicate,
    Stored,
)
from groundframe.postgis.load.build import Build

__all__ = ["add_sums", "make_sums", "sum_again"]


def make_sums(build: Build, narrow: Narrow) -> None:
    """Make the table of sums of an entity."""
    build.run(
        """
        CREATE TABLE {table} (
          kind text NOT NULL, metre integer, source_code smallint, split_code smallint, n integer NOT NULL)
        """,
        table=_table(build, narrow),
    )
    add_sums(build, narrow, 0)
    build.run("CREATE INDEX ON {table} (kind, metre)", table=_table(build, narrow))
    build.run("ANALYZE {table}", table=_table(build, narrow))


def add_sums(build: Build, narrow: Narrow, after: int) -> None:
    """Add what features with numbers beyond `after` bring in, as sums of their own."""
    kinds = list(_kinds(build, narrow))
    names = [sql.Identifier(f"c{number}") for number in range(len(kinds))]
    counts = [
        sql.SQL("count(*) FILTER (WHERE {}) AS {}").format(condition, name)
        for (_, condition), name in zip(kinds, names, strict=True)
    ]
    listed = [
        sql.SQL("({}, {})").format(sql.Literal(kind), name)
        for (kind, _), name in zip(kinds, names, strict=True)
    ]
    build.run(
        """
        INSERT INTO {table} (kind, source_code, split_code, n)
        SELECT kind, source_code, split_code, n
        FROM (
          SELECT source_code, {split} AS split_code, {counts} FROM {narrow} WHERE id > {after} GROUP BY 1, 2
        ) AS counted, LATERAL (VALUES {listed}) AS listed (kind, n)
        WHERE n > 0
        """,
        table=_table(build, narrow),
        split=_split(narrow),
        counts=sql.SQL(", ").join(counts),
        narrow=sql.Identifier(build.schema, narrow.table),
        after=sql.Literal(after),
        listed=sql.SQL(", ").join(listed),
    )
    _add_metres(build, narrow, narrow.near, after)


def sum_again(build: Build, narrow: Narrow, others: Iterable[str]) -> None:
    """Sum anew how far away the nearest of other entities are."""
    changed = sorted(others)
    columns = sql.SQL(", ").join(sql.Literal(narrow.near_column(other)) for other in changed)
    build.run("DELETE FROM {table} WHERE kind IN ({columns})", table=_table(build, narrow), columns=columns)
    _add_metres(build, narrow, changed, 0)


def _add_metres(build: Build, narrow: Narrow, others: Iterable[str], after: int) -> None:
    for other in sorted(others):
        column = narrow.near_column(other)
        build.run(
            """
            INSERT INTO {table} (kind, metre, source_code, split_code, n)
            SELECT {kind}, floor({column})::integer, source_code, {split}, count(*) FROM {narrow}
            WHERE {column} IS NOT NULL AND id > {after} GROUP BY 2, 3, 4
            """,
            table=_table(build, narrow),
            kind=sql.Literal(column),
            column=sql.Identifier(column),
            split=_split(narrow),
            narrow=sql.Identifier(build.schema, narrow.table),
            after=sql.Literal(after),
        )


def _kinds(build: Build, narrow: Narrow) -> Iterator[tuple[str, sql.Composable]]:
    """The kinds that are no distance, with the condition in SQL."""
    yield _named(TRUE, narrow), sql.SQL("true")
    yield _named(Located(), narrow), sql.SQL("geom IS NOT NULL")
    yield _named(Not(Located()), narrow), sql.SQL("geom IS NULL")
    for link in narrow.entity.links:
        column = sql.Identifier(f"{link.name}_id")
        yield _named(LinkPresent(link.name), narrow), sql.SQL("{} IS NOT NULL").format(column)
    for flag in narrow.flags:
        stored, column = Stored(flag.column, flag.predicate), sql.Identifier(flag.column)
        yield _named(stored, narrow), column
        yield _named(IsUnknown(stored), narrow), sql.SQL("{} IS NULL").format(column)
        unplaced = And((Not(Located()), stored))
        yield _named(unplaced, narrow), sql.SQL("{} AND geom IS NULL").format(column)


def _named(predicate: Predicate, narrow: Narrow) -> str:
    name = kind_of(predicate, narrow)
    if name is None:
        raise LookupError(predicate)
    return name


def _table(build: Build, narrow: Narrow) -> sql.Identifier:
    return sql.Identifier(build.schema, narrow.sums)


def _split(narrow: Narrow) -> sql.Composable:
    """The code by which an entity's features are counted; those without one have no split."""
    name = narrow.entity.split_field
    coded = name is not None and f"{name}_code" in narrow.columns
    return sql.Identifier(f"{name}_code") if coded else sql.SQL("NULL::smallint")
