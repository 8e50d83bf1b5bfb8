"""Looking over a dataset under construction, for the load report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import islice
from typing import LiteralString

from psycopg import sql

from groundframe.compiler.relations import TOLERANCE_M
from groundframe.postgis.load.build import Build
from groundframe.postgis.load.finish import known
from groundframe.postgis.load.links import match_stated_names
from groundframe.postgis.load.nodes import DERIVED
from groundframe.postgis.load.summary import LinkSummary, Overlap, SourceSummary, StatedElsewhere
from groundframe.postgis.tables import stored_fields
from groundframe.schema.model import Entity, Link
from groundframe.schema.source import Source

__all__ = ["links_of", "overlaps_of", "sources_of"]

OVERLAP_M = 50.0
_EXAMPLES = 20


def sources_of(
    build: Build, entity: Entity, after: int = 0, before: Sequence[SourceSummary] = ()
) -> Iterator[SourceSummary]:
    """The sources of an entity's rows, by name.

    Parameters
    ----------
    after : int
        Only rows with numbers beyond it are read.
    before : sequence of SourceSummary
        The sources of the rows up to it.
    """
    fields = stored_fields(entity)
    columns = {field.name: f"{field.name}_reported" if field.carries else field.name for field in fields}
    counts = [
        sql.SQL("count(*) FILTER (WHERE {known})").format(
            known=known(sql.Identifier(columns[field.name]), field)
        )
        for field in fields
    ]
    day: sql.Composable = sql.Identifier(entity.date_field) if entity.date_field else sql.SQL("NULL::date")
    rows = build.run(
        """
        SELECT source, count(*), count(geom), min({day}), max({day}), ARRAY[{counts}]::bigint[]
        FROM {table} WHERE id > {after} GROUP BY source
        """,
        day=day,
        counts=sql.SQL(", ").join(counts),
        table=build.table(entity),
        after=sql.Literal(after),
    ).fetchall()
    found = {
        name: _Numbers(total, located, first, last, dict(zip(columns, known_rows, strict=True)))
        for name, total, located, first, last, known_rows in rows
    }
    for one in before:
        old = _Numbers(one.rows, one.located, one.first, one.last, one.known)
        found[one.source] = old.and_those(found[one.source]) if one.source in found else old
    for name, numbers in sorted(found.items()):
        source = next((source for source in build.pack.sources if source.name == name), None)
        yield SourceSummary(
            entity=entity.name,
            source=name,
            title=_title(entity, name, source),
            synthetic=source.synthetic if source else False,
            rows=numbers.rows,
            located=numbers.located,
            first=numbers.first,
            last=numbers.last,
            coverage=source.coverage.model_dump(mode="json") if source else None,
            licence=source.licence if source else "",
            notice=source.notice if source else "",
            known={
                field: n for field, n in numbers.known.items() if source is None or field in source.provides
            },
        )


@dataclass(frozen=True, slots=True)
class _Numbers:
    """What is counted of the rows of a source."""

    rows: int
    located: int
    first: date | None
    last: date | None
    known: Mapping[str, int]

    def and_those(self, others: _Numbers) -> _Numbers:
        days = [day for one in (self, others) for day in (one.first, one.last) if day is not None]
        return _Numbers(
            self.rows + others.rows,
            self.located + others.located,
            min(days, default=None),
            max(days, default=None),
            {field: n + self.known.get(field, 0) for field, n in others.known.items()},
        )


def _title(entity: Entity, name: str, source: Source | None) -> str:
    if source is not None:
        return source.title
    return f"made at load from {entity.derived.from_entity}" if entity.derived and name == DERIVED else name


def links_of(
    build: Build, entity: Entity, after: int = 0, before: Sequence[LinkSummary] = ()
) -> Iterator[LinkSummary]:
    """How the rows of an entity were linked.

    Parameters
    ----------
    after : int
        Only rows with numbers beyond it are read, unless it takes all of them to find examples.
    before : sequence of LinkSummary
        How the rows up to it were linked.
    """
    known_before = {summary.link: summary for summary in before}
    for link in entity.links:
        old = None if link.rule == "covering" and link.stated_field else known_before.get(link.name)
        found = _summary(build, entity, link, after if old is not None else 0)
        yield found if old is None else found.and_those(old)


def _summary(build: Build, entity: Entity, link: Link, after: int) -> LinkSummary:
    _outcomes(build, entity, link, after)
    pairs: list[StatedElsewhere] = []
    outside = unknown = 0
    possible = build.has_rows(build.table(link.to))
    if possible and link.stated_field is not None:
        match_stated_names(build, entity, link, build.scratch("outcome", entity, link))
        unknown = _rows(
            build,
            entity,
            link,
            "{stated} IS NOT NULL AND NOT EXISTS (SELECT FROM {names} n WHERE n.name = {stated})",
        )
    if possible and link.rule == "covering":
        pairs = list(_stated_elsewhere(build, entity, link))
        outside = _rows(build, entity, link, "_located AND _linked IS NULL")
    basis = build.run(
        "SELECT coalesce(_basis, 'none'), sum(_rows)::bigint FROM {outcome} GROUP BY 1 ORDER BY 1",
        outcome=build.scratch("outcome", entity, link),
    ).fetchall()
    found = LinkSummary(
        entity=entity.name,
        link=link.name,
        to=link.to,
        basis=dict(basis),
        located_outside=outside,
        stated_elsewhere=sum(pair.rows for pair in pairs),
        stated_unknown=unknown,
        examples=tuple(islice(pairs, _EXAMPLES)),
    )
    for what in ("outcome", "stated", "named"):
        build.run("DROP TABLE IF EXISTS {scratch}", scratch=build.scratch(what, entity, link))
    return found


def _outcomes(build: Build, entity: Entity, link: Link, after: int) -> None:
    """Count what became of the rows in one pass: basis, stated name, feature that they lie in."""
    covering = link.rule == "covering"
    columns = {
        "_basis": sql.Identifier(f"{link.name}_basis"),
        "_linked": sql.Identifier(f"{link.name}_key") if covering else sql.SQL("NULL::text"),
        "_located": sql.SQL("geom IS NOT NULL"),
    }
    if link.stated_field is not None:
        columns[link.stated_field] = sql.Identifier(link.stated_field)
    build.run(
        """
        CREATE UNLOGGED TABLE {outcome} AS
        SELECT {columns}, count(*) AS _rows FROM {table} WHERE id > {after} GROUP BY {places}
        """,
        outcome=build.scratch("outcome", entity, link),
        columns=sql.SQL(", ").join(
            sql.SQL("{value} AS {name}").format(value=value, name=sql.Identifier(name))
            for name, value in columns.items()
        ),
        table=build.table(entity),
        after=sql.Literal(after),
        places=sql.SQL(", ").join(sql.Literal(place) for place in range(1, len(columns) + 1)),
    )


def _rows(build: Build, entity: Entity, link: Link, condition: LiteralString) -> int:
    (count,) = build.one(
        "SELECT coalesce(sum(_rows), 0)::bigint FROM {outcome} WHERE " + condition,  # noqa: S608 - as above
        outcome=build.scratch("outcome", entity, link),
        stated=sql.Identifier(link.stated_field) if link.stated_field else sql.NULL,
        names=build.scratch("stated", entity, link),
    )
    return int(count)


def _stated_elsewhere(build: Build, entity: Entity, link: Link) -> Iterator[StatedElsewhere]:
    """Located rows whose stated feature is not the one they lie in, by pair, the most frequent first."""
    name_field = build.pack.entity(link.to).name_field
    if link.stated_field is None or name_field is None:
        return
    rows = build.run(
        """
        WITH owners AS (
          SELECT folded, min(named.name) AS name FROM {named} named GROUP BY folded)
        SELECT o.name, coalesce(t.{name}, ''), sum(_rows)::bigint
        FROM {outcome} e JOIN {stated} s ON s.name = e.{said} JOIN owners o USING (folded)
        LEFT JOIN {target} t ON t.key = e._linked LEFT JOIN {named} n ON n.name = t.{name}
        WHERE e._located AND n.folded IS DISTINCT FROM s.folded
        GROUP BY 1, 2 ORDER BY 3 DESC, 1, 2
        """,
        named=build.scratch("named", entity, link),
        stated=build.scratch("stated", entity, link),
        name=sql.Identifier(name_field),
        said=sql.Identifier(link.stated_field),
        outcome=build.scratch("outcome", entity, link),
        target=build.table(link.to),
    ).fetchall()
    for stated, found, count in rows:
        yield StatedElsewhere(stated, found, count)


def overlaps_of(build: Build, entity: Entity) -> Iterator[Overlap]:
    """Pairs of sources that seem to hold the same features; nothing is merged."""
    if entity.date_field is None or entity.time_field is None:
        return
    # OFFSET 0 keeps the equi-join on day and time first: far more pairs are near each other.
    rows = build.run(
        """
        SELECT one, other, count(DISTINCT key), min(day), max(day)
        FROM (
          SELECT a.key, a.source AS one, b.source AS other, a.{day} AS day, a.geom AS here, b.geom AS there
          FROM {table} a JOIN {table} b ON a.{day} = b.{day} AND a.{time} = b.{time} AND a.source < b.source
          OFFSET 0) same
        WHERE ST_DWithin(here, there, {distance}) GROUP BY 1, 2 ORDER BY 1, 2
        """,
        day=sql.Identifier(entity.date_field),
        time=sql.Identifier(entity.time_field),
        table=build.table(entity),
        distance=sql.Literal(OVERLAP_M + TOLERANCE_M),
    ).fetchall()
    for one, other, count, first, last in rows:
        yield Overlap(entity.name, (one, other), OVERLAP_M, count, first, last)
