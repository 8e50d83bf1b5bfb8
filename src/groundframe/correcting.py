"""Corrections in the middle of a question: "within 500 m, no wait, 300 m" as the asker meant it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundframe.frames.grounding.doubts import kinds_of
from groundframe.frames.lexical.asides import ENDS
from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.items import Item

__all__ = ["corrected"]

_LEADING = ("in", "on", "at", "near", "for", "from", "of", "by", "with", "inside_of", "of_place")
_REQUESTS = frozenset(words_of("courtesies", "requests"))
_JOINTS = ("and", "or", "comma", "stop", "mended", "filler", "not", "no")


def corrected(question: str, items: Sequence[Item]) -> Iterator[str]:
    """The question with what is taken back replaced by what follows the words that say so."""
    place = next((n for n in range(1, len(items)) if _takes_back(items, n)), None)
    if place is None:
        return
    start, end = place, place
    while start and items[start - 1].has(*_JOINTS) and not kinds_of(items[start - 1]):
        start -= 1
    while end < len(items) and items[end].has(*_JOINTS) and not kinds_of(items[end]):
        end += 1
    stop = next((n for n in range(end, len(items)) if items[n].text in ENDS), len(items))
    if not start or end == stop:
        return
    before, after = items[:start], items[end:stop]
    if _begins_anew(items[place + 1 : stop]):
        yield question[after[0].start :]
    yield from _replaced(question, before, after, coarse=False)
    yield from _replaced(question, before, after, coarse=True)
    yield from _again(question, before, after)
    if items[place].has("dropped") and any(one.of_kind("entity", "concept") for one in after):
        yield question[after[0].start :]


def _takes_back(items: Sequence[Item], place: int) -> bool:
    """Whether a word says that what stands before it is not meant: "no wait", or "no" behind a full stop."""
    item, before, after = items[place], items[place - 1], items[place + 1 : place + 2]
    own = item.text == "no" and before.text in ENDS and any(one.has("comma") for one in after)
    return item.has("mended") or own or (item.text == "no" and _begins_anew(items[place + 1 :]))


def _begins_anew(items: Sequence[Item]) -> bool:
    """Whether there is another question, or another request: "just how many crashes"."""
    first = next((one for one in items if not one.has(*_JOINTS) or one.text in _REQUESTS), None)
    return first is not None and (first.has("how_many", "which") or first.text in _REQUESTS)


def _replaced(question: str, before: Sequence[Item], after: Sequence[Item], *, coarse: bool) -> Iterator[str]:
    """Each thing that follows instead of the last one before that is of its kind."""
    said = question[: before[-1].end]
    swaps: list[tuple[int, int, str]] = []
    taken, first = 0, 0
    for place, item in enumerate(after):
        kinds = _coarse(item) if coarse else kinds_of(item)
        olds = [n for n, one in enumerate(before) if kinds & (_coarse(one) if coarse else kinds_of(one))]
        if not kinds or not olds:
            continue
        same = [n for n in olds if before[n].senses and before[n].senses == item.senses]
        old = start = (same or olds)[-1]
        if same:
            start, old = _alternatives(before, old)
        while first < place and after[first].has(*_LEADING, "filler") and not kinds_of(after[first]):
            first += 1
        lead = first
        while lead and after[lead - 1].has(*_LEADING) and start and before[start - 1].has(*_LEADING):
            lead, start = lead - 1, start - 1
        if lead < place and start and before[start - 1].text == after[lead].text:
            start -= 1
        text = question[after[lead].start : item.end]
        if item.times and (first_word := _leading(before[old].text)) and not _leading(item.text):
            text = f"{first_word} {text}"
        swaps.append((before[start].start, before[old].end, text))
        taken, first = place + 1, place + 1
    if not swaps:
        return
    for begin, end, text in sorted(swaps, reverse=True):
        said = f"{said[:begin]}{text}{said[end:]}"
    yield f"{said}{question[after[taken - 1].end :]}"


def _alternatives(items: Sequence[Item], place: int) -> tuple[int, int]:
    """Where the things begin and end that "or" joins to the one there: "killed or injured"."""
    first = last = place
    while first > 1 and items[first - 1].has("or") and items[first - 2].senses:
        first -= 2
    while last + 2 < len(items) and items[last + 1].has("or") and items[last + 2].senses:
        last += 2
    return first, last


def _again(question: str, before: Sequence[Item], after: Sequence[Item]) -> Iterator[str]:
    """From a word on that is said again: "the most X, sorry, most Y around it"."""
    same = [one for one in before if one.text == after[0].text]
    if same:
        yield f"{question[: same[-1].start]}{question[after[0].start :]}"


def _leading(text: str) -> str:
    """The word that leads to a time: "since 2019"."""
    word = text.split()[0]
    return word if word in words_of("times", "leading") or word in ("since", "after", "before") else ""


def _coarse(item: Item) -> set[str]:
    """What an item says, tests of one entity taken as one kind."""
    return {f"test of {sense.entity}" for sense in item.senses if sense.kind in ("concept", "value")}
