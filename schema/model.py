"""The models of a schema pack: what exists in a jurisdiction and what its words mean.

Everything downstream (tables, vocabulary, JSON Schema, loaders) is derived from these models; no entity,
field or value name of a pack appears in Python code.
"""

from __future__ import annotations

from datetime import time
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

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
    "Role",
]

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
EntityName = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]{0,62}$")]
FieldType = Literal[
    "category", "category_list", "number", "integer", "text", "date", "time_of_day", "boolean"
]
Role = Literal["primary", "support", "scope", "filter", "anchor"]
GeometryType = Literal["point", "line", "polygon"]
Words = tuple[str, ...]

GAZETTEER = "gazetteer"
"""What stands for the gazetteer in the order in which places are looked up."""


class PackModel(BaseModel):
    """Base of every model of a pack: frozen, unknown keys refused."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)


class FieldValue(PackModel):
    """One canonical value of a category with the words that mean it.

    ``aliases`` are official spellings of the same value (no repair, only normalised); ``synonyms`` are
    everyday words.
    """

    value: str
    label: str = ""
    aliases: Words = ()
    synonyms: Words = ()


class Carries(PackModel):
    """A field that the feature carries for a linked one: the reported value, else the linked feature's."""

    link: Identifier
    field: Identifier


class EntityField(PackModel):
    """One field of an entity.

    Parameters
    ----------
    unit : str
        A pint unit such as ``mph`` or ``m``; numbers in frames are converted to it. Empty for pure numbers.
    aliases : tuple of str
        Published names, accepted as declared and not as a repair.
    unknown_values : tuple of str
        Canonical values that mean *unknown*; the first is what a value outside the vocabulary becomes.
    unknown_numbers : tuple of float
        Numbers of the sources that mean *unknown*; they are stored as NULL.
    null_means : {'unknown', 'none'}
        What a blank says; with ``none`` a blank list is stored as an empty list.
    values_from : str
        Another field of the entity with the same values and groups, or ``sources`` for the names of the
        entity's sources.
    groups : dict
        Named sets of canonical values, each with its synonyms under ``group_synonyms``.
    none_value : str
        The canonical value that "without" means ("without sidewalk"); empty when there is none.
    computed : {'length'}
        What a row that does not give the value gets: the length of its geometry on the projected plane, in
        metres.
    internal : bool
        Never in an answer (working columns, personal data).
    """

    name: Identifier
    type: FieldType
    label: str
    description: str = ""
    unit: str = ""
    aliases: Words = ()
    synonyms: Words = ()
    values: tuple[FieldValue, ...] = ()
    values_from: Identifier | None = None
    unknown_values: Words = ()
    unknown_numbers: tuple[float, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    null_means: Literal["unknown", "none"] = "unknown"
    groups: dict[str, Words] = Field(default_factory=dict)
    group_synonyms: dict[str, Words] = Field(default_factory=dict)
    none_value: str = ""
    carries: Carries | None = None
    computed: Literal["length"] | None = None
    internal: bool = False

    def canonical_values(self) -> tuple[str, ...]:
        """The canonical values, in the order of the pack."""
        return tuple(value.value for value in self.values)


class Link(PackModel):
    """A link computed at load: each feature of one entity belongs to at most one feature of another.

    ``covering``: the polygon that covers a point, or has the greatest length or area of a line or polygon,
    ties to the smallest key; a row without geometry takes the feature named by ``stated_field``. ``nearest``:
    the nearest of all features within ``max_distance_m``, ties to the smallest key; where ``stated_field``
    names features in reach, the nearest of those.
    """

    name: Identifier
    to: EntityName
    rule: Literal["covering", "nearest"]
    max_distance_m: float | None = None
    stated_field: Identifier | None = None
    inverse_label: str = ""


class Derivation(PackModel):
    """An entity made at load from another: the nodes of a network.

    A node is a place where segment ends of ``from_entity`` meet (each within ``tolerance_m`` of another) and
    where at least ``min_segments`` ends or two differently named segments meet. ``name_field`` names the
    segments; ``count_field`` is the field of the node that holds the number of ends.
    """

    from_entity: EntityName
    rule: Literal["network_nodes"]
    name_field: Identifier
    count_field: Identifier
    min_segments: int = 3
    tolerance_m: float = 0.5


class Entity(PackModel):
    """One kind of feature: a table, its fields and the roles it may take."""

    name: EntityName
    table: Identifier
    label: str
    plural: str
    synonyms: Words = ()
    description: str = ""
    geometry: tuple[GeometryType, ...]
    roles: tuple[Role, ...]
    fields: tuple[EntityField, ...]
    name_field: Identifier | None = None
    date_field: Identifier | None = None
    time_field: Identifier | None = None
    split_field: Identifier | None = None
    links: tuple[Link, ...] = ()
    parent: EntityName | None = None
    derived: Derivation | None = None
    optional: bool = False

    def field(self, name: str) -> EntityField:
        """The field of that canonical name.

        Raises
        ------
        KeyError
            When the entity has no such field.
        """
        for candidate in self.fields:
            if candidate.name == name:
                return candidate
        raise KeyError(name)

    def link(self, name: str) -> Link:
        """The link of that name; KeyError when there is none."""
        for candidate in self.links:
            if candidate.name == name:
                return candidate
        raise KeyError(name)

    def links_to(self, entity: str) -> tuple[Link, ...]:
        """The links that lead to `entity`, in the order of the pack."""
        return tuple(link for link in self.links if link.to == entity)


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
    place_order : tuple of str
        Entities whose names a Place may bear, in the order in which they are tried; ``gazetteer`` among them
        is the pack's own list of places, which is otherwise tried last.
    digest : str
        SHA-256 of the pack's canonical content.
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
    digest: str = ""

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
