"""Which target of a frame a condition can be about."""

from __future__ import annotations

from collections.abc import Callable

from groundframe.frames.model import AttributeConstraint
from groundframe.schema.model import Entity
from groundframe.validator.context import Context

__all__ = ["Fits", "able", "fits_condition", "has_dates"]

Fits = Callable[[Entity], bool]


def fits_condition(context: Context, condition: AttributeConstraint) -> Fits | None:
    """Whether an entity has what a condition tests; None when it tests nothing by itself."""
    if condition.field is not None:
        return _has_field(context, condition.field)
    return _has_concept(context, condition.concept) if condition.concept is not None else None


def has_dates(entity: Entity) -> bool:
    """Whether an entity has a date."""
    return entity.date_field is not None


def able(context: Context, fits: Fits) -> list[str]:
    """The targets of which the entity fits, by their ids."""
    found = []
    for target in context.frame.targets:
        match = context.words.entities.match(target.entity)
        if match is not None and target.id is not None and fits(context.pack.entity(match.word)):
            found.append(target.id)
    return found


def _has_field(context: Context, name: str) -> Fits:
    def fits(entity: Entity) -> bool:
        match = context.words.fields(entity).match(name)
        return match is not None and match.basis != "fuzzy"

    return fits


def _has_concept(context: Context, name: str) -> Fits:
    match = context.words.concepts.match(name)
    owner = context.pack.concept(match.word).entity if match else None
    return lambda entity: entity.name == owner
