"""Conditions on one field that nothing can meet together."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field

from groundframe.errors import Issue
from groundframe.frames.model import AttributeConstraint
from groundframe.schema.model import EntityField
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.vocabulary import NUMERIC

_PAIRS = {"eq": "ne", "in": "not_in", "lt": "gte", "lte": "gt", "is_null": "not_null"}
OPPOSITES = _PAIRS | {there: here for here, there in _PAIRS.items()}


@dataclass(slots=True)
class _Possible:
    """What a field may still be."""

    values: set[object] | None = None
    low: float = -math.inf
    high: float = math.inf
    low_open: bool = False
    high_open: bool = False
    without: set[object] = field(default_factory=set)
    null: bool | None = None

    def is_empty(self) -> bool:
        """Whether no value is left."""
        if self.low > self.high or (self.low == self.high and (self.low_open or self.high_open)):
            return True
        if self.values is None:
            return False
        return not any(value not in self.without and self._in_range(value) for value in self.values)

    def _in_range(self, value: object) -> bool:
        if isinstance(value, bool) or not isinstance(value, int | float):
            return True
        above = value > self.low if self.low_open else value >= self.low
        below = value < self.high if self.high_open else value <= self.high
        return above and below


def check(context: Context) -> Iterator[Finding]:
    """Report conditions of a target on a field that exclude each other, and ranges without a value."""
    possible: dict[tuple[str | None, str], _Possible] = {}
    for path, written, part_id in context.conditions():
        condition = _plain(context, written)
        tested = context.field(condition, part_id)
        if tested is None or path.count("/") > 2 or condition.negate or tested.type == "category_list":
            continue
        if condition.value == []:
            continue
        state = possible.setdefault((part_id, tested.name), _Possible())
        before = state.is_empty()
        _narrow(state, condition, tested)
        if not before and state.is_empty():
            message = f"Nothing can meet all conditions on '{tested.name}' of '{part_id}'."
            action = "Leave one out, or combine them in an 'any_of' or with 'in'."
            yield Issue("contradiction", path, message, action=action)
        elif not before:
            yield from _beyond(path, condition, tested)


def _plain(context: Context, condition: AttributeConstraint) -> AttributeConstraint:
    """A concept that is one test as that test, and a negated test as its opposite."""
    concept = next((one for one in context.pack.concepts if one.name == condition.concept), None)
    if concept is not None and (condition.variant or concept.default) in concept.variants:
        meant = concept.variant(condition.variant).condition
        if meant.field is not None:
            changes = {"field": meant.field, "operator": meant.operator, "value": meant.value}
            negate = meant.negate != condition.negate
            condition = condition.model_copy(update={**changes, "negate": negate, "concept": None})
    opposite = OPPOSITES.get(str(condition.operator))
    if condition.negate and opposite is not None:
        condition = condition.model_copy(update={"operator": opposite, "negate": False})
    return condition


def _narrow(state: _Possible, condition: AttributeConstraint, tested: EntityField) -> None:
    value = condition.value
    listed = value if isinstance(value, list) else [value]
    match condition.operator:
        case "eq" | "in":
            state.values = set(listed) if state.values is None else state.values & set(listed)
        case "ne" | "not_in":
            state.without |= set(listed)
        case "is_null" | "not_null":
            wanted = condition.operator == "is_null"
            if state.null is not None and state.null != wanted:
                state.values = set()
            state.null = wanted
    if tested.type not in NUMERIC or not all(_is_number(one) for one in listed):
        return
    numbers = [float(one) for one in listed if isinstance(one, int | float)]
    match condition.operator:
        case "gt" | "gte" if numbers[0] >= state.low:
            state.low, state.low_open = numbers[0], condition.operator == "gt"
        case "lt" | "lte" if numbers[0] <= state.high:
            state.high, state.high_open = numbers[0], condition.operator == "lt"
        case "between" if len(numbers) == 2:
            state.low, state.high = max(state.low, numbers[0]), min(state.high, numbers[1])


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _beyond(path: str, condition: AttributeConstraint, tested: EntityField) -> Iterator[Finding]:
    """A test that only values beyond what the field can hold would meet."""
    if tested.type not in NUMERIC or condition.value is None:
        return
    least = -math.inf if tested.minimum is None else tested.minimum
    most = math.inf if tested.maximum is None else tested.maximum
    listed = condition.value if isinstance(condition.value, list) else [condition.value]
    numbers = [
        float(value) for value in listed if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    if not numbers:
        return
    match condition.operator:
        case "eq" | "in":
            outside = all(not least <= number <= most for number in numbers)
        case "gt" | "gte":
            outside = numbers[0] > most
        case "lt" | "lte":
            outside = numbers[0] < least
        case "between":
            outside = numbers[0] > most or numbers[-1] < least
        case _:
            outside = False
    if outside:
        unit = f" {tested.unit}" if tested.unit else ""
        message = f"'{tested.name}' is at least {least:g}{unit}" + (
            f" and at most {most:g}{unit}." if most < math.inf else "."
        )
        yield Issue(
            "out_of_range",
            f"{path}/value",
            message,
            action="Nothing known lies beyond; ask for 'is_null' to find the unknown.",
        )


RULE = Rule(
    id="contradictions",
    name="conditions that exclude each other",
    rationale=(
        "A field has one value, so the answer would be empty; which condition is wrong is for the planner."
    ),
    phase=Phase.MEANING,
    safety=None,
    check=check,
)
