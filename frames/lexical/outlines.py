"""Questions in the form of an outline: what is counted, for each of what stands before the colon."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["outlined"]

_SHORTEST = 6
"""Words of a question that begins with where something is."""
_ENDS = (":", "-", "\u2013", "\u2014")
_ORDERS = ("top", "bottom", "worst", "safest", "most", "fewest", "more", "less", "rank", "nearest")
_OTHERS = (*_ORDERS, "by", "per", "with", "without", "no", "compare", "trend")


def outlined(items: Sequence[Item], counted: Collection[str]) -> list[Item]:
    """The items with "for each" where an outline leaves it out.

    Parameters
    ----------
    counted : collection of str
        The entities that are counted for others.
    """
    made = _leading(list(items), counted)
    return _before_colon(made, counted) or _by_its_kind(made, counted) or made


def _leading(items: list[Item], counted: Collection[str]) -> list[Item]:
    """Of "within 400 m of each school, crashes in 2023" the crashes come first."""
    if len(items) < _SHORTEST or not items[0].has("inside_of") or not items[1].is_length:
        return items
    comma = next((n for n, item in enumerate(items) if item.has("comma")), 0)
    head, rest = items[:comma], items[comma + 1 :]
    stop = len(rest) - (1 if rest and rest[-1].has("stop") else 0)
    each = any(item.has("per") for item in head)
    first = next((item for item in rest if not item.has("filler", "how_many", "which")), None)
    if not each or first is None or not _said_of(first) & {*counted}:
        return items
    return [*rest[:stop], *head, items[comma].emptied(), *rest[stop:]]


def _before_colon(items: list[Item], counted: Collection[str]) -> list[Item]:
    """Of "schools in Quincy: crashes within 300 m" it is the crashes for each of the schools."""
    end = next((n for n, item in enumerate(items) if n and item.text in _ENDS), 0)
    head, rest = items[:end], items[end + 1 :]
    named = sum(item.place is not None for item in head)
    if named > 1 and all(item.place or item.has("comma", "and", "filler") for item in head):
        # "Quincy, Boston: crashes by year": a row for each
        free = not any(item.has(*_OTHERS, "compare") for item in rest if not item.has("by", "per", "trend"))
        free &= any(item.has("by", "per", "trend") for item in rest)  # "Quincy, Boston: the fatals" is a list
        return [*head, items[end].emptied("compare"), *rest] if free else []
    if any(item.is_length for item in rest):
        head = _named(head, counted)
    nouns = [n for n, item in enumerate(head) if _nouns(item)]
    start = next((n for n, item in enumerate(rest) if not item.has("filler", "how_many", "total")), len(rest))
    if len(nouns) != 1 or start == len(rest) or any(item.has(*_OTHERS, "how_many") for item in head):
        return []
    owners = _nouns(head[nouns[0]])
    further = {owner for item in rest for owner in _nouns(item)} - {*counted}
    bounded = any(item.amount is not None and item.amount.kind != "length" for item in items)
    if owners & {*counted} or further or bounded or any(item.has(*_OTHERS) for item in rest):
        return []
    if not _said_of(rest[start]) & {*counted}:
        return []
    return [*head[: nouns[0]], _each(head[nouns[0]]), *head[nouns[0] :], *items[end:]]


def _named(head: list[Item], counted: Collection[str]) -> list[Item]:
    """The words before the colon with a value that stands for the noun as the noun: "Lowell HS's"."""
    if any(_nouns(item) for item in head):
        return head
    return [
        replace(item, senses=tuple(replace(one, noun=True) for one in own))
        if (own := [one for one in item.of_kind("value") if one.entity not in counted])
        else item
        for item in head
    ]


def _by_its_kind(items: list[Item], counted: Collection[str]) -> list[Item]:
    """Of "crashes within 500 ft of high schools, by school" it is those within 500 ft of each."""
    for place in range(1, len(items)):
        last, by = items[place], items[place - 1]
        owners = _nouns(last) - {*counted}
        if by.text not in ("by", "per") or not owners or last.of_kind("field") or last.plural:
            continue
        for at in range(1, place - 1):
            noun = items[at]
            led = items[at - 1].has("of", "of_place", "from") and at > 1 and items[at - 2].is_length
            led |= items[at - 1].has("near")
            if not led or _nouns(noun) != owners or (_told(last) and last.key != noun.key):
                continue
            spared = [items[place - 1].emptied(), last.emptied()]
            told = [*items[:at], _each(noun), *items[at : place - 1], *spared, *items[place + 1 :]]
            return told if any(item.has("how_many") for item in items) else [_number(items[0]), *told]
    return []


def _nouns(item: Item) -> set[str]:
    """The entities of which an item is the noun, alone or with a condition: "high schools"."""
    return {sense.entity for sense in item.senses if sense.kind == "entity" or sense.noun}


def _told(item: Item) -> bool:
    """Whether a noun says a condition as well."""
    return not item.of_kind("entity")


def _said_of(item: Item) -> set[str]:
    """The entities of which an item is the noun, or says a condition that stands for it."""
    return {sense.entity for sense in item.senses if sense.kind in ("entity", "concept", "value")}


def _each(item: Item) -> Item:
    """The words "for each" before an item."""
    return _before(item, "per", "for each")


def _number(item: Item) -> Item:
    """The words "number of" before an item."""
    return _before(item, "how_many", "number of")


def _before(item: Item, name: str, text: str) -> Item:
    """Words of a class that are not in the question, before an item."""
    told = replace(item.emptied(name), text=text, key=tuple(text.split()), plural=False, form="")
    return replace(told, end=item.start, problem="", reason="")
