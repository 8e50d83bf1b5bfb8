"""Words that point back to a place or to what is asked for: "but not within 500 feet of it"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["pointed", "points_back"]

_OF_IT = frozenset({"of it", "from it", "around it", "of there", "from there", "of that", "from that"})
_THOSE = frozenset({"those", "ones", "the ones", "only those", "only the ones"})
_LEADS = ("of", "of_place", "from", "to")
_CLOSE = ("inside_of", "lt", "lte")


def pointed(items: Sequence[Item], counted: Collection[str]) -> list[Item]:
    """The items with what is pointed to.

    Parameters
    ----------
    counted : collection of str
        The entities that are counted for others.
    """
    made = list(items)
    _of_it(made)
    _where(made, counted)
    return made


def points_back(items: Sequence[Item], place: int) -> bool:
    """Whether what is said from here is of those asked for, not of what came last: "only those with"."""
    at = place - 1
    while at > 0 and items[at].has("filler") and items[at].text not in _THOSE:
        at -= 1
    return at > 0 and items[at].text in _THOSE


def _of_it(items: list[Item]) -> None:
    """Of "within a mile of the square, but not within 500 feet of it" both are of the square."""
    for place in range(1, len(items)):
        item = items[place]
        named = [n for n in range(2, place) if items[n].place and items[n - 1].has(*_LEADS)]
        named = [n for n in named if items[n - 2].is_length]
        if item.text not in _OF_IT or not items[place - 1].is_length or len(named) != 1:
            continue
        if any(one.place or one.of_kind("entity") for one in items[named[0] + 1 : place]):
            continue  # "of it" may be of that
        _beyond(items, place - 2)
        of = item.reworded("of_place", "of")
        again = replace(items[named[0]], start=item.start, end=item.end)
        items[place : place + 1] = [of, again]
        return


def _beyond(items: list[Item], place: int) -> None:
    """What is left out within a distance is beyond it: "excluding those within 500 feet"."""
    if place < 1 or not items[place].has(*_CLOSE):
        return
    before = place - 1
    while before > 0 and items[before].has("pronoun", "filler", "all"):
        before -= 1
    denial = items[before]
    if denial.has("except", "not") and not denial.senses:
        joint = "and" if denial.has("except") else "filler"
        items[before : place + 1] = [
            replace(denial.emptied(joint)),
            *(one.emptied() for one in items[before + 1 : place]),
            items[place].reworded("beyond"),
        ]


def _where(items: list[Item], counted: Collection[str]) -> None:
    """Of "crosswalks where a pedestrian was hit within 100 feet" it is those with such a crash so near."""
    for place in range(1, len(items) - 3):
        if items[place].text != "where" or items[place].senses:
            continue
        named = (sense for one in items[:place] for sense in one.senses)
        listed = {sense.entity for sense in named if sense.kind == "entity" or sense.noun}
        start = place + 1
        while start < len(items) and items[start].has("filler") and not items[start].senses:
            start += 1
        told = items[start] if start < len(items) else None
        if told is None or not {one.entity for one in told.of_kind("concept", "value")} & {*counted}:
            continue
        stop = start + 1
        while stop < len(items) and _goes_on(items[stop], counted):
            stop += 1
        near = stop + 1 < len(items) and items[stop].has("inside_of") and items[stop + 1].is_length
        behind = items[stop + 2] if stop + 2 < len(items) else None
        those = place > 0 and items[place - 1].text in _THOSE
        if len(listed - {*counted}) > 1 and not those:
            continue  # of which of them is not said
        if near and listed - {*counted} and not (behind is not None and behind.has(*_LEADS)):
            items[place] = items[place].emptied("with")
            return


def _goes_on(item: Item, counted: Collection[str]) -> bool:
    """Whether a word says more of what happened: "a pedestrian was hit and died"."""
    more = any(one.entity in counted for one in item.of_kind("concept", "value"))
    return (more or item.has("collide", "filler", "and")) and not item.has("inside_of")
