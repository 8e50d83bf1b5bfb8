"""Links: which feature of another entity each staged row belongs to.

A spatial join is an inner join that yields pairs; choosing among the pairs of a row is a sort. The result of
every link is a scratch table with the row's number, the linked key, the basis and, for nearest links, the
distance.
"""

from __future__ import annotations

from typing import Any

from psycopg import sql

from groundframe.compiler.near import Near
from groundframe.compiler.physical import Physical
from groundframe.compiler.relations import TOLERANCE_M
from groundframe.errors import PackError
from groundframe.postgis.load.build import Build
from groundframe.postgis.load.matching import NameMatcher
from groundframe.schema.model import Entity, Link

__all__ = ["compute_links", "match_stated_names"]

_LARGE = 16 * 2**20


def compute_links(build: Build, entity: Entity, after: int = 0) -> dict[str, sql.Identifier | None]:
    """Number the staged rows of an entity from `after`, in the order of space, and compute their links.

    The scratch table ``placed`` has their ``id`` and where they are staged.

    Returns
    -------
    dict
        Link to its scratch table with ``id``, ``linked``, ``basis`` and, for a nearest link, ``distance_m``;
        rows without a link are absent. None where there is nothing to link to.
    """
    # What links go by: the staged rows are wide, and in the order of their files. The geometry type sorts
    # along a Hilbert curve, so that neighbours share pages.
    stated = dict.fromkeys(link.stated_field for link in entity.links if link.stated_field)
    placed = build.scratch("placed", entity)
    build.run(
        """
        CREATE UNLOGGED TABLE {placed} AS
        SELECT ({after} + row_number() OVER (ORDER BY geom, key))::integer AS id, ctid AS at, {columns}
        FROM {staged} ORDER BY geom, key
        """,
        placed=placed,
        after=sql.Literal(after),
        columns=sql.SQL(", ").join(map(sql.Identifier, ("geom", *stated))),
        staged=build.scratch("staged", entity),
    )
    if entity.links:
        build.run("CREATE INDEX ON {placed} USING gist (geom)", placed=placed)
    build.run("ANALYZE {placed}", placed=placed)
    return {link.name: _compute(build, entity, link) for link in entity.links}


def _compute(build: Build, entity: Entity, link: Link) -> sql.Identifier | None:
    if not build.has_rows(build.table(link.to)):
        return None
    match_stated_names(build, entity, link, build.scratch("placed", entity))
    found = _nearest(build, entity, link) if link.rule == "nearest" else _covering(build, entity, link)
    build.run("ANALYZE {found}", found=found)
    return found


def match_stated_names(build: Build, entity: Entity, link: Link, rows: sql.Identifier) -> None:
    """Scratch tables with what each name that `rows` state and each of a target is compared by."""
    stated = build.scratch("stated", entity, link)
    named = build.scratch("named", entity, link)
    for table in (stated, named):
        build.run("DROP TABLE IF EXISTS {table}", table=table)
        build.run(
            'CREATE UNLOGGED TABLE {table} (name text COLLATE "C", folded text COLLATE "C")', table=table
        )
    target = build.pack.entity(link.to)
    if link.stated_field is None:
        return
    if target.name_field is None:
        raise PackError(
            f"{build.pack.name}: {entity.name}.{link.name} has a stated field, but {link.to} has no names."
        )
    names = _distinct(build, build.table(target), target.name_field)
    matcher = NameMatcher(build.pack, target.name, names)
    said = _distinct(build, rows, link.stated_field)
    _fill(build, named, [(name, matcher.folded(name)) for name in names])
    _fill(build, stated, [(name, folded) for name in said if (folded := matcher.match(name)) is not None])


def _distinct(build: Build, table: sql.Identifier, column: str) -> list[str]:
    found = build.run(
        "SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1",
        column=sql.Identifier(column),
        table=table,
    )
    return [name for (name,) in found]


def _fill(build: Build, table: sql.Identifier, rows: list[tuple[str, str]]) -> None:
    with build.cursor.copy(sql.SQL("COPY {table} (name, folded) FROM STDIN").format(table=table)) as copy:
        for row in rows:
            copy.write_row(row)
    build.run("ANALYZE {table}", table=table)


def _parts(build: Build, entity: Entity, link: Link) -> dict[str, Any]:
    target = build.pack.entity(link.to)
    return {
        "placed": build.scratch("placed", entity),
        "target": build.table(target),
        "stated": build.scratch("stated", entity, link),
        "named": build.scratch("named", entity, link),
        "areas": build.scratch("areas", entity, link),
        "counted": build.scratch("counted", entity, link),
        "pairs": build.scratch("pairs", entity, link),
        "lead": build.scratch("lead", entity, link),
        "found": build.scratch("found", entity, link),
        "said": sql.Identifier("s", link.stated_field) if link.stated_field else sql.NULL,
        "name": sql.Identifier("r", target.name_field) if target.name_field else sql.NULL,
    }


def _sized(build: Build, entity: Entity) -> dict[str, sql.Composable]:
    return {
        "placed": sql.Literal(build.scratch("placed", entity).as_string()),
        "large": sql.Literal(_LARGE),
    }


def _nearest(build: Build, entity: Entity, link: Link) -> sql.Identifier:
    """The nearest of those that bear the stated name, else of all in reach; ties to the smallest key."""
    if link.max_distance_m is None:
        raise PackError(
            f"{build.pack.name}: {entity.name}.{link.name} is a nearest link without max_distance_m."
        )
    parts = _parts(build, entity, link)
    # The few lead: they must where they have no index of their own.
    (few,) = build.one("SELECT (SELECT count(*) FROM {target}) < (SELECT count(*) FROM {placed})", **parts)
    led = parts["target" if few else "placed"]
    build.run("CREATE UNLOGGED TABLE {lead} AS SELECT * FROM {led}", led=led, **parts)
    (large,) = build.one("SELECT pg_relation_size({placed}::regclass) > {large}", **_sized(build, entity))
    if large:
        build.run("ALTER TABLE {lead} SET (parallel_workers = 4)", **parts)
    # Pairs that are stored are found here already, unless they are measured the other way round.
    near = _stored(build, entity, link, link.max_distance_m) if few else None
    own, other = ("a", "b") if near is not None and near.a == entity.name else ("b", "a")
    parts |= {"own": sql.Identifier(own), "other": sql.Identifier(other)}
    build.run(
        """
        CREATE UNLOGGED TABLE {pairs} AS
        SELECT * FROM (
          SELECT s.id AS {own}, r.id AS {other}, ST_Distance(s.geom, r.geom) AS m, r.key AS linked,
            coalesce(stated.folded = named.folded, false) AS is_named
          FROM {rows} s JOIN {features} r ON {searched}.geom && ST_Expand({leading}.geom, {reach})
          LEFT JOIN {stated} stated ON stated.name = {said}
          LEFT JOIN {named} named ON named.name = {name}
          OFFSET '0') measured
        WHERE m <= {reach}
        """,
        rows=parts["placed" if few else "lead"],
        features=parts["lead" if few else "target"],
        searched=sql.Identifier("s" if few else "r"),
        leading=sql.Identifier("r" if few else "s"),
        reach=sql.Literal((near.metres if near is not None else link.max_distance_m) + TOLERANCE_M),
        **parts,
    )
    build.run(
        """
        CREATE UNLOGGED TABLE {found} AS
        SELECT DISTINCT ON (id) id, linked,
          CASE WHEN is_named THEN 'stated_name' ELSE 'nearest' END AS basis,
          mm / 1000.0::double precision AS distance_m
        FROM (
          SELECT {own} AS id, linked, is_named, floor(m * 1000 + 0.5)::bigint AS mm
          FROM {pairs} WHERE m <= {reach}) pairs
        ORDER BY id, is_named DESC, mm, linked
        """,
        reach=sql.Literal(link.max_distance_m + TOLERANCE_M),
        **parts,
    )
    build.run("DROP TABLE {lead}", **parts)
    if near is None:
        build.run("DROP TABLE {pairs}", **parts)
    else:
        build.pairs_found[near.table] = build.scratch("pairs", entity, link)
    return build.scratch("found", entity, link)


def _stored(build: Build, entity: Entity, link: Link, reach: float) -> Near | None:
    """The pairs that the pack declares, among which are all that a link is chosen from."""
    near = Physical.of(build.pack).near(entity.name, link.to)
    return near if near is not None and near.metres >= reach else None


def _covering(build: Build, entity: Entity, link: Link) -> sql.Identifier:
    """The polygon that covers a point or has the greatest part of a line or polygon; unlocated rows by name.

    The join is driven from the polygons, so that each is prepared once for all the rows in its box. Only what
    lies in several polygons, or not wholly in one, is measured.
    """
    parts = _parts(build, entity, link)
    # Without an index of their own the polygons must lead, and few as they are they would not be shared.
    build.run("CREATE UNLOGGED TABLE {areas} AS SELECT key, geom FROM {target}", **parts)
    (large,) = build.one("SELECT pg_relation_size({placed}::regclass) > {large}", **_sized(build, entity))
    if large:
        build.run("ALTER TABLE {areas} SET (parallel_workers = 4)", **parts)
    build.run("ANALYZE {areas}", **parts)
    build.run(
        """
        CREATE UNLOGGED TABLE {pairs} AS
        SELECT s.id, r.key AS linked, CASE WHEN ST_GeometryType(s.geom) = 'ST_Point' THEN true
          ELSE ST_Covers(r.geom, s.geom) END AS covered
        FROM {areas} r JOIN {placed} s ON ST_Intersects(r.geom, s.geom)
        """,
        **parts,
    )
    build.run("ANALYZE {pairs}", **parts)
    build.run(
        """
        CREATE UNLOGGED TABLE {counted} AS
        SELECT id, min(linked) AS linked, count(*) = 1 AND bool_and(covered) AS clear
        FROM {pairs} GROUP BY id
        """,
        **parts,
    )
    build.run(
        """
        CREATE UNLOGGED TABLE {found} AS
        WITH parts AS (
          SELECT p.id, p.linked, p.covered, ST_Dimension(s.geom) AS dimension,
            CASE WHEN p.covered THEN s.geom ELSE ST_Intersection(r.geom, s.geom) END AS geom
          FROM {counted} c JOIN {pairs} p USING (id) JOIN {placed} s USING (id)
          JOIN {target} r ON r.key = p.linked
          WHERE NOT c.clear),
        measured AS (
          SELECT id, linked, covered, CASE dimension
            WHEN 0 THEN ST_NumGeometries(geom)
            WHEN 1 THEN floor(ST_Length(geom) * 1e3 + 0.5)
            ELSE floor(ST_Area(geom) * 1e6 + 0.5) END AS part
          FROM parts),
        greatest_part AS (
          SELECT DISTINCT ON (id) id, linked, covered
          FROM measured WHERE part > 0 ORDER BY id, part DESC, linked),
        owners AS (
          SELECT folded, min(r.key) AS linked
          FROM {named} named JOIN {target} r ON {name} = named.name GROUP BY folded)
        SELECT id, linked, 'covered' AS basis FROM {counted} WHERE clear
        UNION ALL
        SELECT id, linked, CASE WHEN covered THEN 'covered' ELSE 'largest_part' END FROM greatest_part
        UNION ALL
        SELECT s.id, owners.linked, 'stated'
        FROM {placed} s JOIN {stated} stated ON stated.name = {said} JOIN owners USING (folded)
        WHERE s.geom IS NULL
        """,
        **parts,
    )
    build.run("DROP TABLE {pairs}, {areas}, {counted}", **parts)
    return build.scratch("found", entity, link)
