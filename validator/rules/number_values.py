"""Numbers with units, in words, or as text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.quantities import QuantityError, parse_quantity
from groundframe.schema.model import EntityField
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit
from groundframe.validator.vocabulary import NUMERIC

_EXACT = ("eq", "ne", "in", "not_in")
LARGEST = 1e15
"""Beyond this a double no longer tells whole numbers apart."""


def check(context: Context) -> Iterator[Finding]:
    """Replace quantities by numbers in the field's unit; turn a range round that is written downwards."""
    for path, condition, part_id in context.conditions():
        field = context.field(condition, part_id)
        if field is None or field.type not in NUMERIC or condition.value is None:
            continue
        value = condition.value
        if not isinstance(value, list):
            yield from _number(f"{path}/value", value, field, exact=condition.operator in _EXACT)
            continue
        problems = False
        for number, one in enumerate(value):
            for finding in _number(f"{path}/value/{number}", one, field, exact=condition.operator in _EXACT):
                problems |= isinstance(finding, Issue)
                yield finding
        if condition.operator == "between" and len(value) == 2 and not problems:
            yield from _in_order(f"{path}/value", value, field)


def _number(
    path: str, value: str | bool | int | float, field: EntityField, *, exact: bool
) -> Iterator[Finding]:
    """What is wrong with a number, or what it is; `exact` where it is met by this very number alone."""
    unit = f" in {field.unit}" if field.unit else ""
    if isinstance(value, bool):
        message = f"'{field.name}' is a number{unit}, and this is {str(value).lower()}."
        yield Issue("not_a_number", path, message, action="Write a number.")
    elif not isinstance(value, str) and abs(value) > LARGEST:
        message = f"'{field.name}' is never as large as {value:g}{unit}."
        yield Issue("out_of_range", path, message, action="Write a smaller number.")
    elif not isinstance(value, str) and exact and not _fits(value, field):
        yield _fraction(path, value, field)
    elif isinstance(value, str):
        try:
            number = _whole(parse_quantity(value, field.unit))
        except QuantityError as error:
            message = f"{error}; '{field.name}' is a number{unit}."
            yield Issue("not_a_number", path, message, action="Write a number without a unit.")
            return
        if exact and not _fits(number, field):
            yield _fraction(path, number, field)
            return
        message = f"'{value}' is {number}{f' {field.unit}' if field.unit else ''}."
        plain = value.strip().replace(".", "", 1).isdigit()
        yield edit(path, value, number, message, safety="safe" if plain else "declared")


def _fits(number: float, field: EntityField) -> bool:
    return field.type != "integer" or float(number).is_integer()


def _fraction(path: str, number: float, field: EntityField) -> Issue:
    message = f"'{field.name}' is a whole number, and {number:g} is none."
    return Issue("not_whole", path, message, action="Write a whole number, or a bound such as 'gt'.")


def _in_order(path: str, value: list[Any], field: EntityField) -> Iterator[Finding]:
    low, high = (parse_quantity(one, field.unit) if isinstance(one, str) else one for one in value)
    if low > high:
        message = f"The range ran from {_whole(low)} down to {_whole(high)}; its ends were swapped."
        yield edit(path, value, [_whole(high), _whole(low)], message)


def _whole(number: float) -> float | int:
    return int(number) if float(number).is_integer() else number


RULE = Rule(
    id="number_values",
    name="a number as text, with a unit, or a range downwards",
    rationale=(
        "A quantity with a unit converts exactly; between two numbers there is one range, whichever "
        "comes first."
    ),
    phase=Phase.VALUES,
    safety="safe",
    check=check,
)
