"""Numbers with what they are of: "60 to 100 thousand", "in walking distance, say 300 ft"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["figured"]

_MOST = frozenset(words_of("loose", "most"))
_SAY = frozenset(words_of("loose", "say"))
_WALKING = frozenset(words_of("loose", "walking"))
_THOUSAND = 1000
_SCALES = {" k": _THOUSAND, "thousand": _THOUSAND, "million": _THOUSAND**2}
_TO = ("to", "-", "\u2013", "through", "thru")


def figured(items: Sequence[Item]) -> list[Item]:
    """The items with numbers as they are meant where they stand."""
    made = list(items)
    _own_number(made)
    _scaled(made)
    _said_exactly(made)
    _at_most(made)
    return made


def _own_number(items: list[Item]) -> None:
    """Of "intersections with 4 segments" it is the number that each of them records."""
    for place in range(2, len(items)):
        owned = {one.entity for one in items[place].of_kind("field")}
        said = {one.entity for item in items[:place] for one in item.of_kind("entity")}
        before = items[place - 2 if items[place - 1].has("post_gte", "post_lte") else place - 1]
        number = before.amount
        if owned & said and items[place].of_kind("entity") and number is not None and not number.kind:
            fields = tuple(one for one in items[place].of_kind("field") if one.entity in said)
            items[place] = replace(items[place], senses=fields)


def _scaled(items: list[Item]) -> None:
    """Of "60 to 100 thousand" both are thousands."""
    for place in range(len(items) - 2):
        first, joint, second = items[place : place + 3]
        joined = joint.text in _TO or (joint.has("and") and place > 0 and items[place - 1].has("between"))
        low, high = first.amount, second.amount
        if low is None or high is None or low.kind or high.kind not in ("", "length") or not joined:
            continue
        scale = next((size for word, size in _SCALES.items() if second.text.endswith(word)), 0)
        if scale and low.value < _THOUSAND and scale * low.value < high.value and low.text.isdecimal():
            items[place] = replace(first, amount=replace(low, value=scale * low.value))


def _said_exactly(items: list[Item]) -> None:
    """What a walk is, is said behind it: "in walking distance, say 300 ft"."""
    for place, item in enumerate(items):
        if item.text not in _WALKING:
            continue
        far = next((n for n in range(place + 1, len(items)) if items[n].amount is not None), 0)
        between = items[place + 1 : far]
        said = between and all(one.has("comma", "filler") or one.text in (*_SAY, "(") for one in between)
        if said and items[far].is_length:
            items[place] = replace(item.reworded("inside_of", "within"), reason="")
            items[place + 1 : far] = [one.emptied() for one in between]
            if place and items[place - 1].has("in", "inside_of", "near"):
                items[place - 1] = items[place - 1].emptied()


def _at_most(items: list[Item]) -> None:
    """A distance is a most in any case: "near a highway, like 500 m max"."""
    for place in range(1, len(items)):
        after = items[place + 1] if place + 1 < len(items) else None
        ends = after is None or after.has("stop", "comma", "of", "from")
        far = any(item.amount is not None and item.amount.kind == "length" for item in items[:place])
        if items[place].text in _MOST and ends and far:
            items[place] = items[place].emptied()
