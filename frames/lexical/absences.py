"""What is not there, said behind what it is of: "a sidewalk does not exist", "no speed limit recorded"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["absent"]

_EXIST = frozenset(words_of("loose", "exist"))
_RECORDED = frozenset(words_of("loose", "recorded"))
_SAY_SO = frozenset(words_of("loose", "say_so"))


def absent(items: Sequence[Item]) -> list[Item]:
    """The items with denials before what they deny, and what is not recorded as unknown."""
    made = list(items)
    _without_place(made)
    return _those_without(_not_there(_unrecorded(made)))


def _without_place(items: list[Item]) -> None:
    """What is ranked "by injuries without Lynn" is so elsewhere."""
    for place in range(1, len(items) - 1):
        named, after = items[place + 1], items[place + 2] if place + 2 < len(items) else None
        ends = after is None or after.has("stop", "comma")
        if items[place].text == "without" and named.place is not None and ends and not named.senses:
            items[place] = items[place].reworded("except", "excluding")


def _unrecorded(items: list[Item]) -> list[Item]:
    """What is "not recorded" is unknown: "with no speed limit recorded", "light not reported"."""
    made: list[Item] = []
    place = 0
    while place < len(items):
        part = items[place : place + 3]
        if len(part) == 3 and part[2].text in _RECORDED:
            field = part[1] if part[0].has("without", "no") else part[0] if part[1].has("not") else None
            if (
                field is not None
                and field.of_kind("field")
                and not field.of_kind("entity", "value", "concept")
            ):
                unknown = replace(part[2].emptied(), text="unknown", classes=frozenset(), key=("unknown",))
                lead = [part[0].reworded("with")] if field is part[1] else []
                unknown = unknown if lead else replace(unknown, start=part[1].start)
                made += [*lead, field, unknown]
                place += 3
                continue
        made.append(items[place])
        place += 1
    return made


def _not_there(items: list[Item]) -> list[Item]:
    """What "doesn't exist" is not there: "but a sidewalk doesn't exist" is "but no sidewalk"."""
    made = list(items)
    for place in range(1, len(made) - 1):
        noun, denial, verb = made[place - 1 : place + 2]
        told = noun.of_kind("entity", "field") and not noun.times
        if told and denial.has("not") and not denial.senses and verb.text in _EXIST:
            made[place - 1 : place + 2] = [denial.reworded("without", "no"), noun, verb.emptied()]
    return made


def _those_without(items: list[Item]) -> list[Item]:
    """Of "no fatal crash ever: which towns can say that" it is the towns with none."""
    which = next((n for n, item in enumerate(items) if item.has("which")), 0)
    pairs = (f"{one.text} {other.text}" for one, other in pairwise(items))
    end = next((n for n, pair in enumerate(pairs, 1) if pair in _SAY_SO), 0)
    if not (items and items[0].has("no", "without") and 1 < which < end):
        return items
    denied = [item for item in items[1:which] if not item.has("comma", "stop")]
    said = [item.emptied() if n >= end - 1 else item for n, item in enumerate(items[which:], which)]
    return [*said[: end - which], items[0].reworded("without"), *denied, *said[end - which :]]
