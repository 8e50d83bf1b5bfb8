"""The models of what exists in a jurisdiction: entities, their fields, values and links."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

__all__ = [
    "Carries",
    "Derivation",
    "Entity",
    "EntityField",
    "EntityName",
    "FieldType",
    "FieldValue",
    "GeometryType",
    "Identifier",
    "Link",
    "PackModel",
    "Role",
    "Words",
]

Identifier = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{0,62}$")]
EntityName = Annotated[str, StringConstraints(pattern=r"^[A-Z][A-Za-z0-9]{0,62}$")]
FieldType = Literal[
    "category", "category_list", "number", "integer", "text", "date", "time_of_day", "boolean"
]
Role = Literal["primary", "support", "scope", "filter", "anchor"]
GeometryType = Literal["point", "line", "polygon"]
Words = tuple[str, ...]


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
    names : str
        What the texts of the field are names of: an entity of the pack ("Road"), or a word for what has no
        features of its own ("county"). Such texts are compared as names, whatever their spelling.
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
    names: str = ""
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
    """One kind of feature: a table, its fields and the roles it may take.

    ``counted`` lists what features are often counted by together: names of links and of
    category fields, and parts of the date or the time (``year``, ``month``, ``weekday``, ``hour``). It makes
    such counts quick and changes no answer.
    """

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
    counted: tuple[Words, ...] = ()

    @property
    def one(self) -> str:
        """One of them, to begin a sentence with: "An intersection"."""
        return f"{'An' if self.label[:1].lower() in 'aeiou' else 'A'} {self.label}"

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
