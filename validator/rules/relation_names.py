"""Relations in other words."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context, match_word
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.vocabulary import RELATIONS


def check(context: Context) -> Iterator[Finding]:
    """Replace relation names by the six that exist."""
    for number, constraint in enumerate(context.frame.spatial_constraints):
        path = f"/spatial_constraints/{number}/relation"
        yield from match_word(context, path, constraint.relation, RELATIONS, "relation", "unknown_relation")


RULE = Rule(
    id="relation_names",
    name="a relation in other words",
    rationale="The published spelling and everyday words for the six relations are declared.",
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
