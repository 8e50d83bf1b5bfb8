"""What a dataset holds beside its rows so that answers come quickly; it never changes what they are.

Every entity has a *narrow table* with a number for each feature, its geometry, and in numbers what is often
asked for; pairs of two entities up to a declared distance have a table of their own. A plan is made with a
:class:`Physical` to use them, and without one to go by the entities' own tables alone.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations
from typing import Any

from groundframe.compiler.conditions import concept
from groundframe.compiler.near import MANY, Near, declared_pairs, noted_pairs
from groundframe.compiler.predicates import Predicate
from groundframe.errors import PackError
from groundframe.schema.model import Entity, EntityField, Pack

__all__ = ["DATE_PARTS", "LONGEST_NAME", "SELDOM", "SELECTIVE", "Flag", "Narrow", "Physical"]

DATE_PARTS = ("year", "month", "weekday")
_KEPT = ("number", "integer", "boolean", "date", "time_of_day")
LONGEST_NAME = 63
"""Characters that a name in a database has room for."""
_DIGITS = 16
SELDOM = 0.2
"""Up to this share of the features, those that are near another entity's are found by an index."""
SELECTIVE = 0.1
"""Up to this share of the features, those for which a concept holds or is unknown have own indexes."""


@dataclass(frozen=True, slots=True)
class Flag:
    """A concept's predicate, stored as a boolean column (NULL where it is unknown)."""

    column: str
    predicate: Predicate

    @property
    def digest(self) -> str:
        """What the predicate is known by where it is stored."""
        return hashlib.sha256(repr(self.predicate).encode()).hexdigest()[:_DIGITS]


@dataclass(frozen=True)
class Narrow:
    """The narrow table of an entity: which columns it has beside ``id``, ``key_order`` and ``geom``.

    Attributes
    ----------
    rows : int
        Features of the entity.
    sources : tuple of str
        The sources of its rows.
    counts : mapping
        Field, link or flag to the number of features by value, for estimates.
    stored : mapping or None
        By column, the digests of the concepts that are stored; None where they are those of the pack.
    counted_links : tuple of str
        The links of which it is stored how many features are linked to each.
    counted_flags : tuple of str
        The stored concepts of which links and pairs are counted apart.
    summed : bool
        Whether `sums` holds how many features there are of each kind.
    grouped : bool
        Whether there are the tables of `groupings`.
    written : str or None
        How the features in `texts` are written, as a digest; None where they are not kept.
    """

    entity: Entity
    pack: Pack
    near: Mapping[str, float] = field(default_factory=dict)
    rows: int = MANY
    sources: tuple[str, ...] = ()
    counts: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    stored: Mapping[str, str] | None = None
    counted_links: tuple[str, ...] = ()
    counted_flags: tuple[str, ...] = ()
    summed: bool = False
    grouped: bool = False
    written: str | None = None

    @property
    def table(self) -> str:
        """Its name."""
        return f"narrow_{self.entity.table}"

    @property
    def sums(self) -> str:
        """The table of ``n``, how many features there are of a ``kind``, by source and split field.

        Its ``metre`` is how many whole metres away the nearest of another entity is, for kinds that are a
        distance; other kinds are as :func:`~groundframe.compiler.passes.use_stored_sums.kind_of` names them.
        """
        return f"{self.table}_sums"

    @property
    def texts(self) -> str:
        """The table of all features as GeoJSON: ``id``, ``key`` and ``text``."""
        return f"{self.table}_texts"

    @property
    def groupings(self) -> dict[str, tuple[str, str]]:
        """The tables of ``n``, how many features there are, by two parts of date and time.

        They are by source and split field as well, in columns that the narrow table has, too.
        """
        return {f"{self.table}_by_{one}_{other}": (one, other) for one, other in combinations(self.parts, 2)}

    @property
    def split_column(self) -> str | None:
        """The column of codes by which the features are counted beside the rows, where they are."""
        column = f"{self.entity.split_field}_code"
        return column if column in self.columns else None

    def values(self, name: str) -> tuple[str, ...] | None:
        """The values of a category field in the order of their codes, from 0; None for another field."""
        if name == "source":
            return self.sources
        known = self.fields.get(name)
        return known.canonical_values() if known is not None and known.type == "category" else None

    @cached_property
    def fields(self) -> dict[str, EntityField]:
        """The entity's fields by name."""
        return {known.name: known for known in self.entity.fields}

    @cached_property
    def flags(self) -> tuple[Flag, ...]:
        """The stored concepts: of those of the pack the ones that mean what they meant at the load."""
        stored = self.stored
        return tuple(
            flag for flag in self._declared if stored is None or stored.get(flag.column) == flag.digest
        )

    @property
    def outdated(self) -> tuple[str, ...]:
        """The columns of the pack's concepts that are stored with another meaning, or not at all."""
        return tuple(flag.column for flag in self._declared if flag not in self.flags)

    @cached_property
    def _declared(self) -> tuple[Flag, ...]:
        return tuple(
            Flag(f"is_{one.name}_{variant}", concept(one.name, variant, self.entity, self.pack))
            for one in self.pack.concepts
            if one.entity == self.entity.name
            for variant in one.variants
        )

    @cached_property
    def _usual(self) -> frozenset[str]:
        """The columns of the concepts as they are meant where no variant is named; others have no indexes."""
        return frozenset(f"is_{one.name}_{one.default}" for one in self.pack.concepts)

    @cached_property
    def columns(self) -> frozenset[str]:
        """Names of all its columns."""
        names = ["id", "key_order", "geom", "source_code"]
        names += [f"{link.name}_id" for link in self.entity.links]
        names += [
            f"{name}_code" for name in self.fields if self.values(name) is not None and name != "source"
        ]
        names += [name for name, known in self.fields.items() if known.type in _KEPT]
        names += [f"{part}_part" for part in self.parts]
        names += [flag.column for flag in self.flags]
        names += [self.near_column(other) for other in self.near]
        wrong = [name for name in names if names.count(name) > 1 or len(name) > LONGEST_NAME]
        if wrong:
            raise PackError(
                f"{self.pack.name}: a column of {self.entity.name} cannot be named '{wrong[0]}'.",
                "Rename the field, link or concept.",
            )
        return frozenset(names)

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of date and time that are stored."""
        dates = DATE_PARTS if self.entity.date_field else ()
        return (*dates, "hour") if self.entity.time_field else dates

    def part(self, part: str, name: str) -> str | None:
        """The column for a part of the date or time in the field `name`."""
        of = self.entity.time_field if part == "hour" else self.entity.date_field
        return f"{part}_part" if part in self.parts and name == of else None

    def counted(self, column: str, value: str, otherwise: float) -> float:
        """Which part of the features has the value in a column; `otherwise` where that is not known."""
        known = self.counts.get(column)
        return otherwise if known is None else known.get(value, 0) / max(self.rows, 1)

    def selective(self, flag: str) -> bool:
        """Whether a concept holds for so few features that they have indexes of their own."""
        return flag in self._usual and self.counted(flag, "true", 1.0) <= SELECTIVE

    def unknown(self, flag: str) -> float:
        """For which part of the features it is unknown whether a concept holds."""
        known = self.counts.get(flag)
        return 1.0 if known is None else max(0.0, 1 - sum(known.values()) / max(self.rows, 1))

    def seldom_unknown(self, flag: str) -> bool:
        """Whether that is unknown for so few features that they have indexes of their own."""
        return flag in self._usual and self.unknown(flag) <= SELECTIVE

    def link_counts(self, link: str, flag: str = "") -> str:
        """The table of ``n``, how many features a link leads from, by the ``id`` of what it leads to."""
        name = f"{self.table}_{link}_n{flag and '_'}{flag}"
        if len(name) > LONGEST_NAME:
            raise PackError(f"{self.pack.name}: the link '{link}' has too long a name.", "Rename it.")
        return name

    def near_column(self, other: str) -> str:
        """The column for the distance to the nearest feature of another entity."""
        return f"near_{self.pack.entity(other).table}_m"


@dataclass(frozen=True)
class Physical:
    """The narrow tables and pairs of a dataset."""

    entities: Mapping[str, Narrow]
    pairs: tuple[Near, ...] = ()

    @classmethod
    def of(cls, pack: Pack, facts: Mapping[str, Any] | None = None) -> Physical:
        """What the pack declares, or what a load has noted that there is.

        Parameters
        ----------
        facts : mapping, optional
            ``entities``: per entity ``rows``, ``sources``, ``counts``, ``concepts``, ``counted_links``,
            ``counted_flags``, ``summed``, ``grouped`` and ``written``; ``pairs``: per table ``between``,
            ``within_m``, ``rows``, ``held`` and ``counted``, in the place of what the pack declares.

        Examples
        --------
        >>> from groundframe.schema.packs import load_pack
        >>> found = Physical.of(load_pack("massachusetts"))
        >>> found.near("Crash", "School").metres
        500.0
        """
        known: Mapping[str, Any] = facts or {}
        # A pack may declare something else by now, and the tables are as they are.
        listed = known.get("pairs")
        pairs = tuple(declared_pairs(pack) if listed is None else noted_pairs(listed))
        reach: dict[str, dict[str, float]] = {entity.name: {} for entity in pack.entities}
        for near in pairs:
            if near.a == near.b or not {near.a, near.b} <= reach.keys() or near.b in reach[near.a]:
                raise PackError(
                    f"{pack.name}: the proximity of {near.a} and {near.b} is of no two entities, "
                    "or declared twice."
                )
            reach[near.a][near.b] = reach[near.b][near.a] = near.metres
        entities = {
            entity.name: Narrow(entity, pack, reach[entity.name], **_facts(known, entity.name))
            for entity in pack.entities
        }
        return cls(entities, pairs)

    def near(self, one: str, other: str) -> Near | None:
        """The pairs of two entities, whichever comes first."""
        return next((near for near in self.pairs if {near.a, near.b} == {one, other}), None)


def _facts(known: Mapping[str, Any], entity: str) -> dict[str, Any]:
    facts = known.get("entities", {}).get(entity)
    if facts is None:
        return {}
    return {
        "rows": facts["rows"],
        "sources": tuple(facts["sources"]),
        "counts": facts["counts"],
        "stored": facts.get("concepts"),
        "counted_links": tuple(facts.get("counted_links", ())),
        "counted_flags": tuple(facts.get("counted_flags", ())),
        "summed": facts.get("summed", False),
        "grouped": facts.get("grouped", False),
        "written": facts.get("written"),
    }
