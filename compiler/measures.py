"""What is computed about the features of a row or a group."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from groundframe.compiler.conditions import condition
from groundframe.compiler.predicates import Equals, IsUnknownValue, Predicate
from groundframe.errors import PlanError
from groundframe.frames.model import MeasureRequest
from groundframe.schema.model import Entity, EntityField, Measure, Pack

__all__ = ["AGGREGATES", "Function", "Measured", "measured", "split_measures"]

Function = Literal["count", "sum", "mean", "min", "max", "median", "weighted_count", "distance"]
AGGREGATES: tuple[Function, ...] = ("count", "sum", "mean", "min", "max", "median")
"""The aggregates that a frame may name itself, of a role or of one of its fields."""


@dataclass(frozen=True, slots=True)
class Measured:
    """One number per row.

    Parameters
    ----------
    where : Predicate or None
        Only features for which it is true are taken.
    weights : tuple of (value, weight)
        For a weighted count: what a feature with that value of `field` counts; any other counts 0.
    """

    name: str
    function: Function
    field: str | None = None
    where: Predicate | None = None
    weights: tuple[tuple[str, int], ...] = ()

    def __post_init__(self) -> None:
        if (self.field is None) != (self.function in ("count", "distance")):
            raise PlanError(f"Measure '{self.name}': {self.function} of field '{self.field}'.")

    @property
    def zero(self) -> bool:
        """Whether it is 0 of nothing, rather than unknown."""
        return self.function in ("count", "sum", "weighted_count")


def pack_measure(request: MeasureRequest, entity: Entity, pack: Pack) -> Measure | None:
    """The pack's measure that a request names, None for an aggregate of the frame's own."""
    found = next((measure for measure in pack.measures if measure.name == request.measure), None)
    return found if found is not None and found.entity == entity.name else None


def measured(request: MeasureRequest, entity: Entity, pack: Pack) -> Measured:
    """What a checked request asks of the features of `entity`."""
    name = request.name or request.measure
    known = pack_measure(request, entity, pack)
    if known is None:
        for function in AGGREGATES:
            if function == request.measure:
                return Measured(name, function, request.field)
        raise PlanError(f"There is no measure '{request.measure}' of {entity.name}.")
    where = condition(known.where, entity) if known.where is not None else None
    if known.kind == "weighted_count":
        weights = tuple(sorted(known.weights.items()))
        return Measured(name, "weighted_count", known.weight_field, where, weights)
    return Measured(name, known.kind, known.field if known.kind == "sum" else None, where)


def split_measures(entity: Entity, prefix: str = "") -> tuple[tuple[Measured, str], ...]:
    """Counts by the entity's split field with their labels; together they are the count (DESIGN §7.12)."""
    if entity.split_field is None:
        return ()
    field = entity.field(entity.split_field)
    return tuple(
        (Measured(f"{prefix}{field.name}_{_slug(label)}", "count", None, test), label)
        for test, label in _split(field)
    )


def _split(field: EntityField) -> list[tuple[Predicate, str]]:
    unknown = tuple(field.unknown_values)
    parts: list[tuple[Predicate, str]] = [
        (Equals(field.name, (value.value,), unknown), value.label or value.value)
        for value in field.values
        if value.value not in unknown
    ]
    return [*parts, (IsUnknownValue(field.name, unknown), split_label(field, None))]


def split_label(field: EntityField, value: str | None) -> str:
    """The label under which a value is counted; NULL and every value that means unknown are one."""
    unknown = tuple(field.unknown_values)
    if value is None or value in unknown:
        first = unknown[0] if unknown else "unknown"
        return next((known.label or known.value for known in field.values if known.value == first), first)
    return next((known.label or known.value for known in field.values if known.value == value), value)


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "_", text.casefold()).strip("_")
