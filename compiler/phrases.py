"""Predicates, relations and measures in words."""

from __future__ import annotations

from collections.abc import Sequence

from groundframe.compiler.conditions import WEEKDAYS
from groundframe.compiler.measures import Measured
from groundframe.compiler.predicates import (
    And,
    Compare,
    Equals,
    IsNull,
    IsUnknown,
    IsUnknownValue,
    KeyIn,
    LinkIn,
    LinkPresent,
    Located,
    NearAny,
    Not,
    Or,
    Overlaps,
    PartIn,
    Placed,
    Possible,
    Predicate,
    Stored,
    TextContains,
    Undecided,
)
from groundframe.compiler.relations import (
    Contains,
    Intersects,
    LinksFrom,
    LinksTo,
    Listed,
    Relation,
    Within,
    WithinDistance,
)
from groundframe.compiler.types import Features
from groundframe.schema.model import Entity, Pack

__all__ = ["describe", "measure_words", "relation_words"]

_SHOWN = 5
_SIGNS = {"lt": "<", "lte": "≤", "gt": ">", "gte": "≥"}


def describe(predicate: Predicate, pack: Pack, features: Features) -> str:
    """A predicate in words."""
    return _words(predicate, pack.entity(features.entity))


def _words(predicate: Predicate, entity: Entity) -> str:
    match predicate:
        case And(parts):
            return _joined(parts, " and ", entity) or "anything holds"
        case Or(parts):
            return _joined(parts, " or ", entity) or "nothing holds"
        case Not(part):
            return f"not ({_words(part, entity)})"
        case IsUnknown(part):
            return f"it is unknown whether {_words(part, entity)}"
        case Possible(part):
            return f"it is true or unknown that {_words(part, entity)}"
        case Undecided():
            return "it cannot be known"
        case Equals(field, values):
            return f"{_label(field, entity)} is {_values(values)}"
        case IsUnknownValue(field):
            return f"{_label(field, entity)} is unknown"
        case IsNull(field):
            return f"{_label(field, entity)} is empty"
        case Compare(field, comparison, value):
            return f"{_label(field, entity)} {_SIGNS[comparison]} {value}"
        case Overlaps(field, values):
            return f"{_label(field, entity)} has {_values(values)}"
        case TextContains(field, value):
            return f"{_label(field, entity)} contains '{value}'"
        case PartIn(field, "weekday", days):
            return f"the weekday of {_label(field, entity)} is {_values([WEEKDAYS[day - 1] for day in days])}"
        case PartIn(field, part, numbers):
            return f"the {part} of {_label(field, entity)} is {_values(numbers)}"
        case KeyIn(keys):
            return f"the key is {_values(keys)}"
        case LinkIn(link, keys):
            return f"the {link} is {_values(keys)}"
        case LinkPresent(link):
            return f"there is a {link}"
        case Located():
            return "the place is known"
        case Placed(link):
            return f"the place or the {link} is known"
        case NearAny(other, metres):
            return f"any {other} lies within {metres:g} m, as stored"
        case Stored(_, part):
            return f"{_words(part, entity)}, as stored"


def _joined(parts: Sequence[Predicate], word: str, entity: Entity) -> str:
    words = (_words(part, entity) for part in parts)
    return word.join(f"({text})" if " or " in text or " and " in text else text for text in words)


def _label(field: str, entity: Entity) -> str:
    return next((known.label for known in entity.fields if known.name == field), field)


def _values(values: Sequence[object]) -> str:
    shown = [f"'{value}'" if isinstance(value, str) else str(value) for value in values[:_SHOWN]]
    more = [f"{len(values) - _SHOWN} more"] if len(values) > _SHOWN else []
    return " or ".join([*shown, *more]) or "nothing"


def relation_words(relation: Relation) -> str:
    """What the left of a pair is to the right."""
    match relation:
        case WithinDistance(metres):
            return f"lies within {metres:g} m of"
        case Listed(metres):
            return f"lies within {metres:g} m, by the pairs stored at load, of"
        case Within():
            return "lies within"
        case Contains():
            return "contains"
        case Intersects():
            return "intersects"
        case LinksTo(link):
            return f"has as its {link}"
        case LinksFrom(link):
            return f"is the {link} of"


def measure_words(item: Measured) -> str:
    """A measure in words."""
    return f"{item.name} ({item.function}{'' if item.field is None else ' of ' + item.field})"
