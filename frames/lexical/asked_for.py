"""What is asked for in other words: "how long are the roads", "years when Lowell had under 5 crashes"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["asked_for"]

_STREETS = frozenset(words_of("turns", "streets"))
_FEW = 3


def asked_for(items: Sequence[Item], counted: Collection[str]) -> list[Item]:
    """The items as they are read.

    Parameters
    ----------
    counted : collection of str
        The entities that are counted for others.
    """
    made = list(items)
    _totals(made, counted)
    _worst_weekdays(made)
    _corner(made)
    _how_long(made)
    return _years_when(made)


def _totals(items: list[Item], counted: Collection[str]) -> None:
    """Crash totals and total crashes are how many there are, by whatever they are."""
    for place, item in enumerate(items):
        beside = items[max(0, place - 1) : place] + items[place + 1 : place + 2]
        noun = any(sense.entity in counted for one in beside for sense in one.of_kind("entity"))
        by = next((n for n in range(place, len(items) - 1) if items[n].has("by", "per")), None)
        field = by is not None and bool(items[by + 1].of_kind("field"))
        if field and noun and item.has("total") and not item.senses:
            items[place] = item.emptied("how_many")


def _worst_weekdays(items: list[Item]) -> None:
    """Of "which 3 weekdays are worst" it is the days of the week, not those of work."""
    for place in range(1, len(items)):
        asked = items[place - 1].has("which") or (place > 1 and items[place - 2].has("which"))
        later = any(one.has("worst", "most", "fewest", "safest") for one in items[place + 1 : place + _FEW])
        if items[place].text in ("weekday", "weekdays") and asked and later:
            items[place] = items[place].emptied("bucket_weekday")


def _years_when(items: list[Item]) -> list[Item]:
    """Of "years when Lowell had under 5 crashes" it is the years with so many in Lowell."""
    if len(items) < 6 or items[1].text not in ("when", "where", "that", "in which"):
        return items
    bucket, when, area, had, *rest = items
    dated = any(name.startswith("bucket_") for name in bucket.classes)
    if not (dated and area.place and had.has("with")):
        return items
    return [bucket, had, *rest, replace(when.emptied("in"), text="in", key=("in",)), area]


def _how_long(items: list[Item]) -> None:
    """How long roads are is how much there is of them: "how long are all the 25 mph roads"."""
    for place in range(len(items) - 1):
        long = items[place + 1].text == "long" and bool(items[place + 1].of_kind("field"))
        if items[place].text == "how" and long:
            items[place] = items[place].emptied("total")


def _corner(items: list[Item]) -> None:
    """Two streets with an ampersand between are a corner: "crashes Main St & Elm St"."""
    for place in range(1, len(items) - 1):
        one, other = items[place - 1], items[place + 1]
        lead = items[place - 2] if place > 1 else None
        named = one.place is not None and other.place is not None
        on = lead is not None and lead.has("on", "compare", "comma", "and", "between")
        if items[place].text == "&" and named and not on and _is_street(one) and _is_street(other):
            items[place] = replace(items[place].emptied("at"), text="at", key=("at",))


def _is_street(item: Item) -> bool:
    return item.place is not None and item.text.split()[-1] in _STREETS
