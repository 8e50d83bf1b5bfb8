"""Operators that the field's type does not have, and values that do not fit the operator."""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import AttributeConstraint
from groundframe.schema.model import EntityField
from groundframe.schema.predicate import OPERATORS
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule, edit

_RANGE = re.compile(
    r"(?:between|from)?\s*(\S.*?)\s*(?:\s-\s|(?<=\d)-(?=\d)|\N{EN DASH}|\b(?:to|and)\b)\s*(\S.*)",
    re.IGNORECASE,
)
NULLS = ("is_null", "not_null")
ORDERED = ("eq", "ne", "in", "not_in", "lt", "lte", "gt", "gte", "between", *NULLS)
ALLOWED: dict[str, tuple[str, ...]] = {
    "category": ("eq", "ne", "in", "not_in", *NULLS),
    "category_list": ("contains", "in", "not_in", *NULLS),
    "text": ("eq", "ne", "in", "not_in", "contains", *NULLS),
    "boolean": ("eq", "ne", *NULLS),
    "number": ORDERED,
    "integer": ORDERED,
    "date": ORDERED,
    "time_of_day": ORDERED,
}
LISTED = ("in", "not_in", "between")


def check(context: Context) -> Iterator[Finding]:
    """Bring operator and value into agreement where only one reading is possible."""
    for path, condition, part_id in context.conditions():
        field = context.field(condition, part_id)
        if field is None or condition.operator not in OPERATORS:
            continue
        operator = condition.operator if condition.value == [] else _operator(field, condition)
        if operator != condition.operator:
            values = (
                condition.value
                if isinstance(condition.value, list) or operator not in LISTED
                else [condition.value]
            )
            message = f"For {_kind(field)} '{condition.operator}' with this value means '{operator}'."
            puts = (Put(f"{path}/operator", operator), Put(f"{path}/value", values))
            yield Edit(f"{path}/operator", condition.operator, operator, message, puts)
        elif operator not in ALLOWED[field.type]:
            message = (
                f"{_kind(field).capitalize()} such as '{field.name}' cannot be tested with '{operator}'."
            )
            yield Issue("operator_type", f"{path}/operator", message, ALLOWED[field.type])
        else:
            yield from _value(path, condition)


def _operator(field: EntityField, condition: AttributeConstraint) -> str:
    """The operator that is meant."""
    operator, value = str(condition.operator), condition.value
    if value is None and operator in ("eq", "ne"):
        return "is_null" if operator == "eq" else "not_null"
    if isinstance(value, list) and operator in ("eq", "ne", "contains") and field.type != "text":
        return "not_in" if operator == "ne" else "in"
    if isinstance(value, list) and operator in ("eq", "ne"):
        return "not_in" if operator == "ne" else "in"
    if field.type == "category_list" and operator in ("eq", "ne"):
        return "contains" if operator == "eq" else "not_in"
    if field.type == "category" and operator == "contains":
        return "eq"
    return operator


def _value(path: str, condition: AttributeConstraint) -> Iterator[Finding]:
    operator, value = condition.operator, condition.value
    where = f"{path}/value"
    if operator in NULLS:
        if value is not None:
            yield edit(where, value, None, f"'{operator}' takes no value.")
    elif value is None:
        yield Issue("missing_value", where, f"'{operator}' needs a value.", action="Give 'value'.")
    elif operator in LISTED and not isinstance(value, list):
        if operator == "between":
            ends = _ends(value) if isinstance(value, str) else None
            if ends is None:
                message = "'between' needs two values, the lower and the upper end."
                yield Issue("between_shape", where, message, action="Write them as a list.")
            else:
                yield edit(where, value, ends, f"'{value}' is {ends[0]} to {ends[1]}.", safety="declared")
        else:
            yield edit(where, value, [value], f"'{operator}' takes a list.")
    elif operator == "between" and isinstance(value, list) and len(value) != 2:
        message = "'between' needs two values, the lower and the upper end."
        yield Issue("between_shape", where, message, action="Write a list of two.")
    elif isinstance(value, list) and not value:
        message = f"'{operator}' with an empty list finds nothing, or everything."
        yield Issue("empty_list", where, message, action="List the values, or leave the condition out.")
    elif operator not in LISTED and isinstance(value, list):
        if len(value) == 1:
            yield edit(where, value, value[0], f"'{operator}' takes one value.")
        else:
            message = f"'{operator}' takes one value, and this is a list of {len(value)}."
            yield Issue("single_value", where, message, action="Write one value, or use 'in'.")


def _ends(text: str) -> list[str] | None:
    """The two ends of "20 to 30 mph"; the first has the unit of the last where it has none."""
    found = _RANGE.fullmatch(text.strip())
    if found is None:
        return None
    first, last = found[1], found[2]
    if re.fullmatch(r"[\d.,]+", first) and (unit := re.fullmatch(r"[\d.,]+\s*(\D.*)", last)):
        first = f"{first} {unit[1]}"
    return [first, last]


def _kind(field: EntityField) -> str:
    names = {
        "category": "a category",
        "category_list": "a list of categories",
        "time_of_day": "a time of day",
        "integer": "a whole number",
    }
    return names.get(field.type, f"a {field.type}")


RULE = Rule(
    id="operator_fits",
    name="an operator that the field's type does not have",
    rationale="Equality with a list, or with one member of a list of categories, has one reading.",
    phase=Phase.VALUES,
    safety="safe",
    check=check,
)
