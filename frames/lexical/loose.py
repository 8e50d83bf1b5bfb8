"""Words that condition nothing where they stand: "died on the roads", "people hurt (not killed)"."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["loosened"]

_OWN = frozenset(words_of("loose", "own"))
_EXIST = frozenset(words_of("loose", "exist"))
_SAY_SO = frozenset(words_of("loose", "say_so"))
_ASIDES = ("stop", "comma", "everywhere", "compare", "or")


def loosened(
    items: Sequence[Item], counted: str, lines: Set[str], people: Set[tuple[str, str]]
) -> list[Item]:
    """The items with those emptied that say nothing here, and denials before what they deny.

    Parameters
    ----------
    counted : str
        The entity that happens: crashes happen on some road in any case.
    lines : set of str
        The entities along which it happens.
    people : set
        Entities and their fields that list who took part.
    """
    made = list(items)
    _on_the_roads(made, counted, lines)
    _hurt_alone(made)
    _same_people(made)
    _out_of_vehicles(made, people)
    _own_number(made)
    made = _not_there(made)
    return _those_without(made)


def _on_the_roads(items: list[Item], counted: str, lines: Set[str]) -> None:
    """What happens "on the roads" happens anywhere, where nothing is said of the roads."""
    for place in range(1, len(items) - 2):
        article, noun = items[place + 1 : place + 3]
        roads = noun.plural and any(one.entity in lines for one in noun.of_kind("entity"))
        if not (items[place].has("on") and article.text in _OWN and roads):
            continue
        after = items[place + 3] if place + 3 < len(items) else None
        ends = after is None or after.has(*_ASIDES) or after.times or (after.has("in") and not after.senses)
        before = items[:place]
        happened = any(one.entity == counted for item in before for one in item.senses)
        if ends and happened and not any(item.has("by", "which", "per") for item in before):
            items[place : place + 3] = [one.emptied() for one in items[place : place + 3]]


def _hurt_alone(items: list[Item]) -> None:
    """Those hurt "(not killed)" are those hurt: what else happened in the crash is not asked."""
    for place in range(1, len(items) - 3):
        opening, denial, other, closing = items[place : place + 4]
        both = items[place - 1].of_kind("measure") and other.of_kind("measure")
        if both and opening.text == "(" and denial.has("not") and closing.text == ")":
            items[place + 1 : place + 3] = [denial.emptied(), other.emptied()]


def _same_people(items: list[Item]) -> None:
    """The "total people" of those who were hurt are no population."""
    summed = any(item.of_kind("measure") for item in items)
    for place in range(1, len(items)):
        item = items[place]
        if summed and item.has("filler") and item.of_kind("field") and items[place - 1].has("total"):
            items[place] = item.emptied()


def _out_of_vehicles(items: list[Item], people: Set[tuple[str, str]]) -> None:
    """Workers hit "outside their vehicle" are no crashes without one."""
    for place in range(1, len(items) - 1):
        end = next((n for n in range(place + 1, len(items)) if not items[n].has("filler")), place)
        named = any((one.entity, one.name) in people for item in items[:place] for one in item.of_kind("value"))
        if named and items[place].has("except") and end > place and items[end].has("vehicle"):
            items[place : end + 1] = [one.emptied() for one in items[place : end + 1]]


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
