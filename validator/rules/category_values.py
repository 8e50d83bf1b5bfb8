"""Category values in other words."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.likeness import closest, ranked, rivals
from groundframe.frames.model import AttributeConstraint
from groundframe.schema.model import EntityField
from groundframe.schema.vocabulary import ValueIndex, fold, value_index
from groundframe.validator.context import Context, ask_word
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule

_OR = re.compile(r"\s*(?:,\s*(?:or|and)\b|[,;/]|\bor\b|\band\b)\s*", re.IGNORECASE)
FEW = 12
GROUP_OPERATORS = {"eq": "in", "ne": "not_in", "contains": "in"}


def check(context: Context) -> Iterator[Finding]:
    """Replace values by canonical ones, groups by their members, all unknown by the first unknown."""
    for path, condition, part_id in context.conditions():
        field = context.field(condition, part_id)
        if field is None or not field.type.startswith("category") or condition.value is None:
            continue
        yield from _canonical(context, path, condition, field)


def _canonical(
    context: Context, path: str, condition: AttributeConstraint, field: EntityField
) -> Iterator[Finding]:
    listed = isinstance(condition.value, list)
    given = condition.value if isinstance(condition.value, list) else _several(condition, field)
    found = [_members(field, value) for value in given]
    chosen = False
    for number, (value, match) in enumerate(zip(given, found, strict=True)):
        if match is not None:
            continue
        where = f"{path}/value/{number}" if listed else f"{path}/value"
        offered = _rivals(field, value)
        if (answer := context.choices.get(context.origins.pointer(where))) in offered:
            found[number] = _members(field, answer)
            chosen = True
        elif offered:
            yield from ask_word(context, where, str(value), offered, f"value of '{field.name}'")
        else:
            yield _unknown(where, value, field)
    if any(match is None for match in found):
        return
    matches = [match for match in found if match is not None]
    values = list(dict.fromkeys(member for members, _, _ in matches for member in members))
    operator = condition.operator
    if not listed and len(values) > 1:
        operator = GROUP_OPERATORS.get(str(operator), operator)
        after: Any = values
    else:
        after = values if listed else values[0]
    if after == condition.value and operator == condition.operator:
        return
    scores = [score for _, _, score in matches if score is not None]
    words = ", ".join(f"'{value}'" for value in given)
    meant = ", ".join(f"'{value}'" for value in values)
    message = f"{words} {'is read as' if scores else 'means'} {meant}{', as chosen' if chosen else ''}."
    puts = (Put(f"{path}/value", after), Put(f"{path}/operator", operator))
    yield Edit(
        f"{path}/value",
        condition.value,
        after,
        message,
        puts,
        "chosen" if chosen else "safe" if scores else "declared",
        min(scores, default=None),
    )


def _several(condition: AttributeConstraint, field: EntityField) -> list[Any]:
    """The values of a text such as "fatal or injury"; one that is itself a word for a value stays whole."""
    value = condition.value
    if not isinstance(value, str) or _members(field, value) is not None:
        return [value]
    parts = [part for part in _OR.split(value) if part]
    known = [_members(field, part) for part in parts]
    return parts if len(parts) > 1 and all(one and one[1] != "fuzzy" for one in known) else [value]


def _members(field: EntityField, value: object) -> tuple[tuple[str, ...], str, float | None] | None:
    """The canonical values that a word stands for, how that is known, and a score when it is by likeness."""
    index = value_index(field)
    text = ("yes" if value else "no") if isinstance(value, bool) else str(value)
    if text in field.canonical_values():
        return (_one_unknown(field, text),), "exact", None
    key = fold(text)
    known = _words(index)
    if key in known:
        return tuple(dict.fromkeys(_one_unknown(field, member) for member in known[key])), "declared", None
    # Two words for the same members are no rivals.
    match = closest(key, {word: "\n".join(members) for word, members in known.items()})
    if match is None or isinstance(value, bool):
        return None
    return (
        tuple(dict.fromkeys(_one_unknown(field, m) for m in match[0].split("\n"))),
        "fuzzy",
        round(match[1], 3),
    )


def _rivals(field: EntityField, value: object) -> tuple[str, ...]:
    """The values and groups of which a word may be a misspelling, where they are several."""
    index = value_index(field)
    names: dict[str, str] = {}
    for word, members in _words(index).items():
        meant = tuple(dict.fromkeys(_one_unknown(field, member) for member in members))
        names[word] = (
            meant[0] if len(meant) == 1 else next(n for n, m in index.groups.items() if m == members)
        )
    return rivals(fold(str(value)), names)


def _words(index: ValueIndex) -> dict[str, tuple[str, ...]]:
    """Every word for a value or a group, official ones first."""
    known: dict[str, tuple[str, ...]] = {word: (value,) for word, value in index.official.items()}
    for word, value in index.everyday.items():
        known.setdefault(word, (value,))
    for word, members in index.groups.items():
        known.setdefault(word, members)
    return known


def _one_unknown(field: EntityField, value: str) -> str:
    return field.unknown_values[0] if value in field.unknown_values else value


def _unknown(path: str, value: object, field: EntityField) -> Issue:
    index = value_index(field)
    words = {
        **index.official,
        **{word: value for word, value in index.everyday.items() if word not in index.official},
    }
    nearest = ranked(fold(str(value)), words)
    canonical = field.canonical_values()
    allowed = () if nearest and len(canonical) > FEW else canonical
    return Issue("unknown_value", path, f"'{field.name}' has no value '{value}'.", allowed, nearest)


RULE = Rule(
    id="category_values",
    name="a category value in other words",
    rationale=(
        "Aliases, synonyms and groups are declared by the pack; a misspelling beyond doubt means one value."
    ),
    phase=Phase.VALUES,
    safety="safe",
    check=check,
)
