"""Two questions in one, or one with either of two things in it, each by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from groundframe.frames.grounding.apart import KINDS, compared_kinds
from groundframe.frames.grounding.doubts import EITHER, TWO, kinds_of
from groundframe.frames.grounding.slips import BOTH
from groundframe.frames.interpretation import Interpretation
from groundframe.frames.lexical.items import Item
from groundframe.leaving_out import EDGE, rest_of

__all__ = ["halves"]

_JOINTS = re.compile(r"[\s,;?]*(?:\b(?:and|then|also|in|the|a|how many|now)\b[\s,;?]*)*$", re.IGNORECASE)


def halves(found: Interpretation, items: Sequence[Item]) -> Iterator[str]:
    """Either of two questions in one, or with either of two things in it."""
    question = found.question
    for span in found.leftovers:
        if span.meaning == TWO:
            yield _JOINTS.sub("", question[: span.start]).strip(EDGE)
            yield question[span.start :]
        compares = any(item.start == span.start and item.has("compare") for item in items)
        if span.meaning == KINDS or (compares and len(compared_kinds(items)) > 1):
            yield from _each_kind(question, items)
        if span.meaning == BOTH:
            yield from _each_measure(question, items, span.start)
        if span.meaning == EITHER:
            place = next(n for n, item in enumerate(items) if item.start == span.start)
            before, after = place - 1, place + 1
            while after + 1 < len(items) and not kinds_of(items[after]):
                after += 1
            while before > 0 and not kinds_of(items[before]):
                before -= 1
            while (
                before > 0
                and not kinds_of(items[before - 1])
                and items[before - 1].has("in", "on", "with", "at", "filler")
            ):
                before -= 1
            yield rest_of(question, items[place : after + 1])
            yield rest_of(question, items[before : place + 1])


def _each_measure(question: str, items: Sequence[Item], start: int) -> Iterator[str]:
    """Both of two numbers, and either: "killed or injured"."""
    place = next(n for n, item in enumerate(items) if item.start == start)
    sides = [
        next((n for n in side if not items[n].has("filler")), place)
        for side in (range(place - 1, -1, -1), range(place + 1, len(items)))
    ]
    if all(items[n].of_kind("measure") for n in sides):
        yield f"{question[:start]}and{question[items[place].end :]}"
        yield rest_of(question, items[place : sides[1] + 1])
        yield rest_of(question, items[sides[0] : place + 1])


def _each_kind(question: str, items: Sequence[Item]) -> Iterator[str]:
    """The question with each of the kinds that it compares, and none of the others."""
    kinds = compared_kinds(items)
    compare = [item for item in items if item.has("compare")]
    nouns = [sense for item in items for sense in item.of_kind("entity") if not item.of_kind("concept")]
    for kept in kinds:
        between = items[kinds[0] : kinds[-1] + 1]
        cut = [item for item in between if item is not items[kept] and not _is_kept(item, nouns)]
        said, noun = (
            question[items[kept].start : items[kept].end],
            question[: items[kinds[-1]].end].split()[-1],
        )
        rest = rest_of(question, [*cut, *(one for one in compare if one not in cut)])
        yield rest if said.endswith(noun) or nouns else rest.replace(said, f"{said} {noun}", 1)


def _is_kept(item: Item, nouns: Sequence[object]) -> bool:
    """Whether an item is the one noun that all kinds are of."""
    return bool(nouns) and bool(item.of_kind("entity")) and not item.of_kind("concept")
