"""Adding rows to the tables of a dataset: what the new rows do not touch stays as it is.

All of it is one transaction. Who reads goes on with the snapshot that there was; a load that fails or is
killed leaves the dataset as it was. The outcome is that of a load of everything at once, but for the numbers
of the new features, which come after those that were there. What would change old rows is left to a load that
builds everything anew.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from psycopg import sql

from groundframe.compiler.near import Near
from groundframe.compiler.physical import Narrow, Physical
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.load.build import Build, entity_order
from groundframe.postgis.load.counted import add_counts, counted_tables, flags_to_count, make_counts
from groundframe.postgis.load.finish import append
from groundframe.postgis.load.grouped import add_groups
from groundframe.postgis.load.indexes import indexes_of
from groundframe.postgis.load.links import compute_links
from groundframe.postgis.load.narrow import KEYS_APART, counts_of, insert_narrow, table_of
from groundframe.postgis.load.pairs import Side, add_pairs
from groundframe.postgis.load.staging import Progress, StagedRows
from groundframe.postgis.load.summary import LinkSummary, SourceSummary
from groundframe.postgis.load.summed import add_sums, sum_again
from groundframe.postgis.load.survey import links_of, sources_of
from groundframe.postgis.load.texts import add_texts
from groundframe.postgis.reader import let_read
from groundframe.schema.model import Entity

__all__ = ["Extension", "extension"]

_ALL = 2**31 - 1
"""No number is beyond it."""
_CLOSE = 2**16
"""How far apart the numbers of new keys are at most that come between the same two."""


@dataclass(frozen=True, slots=True)
class Extension:
    """Staged rows that can be added to the tables of a dataset.

    Parameters
    ----------
    build : Build
        The tables of the dataset, with the staged rows in its workshop.
    rows : mapping
        Entity to the number of rows to add, for those that get any.
    """

    build: Build
    old: Dataset
    rows: Mapping[str, int]

    def add(self, progress: Progress) -> tuple[list[LinkSummary], list[SourceSummary], dict[str, Any]]:
        """Add the rows; gives the links and sources of all rows, and the facts for :meth:`Physical.of`."""
        links = [LinkSummary.of(link) for link in self.old.report["links"]]
        sources = [SourceSummary.of(source) for source in self.old.report["sources"]]
        after: dict[str, int] = {}
        for entity in entity_order(self.build.pack):
            if entity.name in self.rows:
                progress(f"linking {entity.plural}", 0)
                after[entity.name] = self._append(entity)
                place = [link.entity for link in links].index(entity.name) if entity.links else 0
                here = slice(place, place + len(entity.links))
                links[here] = links_of(self.build, entity, after[entity.name], links[here])
        progress("arranging", 0)
        found = [
            summary
            for entity in self.build.pack.entities
            for summary in sources_of(
                self.build,
                entity,
                after.get(entity.name, _ALL),
                [source for source in sources if source.entity == entity.name],
            )
        ]
        return links, found, self._arrange(after) if after else dict(self.old.facts)

    def _append(self, entity: Entity) -> int:
        """Link the staged rows and add them; gives the last number before theirs."""
        build, table = self.build, self.build.table(entity)
        (last,) = build.one("SELECT coalesce(max(id), 0) FROM {table}", table=table)
        append(build, entity, compute_links(build, entity, last))
        return int(last)

    def _arrange(self, after: Mapping[str, int]) -> dict[str, Any]:
        """Narrow rows and pairs of the new features, and what is counted of all."""
        facts = {**self.old.facts, "entities": dict(self.old.facts["entities"])}
        known = facts["entities"]
        for name, new in self.rows.items():
            known[name] = {**known[name], "rows": known[name]["rows"] + new}
        physical = Physical.of(self.build.pack, facts)
        touched = [near for near in physical.pairs if near.a in after or near.b in after]
        facts["pairs"] = dict(self.old.facts["pairs"])
        for near in touched:
            rows = near.rows + self._add_pairs(near, known, after)
            facts["pairs"][near.table] = {**facts["pairs"][near.table], "rows": rows}
        for name, last in after.items():
            narrow = physical.entities[name]
            insert_narrow(self.build, physical, narrow, self._places(self.build.pack.entity(name)), last)
            before = known[name]["counts"]
            counts = {
                column: _sum(before.get(column, {}), found)
                for column, found in counts_of(self.build, narrow, last)
            }
            texts = add_texts(self.build, narrow, last)
            known[name] = {**known[name], "counts": counts, "written": texts}
        for near in touched:
            self._bring_nearer(physical, near, after, known)
        for narrow in physical.entities.values():
            if narrow.summed:
                self._sum(narrow, after)
        counted = Physical.of(self.build.pack, facts).entities
        for name in after:
            known[name] = {**known[name], "counted_flags": flags_to_count(physical, counted[name])}
        grown = Physical.of(self.build.pack, facts)
        self._count(physical, grown, after)
        for name in after:
            there = {
                statement.as_string() for statement in indexes_of(self.build.schema, physical.entities[name])
            }
            for statement in indexes_of(self.build.schema, grown.entities[name]):
                if statement.as_string() not in there:
                    self.build.cursor.execute(statement)
        return facts

    def _add_pairs(self, near: Near, known: Mapping[str, Any], after: Mapping[str, int]) -> int:
        """The pairs of new features with old ones, which their narrow table finds, and with each other."""
        old = [
            Side(table_of(self.build, self.old.physical.entities[name].table), coded=True)
            for name in (near.a, near.b)
        ]
        new = [
            Side(self.build.table(name), after[name]) if name in after else None for name in (near.a, near.b)
        ]
        sides = [(new[0], old[1]), (old[0], new[1]), (new[0], new[1])]
        return sum(
            add_pairs(self.build, near, known, a, b) for a, b in sides if a is not None and b is not None
        )

    def _bring_nearer(
        self, physical: Physical, near: Near, after: Mapping[str, int], known: dict[str, Any]
    ) -> None:
        """Note where a new feature is the nearest of an old one."""
        for name, side, other, beside in ((near.a, "a", near.b, "b"), (near.b, "b", near.a, "a")):
            if other not in after:
                continue
            narrow = physical.entities[name]
            column, table = narrow.near_column(other), table_of(self.build, narrow.table)
            self.build.run(
                """
                UPDATE {table} n SET {column} = found.m
                FROM (SELECT {side} AS id, min(m) AS m FROM {pairs} WHERE {beside} > {last} GROUP BY 1) found
                WHERE n.id = found.id AND (n.{column} IS NULL OR n.{column} > found.m)
                """,
                table=table,
                column=sql.Identifier(column),
                side=sql.Identifier(side),
                beside=sql.Identifier(beside),
                pairs=table_of(self.build, near.table),
                last=sql.Literal(after[other]),
            )
            (there,) = self.build.one(
                "SELECT count({column}) FROM {table}", column=sql.Identifier(column), table=table
            )
            counts = {**known[name]["counts"], column: {"true": int(there)}}
            known[name] = {**known[name], "counts": counts}

    def _sum(self, narrow: Narrow, after: Mapping[str, int]) -> None:
        """Bring an entity's sums up to date: with new features, and where old ones have come nearer."""
        name = narrow.entity.name
        if name in after:
            add_sums(self.build, narrow, after[name])
            if narrow.grouped:
                add_groups(self.build, narrow, after[name])
        if nearer := set(narrow.near) & after.keys():
            sum_again(self.build, narrow, nearer)

    def _count(self, physical: Physical, grown: Physical, after: Mapping[str, int]) -> None:
        """Bring counts up to date; concepts may hold for few by now that did not, and the other way round."""
        there = {counted.table for counted in counted_tables(physical)}
        wanted = {counted.table: counted for counted in counted_tables(grown)}
        for table, counted in wanted.items():
            if table in there:
                add_counts(self.build, counted, after)
        make_counts(self.build, (wanted[table] for table in wanted if table not in there))
        for table in sorted(there - wanted.keys()):
            self.build.run("DROP TABLE {table}", table=table_of(self.build, table))
        let_read(self.build.connection, self.build.schema)

    def _places(self, entity: Entity) -> sa.FromClause:
        """The numbers of the new features and of the order of their keys."""
        places = self.build.scratch_table("places", entity, "key", "key_order")
        own = sa.table(entity.table, sa.column("id"), sa.column("key"), schema=self.build.schema)
        joined = places.join(own, own.c.key == places.c.key)
        return sa.select(own.c.id, places.c.key_order).select_from(joined).subquery("ranked")


def extension(build: Build, old: Dataset, staged: Sequence[StagedRows]) -> Extension | None:
    """How the staged rows are added to the tables that there are; None where those must be made anew.

    They must where a row could be linked to a new one or derived from it, where a source is new to an entity,
    where the pack declares other concepts or pairs than are stored, and where no number is left for a key.
    """
    rows = {one.entity: one.new for one in staged if one.new}
    declared = {(near.a, near.b, near.metres) for near in Physical.of(build.pack).pairs}
    stored = {(near.a, near.b, near.metres) for near in old.physical.pairs}
    if old.outdated or declared != stored or any(_leads_to(build, name) for name in rows):
        return None
    for name in rows:
        entity = build.pack.entity(name)
        if not _known_sources(build, old, entity) or not _find_places(build, old, entity):
            return None
    return Extension(build, old, rows)


def _sum(one: Mapping[str, int], other: Mapping[str, int]) -> dict[str, int]:
    return {value: one.get(value, 0) + other.get(value, 0) for value in {**one, **other}}


def _leads_to(build: Build, name: str) -> bool:
    """Whether rows of other entities depend on those of this one."""
    return any(
        entity.links_to(name)
        or entity.parent == name
        or (entity.derived is not None and entity.derived.from_entity == name)
        for entity in build.pack.entities
    )


def _known_sources(build: Build, old: Dataset, entity: Entity) -> bool:
    found = build.run("SELECT DISTINCT source FROM {staged}", staged=build.scratch("staged", entity))
    return {source for (source,) in found} <= set(old.physical.entities[entity.name].sources)


def _find_places(build: Build, old: Dataset, entity: Entity) -> bool:
    """Number the order of the staged keys between those of the keys that there are; whether there is room."""
    parts: dict[str, sql.Composable] = {
        "places": build.scratch("places", entity),
        "staged": build.scratch("staged", entity),
        "table": build.table(entity),
        "narrow": table_of(build, old.physical.entities[entity.name].table),
        "apart": sql.Literal(KEYS_APART),
        "close": sql.Literal(_CLOSE),
    }
    build.run(
        """
        CREATE UNLOGGED TABLE {places} AS
        WITH around AS (
          SELECT s.key,
            coalesce((SELECT n.key_order FROM {table} t JOIN {narrow} n USING (id)
              WHERE t.key < s.key ORDER BY t.key DESC LIMIT 1), 0) AS below,
            (SELECT n.key_order FROM {table} t JOIN {narrow} n USING (id)
              WHERE t.key > s.key ORDER BY t.key LIMIT 1) AS above
          FROM {staged} s),
        counted AS (
          SELECT key, below, above, row_number() OVER (PARTITION BY below ORDER BY key) AS place,
            count(*) OVER (PARTITION BY below) AS keys
          FROM around),
        spaced AS (
          SELECT *, coalesce(least((above - below) / (keys + 1), {close}), {apart}) AS space FROM counted)
        SELECT key, below + space * place AS key_order, space > 0 AS has_room FROM spaced
        """,
        **parts,
    )
    build.run("ANALYZE {places}", **parts)
    (room,) = build.one("SELECT bool_and(has_room) FROM {places}", **parts)
    return bool(room)
