"""Derived entities: the nodes of a network of segments, as rows like any other."""

from __future__ import annotations

import shapely
from psycopg import sql

from groundframe.postgis.load.build import Build
from groundframe.postgis.load.columns import Column
from groundframe.postgis.load.encode import BATCH
from groundframe.postgis.load.rows import RowBlock
from groundframe.schema.model import Derivation, Entity
from groundframe.schema.vocabulary import fold_name

__all__ = ["DERIVED", "network_nodes"]

DERIVED = "derived"
"""The source of rows that are made at load."""

Node = tuple[float, float, int, str | None]
"""Where it is, how many ends meet there, and the streets."""


def network_nodes(build: Build, entity: Entity, rule: Derivation) -> list[RowBlock]:
    """The nodes where enough segment ends or differently named segments meet, in order of their key.

    Ends within the tolerance of each other, directly or in a chain, are one node, whatever grid cell they lie
    in. It is where most of its ends are; of equals, the southernmost, then the westernmost. No coordinates
    are averaged, so that nothing depends on the order of the rows.
    """
    display = {name: fold_name(name, build.pack) for name in _names(build, rule)}
    nodes = build.run(
        """
        WITH parts AS (
          SELECT {name} AS name, (ST_Dump(ST_LineMerge(geom))).geom AS geom
          FROM {segments} WHERE geom IS NOT NULL),
        ends AS (
          SELECT name, ST_StartPoint(geom) AS geom FROM parts
          UNION ALL SELECT name, ST_EndPoint(geom) FROM parts),
        places AS (
          SELECT ST_X(geom) AS x, ST_Y(geom) AS y, count(*) AS ends, array_agg(DISTINCT name) AS names
          FROM ends GROUP BY 1, 2),
        clustered AS (
          SELECT *, ST_ClusterDBSCAN(ST_Point(x, y), {tolerance}, 1) OVER () AS node FROM places),
        named AS (
          SELECT node, array_agg(DISTINCT name) AS names FROM clustered CROSS JOIN unnest(names) AS name
          WHERE name IS NOT NULL GROUP BY node),
        nodes AS (
          SELECT node, sum(ends)::integer AS ends,
            (array_agg(x ORDER BY ends DESC, y, x))[1] AS x, (array_agg(y ORDER BY ends DESC, y, x))[1] AS y
          FROM clustered GROUP BY node)
        SELECT x, y, ends, coalesce(names, ARRAY[]::text[]) FROM nodes LEFT JOIN named USING (node)
        WHERE ends >= {least} OR cardinality(names) > 1 ORDER BY x, y
        """,
        name=sql.Identifier(rule.name_field),
        segments=build.table(rule.from_entity),
        tolerance=sql.Literal(rule.tolerance_m),
        least=sql.Literal(rule.min_segments),
    ).fetchall()
    found: list[Node] = []
    for x, y, ends, names in nodes:
        streets = _one_per_street(names, display)
        if ends >= rule.min_segments or len(streets) > 1:
            found.append((x, y, ends, " & ".join(streets) or None))
    return [_block(entity, rule, found[start : start + BATCH]) for start in range(0, len(found), BATCH)]


def _block(entity: Entity, rule: Derivation, nodes: list[Node]) -> RowBlock:
    xs, ys, ends, names = zip(*nodes, strict=True)
    columns = {rule.count_field: Column.of_each(ends)}
    if entity.name_field:
        columns[entity.name_field] = Column.of_each(names)
    # Decimetres tell nodes apart, which are further from each other than the tolerance.
    keys = [f"{DERIVED}:{round(x * 10)}_{round(y * 10)}" for x, y in zip(xs, ys, strict=True)]
    return RowBlock(entity.name, DERIVED, keys, columns, shapely.points(xs, ys))


def _names(build: Build, rule: Derivation) -> list[str]:
    found = build.run(
        "SELECT DISTINCT {name} FROM {segments} WHERE {name} IS NOT NULL",
        name=sql.Identifier(rule.name_field),
        segments=build.table(rule.from_entity),
    )
    return [name for (name,) in found]


def _one_per_street(names: list[str], display: dict[str, str]) -> list[str]:
    """The names, sorted, with one spelling of each street."""
    chosen: dict[str, str] = {}
    for name in sorted(names):
        chosen.setdefault(display[name], name)
    return sorted(chosen.values())
