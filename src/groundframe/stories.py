"""Sentences and clauses that tell of who asks, beside a question that stands without them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence, Set

from groundframe.frames.lexical.asides import ENDS, end_of_sentence
from groundframe.frames.lexical.classes import classes, words_of
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.turns import BY_DATE

__all__ = ["points_back", "stories"]

_ASKED = ("entity", "concept", "value", "measure", "field")
_REQUESTS = ("which", "how_many", "compare", "top", "bottom")
_TELLERS = frozenset(words_of("stories", "tellers"))
_WANTING = frozenset(words_of("stories", "wanting"))
_POINTING = frozenset(words_of("stories", "pointing"))
_OPENING, _CLOSING = "(", ")"


def stories(items: Sequence[Item], left: Set[int]) -> frozenset[int]:
    """The numbers of the items of such clauses that were not understood, and of an order that nothing has.

    What is left asks as much as what they hold, and does not point back to it.
    """
    cut = set[int]()
    for start, stop in _pieces(items, left):
        piece = range(start, stop)
        if left.isdisjoint(piece) or any(items[n].reason in classes().firm for n in piece):
            continue
        if _is_told(items, start, stop) or _is_order(items, start, stop):
            cut |= {*piece, *range(stop, min(stop + 1, len(items)))}
    rest = [item for place, item in enumerate(items) if place not in cut]
    said, kept = (_asked(part) for part in ([items[n] for n in cut], rest))
    placed = any(items[place].place is not None for place in cut) and not any(item.place for item in rest)
    if not kept or said > kept or placed or points_back(items, cut):
        return frozenset()
    if any(item.has("there") or item.text == "there" for item in rest):
        named = {place for place in cut if items[place].place is not None}
        cut -= named | {place - 1 for place in named if place and items[place - 1].has("in", "on", "at")}
    return frozenset(cut)


def _pieces(items: Sequence[Item], left: Set[int]) -> Iterator[tuple[int, int]]:
    """Clauses, or whole sentences that tell something, from where to where without the sign behind them."""
    start = 0
    while start < len(items):
        stop = end_of_sentence(items, start)
        clauses = list(_clauses(items, start, stop))
        apart = all(_is_told(items, *one) for one in clauses if not left.isdisjoint(range(*one)))
        if _is_told(items, start, stop) and not (apart and len(clauses) > 1):
            while stop < len(items) and items[stop].text == "," and not _asks(items, stop + 1):
                stop = end_of_sentence(items, stop + 1)  # "my nephew, …, is one of them"
            yield start, stop
        else:
            yield from clauses
        start = stop + 1


def _clauses(items: Sequence[Item], start: int, stop: int) -> Iterator[tuple[int, int]]:
    first = start
    for place in range(start, stop + 1):
        ends = place == stop or items[place].text in ENDS | {","}
        if ends or items[place].text.endswith(","):
            if first < place:
                yield first, place
            first = place + 1


def _asks(items: Sequence[Item], start: int) -> bool:
    """Whether the rest of a sentence asks for something."""
    stop = end_of_sentence(items, start)
    return any(item.has(*_REQUESTS) or item.of_kind(*_ASKED) for item in items[start:stop])


def _is_told(items: Sequence[Item], start: int, stop: int) -> bool:
    """Whether a piece speaks of somebody and asks for nothing, or stands in brackets."""
    words = [word for item in items[start:stop] for word in item.text.split()]
    words += [" ".join(words[n : n + 2]) for n in range(len(words))]
    said = items[start:stop]
    asks = any(item.has(*_REQUESTS) for item in said) or not _WANTING.isdisjoint(words)
    ends = items[stop].text if stop < len(items) else ""
    inside = bool(start) and items[start - 1].text == _OPENING and ends == _CLOSING
    behind = any(item.text == "?" for item in items[:start]) and ends != "?"
    behind &= not any(item.times or item.amount or item.place for item in said)
    whole = (start, stop) == (0, len(items))
    empty = ends in (".", "!") and not any(_says(item) for item in said)
    denied = bool(said) and said[0].has("not") and any(item.reason for item in said) and not _asked(said)
    told = inside or behind or empty or denied or not _TELLERS.isdisjoint(words)
    return told and not (asks or whole)


def _says(item: Item) -> bool:
    """Whether an item may be a part of a question."""
    return bool(item.senses or item.times or item.amount or item.place or item.reason or item.problem)


def _is_order(items: Sequence[Item], start: int, stop: int) -> bool:
    """Whether a piece only says in which order of their dates things are wanted: "…, newest first"."""
    said = [item for item in items[start:stop] if item.known or item.reason or item.problem]
    dated = any(BY_DATE in (item.reason, item.problem) for item in said)
    return bool(start) and dated and not any(item.of_kind(*_ASKED) or item.place for item in said)


def _asked(items: Sequence[Item]) -> int:
    return sum(bool(item.of_kind(*_ASKED)) for item in items)


def points_back(items: Sequence[Item], cut: Set[int]) -> bool:
    """Whether what is left points to something that is cut: "How many streets are like that"."""
    said = [n for n in cut if items[n].of_kind(*_ASKED) or items[n].place or items[n].times]
    pairs = [" ".join(one.text for one in items[n : n + 2]) for n in range(len(items))]
    pointing = (n for n, item in enumerate(items) if {item.text, pairs[n]} & _POINTING and n not in cut)
    return bool(said) and any(n > min(said) for n in pointing)
