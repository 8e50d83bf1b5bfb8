"""What is left out, and what only sounds as if it were: "2020 excluded", "no injuries but a pedestrian"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["left_out"]

_JUST = frozenset(words_of("turns", "just"))
_EXCLUDED = frozenset(words_of("turns", "excluded"))
_FEW = 3


def left_out(items: Sequence[Item]) -> list[Item]:
    """The items with denials before what they deny, and before that alone."""
    made = list(items)
    _but(made)
    _taken_back(made)
    made = _excluded_behind(made)
    _of_its_kind(made)
    _ends(made)
    return made


def _but(items: list[Item]) -> None:
    """Of "with no injuries but property damage" only the first is denied."""
    for place in range(2, len(items) - 1):
        before = items[place - 1]
        after = next((one for one in items[place + 1 :] if one.senses or not one.has("filler")), before)
        denial = next((one for one in reversed(items[: place - 1]) if not one.has("filler")), before)
        told = all(one.of_kind("concept", "value") and not one.of_kind("entity") for one in (before, after))
        if items[place].text == "but" and told and denial.has("without", "no", "not") and not denial.senses:
            items[place] = items[place].emptied("with")


def _taken_back(items: list[Item]) -> None:
    """Behind a sentence "no - just" takes it back: "killed or injured? no - just killed"."""
    for place in range(1, len(items) - 2):
        before, after = items[place - 1], items[place + 1 : place + 3]
        just = any(one.text in _JUST for one in after) or after[0].has("comma")
        if items[place].text == "no" and before.text in ("?", ".", "!") and just:
            items[place] = items[place].emptied("mended")


def _excluded_behind(items: list[Item]) -> list[Item]:
    """What stands before "excluded" or "left out" is: "2020 excluded", "interstates left out"."""
    for place in range(1, len(items)):
        word, after = items[place], items[place + 1] if place + 1 < len(items) else None
        ends = after is None or after.has("comma", "stop", "and")
        if not (word.text in _EXCLUDED and ends):
            continue
        start = place
        while start and not items[start - 1].has("comma", "stop") and place - start < _FEW:
            start -= 1
        run = items[start:place]
        said = [one for one in run if one.senses or one.times or one.place]
        if len(said) == 1 and not (start and not items[start - 1].has("comma", "stop")):
            denial = word.reworded("except", "excluding")
            rest = items[place + 1 :]
            return [*items[:start], denial, *run, *rest] if start else [*rest, denial, *run]
    return items


def _ends(items: list[Item]) -> None:
    """What follows "outside daylight, …" and is of something else is not left out as well."""
    for place in range(2, len(items) - 1):
        first, comma, other = items[place - 1 : place + 2]
        lead = next((one for one in reversed(items[: place - 1]) if not one.has("filler")), comma)
        kinds = [{sense.name for sense in one.of_kind("value")} for one in (first, other)]
        apart = all(kinds) and kinds[0].isdisjoint(kinds[1])
        if lead.has("except") and comma.has("comma") and apart:
            items[place] = comma.reworded("with")


def _of_its_kind(items: list[Item]) -> None:
    """Of "near schools, excluding elementary schools" those left out are of the schools named before."""
    for place in range(1, len(items) - 1):
        noun = items[place + 1]
        before = {sense.entity for one in items[:place] for sense in one.of_kind("entity")}
        own = [sense for sense in noun.of_kind("value") if sense.noun and sense.entity in before]
        if items[place].has("except") and own and not noun.of_kind("entity"):
            items[place + 1] = replace(noun, senses=tuple(replace(sense, noun=False) for sense in own))
