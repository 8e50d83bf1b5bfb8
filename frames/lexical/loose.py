"""Words that condition nothing where they stand: "died on the roads", "people hurt (not killed)"."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.absences import absent
from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.figures import figured

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item
    from groundframe.frames.lexical.vocabulary import Sense

__all__ = ["loosened"]

_OWN = frozenset(words_of("loose", "own"))
_AMONG = ("between", "among", "of", "out of")
_MORE = ("more", "fewer", "less")
_OR = ("or", "than", "then")
_THESE = ("these", "those", "such")
_ASIDES = ("stop", "comma", "everywhere", "compare", "or")


def loosened(
    items: Sequence[Item],
    counted: str,
    lines: Set[str],
    people: Set[tuple[str, str]],
    senses: Mapping[tuple[str, ...], Sequence[Sense]],
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
    senses : mapping
        What words of the vocabulary mean.
    """
    made = list(items)
    _on_the_roads(made, counted, lines)
    _hurt_alone(made)
    _same_people(made)
    _out_of_vehicles(made, people)
    _such(made, counted, senses)
    _among(made)
    _more_of_two(made)
    return _on_such_roads(absent(figured(made)), counted, lines)


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
        named = any(
            (one.entity, one.name) in people for item in items[:place] for one in item.of_kind("value")
        )
        if named and items[place].has("except") and end > place and items[end].has("vehicle"):
            items[place : end + 1] = [one.emptied() for one in items[place : end + 1]]


def _such(items: list[Item], counted: str, senses: Mapping[tuple[str, ...], Sequence[Sense]]) -> None:
    """Where "these crashes" are counted, "people died" says which: it is no number of people."""
    for place in range(len(items) - 2):
        noun = next((n for n in range(place + 1, len(items)) if items[n].senses), place)
        between = items[place + 1 : noun]
        these = bool(between) and all(one.has("pronoun", "filler", "of") for one in between)
        these &= any(one.text in _THESE for one in between)
        if not (
            items[place].has("how_many")
            and these
            and counted in {one.entity for one in items[noun].of_kind("entity")}
        ):
            continue
        for told in range(place):
            kinds = tuple(one for one in senses.get(items[told].key[-1:], ()) if one.kind == "concept")
            if items[told].of_kind("measure") and kinds:
                items[told] = replace(items[told], senses=kinds)


def _among(items: list[Item]) -> None:
    """Of "between Lynn and Salem, which" it is these two, and "which other town" is one that is left."""
    which = next((n for n, item in enumerate(items) if item.text.split()[0] in ("which", "who")), 0)
    for place, item in enumerate(items):
        after = items[place + 1] if place + 1 < len(items) else None
        if item.text in _AMONG and place < which and after is not None and after.place is not None:
            items[place] = item.emptied()
        before = items[place - 1] if place else None
        denied = any(one.has("not", "except") for one in items[:place])
        if item.text == "other" and denied and before is not None and before.has("which"):
            items[place] = item.emptied()


def _more_of_two(items: list[Item]) -> None:
    """Of "more pedestrian or more bike crashes" the two are held against each other."""
    more = next((n for n, item in enumerate(items) if item.text in _MORE), None)
    if more is None or any(item.has("which", "most", "fewest") for item in items):
        return
    first = next((n for n in range(more + 1, min(len(items), more + 3)) if _is_kind(items[n])), None)
    if first is None:
        return
    joint = next((n for n in range(first + 1, min(len(items), first + 4)) if items[n].text in _OR), None)
    if joint is None or any(item.amount or item.times or item.place for item in items[first:joint]):
        return
    other = next((n for n in range(joint + 1, min(len(items), joint + 3)) if _is_kind(items[n])), None)
    concepts = (one for n in (first, other) if n is not None for one in items[n].of_kind("concept"))
    if other is None or not any(concepts):
        return
    items[joint] = items[joint].reworded("compare", "vs")
    for n in (more, *range(joint + 1, other)):
        items[n] = items[n].emptied()


def _is_kind(item: Item) -> bool:
    """Whether an item says of what kind things are: "fatal", "rear-end crashes"."""
    return bool(item.of_kind("concept", "value")) and not item.times and item.place is None


def _on_such_roads(items: list[Item], counted: str, lines: Set[str]) -> list[Item]:
    """In "rollovers, interstates, rain" what happened is asked for, and the roads say where."""
    made: list[Item] = []
    for place, item in enumerate(items):
        around = (items[place - 1] if place else None, items[place + 1] if place + 1 < len(items) else None)
        alone = around[0] is not None and all(one is None or one.has("comma", "stop") for one in around)
        of_roads = item.senses and all(one.kind == "value" and one.entity in lines for one in item.senses)
        before = [one for part in items[:place] for one in part.senses]
        happened = any(one.entity == counted for one in before[:1])
        asked = any(part.has("which", "top", "bottom", "most", "worst", "by", "per") for part in items)
        if alone and of_roads and happened and not asked and not any(one.entity in lines for one in before):
            made.append(item.reworded("on"))
        made.append(item)
    return made
