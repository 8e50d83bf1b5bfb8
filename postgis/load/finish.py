"""The final table of an entity: staged rows with their links and carried values, in the order of space."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from psycopg import sql
from sqlalchemy.schema import CreateTable

from groundframe.postgis.load.build import Build
from groundframe.postgis.tables import key_and_indexes, stored_fields
from groundframe.schema.model import Entity, EntityField, Link

__all__ = ["append", "finish", "known"]

_NULL = sql.SQL("NULL")


def finish(build: Build, entity: Entity, links: Mapping[str, sql.Identifier | None]) -> None:
    """Make the entity's table from its staged rows and its links, and drop what was scratch."""
    table = build.tables.entities[entity.name]
    build.connection.execute(CreateTable(table))
    rows = append(build, entity, links)
    key, indexes = key_and_indexes(table)
    build.connection.execute(key)
    # What happens at a time is linked to others and not looked up by them, so that these can wait.
    if entity.date_field is not None:
        build.apart += ((rows, index) for index in indexes)
    else:
        for index in indexes:
            build.connection.execute(index)
    # Nothing is searched by what is left out, and statistics of geometry take long.
    searched = [column.name for column in table.columns if column.name not in {"geom_wgs", "row_digest"}]
    build.run(
        "ANALYZE {table} ({columns})",
        table=build.table(entity),
        columns=sql.SQL(", ").join(map(sql.Identifier, searched)),
    )


def append(build: Build, entity: Entity, links: Mapping[str, sql.Identifier | None]) -> int:
    """Write the staged rows with their links into the entity's table, and drop what was scratch."""
    columns: dict[str, sql.Composable] = {"id": sql.Identifier("l", "id")}
    columns |= {
        name: sql.Identifier("s", name) for name in ("key", "source", "geom", "geom_wgs", "row_digest")
    }
    for field in stored_fields(entity):
        columns |= dict(_field(build, entity, field, links))
    found = {name: sql.Identifier("p", name) for name in ("id", "at")}
    for link in entity.links:
        if links[link.name] is not None:
            found |= dict(_found(entity, link))
            columns |= {name: sql.Identifier("l", name) for name in _computed(link)}
    for field in entity.fields:
        if field.carries is not None and links[field.carries.link] is not None:
            target = _target(entity, entity.link(field.carries.link))
            found[_carried(entity, field)] = sql.Identifier(target, field.carries.field)
    parts: dict[str, sql.Composable] = {
        what: build.scratch(what, entity) for what in ("placed", "linked", "staged")
    }
    build.run(
        "CREATE UNLOGGED TABLE {linked} AS SELECT {found} FROM {placed} p {joins} ORDER BY p.id",
        found=sql.SQL(", ").join(
            sql.SQL("{} AS {}").format(value, sql.Identifier(name)) for name, value in found.items()
        ),
        joins=sql.SQL(" ").join(_joins(build, entity, links)),
        **parts,
    )
    build.run("ANALYZE {linked} (id)", **parts)
    # The wide rows are fetched one by one, in the order in which they are written: sorting or hashing them
    # takes several times as long.
    for setting in ("enable_hashjoin", "enable_mergejoin"):
        build.run("SET LOCAL {setting} = off", setting=sql.Identifier(setting))
    rows = build.run(
        "INSERT INTO {table} ({names}) SELECT {values} FROM {linked} l JOIN {staged} s ON s.ctid = l.at",
        table=build.table(entity),
        names=sql.SQL(", ").join(map(sql.Identifier, columns)),
        values=sql.SQL(", ").join(columns.values()),
        **parts,
    ).rowcount
    for setting in ("enable_hashjoin", "enable_mergejoin"):
        build.run("RESET {setting}", setting=sql.Identifier(setting))
    for scratch in (*parts.values(), *(table for table in links.values() if table is not None)):
        build.run("DROP TABLE {scratch}", scratch=scratch)
    return rows


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
        carried = sql.Identifier("l", _carried(entity, field))
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


def _carried(entity: Entity, field: EntityField) -> str:
    return f"_carried_{entity.fields.index(field)}"


def _computed(link: Link) -> tuple[str, ...]:
    """The columns of a link."""
    names = (f"{link.name}_key", f"{link.name}_basis")
    return (*names, f"{link.name}_distance_m") if link.rule == "nearest" else names


def _found(entity: Entity, link: Link) -> Iterator[tuple[str, sql.Identifier]]:
    for name, column in zip(_computed(link), ("linked", "basis", "distance_m"), strict=False):
        yield name, sql.Identifier(_alias(entity, link), column)


def _joins(
    build: Build, entity: Entity, links: Mapping[str, sql.Identifier | None]
) -> Iterator[sql.Composable]:
    carrying = {field.carries.link for field in entity.fields if field.carries is not None}
    for link in entity.links:
        found = links[link.name]
        if found is None:
            continue
        alias, target = sql.Identifier(_alias(entity, link)), sql.Identifier(_target(entity, link))
        yield sql.SQL("LEFT JOIN {found} {alias} ON {alias}.id = p.id").format(found=found, alias=alias)
        if link.name in carrying:
            yield sql.SQL("LEFT JOIN {table} {target} ON {target}.key = {alias}.linked").format(
                table=build.table(link.to), target=target, alias=alias
            )
