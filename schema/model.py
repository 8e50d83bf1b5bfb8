"""The models of a schema pack: what exists in a jurisdiction and what its words mean.

Everything downstream (tables, vocabulary, JSON Schema, loaders) is derived from these models; no entity,
field or value name of a pack appears in Python code.
"""

from __future__ import annotations

from datetime import time
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from groundframe.schema.entity import (
    Carries,
    Derivation,
    Entity,
    EntityField,
    EntityName,
    FieldType,
    FieldValue,
    Identifier,
    Link,
    PackModel,
    Role,
    Words,
)
from groundframe.schema.predicate import Condition
from groundframe.schema.source import Source, Totals

__all__ = [
    "GAZETTEER",
    "Carries",
    "Concept",
    "ConceptVariant",
    "Derivation",
    "Entity",
    "EntityField",
    "FieldType",
    "FieldValue",
    "Link",
    "Measure",
    "Pack",
    "Period",
    "Place",
    "Proximity",
    "Role",
]
GAZETTEER = "gazetteer"
"""What stands for the gazetteer in the order in which places are looked up."""


class ConceptVariant(PackModel):
    """One agency's definition of a concept: the words for it and the condition."""

    definition: str
    condition: Condition


class Concept(PackModel):
    """A named predicate on an entity, in one or several variants.

    In an ``any_of`` at the top of a variant, a condition on a field that the row's source does not provide is
    skipped; when the source provides none of the fields the concept is unknown for that row.
    """

    name: Identifier
    entity: EntityName
    label: str
    synonyms: Words = ()
    variants: dict[str, ConceptVariant]
    default: str

    def variant(self, name: str | None = None) -> ConceptVariant:
        """The variant of that name, or the default one."""
        return self.variants[name or self.default]


class Measure(PackModel):
    """Something that can be counted or summed about the features of an entity.

    ``count``: features meeting ``where`` (all, when absent). ``sum``: the sum of ``field`` over features
    where it is known. ``weighted_count``: each feature counts with ``weights[value of weight_field]``;
    unknown counts 0.
    """

    name: Identifier
    entity: EntityName
    label: str
    unit: str
    kind: Literal["count", "sum", "weighted_count"]
    definition: str
    field: Identifier | None = None
    where: Condition | None = None
    weight_field: Identifier | None = None
    weights: dict[str, int] = Field(default_factory=dict)
    aliases: Words = ()
    synonyms: Words = ()


class Place(PackModel):
    """A named place of the gazetteer (WGS 84 degrees)."""

    name: str
    kind: str
    town: str = ""
    longitude: float = Field(ge=-180, le=180)
    latitude: float = Field(ge=-90, le=90)
    aliases: Words = ()


class Period(PackModel):
    """A named part of the day or the year ("rush hour", "summer").

    ``hours`` are half-open local times and may pass midnight; ``months`` are 1-12.
    """

    name: Identifier
    label: str
    synonyms: Words = ()
    hours: tuple[tuple[time, time], ...] = ()
    months: tuple[int, ...] = ()
    weekdays: Words = ()


class Proximity(PackModel):
    """Two entities whose pairs up to a distance are computed at load.

    It makes questions with a distance up to that quick and changes no answer.
    """

    between: tuple[EntityName, EntityName]
    within_m: float = Field(gt=0)


class Defaults(PackModel):
    """What holds where a frame is silent.

    ``snap_m`` is how far a feature may lie from where a geocoder puts its name.
    """

    near_m: float = 200.0
    top_n: int = 20
    snap_m: float = 200.0


class Pack(PackModel):
    """A whole schema pack.

    Attributes
    ----------
    srid : int
        The projected reference system, metres, in which everything is measured.
    pipeline : str
        The PROJ pipeline from WGS 84 longitude/latitude in degrees to `srid` (easting, northing).
    bounds : tuple of float
        West, south, east, north in WGS 84 degrees; coordinates outside are absurd.
    name_aliases : dict
        By entity, sets of names that mean the same feature; sources use one or the other.
    not_recorded : tuple of str
        What is asked of such data and none of them has; questions with these words are refused with that
        reason.
    instead : dict
        Vague words to what may be meant by them; it is asked which.
    place_order : tuple of str
        Entities whose names a Place may bear, in the order in which they are tried; ``gazetteer`` among them
        is the pack's own list of places, which is otherwise tried last.
    digest : str
        SHA-256 of the pack's canonical content, without what only makes answers quick.
    """

    name: Identifier
    title: str
    version: Annotated[str, StringConstraints(pattern=r"^\d+\.\d+\.\d+$")]
    srid: int
    pipeline: str
    timezone: str
    bounds: tuple[float, float, float, float]
    notices: Words = ()
    defaults: Defaults = Defaults()
    name_affixes: tuple[str, ...] = ()
    name_abbreviations: dict[str, str] = Field(default_factory=dict)
    not_recorded: Words = ()
    instead: dict[str, Words] = Field(default_factory=dict)
    name_spellings: dict[str, str] = Field(default_factory=dict)
    name_aliases: dict[EntityName, tuple[Words, ...]] = Field(default_factory=dict)
    place_order: tuple[EntityName | Literal["gazetteer"], ...] = ()
    entities: tuple[Entity, ...]
    concepts: tuple[Concept, ...] = ()
    measures: tuple[Measure, ...] = ()
    periods: tuple[Period, ...] = ()
    gazetteer: tuple[Place, ...] = ()
    sources: tuple[Source, ...] = ()
    totals: tuple[Totals, ...] = ()
    proximity: tuple[Proximity, ...] = ()
    digest: str = ""

    def __repr__(self) -> str:
        """Short: the whole is a megabyte."""
        return f"<Pack {self.name} {self.version}>"

    def entity(self, name: str) -> Entity:
        """The entity of that canonical name (``Crash``); KeyError when there is none."""
        for candidate in self.entities:
            if candidate.name == name:
                return candidate
        raise KeyError(name)

    def place_kinds(self) -> tuple[str, ...]:
        """Where a place is looked up, one after the other: names of entities, and the gazetteer."""
        listed = GAZETTEER in self.place_order
        return self.place_order if listed else (*self.place_order, GAZETTEER)

    def at_ends_m(self, name: str, other: str) -> float | None:
        """How far a node may lie from the lines whose ends it joins; None where it is no node of such.

        Nodes are placed up to their tolerance beside the ends.
        """
        derived = self.entity(name).derived
        return None if derived is None or derived.from_entity != other else 2 * derived.tolerance_m

    def concept(self, name: str) -> Concept:
        """The concept of that name; KeyError when there is none."""
        for candidate in self.concepts:
            if candidate.name == name:
                return candidate
        raise KeyError(name)

    def measure(self, name: str) -> Measure:
        """The measure of that name; KeyError when there is none."""
        for candidate in self.measures:
            if candidate.name == name:
                return candidate
        raise KeyError(name)

    def source(self, name: str) -> Source:
        """The source of that name; KeyError when there is none."""
        for candidate in self.sources:
            if candidate.name == name:
                return candidate
        raise KeyError(name)

    def providers(self, entity: str, field: str) -> tuple[str, ...]:
        """Names of the sources whose rows can say something about a field, sorted."""
        return tuple(
            sorted(
                source.name for source in self.sources if source.entity == entity and field in source.provides
            )
        )

    def major(self) -> int:
        """The major number of the pack's version."""
        return int(self.version.split(".", 1)[0])
