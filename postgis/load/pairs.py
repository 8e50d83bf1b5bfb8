"""Pairs: the neighbours that the pack declares to be found at load, with the metres between them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from groundframe.compiler.near import Near
from groundframe.compiler.relations import TOLERANCE_M
from groundframe.postgis.load.build import Build
from groundframe.postgis.load.indexes import make_index

__all__ = ["Side", "add_pairs", "make_pairs", "spatially_indexed"]

_MANY = 200_000


@dataclass(frozen=True, slots=True)
class Side:
    """Features of an entity: the table with their numbers and geometry, and the number they come after.

    Attributes
    ----------
    coded : bool
        Whether it is a narrow table, with codes in the place of values.
    """

    table: sql.Identifier
    after: int = 0
    coded: bool = False


def make_pairs(build: Build, near: Near, known: Mapping[str, Any]) -> int:
    """Make the table of pairs of two entities; gives the number of rows."""
    table = sql.Identifier(build.schema, near.table)
    a, b = (Side(build.table(name)) for name in (near.a, near.b))
    found = build.pairs_found.pop(near.table, None)
    if found is None:
        pairs = _pairs(build, near, known, a, b, a_leads=not _a_is_larger(near, known))
    else:
        pairs = _with_codes(build, near, found, {"a": a, "b": b})
    build.run("CREATE TABLE {table} AS {pairs}", table=table, pairs=pairs)
    if found is not None:
        build.run("DROP TABLE {found}", found=found)
    # Both ways round, with all there is to read, so that the table itself need not be visited.
    beside = sql.SQL(", ").join(map(sql.Identifier, near.held))
    include = sql.SQL(" INCLUDE ({beside})").format(beside=beside) if near.held else sql.SQL("")
    build.run("ANALYZE {table}", table=table)
    (rows,) = build.one("SELECT count(*) FROM {table}", table=table)
    for ends in (("a", "m", "b"), ("b", "m", "a")):
        columns = sql.SQL(", ").join(map(sql.Identifier, ends))
        index = make_index(build.schema, near.table, sql.SQL("({}){}").format(columns, include))
        build.apart.append((int(rows), index))
    return int(rows)


def add_pairs(build: Build, near: Near, known: Mapping[str, Any], a: Side, b: Side) -> int:
    """Add the pairs of some features, led by those that are new; gives how many there are."""
    table = sql.Identifier(build.schema, near.table)
    pairs = _pairs(build, near, known, a, b, a_leads=a.after > 0)
    columns = sql.SQL(", ").join(map(sql.Identifier, ("a", "b", "m", *near.held)))
    insert = "INSERT INTO {table} ({columns}) {pairs}"
    return build.run(insert, table=table, columns=columns, pairs=pairs).rowcount


@contextmanager
def spatially_indexed(build: Build, pairs: Sequence[Near], known: Mapping[str, Any]) -> Iterator[None]:
    """While pairs are made, give spatial indexes to the larger entities that have none of their own."""
    searched = [near for near in pairs if near.table not in build.pairs_found]
    larger = {near.a if _a_is_larger(near, known) else near.b for near in searched}
    dated = [entity for entity in build.pack.entities if entity.name in larger and entity.date_field]
    names = {entity.name: f"_place_{entity.table[:50]}" for entity in dated}
    for entity in dated:
        index = sql.Identifier(names[entity.name])
        build.run("CREATE INDEX {name} ON {table} USING gist (geom)", name=index, table=build.table(entity))
    yield
    for entity in build.pack.entities:
        build.run("DROP TABLE IF EXISTS {leading}", leading=build.scratch("lead", entity))
    for name in names.values():
        build.run("DROP INDEX {name}", name=sql.Identifier(build.schema, name))


def _a_is_larger(near: Near, known: Mapping[str, Any]) -> bool:
    return bool(known[near.a]["rows"] > known[near.b]["rows"])


def _pairs(
    build: Build, near: Near, known: Mapping[str, Any], a: Side, b: Side, *, a_leads: bool
) -> sql.Composed:
    """One join, in parallel: for each of the features that lead, what a spatial index finds near it.

    Led by the few it takes a tenth of the time that it takes led by the many. It is measured from the larger
    entity in any case, as that may show in the last digit.
    """
    lead, other = (a, b) if a_leads else (b, a)
    # Without an index of their own they must lead.
    leading = build.scratch("lead", build.pack.entity(near.a if a_leads else near.b))
    build.run("DROP TABLE IF EXISTS {leading}", leading=leading)
    led = "a" if a_leads else "b"
    build.run(
        "CREATE UNLOGGED TABLE {leading} AS SELECT id, geom{codes} FROM {table} WHERE id > {after}",
        leading=leading,
        codes=sql.SQL("").join(
            _code(build, near, name, lead, lead.table) for name in near.codes(led).values()
        ),
        table=lead.table,
        after=sql.Literal(lead.after),
    )
    if max(known[near.a]["rows"], known[near.b]["rows"]) > _MANY:
        build.run("ALTER TABLE {leading} SET (parallel_workers = 4)", leading=leading)
    here, there = sql.Identifier("lead"), sql.Identifier("other")
    from_lead = a_leads == _a_is_larger(near, known)
    # Each is measured once: a condition on the distance and the distance itself would both be worked out.
    return sql.SQL(
        """
        SELECT * FROM (
          SELECT {a}.id AS a, {b}.id AS b, ST_Distance({larger}.geom, {smaller}.geom) AS m{held}
          FROM {leading} lead JOIN {others} other ON other.geom && ST_Expand(lead.geom, {reach})
          WHERE other.id > {after} OFFSET '0') measured
        WHERE m <= {reach} ORDER BY a, b
        """
    ).format(
        a=here if a_leads else there,
        b=there if a_leads else here,
        held=sql.SQL("").join(
            sql.SQL(", {}.{}").format(here, sql.Identifier(name))
            if name in near.codes(led).values()
            else _code(build, near, name, other, there)
            for name in near.held
        ),
        larger=here if from_lead else there,
        smaller=there if from_lead else here,
        leading=leading,
        others=other.table,
        reach=sql.Literal(near.metres + TOLERANCE_M),
        after=sql.Literal(other.after),
    )


def _with_codes(build: Build, near: Near, found: sql.Identifier, sides: Mapping[str, Side]) -> sql.Composed:
    """Pairs that were found on the way, with the codes that they are to hold."""
    held, joins = [], []
    for name, side in sides.items():
        of = sql.Identifier(f"of_{name}")
        codes = near.codes(name).values()
        held += [_code(build, near, code, side, of) for code in codes]
        if codes:
            joins.append(
                sql.SQL(" JOIN {table} {of} ON {of}.id = found.{name}").format(
                    table=side.table, of=of, name=sql.Identifier(name)
                )
            )
    return sql.SQL("SELECT a, b, m{held} FROM {found} found{joins} ORDER BY 1, 2").format(
        held=sql.SQL("").join(held), found=found, joins=sql.SQL("").join(joins)
    )


def _code(build: Build, near: Near, name: str, of: Side, table: sql.Identifier) -> sql.Composed:
    """A code that pairs hold, as the narrow table has it: the place of a value in the pack's list, or -1."""
    column = next(own for own, held in near.codes(name[0]).items() if held == name)
    if of.coded:
        return sql.SQL(", {table}.{column} AS {name}").format(
            table=table, column=sql.Identifier(column), name=sql.Identifier(name)
        )
    entity = build.pack.entity(near.a if name[0] == "a" else near.b)
    field = entity.field(column.removesuffix("_code"))
    return sql.SQL(
        ", CASE WHEN {value} IS NOT NULL "
        "THEN (coalesce(array_position({values}, {value}), 0) - 1)::smallint END AS {name}"
    ).format(
        value=sql.SQL("{}.{}").format(table, sql.Identifier(field.name)),
        values=sql.Literal(list(field.canonical_values())),
        name=sql.Identifier(name),
    )
