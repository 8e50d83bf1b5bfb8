"""Tests of fields that hold names."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.schema.model import Entity
from groundframe.validator.books import Hit, NameBook
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule
from groundframe.validator.sites import book, lookup

_OPERATORS = {"eq": "in", "ne": "not_in", "in": "in", "not_in": "not_in"}
"""The operators that are looked at, with those for several names."""


def check(context: Context) -> Iterator[Finding]:
    """Replace names tested for equality by the dataset's, so that a misspelt one is never silently empty."""
    if context.names is None:
        return
    for path, condition, part_id in context.conditions():
        entity, operator = context.entity_of(part_id), str(condition.operator)
        if entity is None or operator not in _OPERATORS:
            continue
        field = next((one for one in entity.fields if one.name == condition.field), None)
        if field is None or not (field.name == entity.name_field or field.names):
            continue
        other = "" if field.name == entity.name_field else field.name
        known = book(context, entity, other)
        several = isinstance(condition.value, list)
        given = condition.value if isinstance(condition.value, list) else [condition.value]
        hits = [_hit(context, entity, known, str(text), own=not other) for text in given]
        for text in (text for text, hit in zip(given, hits, strict=True) if hit is None):
            said = f"has the {field.label}" if other else "is named"
            nearest = known.nearest(str(text))
            yield Issue(
                "unknown_name", f"{path}/value", f"No {entity.label} of this dataset {said} '{text}'.",
                nearest=nearest,
                action="" if nearest else "Check the spelling; names are those of the dataset.",
            )  # fmt: skip
        if not all(hits):
            continue
        found = [hit for hit in hits if hit is not None]
        names = list(dict.fromkeys(name for hit in found for name in hit.names))
        several = several or len(names) > 1
        value = names if several else names[0]
        if value == condition.value:
            continue
        scores = [hit.score for hit in found if hit.score is not None]
        puts = (
            Put(f"{path}/value", value),
            Put(f"{path}/operator", _OPERATORS[operator] if several else operator),
        )
        yield Edit(
            f"{path}/value", condition.value, value, f"In this dataset the name is {', '.join(names)}.", puts,
            "safe" if scores else "declared", min(scores, default=None),
        )  # fmt: skip


def _hit(context: Context, entity: Entity, known: NameBook, text: str, *, own: bool) -> Hit | None:
    return lookup(context, entity, text) if own else known.find(text)


RULE = Rule(
    id="name_values",
    name="a name in other words, tested as a field",
    rationale="A name that no feature bears would find nothing without a word.",
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
