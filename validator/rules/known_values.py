"""Conditions on whether a value is known, in words."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule
from groundframe.validator.vocabulary import STATES


def is_state(operator: str) -> bool:
    """Whether an operator asks if a value is known."""
    return _state(operator) is not None


def check(context: Context) -> Iterator[Finding]:
    """Replace ``is unknown`` by the field's value for that, which a blank meets as well."""
    for path, condition, part_id in context.conditions():
        state = _state(condition.operator or "")
        if state is None:
            continue
        field, where = context.field(condition, part_id), f"{path}/operator"
        if field is None or not field.unknown_values:
            operator = "is_null" if state == "unknown" else "not_null"
            puts: tuple[Put, ...] = (Put(where, operator),)
            message = f"'{condition.operator}' means '{operator}'."
        else:
            listed, value = field.type == "category_list", field.unknown_values[0]
            operator = (
                ("contains" if listed else "eq") if state == "unknown" else "not_in" if listed else "ne"
            )
            puts = (Put(where, operator), Put(f"{path}/value", [value] if operator == "not_in" else value))
            message = f"'{condition.operator}' means '{operator}' '{value}', which blanks are, too."
        yield Edit(where, condition.operator, operator, message, puts, "declared")


def _state(operator: str) -> str | None:
    found = STATES.match(operator)
    return found.word if found is not None and found.basis != "fuzzy" else None


RULE = Rule(
    id="known_values",
    name="asks whether a value is known",
    rationale="A blank and a value that means unknown are both unknown; 'is_null' finds the blanks alone.",
    phase=Phase.NAMES,
    safety="declared",
    check=check,
)
