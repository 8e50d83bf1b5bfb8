"""How many features there are of each kind that is often counted: where a tally begins."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from psycopg import sql

from groundframe.compiler.passes.use_stored_sums import kind_of
from groundframe.compiler.physical import Narrow
from groundframe.compiler.predicates import (
    TRUE,
    And,
    IsUnknown,
    LinkPresent,
    Located,
    NearAny,
    Not,
    Predicate,
    Stored,
)
from groundframe.postgis.load.build import Build

__all__ = ["add_sums", "make_sums", "sum_again"]

Kind = tuple[str, sql.Composable]
"""What a kind is called, and its condition in SQL."""


def make_sums(build: Build, narrow: Narrow) -> None:
    """Make the table of sums of an entity."""
    sums = [_of_kinds(build, narrow, 0), *_of_metres(build, narrow, narrow.near, 0)]
    # An insertion would not be shared out.
    build.run(
        "CREATE TABLE {table} AS {sums}",
        table=_table(build, narrow),
        sums=sql.SQL(" UNION ALL ").join(sums),
    )
    build.run("CREATE INDEX ON {table} (kind, metre)", table=_table(build, narrow))
    build.run("ANALYZE {table}", table=_table(build, narrow))


def add_sums(build: Build, narrow: Narrow, after: int) -> None:
    """Add what features with numbers beyond `after` bring in, as sums of their own."""
    _insert(build, narrow, [_of_kinds(build, narrow, after), *_of_metres(build, narrow, narrow.near, after)])


def sum_again(build: Build, narrow: Narrow, others: Iterable[str]) -> None:
    """Sum anew how far away the nearest of other entities are."""
    changed = sorted(others)
    kinds = sql.Literal([kind for other in changed for kind, _ in _near_kinds(narrow, other)])
    build.run("DELETE FROM {table} WHERE kind = ANY({kinds})", table=_table(build, narrow), kinds=kinds)
    _insert(build, narrow, _of_metres(build, narrow, changed, 0))


def _insert(build: Build, narrow: Narrow, sums: Iterable[sql.Composed]) -> None:
    for one in sums:
        build.run("INSERT INTO {table} {sums}", table=_table(build, narrow), sums=one)


def _of_kinds(build: Build, narrow: Narrow, after: int) -> sql.Composed:
    """The sums that are by no distance."""
    nowhere = sql.SQL("geom IS NULL")
    which: list[tuple[Predicate, sql.Composable]] = [
        (TRUE, sql.SQL("true")),
        (Located(), sql.SQL("geom IS NOT NULL")),
        (Not(Located()), nowhere),
    ]
    for predicate, condition in _conditions(narrow):
        missing = And((predicate, Not(Located())))
        which += [(predicate, condition), (missing, sql.SQL("{} AND {}").format(condition, nowhere))]
    kinds = [(_named(predicate, narrow), condition) for predicate, condition in which]
    return _sums(build, narrow, kinds, sql.NULL, after)


def _of_metres(build: Build, narrow: Narrow, others: Iterable[str], after: int) -> Iterator[sql.Composed]:
    """The sums by the whole metres to the nearest of other entities."""
    for other in sorted(others):
        column = sql.Identifier(narrow.near_column(other))
        yield _sums(build, narrow, list(_near_kinds(narrow, other)), column, after)


def _sums(
    build: Build, narrow: Narrow, kinds: Sequence[Kind], metres: sql.Composable, after: int
) -> sql.Composed:
    """Rows of some kinds; those of a distance go by its whole metres, where there is one."""
    names = [sql.Identifier(f"c{number}") for number in range(len(kinds))]
    counts = [
        sql.SQL("count(*) FILTER (WHERE {}) AS {}").format(condition, name)
        for (_, condition), name in zip(kinds, names, strict=True)
    ]
    listed = [
        sql.SQL("({}, {})").format(sql.Literal(kind), name)
        for (kind, _), name in zip(kinds, names, strict=True)
    ]
    return sql.SQL(
        """
        SELECT kind, metre, source_code, split_code, n::integer AS n
        FROM (
          SELECT floor({metres})::integer AS metre, source_code, {split} AS split_code, {counts}
          FROM {narrow} WHERE {there} AND id > {after} GROUP BY 1, 2, 3
        ) AS counted, LATERAL (VALUES {listed}) AS listed (kind, n)
        WHERE n > 0
        """
    ).format(
        metres=metres,
        there=sql.SQL("true") if metres == sql.NULL else sql.SQL("{} IS NOT NULL").format(metres),
        split=_split(narrow),
        counts=sql.SQL(", ").join(counts),
        narrow=sql.Identifier(build.schema, narrow.table),
        after=sql.Literal(after),
        listed=sql.SQL(", ").join(listed),
    )


def _near_kinds(narrow: Narrow, other: str) -> Iterator[Kind]:
    """The kinds that are a distance, alone and with each condition."""
    near = NearAny(other, narrow.near[other])
    yield _named(near, narrow), sql.SQL("true")
    for predicate, condition in _conditions(narrow):
        yield _named(And((predicate, near)), narrow), condition


def _conditions(narrow: Narrow) -> Iterator[tuple[Predicate, sql.Composable]]:
    """What features are summed by, alone and together with where they are; and the same in SQL."""
    for link in narrow.entity.links:
        column = sql.Identifier(f"{link.name}_id")
        yield LinkPresent(link.name), sql.SQL("{} IS NOT NULL").format(column)
    for flag in narrow.flags:
        stored, column = Stored(flag.column, flag.predicate), sql.Identifier(flag.column)
        yield stored, column
        yield IsUnknown(stored), sql.SQL("{} IS NULL").format(column)


def _named(predicate: Predicate, narrow: Narrow) -> str:
    name = kind_of(predicate, narrow)
    if name is None:
        raise LookupError(predicate)
    return name


def _table(build: Build, narrow: Narrow) -> sql.Identifier:
    return sql.Identifier(build.schema, narrow.sums)


def _split(narrow: Narrow) -> sql.Composable:
    """The code by which an entity's features are counted; those without one have no split."""
    column = narrow.split_column
    return sql.SQL("NULL::smallint") if column is None else sql.Identifier(column)
