"""Predicates on the fields of one feature, in Kleene's three-valued logic.

A predicate is true, false or unknown for a feature. Lowering asks for its truth or its falsity, never for
both in one expression, so that SQL's NULL is never negated (DESIGN §7.8).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, fields
from datetime import date, time
from typing import Literal

__all__ = [
    "FACTS",
    "FALSE",
    "TRUE",
    "And",
    "Compare",
    "Equals",
    "IsNull",
    "IsUnknown",
    "IsUnknownValue",
    "KeyIn",
    "LinkIn",
    "LinkPresent",
    "Located",
    "NearAny",
    "Not",
    "Or",
    "Overlaps",
    "PartIn",
    "Placed",
    "Possible",
    "Predicate",
    "Stored",
    "TextContains",
    "Undecided",
    "both",
    "either",
    "field_names",
]

Plain = str | bool | int | float | date | time
Comparison = Literal["lt", "lte", "gt", "gte"]
Part = Literal["year", "month", "weekday"]


@dataclass(frozen=True, slots=True)
class Equals:
    """The field has one of `values`, all of them known ones; unknown for NULL and for `unknown` values."""

    field: str
    values: tuple[Plain, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class IsUnknownValue:
    """The field is NULL or has a value (in a list: among others) that means unknown; true or false."""

    field: str
    unknown: tuple[str, ...] = ()
    in_list: bool = False


@dataclass(frozen=True, slots=True)
class IsNull:
    """The field is NULL; true or false."""

    field: str


@dataclass(frozen=True, slots=True)
class Compare:
    """The field is before, up to, after or from `value`; unknown for NULL and for `unknown` values."""

    field: str
    comparison: Comparison
    value: Plain
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Overlaps:
    """The list has one of `values`; without one unknown where NULL or with an `unknown` value."""

    field: str
    values: tuple[Plain, ...]
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class TextContains:
    """The text contains `value`, whatever the case; unknown for NULL."""

    field: str
    value: str
    unknown: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PartIn:
    """The year, month (1-12) or weekday (1 Monday to 7) of the date is one of `values`; unknown for NULL."""

    field: str
    part: Part
    values: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class KeyIn:
    """The feature is one of these; true or false."""

    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkIn:
    """The linked feature is one of these; true or false."""

    link: str
    keys: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class LinkPresent:
    """The feature is linked; true or false."""

    link: str


@dataclass(frozen=True, slots=True)
class Located:
    """The feature has a geometry; true or false."""


@dataclass(frozen=True, slots=True)
class Placed:
    """The feature is linked or has a geometry, so that "in none" is known; true or false."""

    link: str


@dataclass(frozen=True, slots=True)
class NearAny:
    """Any feature of another entity lies within `metres`, as noted at load; true or false."""

    entity: str
    metres: float


@dataclass(frozen=True, slots=True)
class Stored:
    """What `part` is for the feature, as noted at load in a column."""

    column: str
    part: Predicate


@dataclass(frozen=True, slots=True)
class Undecided:
    """Always unknown."""


@dataclass(frozen=True, slots=True)
class And:
    """All parts hold; ``And(())`` is true."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Or:
    """Any part holds; ``Or(())`` is false."""

    parts: tuple[Predicate, ...]


@dataclass(frozen=True, slots=True)
class Not:
    """The part does not hold; unknown stays unknown."""

    part: Predicate


@dataclass(frozen=True, slots=True)
class IsUnknown:
    """Whether the part is unknown; true or false."""

    part: Predicate


@dataclass(frozen=True, slots=True)
class Possible:
    """Whether the part is true or unknown; true or false."""

    part: Predicate


Predicate = (
    Equals
    | IsUnknownValue
    | IsNull
    | Compare
    | Overlaps
    | TextContains
    | PartIn
    | KeyIn
    | LinkIn
    | LinkPresent
    | Located
    | Placed
    | NearAny
    | Stored
    | Undecided
    | And
    | Or
    | Not
    | IsUnknown
    | Possible
)

TRUE = And(())
FALSE = Or(())
FACTS = (IsNull, KeyIn, LinkIn, LinkPresent, NearAny, Located, Placed)
"""Predicates that are never unknown."""


def conjuncts(predicate: Predicate) -> tuple[Predicate, ...]:
    """What has to hold together for it to hold."""
    return predicate.parts if isinstance(predicate, And) else (predicate,)


def both(*parts: Predicate) -> Predicate:
    """The conjunction, flat and with each part once.

    Examples
    --------
    >>> both(Located(), TRUE, Located())
    Located()
    """
    flat: dict[Predicate, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, And) else (part,)))
    return next(iter(flat)) if len(flat) == 1 else And(tuple(flat))


def either(*parts: Predicate) -> Predicate:
    """The disjunction, flat and with each part once."""
    flat: dict[Predicate, None] = {}
    for part in parts:
        flat.update(dict.fromkeys(part.parts if isinstance(part, Or) else (part,)))
    return next(iter(flat)) if len(flat) == 1 else Or(tuple(flat))


def field_names(predicate: Predicate) -> Iterator[str]:
    """Names of the fields that a predicate tests, as often as it does."""
    for item in fields(predicate):
        value = getattr(predicate, item.name)
        if item.name == "field":
            yield value
        elif item.name == "parts":
            for part in value:
                yield from field_names(part)
        elif item.name == "part" and not isinstance(value, str):
            yield from field_names(value)
