"""Conditions as a frame writes them, and what becomes of two of them."""

from __future__ import annotations

from typing import Any

from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.vocabulary import Sense, field_of

__all__ = [
    "alternatives",
    "fields_of",
    "is_denied",
    "merged",
    "narrower",
    "sense_condition",
    "value_condition",
]


def sense_condition(state: State, sense: Sense, *, negate: bool) -> dict[str, Any]:
    """The condition that a value or a concept is."""
    if sense.kind == "concept":
        return {"concept": sense.name, **({"negate": True} if negate else {})}
    field = field_of(state.pack, sense.entity, sense.name)
    listed = field is not None and field.type == "category_list"
    return value_condition(sense.name, sense.values, listed=listed, negate=negate)


def value_condition(name: str, values: tuple[str, ...], *, listed: bool, negate: bool) -> dict[str, Any]:
    """The test that a field has one of these values."""
    made: dict[str, Any]
    if listed:
        tests = [{"field": name, "operator": "contains", "value": value} for value in values]
        made = tests[0] if len(tests) == 1 else {"any_of": tests}
        return {**made, **({"negate": True} if negate else {})}
    if len(values) == 1:
        return {"field": name, "operator": "ne" if negate else "eq", "value": values[0]}
    return {"field": name, "operator": "not_in" if negate else "in", "value": list(values)}


def narrower(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """Of two tests of a field the one whose values are some of those of the other."""
    values, others = map(set, _values(one, other) or ((), ()))
    return dict(one) if values < others else dict(other) if others < values else None


def _values(one: dict[str, Any], other: dict[str, Any]) -> tuple[list[Any], list[Any]] | None:
    """The values of two tests that one field has any of some; None where they are no such tests."""
    tests = {one.get("operator"), other.get("operator")} <= {"eq", "in"}
    if not (tests and one.get("field") and one.get("field") == other.get("field")):
        return None
    first, second = (part["value"] for part in (one, other))
    return first if isinstance(first, list) else [first], second if isinstance(second, list) else [second]


def is_denied(condition: dict[str, Any]) -> bool:
    """Whether a condition is that something is not so."""
    return bool(condition.get("negate")) or condition.get("operator") in ("ne", "not_in")


def merged(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any]:
    """Either of two conditions."""
    either = alternatives(one, other)
    return either or {"any_of": [*one.get("any_of", [one]), *other.get("any_of", [other])]}


def alternatives(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Any] | None:
    """The test that a field has any of the values of both conditions; None where they are no such tests."""
    listed = _values(one, other)
    if listed is None:
        return None
    return {"field": one["field"], "operator": "in", "value": [*dict.fromkeys(listed[0] + listed[1])]}


def fields_of(state: State, entity: str, condition: dict[str, Any]) -> set[str]:
    """The fields that a condition tests."""
    if "any_of" in condition:
        return {name for part in condition["any_of"] for name in fields_of(state, entity, part)}
    if "concept" in condition:
        return set(state.pack.concept(condition["concept"]).variant().condition.fields())
    return {condition["field"]}
