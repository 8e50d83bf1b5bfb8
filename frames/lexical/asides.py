"""Sentences about who asks: they ask nothing, but may name the place that is meant."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.tokens import stems

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["set_aside"]

_ENDS = frozenset({".", "?", "!", ";", ":", "-", "\u2013", "\u2014"})
_REQUESTS = ("which", "how_many", "where", "compare", "top")
_LEADING = ("in", "near", "on", "at", "of_place")


def set_aside(items: Sequence[Item]) -> list[Item]:
    """The items, with those of asides emptied: "We live on Main Street. …" leaves the street.

    An aside begins a sentence with its speaker and what they are or do (`words.yaml`, ``asides``), and ends
    where the sentence does, or at a comma before a question.
    """
    made: list[Item] = []
    place = 0
    while place < len(items):
        stop = _end(items, place)
        if _opens(items[place:stop]) and stop < len(items):
            made += [_emptied(items, one) for one in range(place, stop)]
        else:
            made += items[place:stop]
        made += items[stop : stop + 1]
        place = stop + 1
    return made


def _end(items: Sequence[Item], start: int) -> int:
    """Where the sentence ends that begins here."""
    for place in range(start, len(items)):
        item = items[place]
        after = items[place + 1] if place + 1 < len(items) else None
        if item.text in _ENDS and not item.times:
            return place
        if item.text == "," and after is not None and (after.has(*_REQUESTS) or after.text in _asking()):
            return place
    return len(items)


def _opens(items: Sequence[Item]) -> bool:
    """Whether the sentence says who asks, and what they are or do."""
    words = stems(" ".join(item.text for item in items))[:8]
    while words and words[0] in _words("greetings"):
        words = words[1:]
    for size in (4, 3, 2, 1):
        if words[:size] in _phrases("speakers"):
            rest = words[size:]
            break
    else:
        return False
    verb = next((size for size in (3, 2, 1) if rest[:size] in _phrases("doing")), 0)
    return bool(verb or words[:size] in _phrases("are")) and not any(
        rest[verb : verb + size] in _phrases("wanting") for size in (1, 2)
    )


def _emptied(items: Sequence[Item], place: int) -> Item:
    """The item without its meaning, unless it names a place or leads to one."""
    item = items[place]
    after = items[place + 1] if place + 1 < len(items) else None
    if item.place is not None or (item.has(*_LEADING) and after is not None and after.place is not None):
        return replace(item, aside=True)
    nothing = type(item)(item.start, item.end, item.text)
    return replace(nothing, classes=frozenset({"filler"}), aside=True)


@cache
def _phrases(name: str) -> frozenset[tuple[str, ...]]:
    return frozenset(stems(phrase) for phrase in words_of("asides", name))


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(word for phrase in _phrases(name) for word in phrase)


def _asking() -> frozenset[str]:
    return _words("asking")
