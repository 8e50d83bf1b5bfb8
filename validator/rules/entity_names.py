"""Entities in other words."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context, match_word
from groundframe.validator.findings import Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Replace entity names by the pack's; a reference may also be a Place."""
    for number, target in enumerate(context.frame.targets):
        yield from match_word(
            context,
            f"/targets/{number}/entity",
            target.entity,
            context.words.entities,
            "entity",
            "unknown_entity",
        )
    for number, reference in enumerate(context.frame.references):
        yield from match_word(
            context,
            f"/references/{number}/entity",
            reference.entity,
            context.words.anchors,
            "entity",
            "unknown_entity",
        )


RULE = Rule(
    id="entity_names",
    name="an entity in other words",
    rationale=(
        "Labels, plurals and synonyms are declared by the pack; a misspelling beyond doubt means one entity."
    ),
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
