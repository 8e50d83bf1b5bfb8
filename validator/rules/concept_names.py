"""Concepts in other words, of another entity, or in an unknown variant."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.validator.context import Context, match_word
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.lexicon import Lexicon


def check(context: Context) -> Iterator[Finding]:
    """Replace concept names by the pack's; see that the target can have them."""
    for path, condition, part_id in context.conditions():
        if condition.concept is None:
            continue
        match = context.words.concepts.match(condition.concept)
        yield from match_word(
            context,
            f"{path}/concept",
            condition.concept,
            context.words.concepts,
            "concept",
            "unknown_concept",
        )
        entity = context.entity_of(part_id)
        if match is None:
            continue
        concept = context.pack.concept(match.word)
        if entity is not None and concept.entity != entity.name:
            owner = context.pack.entity(concept.entity).label
            message = f"'{concept.name}' says something of a {owner}, not of a {entity.label}."
            yield Issue(
                "concept_entity",
                f"{path}/concept",
                message,
                action=f"Name a target that is a {concept.entity}.",
            )
        if condition.variant is not None:
            variants = Lexicon((name, (variant.definition,)) for name, variant in concept.variants.items())
            yield from match_word(
                context, f"{path}/variant", condition.variant, variants, "variant", "unknown_variant"
            )


RULE = Rule(
    id="concept_names",
    name="a concept in other words",
    rationale="A concept's synonyms are declared by the pack; it says something of one entity only.",
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
