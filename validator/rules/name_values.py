"""Tests of an entity's name field."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule
from groundframe.validator.sites import book, lookup


def check(context: Context) -> Iterator[Finding]:
    """Replace names tested for equality by the dataset's, so that a misspelt one is never silently empty."""
    if context.names is None:
        return
    for path, condition, part_id in context.conditions():
        entity = context.entity_of(part_id)
        if (
            entity is None
            or condition.field != entity.name_field
            or condition.operator not in ("eq", "ne", "in", "not_in")
        ):
            continue
        given = condition.value if isinstance(condition.value, list) else [condition.value]
        names: list[str] = []
        scores: list[float] = []
        unknown = False
        for text in given:
            hit = lookup(context, entity, str(text))
            if hit is None:
                message = f"No {entity.label} of this dataset is named '{text}'."
                nearest = book(context, entity).nearest(str(text))
                action = "" if nearest else "Check the spelling; names are those of the dataset."
                yield Issue("unknown_name", f"{path}/value", message, nearest=nearest, action=action)
                unknown = True
            else:
                names += [name for name in hit.names if name not in names]
                scores += [hit.score] if hit.score is not None else []
        after = names if isinstance(condition.value, list) or len(names) > 1 else names[:1]
        value = (
            after if isinstance(condition.value, list) or len(names) > 1 else (names[0] if names else None)
        )
        if unknown or value == condition.value:
            continue
        operator = {"eq": "in", "ne": "not_in"}.get(str(condition.operator), condition.operator)
        puts = (
            Put(f"{path}/value", value),
            Put(f"{path}/operator", operator if isinstance(value, list) else condition.operator),
        )
        message = f"In this dataset the name is {', '.join(names)}."
        yield Edit(
            f"{path}/value", condition.value, value, message, puts,
            "safe" if scores else "declared", min(scores, default=None),
        )  # fmt: skip


RULE = Rule(
    id="name_values",
    name="a name in other words, tested as a field",
    rationale="A name that no feature bears would find nothing without a word.",
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
