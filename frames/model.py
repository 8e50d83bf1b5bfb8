"""The semantic frame: what a planner wants to know, as data.

The models hold the shape only. Reading a document within its limits is :mod:`groundframe.frames.reading`;
whether names and values mean something is for the validator.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, StringConstraints

__all__ = [
    "Area",
    "AttributeConstraint",
    "Coordinates",
    "Frame",
    "GroupBy",
    "Having",
    "Hours",
    "Last",
    "MeasureRequest",
    "Ranking",
    "Reference",
    "SpatialConstraint",
    "Target",
    "TemporalConstraint",
]

Text = Annotated[str, StringConstraints(max_length=200)]
Name = Annotated[str, StringConstraints(min_length=1, max_length=200)]
Number = Annotated[float, Field(allow_inf_nan=False)]
Scalar = bool | int | Number | Text


def _number_or_text(value: Any) -> Any:
    """Keep booleans out of numbers; strings such as "500 m" are for the validator."""
    if isinstance(value, bool):
        raise ValueError("a number or a text with a unit belongs here")
    return value


def _listed(value: Any) -> Any:
    """One word or number for the list of it; a tuple, which strict validation takes from here on."""
    if isinstance(value, str) or (isinstance(value, int) and not isinstance(value, bool)):
        return (value,)
    return tuple(value) if isinstance(value, list) else value


Names = Annotated[tuple[Name, ...], Field(max_length=500), BeforeValidator(_listed)]
Count = Annotated[int | Number | Text, BeforeValidator(_number_or_text)]
"""A whole number, or a text for it that the validator reads ("ten")."""
Quantity = Annotated[
    Annotated[float, Field(allow_inf_nan=False, strict=True)] | Text, BeforeValidator(_number_or_text)
]
"""A number in the field's unit, or a text with a unit that the validator converts ("a quarter mile")."""


class FrameModel(BaseModel):
    """Base of the frame's parts: unknown keys, NaN and Infinity are refused."""

    model_config = ConfigDict(
        extra="forbid", frozen=True, allow_inf_nan=False, populate_by_name=True, serialize_by_alias=True
    )


class Target(FrameModel):
    """An entity that takes part, and how.

    ``primary`` is returned, ``support`` is counted, ``scope`` is the area, ``filter`` restricts another.
    ``keys`` is what the validator resolved ``names`` to; a frame may give keys itself.
    """

    entity: Name
    role: Name
    id: Name | None = None
    names: Names = ()
    keys: Annotated[tuple[Name, ...], Field(max_length=10_000)] | None = None


class Coordinates(FrameModel):
    """A point in WGS 84 degrees."""

    longitude: Annotated[float, Field(ge=-180, le=180)]
    latitude: Annotated[float, Field(ge=-90, le=90)]


class Area(FrameModel):
    """A GeoJSON Polygon or MultiPolygon in WGS 84, longitude first."""

    type: Literal["Polygon", "MultiPolygon"]
    coordinates: list[Any]


class Reference(FrameModel):
    """An anchor: a place, a named entity, the intersection of two streets, a coordinate or an area.

    ``names`` holds one name, or the two streets of an Intersection. ``town`` tells namesakes apart. The
    validator fills exactly one of ``keys`` (of ``entity``), ``coordinates`` and ``area``.
    """

    entity: Name = "Place"
    role: Name = "anchor"
    id: Name | None = None
    names: Names = ()
    town: Text | None = None
    keys: Annotated[tuple[Name, ...], Field(max_length=10_000)] | None = None
    coordinates: Coordinates | None = None
    area: Area | None = None


class SpatialConstraint(FrameModel):
    """A relation between two targets, or a target and a reference; roles or ids name them."""

    relation: Name
    target_role: Name
    reference_role: Name
    distance_m: Quantity | None = None
    k: Count | None = None
    negate: bool = False


class AttributeConstraint(FrameModel):
    """A condition on one target: a field test, a concept, or any of several."""

    target_role: Name | None = None
    field: Name | None = None
    operator: Name | None = None
    value: Annotated[list[Scalar], Field(max_length=500)] | Scalar | None = None
    concept: Name | None = None
    variant: Name | None = None
    negate: bool = False
    any_of: Annotated[tuple[AttributeConstraint, ...], Field(max_length=100)] = ()


class Last(FrameModel):
    """A period that ends at the newest date of the entity's data."""

    count: Count
    unit: Name


class Hours(FrameModel):
    """Local hours, half-open; ``from`` after ``to`` passes midnight."""

    from_: Annotated[Text | int, Field(alias="from")]
    to: Text | int


class TemporalConstraint(FrameModel):
    """When. All parts given must hold; dates are local days, both ends included.

    ``hours`` may be a list of spans, of which one must hold. Every part may be words for the validator
    ("since 2020", "last 5 years", "rush hour").
    """

    target_role: Name | None = None
    from_: Annotated[Text | None, Field(alias="from")] = None
    to: Text | None = None
    last: Last | Text | None = None
    years: Annotated[tuple[int | Text, ...], Field(max_length=200), BeforeValidator(_listed)] = ()
    months: Annotated[tuple[int | Text, ...], Field(max_length=24), BeforeValidator(_listed)] = ()
    weekdays: Annotated[tuple[Text, ...], Field(max_length=14), BeforeValidator(_listed)] = ()
    hours: Hours | Annotated[tuple[Hours, ...], Field(max_length=12)] | Text | None = None

    def spans(self) -> tuple[Hours, ...]:
        """The spans of hours, of which one must hold; none for hours that are still in words."""
        if isinstance(self.hours, Hours):
            return (self.hours,)
        return self.hours if isinstance(self.hours, tuple) else ()


class MeasureRequest(FrameModel):
    """A number to show per result row: a pack measure, or an aggregate of a field.

    ``name`` is how ranking and having refer to it; it defaults to ``measure``.
    """

    measure: Name
    target_role: Name | None = None
    field: Name | None = None
    name: Name | None = None


class GroupBy(FrameModel):
    """Rows become groups: by exactly one of a field, a time bucket of the entity and a linked entity."""

    target_role: Name
    field: Name | None = None
    time: Name | None = None
    entity: Name | None = None


class Having(FrameModel):
    """A condition on a measure of the result row."""

    measure: Name
    operator: Name
    value: Quantity


class Ranking(FrameModel):
    """Order by a measure and keep the first ``top_n`` (null: all)."""

    metric: Name
    target_role: Name = "primary"
    order: Name = "highest"
    top_n: Count | None = 20
    include_ties: bool = False


class Frame(FrameModel):
    """A semantic frame (version 1).

    Examples
    --------
    >>> Frame.model_validate({"targets": [{"entity": "Crash", "role": "primary"}]}).targets[0].entity
    'Crash'
    """

    frame_version: Literal[1] = 1
    question: Annotated[str, StringConstraints(max_length=1000)] | None = None
    notes: Annotated[str, StringConstraints(max_length=1000)] | None = None
    supported: bool = True
    targets: Annotated[tuple[Target, ...], Field(max_length=100)] = ()
    references: Annotated[tuple[Reference, ...], Field(max_length=100)] = ()
    spatial_constraints: Annotated[tuple[SpatialConstraint, ...], Field(max_length=100)] = ()
    attribute_constraints: Annotated[tuple[AttributeConstraint, ...], Field(max_length=100)] = ()
    temporal_constraints: Annotated[tuple[TemporalConstraint, ...], Field(max_length=100)] = ()
    measures: Annotated[tuple[MeasureRequest, ...], Field(max_length=20)] = ()
    group_by: Annotated[tuple[GroupBy, ...], Field(max_length=4)] = ()
    having: Annotated[tuple[Having, ...], Field(max_length=20)] = ()
    ranking: Ranking | None = None
    outputs: Annotated[tuple[Name, ...], Field(max_length=10)] = ()
