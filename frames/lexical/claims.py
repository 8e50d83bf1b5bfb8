"""What a question only puts as a claim: "was no pedestrian killed" asks for the pedestrians that were."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item
    from groundframe.frames.lexical.vocabulary import Sense

__all__ = ["unclaimed"]

_OPENING = frozenset(words_of("spare", "opening"))
_CLAIMED = frozenset(words_of("spare", "claimed"))
_NOBODY = frozenset(words_of("spare", "nobody"))
_ASKING = ("which", "how_many", "top", "bottom", "worst", "safest", "most", "fewest", "compare", "by", "per")
_BETWEEN = frozenset({
    "filler", "in", "inside_of", "on", "at", "for", "of", "comma", "stop", "affix", "pronoun",
    "from", "there",
})  # fmt: skip


def unclaimed(items: Sequence[Item], senses: Mapping[tuple[str, ...], Sequence[Sense]]) -> list[Item]:
    """The items without the denial that a yes or no question begins with: what it denies is asked for.

    "Were there no fatal crashes in Quincy" is answered by these crashes, "none" among the answers; what the
    denial would say of each of them is not asked.
    """
    made, opened = list(items), bool(items) and items[-1].text == "?" and _denies(items, 0, senses)
    for place, item in enumerate(made):
        if item.aside:
            continue
        starts = not place or made[place - 1].has("comma", "stop") or made[place - 1].aside
        first = item.text.split()[0]
        opened |= starts and (first in _OPENING or item.text in _CLAIMED)
        if opened and _denies(made, place, senses):
            made[place] = _asserted(item, senses)
            return made
        said = item.senses and not item.has("filler")
        plain = item.times or item.place is not None or item.classes & _BETWEEN or first in _OPENING
        if said or item.has(*_ASKING) or item.text == "where" or not plain:
            return made
    return made


def _denies(items: Sequence[Item], place: int, senses: Mapping[tuple[str, ...], Sequence[Sense]]) -> bool:
    """Whether an item says that there is none of what follows, or of what the rest of its words mean."""
    item, first = items[place], items[place].text.split()[0]
    after = items[place + 1] if place + 1 < len(items) else None
    if item.senses and not item.has("no", "without"):
        return first in _NOBODY and _rest(item, senses) != ()
    if after is not None and after.of_kind("field") and not after.of_kind("entity", "concept", "measure"):
        return after.has("filler")  # "is there no sidewalk" is said of roads; "did zero people die" is not
    if item.has("no", "without"):
        owned = first not in ("had", "has", "have") or place > 0  # "has no …" is said of what comes later
        return first in _NOBODY and owned and (after is None or not after.times)
    # "weren't there any", "has never been a": not "were not fatal"
    verb = first.endswith("n't") or first in _OPENING or first in ("never", "not")
    return item.has("not") and verb and after is not None and after.has("filler")


def _rest(item: Item, senses: Mapping[tuple[str, ...], Sequence[Sense]]) -> tuple[Sense, ...]:
    """What the words behind the denial mean: of "no one hurt" those hurt, while "no sidewalk" is a value."""
    found = [tuple(senses.get(item.key[size:], ())) for size in range(1, len(item.key))]
    return next((one for one in found if any(sense.kind in ("measure", "concept") for sense in one)), ())


def _asserted(item: Item, senses: Mapping[tuple[str, ...], Sequence[Sense]]) -> Item:
    """The item without its denial."""
    if item.senses and not item.has("no", "without"):
        return replace(item, senses=_rest(item, senses))
    return item.emptied()
