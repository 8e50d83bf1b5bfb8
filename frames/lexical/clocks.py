"""Hours as they are spoken: "four am", "between eleven at night and six in the morning", "9 in the a.m."."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.tokens import Token, rewritten

__all__ = ["in_hours"]

_HOURS = {word: str(number) for number, word in enumerate(words_of("times", "hours"), start=1)}
_LEADING = frozenset(words_of("times", "hour_leading"))
_JOINTS = frozenset(words_of("times", "hour_spans"))
_HALVES = (("am",), ("pm",), ("a", "m"), ("p", "m"), ("a", ".", "m"), ("p", ".", "m"), ("o'clock",))
_PARTS = (
    ("in", "the", "morning"),
    ("in", "the", "afternoon"),
    ("in", "the", "evening"),
    ("at", "night"),
)


def in_hours(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with hours in words as hours in digits, where what stands beside them says that they are.

    Examples
    --------
    >>> from groundframe.frames.lexical.tokens import tokenize
    >>> [
    ...     token.text
    ...     for token in in_hours(tokenize("from eleven at night to six in the am, six am, six schools"))
    ... ]
    ['from', '11', 'at', 'night', 'to', '6', 'am', ',', '6', 'am', ',', 'six', 'schools']
    >>> [token.text for token in in_hours(tokenize("between six and nine pm"))]
    ['between', '6', 'and', '9', 'pm']
    """

    def instead(place: int, size: int) -> tuple[list[Token], int] | None:
        token = tokens[place]
        if size == 2 and place and [one.text for one in tokens[place : place + 2]] == ["in", "the"]:
            counted = tokens[place - 1].is_number() or tokens[place - 1].text in _HOURS
            return ([], 2) if counted and _begins(tokens[place + 2 :], _HALVES) else None
        if size > 1 or token.text not in _HOURS or not _is_hour(tokens, place):
            return None
        return [Token(_HOURS[token.text], token.start, token.end, token.glued)], 1

    return rewritten(tokens, 2, instead)


def _is_hour(tokens: Sequence[Token], place: int) -> bool:
    """Whether a half or a part of the day follows, or the other end of a span that has one."""
    led = place > 0 and tokens[place - 1].text in _LEADING
    rest = tokens[place + 1 :]
    if _begins(rest, _HALVES) or _begins(rest, (("in", "the", *half) for half in _HALVES)):
        return True
    if led and _begins(rest, _PARTS):
        return True
    ended = len(rest) > 2 and rest[0].text in _JOINTS and (rest[1].is_number() or rest[1].text in _HOURS)
    return ended and (_begins(rest[2:], _HALVES) or (led and _begins(rest[2:], _PARTS)))


def _begins(tokens: Sequence[Token], phrases: Iterable[tuple[str, ...]]) -> bool:
    """Whether one of the phrases begins here."""
    return any(tuple(one.text for one in tokens[: len(phrase)]) == phrase for phrase in phrases)
