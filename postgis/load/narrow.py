"""Narrow tables: what makes answers quick, made from the finished tables of the entities."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import sqlalchemy as sa
from psycopg import sql

from groundframe.compiler.lowering.binds import Binds
from groundframe.compiler.lowering.constructs import DatePart
from groundframe.compiler.lowering.logic import falsity, truth
from groundframe.compiler.lowering.uses import Use
from groundframe.compiler.physical import Narrow, Physical
from groundframe.postgis.definitions import definitions, readings
from groundframe.postgis.load.build import Build
from groundframe.postgis.load.counted import counted_tables, flags_to_count, make_counts
from groundframe.postgis.load.grouped import make_groups
from groundframe.postgis.load.indexes import indexes_of
from groundframe.postgis.load.pairs import make_pairs, spatially_indexed
from groundframe.postgis.load.summed import make_sums
from groundframe.postgis.load.texts import make_texts
from groundframe.schema.model import Entity

__all__ = ["KEYS_APART", "build_physical", "counts_of", "insert_narrow", "table_of"]

KEYS_APART = 2**36
"""How far apart the numbers of keys are that follow each other, so that others find room between them."""

_TOGETHER = 3


def build_physical(build: Build) -> dict[str, Any]:
    """Make the narrow tables and pairs of all entities; gives the facts for :meth:`Physical.of`."""
    sources = {name: _sources(build, name) for name in build.tables.entities}
    known: dict[str, Any] = {
        name: {
            "rows": sum(found.values()),
            "sources": sorted(found),
            "counts": {},
            "counted_links": [link.name for link in build.pack.entity(name).links],
            "summed": True,
            "grouped": True,
        }
        for name, found in sources.items()
    }
    physical = Physical.of(build.pack, {"entities": known})
    with spatially_indexed(build, physical.pairs, known):
        pairs = {
            near.table: {
                "between": [near.a, near.b],
                "within_m": near.metres,
                "rows": make_pairs(build, near, known),
                "held": list(near.held),
                "counted": near.counted,
            }
            for near in physical.pairs
        }
    for name, narrow in physical.entities.items():
        _make_narrow(build, physical, narrow)
        known[name]["counts"] = dict(counts_of(build, narrow))
        known[name]["concepts"] = {flag.column: flag.digest for flag in narrow.flags}
        counted = Physical.of(build.pack, {"entities": known}).entities[name]
        known[name]["counted_flags"] = flags_to_count(physical, counted)
        # Adding the key locks the table, so that it cannot be left to the lanes.
        build.run("ALTER TABLE {table} ADD PRIMARY KEY (id)", table=table_of(build, narrow.table))
        build.apart += ((narrow.rows, index) for index in indexes_of(build.schema, counted))
        build.run("ANALYZE {table}", table=table_of(build, narrow.table))
    make_counts(build, counted_tables(Physical.of(build.pack, {"entities": known})))
    for name, narrow in physical.entities.items():
        make_sums(build, narrow)
        make_groups(build, narrow)
        known[name]["written"] = make_texts(build, narrow)
    return {
        "entities": known,
        "pairs": pairs,
        "definitions": definitions(build.pack),
        "readings": readings(build.pack),
    }


def table_of(build: Build, name: str) -> sql.Identifier:
    """A narrow table or one of pairs."""
    return sql.Identifier(build.schema, name)


def _sources(build: Build, entity: str) -> dict[str, int]:
    found = build.run("SELECT source, count(*) FROM {table} GROUP BY 1", table=build.table(entity))
    return dict(found.fetchall())


def _make_narrow(build: Build, physical: Physical, narrow: Narrow) -> None:
    # Beside the rest, for a statement with a window or grouped parts in it is not shared out.
    build.run("SET LOCAL enable_indexscan = off")
    build.run(
        """
        CREATE UNLOGGED TABLE {ranks} AS
        SELECT id, row_number() OVER (ORDER BY key COLLATE "C") * {apart} AS key_order FROM {table}
        """,
        ranks=build.scratch("ranks", narrow.entity),
        apart=sql.Literal(KEYS_APART),
        table=build.table(narrow.entity),
    )
    build.run("RESET enable_indexscan")
    build.run("ANALYZE {ranks} (id)", ranks=build.scratch("ranks", narrow.entity))
    ranked = build.scratch_table("ranks", narrow.entity, "id", "key_order")
    made = sql.SQL("CREATE TABLE {table} AS ").format(table=table_of(build, narrow.table))
    build.fill(made, _content(build, physical, narrow, ranked, 0))
    _drop(build, physical, narrow)


def insert_narrow(
    build: Build, physical: Physical, narrow: Narrow, ranked: sa.FromClause, after: int
) -> None:
    """Add the narrow rows of features with numbers beyond `after`; `ranked` has their ``key_order``."""
    content = _content(build, physical, narrow, ranked, after)
    names = sql.SQL(", ").join(sql.Identifier(column.name) for column in content.selected_columns)
    into = sql.SQL("INSERT INTO {table} ({names}) ").format(table=table_of(build, narrow.table), names=names)
    build.fill(into, content)
    _drop(build, physical, narrow)


def _drop(build: Build, physical: Physical, narrow: Narrow) -> None:
    for what in ("ranks", *(f"nearest{number}" for number in range(len(physical.pairs)))):
        build.run("DROP TABLE IF EXISTS {table}", table=build.scratch(what, narrow.entity))


def _content(
    build: Build, physical: Physical, narrow: Narrow, ranked: sa.FromClause, after: int
) -> sa.Select[Any]:
    """The narrow rows in the order of space."""
    entity = narrow.entity
    # OFFSET has the columns worked out before rows are sorted, which are wide until then. A bare 0 is cast,
    # and PostgreSQL would not share the statement out.
    own = _own(build, narrow, after).offset(sa.literal_column("'0'")).subquery("own")
    source: sa.FromClause = own.join(ranked, ranked.c.id == own.c.id)
    columns: dict[str, sa.ColumnElement[Any]] = {"id": own.c.id, "key_order": ranked.c.key_order}
    for number, near in enumerate(physical.pairs):
        if entity.name in (near.a, near.b):
            side, other = ("a", near.b) if near.a == entity.name else ("b", near.a)
            found = _nearest(build, entity, number, near.table, side, after)
            source = source.outerjoin(found, found.c.id == own.c.id)
            columns[narrow.near_column(other)] = found.c.m
    columns |= dict(own.c.items())
    if columns.keys() != narrow.columns:
        raise LookupError(sorted(columns.keys() ^ narrow.columns))
    labelled = (value.label(name) for name, value in columns.items())
    return sa.select(*labelled).select_from(source).order_by(own.c.id)


def _own(build: Build, narrow: Narrow, after: int) -> sa.Select[Any]:
    """What an entity's rows and links alone say."""
    binds, entity = Binds(), narrow.entity
    use = Use(entity, build.schema, 0)
    source: sa.FromClause = use.source
    columns: dict[str, sa.ColumnElement[Any]] = {"id": use["id"]}
    for link in entity.links:
        target = Use(build.pack.entity(link.to), build.schema, len(columns))
        source = source.outerjoin(target.source, target.key == use[f"{link.name}_key"])
        columns[f"{link.name}_id"] = target["id"]
    for part in narrow.parts:
        name = entity.time_field if part == "hour" else entity.date_field
        columns[f"{part}_part"] = sa.cast(DatePart(part, use[str(name)]), sa.SmallInteger)
    for name in ("source", *(name for name in narrow.fields if name != "source")):
        values = narrow.values(name)
        if values is not None:
            columns[f"{name}_code"] = _code(use[name], values, binds)
        elif name in narrow.columns:
            columns[name] = use[name]
    for flag in narrow.flags:
        columns[flag.column] = sa.case(
            (truth(flag.predicate, use, binds), sa.true()), (falsity(flag.predicate, use, binds), sa.false())
        )
    columns["geom"] = use.geom
    labelled = (value.label(name) for name, value in columns.items())
    return sa.select(*labelled).select_from(source).where(use["id"] > after)


def _nearest(build: Build, entity: Entity, number: int, pairs: str, side: str, after: int) -> sa.TableClause:
    """Scratch table with the distance to the nearest in a table of pairs."""
    build.run(
        """
        CREATE UNLOGGED TABLE {nearest} AS
        SELECT {side} AS id, min(m) AS m FROM {pairs} WHERE {side} > {after} GROUP BY 1
        """,
        nearest=build.scratch(f"nearest{number}", entity),
        side=sql.Identifier(side),
        pairs=table_of(build, pairs),
        after=sql.Literal(after),
    )
    # Without statistics these joins are not shared out.
    build.run("ANALYZE {nearest} (id)", nearest=build.scratch(f"nearest{number}", entity))
    return build.scratch_table(f"nearest{number}", entity, "id", "m")


def _code(value: sa.ColumnElement[Any], values: Sequence[str], binds: Binds) -> sa.ColumnElement[Any]:
    """The place of a value in the list; -1 for one that is not in it, so that it stays known."""
    codes = [
        (value == binds.value(known), binds.value(place, sa.SmallInteger()))
        for place, known in enumerate(values)
    ]
    other = sa.case((value.is_not(None), binds.value(-1, sa.SmallInteger())))
    return sa.cast(sa.case(*codes, else_=other) if codes else other, sa.SmallInteger)


def counts_of(build: Build, narrow: Narrow, after: int = 0) -> Iterator[tuple[str, dict[str, int]]]:
    """How many features with numbers beyond `after` have each code, flag and part."""
    coded = sorted(name for name in narrow.columns if name.endswith(("_code", "_part")))
    # A few columns at a time, which have few values together: one reading serves them all.
    for start in range(0, len(coded), _TOGETHER):
        names = coded[start : start + _TOGETHER]
        found: dict[str, Counter[str]] = {name: Counter() for name in names}
        values = [sql.Identifier(name) for name in names]
        for *combination, count in _counted(build, narrow, after, values, [sql.SQL("count(*)")]):
            for name, value in zip(names, combination, strict=True):
                if value is not None:
                    found[name][str(value)] += count
        yield from ((name, dict(counts)) for name, counts in found.items())
    flags = [flag.column for flag in narrow.flags]
    there = ["geom", *map(narrow.near_column, narrow.near)]
    holds = [sql.SQL("count(*) FILTER (WHERE {})").format(sql.Identifier(name)) for name in flags]
    fails = [sql.SQL("count(*) FILTER (WHERE NOT {})").format(sql.Identifier(name)) for name in flags]
    known = [sql.SQL("count({})").format(sql.Identifier(name)) for name in there]
    ((*numbers,),) = _counted(build, narrow, after, [], [*holds, *fails, *known])
    for place, name in enumerate(flags):
        outcomes = {"true": numbers[place], "false": numbers[place + len(flags)]}
        yield name, {value: count for value, count in outcomes.items() if count}
    yield from ((name, {"true": count}) for name, count in zip(there, numbers[2 * len(flags) :], strict=True))


def _counted(
    build: Build, narrow: Narrow, after: int, by: Sequence[sql.Composable], counts: Sequence[sql.Composable]
) -> list[tuple[Any, ...]]:
    """Counts of the features with numbers beyond `after`, by the values of some columns."""
    return build.run(
        "SELECT {columns} FROM {table} WHERE id > {after} {grouped}",
        columns=sql.SQL(", ").join([*by, *counts]),
        table=table_of(build, narrow.table),
        after=sql.Literal(after),
        grouped=sql.SQL("GROUP BY {}").format(sql.SQL(", ").join(by)) if by else sql.SQL(""),
    ).fetchall()
