"""The one thing that has the most of a field: "the segment with max AADT", "max AADT segment"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["of_extremes"]

_ENDS = {"aggregate_max": ("most", "highest"), "aggregate_min": ("fewest", "lowest")}


def of_extremes(items: Sequence[Item]) -> list[Item]:
    """The items with what asks for a thing by its greatest or least number as an order of such things."""
    made = list(items)
    for place in range(len(made) - 1):
        order = next((ends for name, ends in _ENDS.items() if made[place].has(name)), None)
        owners = {sense.entity for sense in made[place + 1].of_kind("field")}
        if order is None or not owners or any(item.has("by", "per") for item in made):
            continue
        before = [item for item in made[:place] if not item.has("filler")]
        led = len(before) > 1 and before[-1].has("with") and _is_one(before[-2], owners)
        after = made[place + 2] if place + 2 < len(made) else None
        extreme = made[place].reworded(*order)
        if led:
            made[place] = extreme
        elif after is not None and _is_one(after, owners):
            made[place : place + 3] = [after, made[place].reworded("with"), extreme, made[place + 1]]
    return made


def _is_one(item: Item, owners: set[str]) -> bool:
    """Whether an item is one thing of a kind that has the field."""
    return not item.plural and any(sense.entity in owners for sense in item.of_kind("entity"))
