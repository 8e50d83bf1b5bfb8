"""Pairs: the neighbours that the pack declares to be found at load, with the metres between them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from psycopg import sql

from groundframe.compiler.physical import Near
from groundframe.postgis.load.build import Build
from groundframe.postgis.load.links import TOLERANCE_M

__all__ = ["Side", "add_pairs", "make_pairs"]


@dataclass(frozen=True, slots=True)
class Side:
    """Features of an entity: the table with their numbers and geometry, and the number they come after."""

    table: sql.Identifier
    after: int = 0


def make_pairs(build: Build, near: Near, known: Mapping[str, Any]) -> int:
    """Make the table of pairs of two entities; gives the number of rows."""
    table = sql.Identifier(build.schema, near.table)
    a, b = (Side(build.table(name)) for name in (near.a, near.b))
    build.run("CREATE TABLE {table} AS {pairs}", table=table, pairs=_pairs(near, known, a, b))
    # Both ways round, with all there is to read, so that the table itself need not be visited.
    build.run("CREATE INDEX ON {table} (a, m, b)", table=table)
    build.run("CREATE INDEX ON {table} (b, m, a)", table=table)
    build.run("ANALYZE {table}", table=table)
    (rows,) = build.one("SELECT count(*) FROM {table}", table=table)
    return int(rows)


def add_pairs(build: Build, near: Near, known: Mapping[str, Any], a: Side, b: Side) -> int:
    """Add the pairs of some features; gives how many there are."""
    table = sql.Identifier(build.schema, near.table)
    pairs = _pairs(near, known, a, b)
    return build.run("INSERT INTO {table} (a, b, m) {pairs}", table=table, pairs=pairs).rowcount


def _pairs(near: Near, known: Mapping[str, Any], a: Side, b: Side) -> sql.Composed:
    """One join, driven in parallel from the larger entity through the spatial index of the smaller.

    Which is measured from is the same for all pairs of two entities, as it may show in the last digit.
    """
    a_is_outer = known[near.a]["rows"] > known[near.b]["rows"]
    outer, inner = (a, b) if a_is_outer else (b, a)
    return sql.SQL(
        """
        SELECT {a}.id AS a, {b}.id AS b, ST_Distance(o.geom, i.geom) AS m
        FROM {outer} o JOIN {inner} i ON ST_DWithin(o.geom, i.geom, {reach})
        WHERE o.id > {outer_after} AND i.id > {inner_after} ORDER BY 1, 2
        """
    ).format(
        a=sql.Identifier("o" if a_is_outer else "i"),
        b=sql.Identifier("i" if a_is_outer else "o"),
        outer=outer.table,
        inner=inner.table,
        reach=sql.Literal(near.metres + TOLERANCE_M),
        outer_after=sql.Literal(outer.after),
        inner_after=sql.Literal(inner.after),
    )
