"""Operators in other words."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.validator.context import Context, match_word
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.rules.known_values import is_state
from groundframe.validator.vocabulary import OPERATORS

COMPARISONS = ("eq", "ne", "lt", "lte", "gt", "gte")


def check(context: Context) -> Iterator[Finding]:
    """Replace operators such as ``=`` and ``at least`` by the canonical ones."""
    for path, condition, _ in context.conditions():
        # Whether a value is known is for another rule, which knows the field.
        if condition.operator is not None and not is_state(condition.operator):
            yield from match_word(
                context, f"{path}/operator", condition.operator, OPERATORS, "operator", "unknown_operator"
            )
    for number, having in enumerate(context.frame.having):
        path = f"/having/{number}/operator"
        match = OPERATORS.match(having.operator)
        if match is not None and match.word not in COMPARISONS:
            yield Issue(
                "having_operator", path, f"A measure cannot be tested with '{match.word}'.", COMPARISONS
            )
        else:
            yield from match_word(context, path, having.operator, OPERATORS, "operator", "unknown_operator")


RULE = Rule(
    id="operator_names",
    name="an operator in other words",
    rationale="Signs and everyday words for the operators are declared.",
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
