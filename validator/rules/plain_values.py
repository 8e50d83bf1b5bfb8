"""Values of boolean and text fields."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.schema.model import EntityField
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit
from groundframe.validator.vocabulary import FACTS


def check(context: Context) -> Iterator[Finding]:
    """Replace words for yes and no by true and false, numbers in text fields by text."""
    for path, condition, part_id in context.conditions():
        field = context.field(condition, part_id)
        if field is None or condition.value is None:
            continue
        if isinstance(condition.value, list):
            places = [(f"{path}/value/{number}", value) for number, value in enumerate(condition.value)]
        else:
            places = [(f"{path}/value", condition.value)]
        for where, value in places:
            if field.type == "boolean":
                yield from _fact(where, value, field)
            elif field.type == "text":
                yield from _text(where, value, field)


def _fact(path: str, value: object, field: EntityField) -> Iterator[Finding]:
    if isinstance(value, bool):
        return
    match = FACTS.match(str(value))
    if match is None or match.basis == "fuzzy":
        yield Issue(
            "not_a_fact", path, f"'{field.name}' is true or false, and this is '{value}'.", ("true", "false")
        )
    else:
        yield edit(path, value, match.word == "true", f"'{value}' means {match.word}.", safety="declared")


def _text(path: str, value: object, field: EntityField) -> Iterator[Finding]:
    if isinstance(value, bool):
        message = f"'{field.name}' is text, and this is {str(value).lower()}."
        yield Issue("not_text", path, message, action="Write the text in quotes.")
    elif not isinstance(value, str):
        yield edit(path, value, str(value), f"'{field.name}' is text.")


RULE = Rule(
    id="plain_values",
    name="a word for true or false, a number for a text",
    rationale=(
        "Yes and no have one meaning; an identifier that looks like a number is compared as the text it is."
    ),
    phase=Phase.VALUES,
    safety="safe",
    check=check,
)
