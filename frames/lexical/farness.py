"""How far the nearest of a kind is: a distance from the nearest one is that from any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["from_any"]

_BOUNDS = ("inside_of", "beyond", "gt", "gte", "lt", "lte")
_LEADS = ("filler", "of", "of_place", "from", "to")


def from_any(items: Sequence[Item]) -> list[Item]:
    """The items with "over 1 km from the nearest stop" as "from a stop", in whatever order it is said."""
    made = list(items)
    for place in range(1, len(made)):
        item = made[place]
        if not item.has("nearest") or item.senses:
            continue
        numbered = place + 1 < len(made) and made[place + 1].amount is not None
        at = place - 1
        while at > 0 and made[at].has(*_LEADS) and made[at].amount is None:
            at -= 1
        if made[at].is_length and at < place - 1 and not numbered:
            made[place] = item.emptied()
        elif (turned := _turned(made, place)) is not None:
            return turned
    return made


def _turned(items: list[Item], place: int) -> list[Item] | None:
    """Of "schools whose nearest stop is over 300 m away" it is those over 300 m from a stop."""
    lead = place - 1
    while lead > 0 and items[lead].text in ("the", "a"):
        lead -= 1
    stop = place + 1
    while stop < len(items) and items[stop].of_kind("entity", "value", "concept"):
        stop += 1
    bound = stop
    while bound < len(items) and items[bound].has("filler") and not items[bound].senses:
        bound += 1
    if not (items[lead].text in ("whose", "where") or items[lead].has("with")) or stop == place + 1:
        return None
    if bound + 1 >= len(items) or not items[bound].has(*_BOUNDS) or not items[bound + 1].is_length:
        return None
    behind = bound + 2
    if behind < len(items) and items[behind].text in ("away", "off"):
        behind += 1
    if behind < len(items) and items[behind].has("of", "of_place", "from"):
        return None  # "whose nearest stop is over 300 m from a crosswalk"
    nothing = [
        one.emptied() for one in (*items[lead : place + 1], *items[stop:bound], *items[bound + 2 : behind])
    ]
    of = items[place].reworded("of_place", "of")
    return [*items[:lead], *nothing, *items[bound : bound + 2], of, *items[place + 1 : stop], *items[behind:]]
