"""The final table of an entity: staged rows with their links and carried values, in the order of space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from psycopg import sql
from sqlalchemy.schema import CreateTable

from groundframe.postgis.load.build import Build
from groundframe.postgis.tables import create_indexes, stored_fields
from groundframe.schema.model import Entity, EntityField, Link

__all__ = ["append", "finish", "known"]

_NULL = sql.SQL("NULL")


def finish(build: Build, entity: Entity, links: Mapping[str, sql.Identifier | None]) -> None:
    """Make the entity's table from its staged rows and its links, and drop what was scratch."""
    table = build.tables.entities[entity.name]
    build.connection.execute(CreateTable(table))
    append(build, entity, links)
    create_indexes(build.connection, table)
    # Nothing is searched by what is left out, and statistics of geometry take long.
    searched = [column.name for column in table.columns if column.name not in {"geom_wgs", "row_digest"}]
    build.run(
        "ANALYZE {table} ({columns})",
        table=build.table(entity),
        columns=sql.SQL(", ").join(map(sql.Identifier, searched)),
    )


def append(build: Build, entity: Entity, links: Mapping[str, sql.Identifier | None]) -> None:
    """Write the staged rows with their links into the entity's table, and drop what was scratch."""
    columns: dict[str, sql.Composable] = {
        name: sql.Identifier("s", name) for name in ("key", "source", "geom", "geom_wgs", "row_digest")
    }
    for field in stored_fields(entity):
        columns |= dict(_field(build, entity, field, links))
    for link in entity.links:
        columns |= dict(_link(entity, link, links[link.name]))
    # The geometry type sorts along a Hilbert curve, so that neighbours share pages.
    build.run(
        "INSERT INTO {table} ({names}) SELECT {values} FROM {staged} s {joins} ORDER BY s.geom, s.key",
        table=build.table(entity),
        names=sql.SQL(", ").join(map(sql.Identifier, columns)),
        values=sql.SQL(", ").join(columns.values()),
        staged=build.scratch("staged", entity),
        joins=sql.SQL(" ").join(_joins(build, entity, links)),
    )
    build.run("DROP TABLE {staged}", staged=build.scratch("staged", entity))
    for found in links.values():
        if found is not None:
            build.run("DROP TABLE {found}", found=found)


def _field(
    build: Build, entity: Entity, field: EntityField, links: Mapping[str, sql.Identifier | None]
) -> Iterator[tuple[str, sql.Composable]]:
    """A field's column; of a carried field also what was reported and where the effective value is from."""
    reported = sql.Identifier("s", field.name)
    if field.carries is None:
        yield field.name, reported
        return
    link = entity.link(field.carries.link)
    reported_known = known(reported, field)
    carried: sql.Composable = _NULL
    carried_known: sql.Composable = sql.SQL("false")
    if links[link.name] is not None:
        carried = sql.Identifier(_target(entity, link), field.carries.field)
        carried_known = known(carried, build.pack.entity(link.to).field(field.carries.field))
    parts = {
        "reported": reported,
        "reported_known": reported_known,
        "carried": carried,
        "carried_known": carried_known,
    }
    yield f"{field.name}_reported", reported
    yield (
        field.name,
        sql.SQL(
            "CASE WHEN {reported_known} OR NOT ({carried_known}) THEN {reported} ELSE {carried} END"
        ).format(**parts),
    )
    yield (
        f"{field.name}_basis",
        sql.SQL("CASE WHEN {reported_known} THEN 'reported' WHEN {carried_known} THEN {link} END").format(
            link=sql.Literal(link.name), **parts
        ),
    )


def known(value: sql.Composable, field: EntityField) -> sql.Composable:
    """SQL for whether a value says something: neither NULL nor one declared to mean unknown."""
    if not field.unknown_values:
        return sql.SQL("({value} IS NOT NULL)").format(value=value)
    unknown = sql.SQL(", ").join(map(sql.Literal, field.unknown_values))
    if field.type == "category_list":
        template = "coalesce({value} = '{{}}' OR NOT {value} <@ ARRAY[{unknown}], false)"
    else:
        template = "coalesce({value} NOT IN ({unknown}), false)"
    return sql.SQL(template).format(value=value, unknown=unknown)


# Numbered aliases that begin with an underscore cannot clash with names of the pack, nor be too long.
def _alias(entity: Entity, link: Link) -> str:
    return f"_link_{entity.links.index(link)}"


def _target(entity: Entity, link: Link) -> str:
    return f"_target_{entity.links.index(link)}"


def _link(entity: Entity, link: Link, found: sql.Identifier | None) -> Iterator[tuple[str, sql.Composable]]:
    there = found is not None
    alias = _alias(entity, link)
    yield f"{link.name}_key", sql.Identifier(alias, "linked") if there else _NULL
    yield f"{link.name}_basis", sql.Identifier(alias, "basis") if there else _NULL
    if link.rule == "nearest":
        yield f"{link.name}_distance_m", sql.Identifier(alias, "distance_m") if there else _NULL


def _joins(
    build: Build, entity: Entity, links: Mapping[str, sql.Identifier | None]
) -> Iterator[sql.Composable]:
    carrying = {field.carries.link for field in entity.fields if field.carries is not None}
    for link in entity.links:
        found = links[link.name]
        if found is None:
            continue
        alias, target = sql.Identifier(_alias(entity, link)), sql.Identifier(_target(entity, link))
        yield sql.SQL("LEFT JOIN {found} {alias} ON {alias}.row = s.row").format(found=found, alias=alias)
        if link.name in carrying:
            yield sql.SQL("LEFT JOIN {table} {target} ON {target}.key = {alias}.linked").format(
                table=build.table(link.to), target=target, alias=alias
            )
