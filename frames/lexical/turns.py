"""Turns of speech that say in other words what is counted, ranked or listed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["BY_DATE", "turned_round"]

BY_DATE = "What is dated is not put in the order of its dates; ask for what happened in a time."
"""What is said where the first, the last or the latest is asked for."""
HALF_THERE = "Whether it is on neither of them, or on one alone, is not clear."
"""What is said of "no sidewalk on both sides"."""
_RECENT = frozenset(words_of("turns", "recent"))
_EXTREMES = frozenset(words_of("turns", "extremes"))
_DATES = frozenset(words_of("turns", "dates"))
_BOTH = frozenset(words_of("turns", "both"))
_BOTH_SIDES = frozenset(words_of("turns", "both_sides"))
_FEW = 3


def turned_round(items: Sequence[Item], counted: Collection[str]) -> list[Item]:
    """The items as they are read.

    Parameters
    ----------
    counted : collection of str
        The entities that are counted for others.
    """
    made = list(items)
    _recent(made, counted)
    _first_few(made, counted)
    _dates(made)
    _in_a_crash(made, counted)
    _more(made, counted)
    _injured_most(made, counted)
    _sides(made)
    return made


def _recent(items: list[Item], counted: Collection[str]) -> None:
    """The latest of what is dated, and an order by date, are not to be had."""
    for place, item in enumerate(items):
        after = items[place + 1] if place + 1 < len(items) else None
        near = items[place + 1 : place + 1 + _FEW]
        dated = any(_of(one, "entity", "concept", "value") & {*counted} for one in near)
        first = after is not None and after.text == "first"
        before = items[place - 1] if place else None
        extreme = item.text in _EXTREMES and not item.known and dated and not first
        most = before is not None and before.text == "most"  # "recent crashes" are those of a vague time
        latest = item.text in _RECENT and not item.times and (dated or first)
        latest &= most or item.text != "recent"
        ordered = item.text in _DATES and before is not None and before.has("by") and place > 1
        if extreme or latest or (ordered and items[place - 2].has("rank")):
            items[place] = replace(item.emptied(), classes=frozenset(), reason=BY_DATE)
            if before is not None and most:
                items[place - 1] = before.emptied()
            if first and after is not None:
                items[place + 1] = after.emptied()


def _first_few(items: list[Item], counted: Collection[str]) -> None:
    """The "first 10 crashes of 2020" are those in the order of their dates."""
    ranked = any(item.has("by", "most", "fewest", "worst") for item in items)
    for place, item in enumerate(items[:-1] if not ranked else ()):
        at = place + 2 if items[place + 1].amount is not None else place + 1
        noun = items[at] if at < len(items) else item
        if item.text == "first" and at > place + 1 and _of(noun, "entity", "concept") & {*counted}:
            items[place] = replace(item.emptied(), classes=frozenset(), reason=BY_DATE)
            items[place + 1] = items[place + 1].emptied()


def _dates(items: list[Item]) -> None:
    """What is listed has its date: "fatal crashes with date" are fatal crashes."""
    for place in range(1, len(items)):
        after = items[place + 1] if place + 1 < len(items) else None
        ends = after is None or after.has("comma", "stop", "and", "filler")
        if items[place].text in _DATES and items[place - 1].has("with") and ends and not items[place].times:
            items[place - 1 : place + 1] = [items[place - 1].emptied(), items[place].emptied()]


def _in_a_crash(items: list[Item], counted: Collection[str]) -> None:
    """Of "nobody was killed in a crash" it is that there was no fatal crash."""
    for place in range(2, len(items)):
        noun = items[place]
        own = _of(noun, "entity") & {*counted}
        if not own or noun.of_kind("concept", "value"):
            continue
        lead = place - 1
        while lead > 0 and items[lead].has("filler") and not items[lead].has("in"):
            lead -= 1
        told = items[lead - 1] if lead else noun
        denied = any(one.has("without", "no") for one in items[max(0, lead - _FEW) : lead - 1])
        if items[lead].has("in") and denied and told.of_kind("measure") and _of(told, "concept") & own:
            items[lead : place + 1] = [one.emptied() for one in items[lead : place + 1]]
            return


def _more(items: list[Item], counted: Collection[str]) -> None:
    """Of "in which town happen more crashes" it is the most: nothing is named that they are more than."""
    place = next((n for n, item in enumerate(items) if item.text == "more"), 0)
    after = items[place + 1] if place + 1 < len(items) else None
    against = any(item.has("or", "compare", "others") or item.text.startswith("than") for item in items)
    named = sum(item.place is not None for item in items)
    later = items[place + 2] if place + 2 < len(items) else None
    people = after is not None and after.has("filler") and later is not None and later.of_kind("measure")
    if not place or after is None or against or named > 1:
        return
    if not people and not _of(after, "entity", "concept", "measure"):
        return
    asked = [n for n, item in enumerate(items[:place]) if item.has("which") or item.text.endswith("which")]
    noun = items[asked[-1] + 1] if asked else None
    bucket = noun is not None and noun.is_bucket
    apart = any(item.amount is not None or item.times for item in items[: place + 1])
    if noun is not None and (bucket or _of(noun, "entity") - {*counted}) and not noun.plural and not apart:
        items[place] = items[place].reworded("most")


def _injured_most(items: list[Item], counted: Collection[str]) -> None:
    """Of "which corner injured the most people" it is the most people injured there."""
    for place in range(1, len(items) - 2):
        verb = items[place]
        if not verb.of_kind("measure") or any(_of(one, "entity") & {*counted} for one in items[:place]):
            continue
        most = place + 1 + (items[place + 1].text == "the")
        people = items[most + 1] if most + 1 < len(items) else None
        if items[most].has("most", "fewest") and people is not None and people.has("filler"):
            if people.of_kind("field"):
                items[place : most + 2] = [*items[place + 1 : most + 1], people.emptied(), verb]
            return


def _sides(items: list[Item]) -> None:
    """What is missing on one side is there on the other; "none on both sides" is two things."""
    for place in range(1, len(items) - 1):
        field = items[place]
        lead = place - 1
        while lead > 0 and items[lead].has("filler") and not items[lead].senses:
            lead -= 1
        denial = items[lead]
        if not field.of_kind("field") or denial.senses or not denial.has("without", "no"):
            continue
        at = place + 1
        while at < len(items) and items[at].has("of", "on", "of_place", "filler") and not items[at].senses:
            at += 1
        side = items[at] if at < len(items) else field
        if side.has("sides") or side.text == "one side":
            items[lead] = denial.emptied("with")
        elif side.text in _BOTH and any(one.text in _BOTH_SIDES for one in items[at : at + 2]):
            items[lead] = replace(denial, problem=HALF_THERE)
        return


def _of(item: Item, *kinds: str) -> set[str]:
    """The entities of the senses of these kinds."""
    return {sense.entity for sense in item.senses if sense.kind in kinds}
