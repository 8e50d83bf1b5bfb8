"""Numbers in a question, with units and with the words that bound them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from groundframe.frames.lexical.classes import classes, words_of
from groundframe.frames.lexical.tokens import Token
from groundframe.frames.quantities import QuantityError, parse_number, parse_quantity

__all__ = ["Amount", "find_amount", "fitted", "has_unit", "negative_amount"]

_WORDS = frozenset(words_of("numbers", "words"))
_JOINTS = frozenset(words_of("numbers", "joints"))
_PARTS = frozenset(words_of("numbers", "parts"))
_MINUS = frozenset(words_of("numbers", "minus"))
_HALVES = frozenset({"am", "pm", "a", "p", "m", "noon", "midnight"})
_SPEEDS = frozenset({"faster", "slower"})
_ROUND = (["dozen"], ["hundred"], ["thousand"], ["million"])
_WITHIN = frozenset(words_of("numbers", "within"))
_OFF = frozenset(words_of("numbers", "around"))
_MOST = 6
_UNITS = {"length": "m", "speed": "mph"}


@dataclass(frozen=True, slots=True)
class Amount:
    """A number and what it measures.

    Parameters
    ----------
    size : int
        How many tokens say it.
    value : float
        Metres for a length; as written for anything else.
    kind : str
        ``length``, ``speed``, or empty for a plain number.
    text : str
        As written, for a parser that knows the unit that is wanted.
    more : bool
        Whether a plus sign bounds it from below ("40+").
    """

    size: int
    value: float
    kind: str
    text: str
    more: bool = False


def find_amount(tokens: Sequence[Token], start: int) -> Amount | None:
    """The longest amount that begins with this token.

    Examples
    --------
    >>> from groundframe.frames.lexical.tokens import tokenize
    >>> find_amount(tokenize("half a mile of"), 0).value
    804.672
    >>> find_amount(tokenize("40+ mph roads"), 0)
    Amount(size=3, value=40.0, kind='speed', text='40 mph', more=True)
    """
    first = tokens[start]
    if not first.is_number() and first.text not in _WORDS - _JOINTS:
        return None
    end = start + 1
    while (
        end < len(tokens) and end - start < _MOST and (tokens[end].is_number() or tokens[end].text in _WORDS)
    ):
        end += 1
    for stop in range(end, start, -1):
        words = [token.text for token in tokens[start:stop]]
        if words[-1] in _JOINTS:
            continue
        number = " ".join(words)
        unit_at, more = stop, False
        if stop < len(tokens) and tokens[stop].text == "+" and tokens[stop].glued:
            unit_at, more = stop + 1, True
        if (unit := _unit(tokens, unit_at)) is not None:
            kind, size = unit
            text = f"{number} {' '.join(token.text for token in tokens[unit_at : unit_at + size])}"
            try:
                value = parse_quantity(text, _UNITS[kind])
            except QuantityError:
                continue
            return Amount(unit_at + size - start, value, kind, text, more)
        if (words[0] in ("a", "an") and words[1:] not in _ROUND) or words[-1] in _PARTS:
            continue
        try:
            return Amount(stop - start + more, parse_number(number), "", number, more)
        except QuantityError:
            continue
    return None


def negative_amount(tokens: Sequence[Token], start: int) -> int | None:
    """How many tokens from here say an amount below 0; None where they say none.

    Examples
    --------
    >>> from groundframe.frames.lexical.tokens import tokenize
    >>> negative_amount(tokenize("-5 m of"), 0), negative_amount(tokenize("minus two miles"), 0)
    (3, 3)
    >>> negative_amount(tokenize("7 -9 am"), 1), negative_amount(tokenize("- 5 schools"), 0)
    (None, None)
    """
    sign, after = tokens[start], tokens[start + 1] if start + 1 < len(tokens) else None
    if after is None or sign.text not in _MINUS:
        return None
    if not sign.text.isalpha():
        before = tokens[start - 1] if start else None
        told = before is not None and (sign.glued or before.is_number() or before.text in _HALVES)
        if told or not after.glued or not after.is_number():
            return None
    elif after.glued:
        return None
    amount = find_amount(tokens, start + 1)
    return None if amount is None else 1 + amount.size


def fitted(amount: Amount, following: Sequence[Token], before: str) -> Amount:
    """The amount as what its neighbours make of it: "45 or faster" is a speed, "20k people" is no distance.

    Examples
    --------
    >>> from groundframe.frames.lexical.tokens import tokenize
    >>> fitted(find_amount(tokenize("20k people"), 0), tokenize("people"), "under").value
    20000.0
    """
    after = [token.text for token in following[:2]]
    if not amount.kind and after[:1] == ["or"] and set(after) & _SPEEDS:
        return replace(amount, kind="speed", text=f"{amount.text} mph")
    if not amount.text.endswith(" k") or before in _WITHIN or set(after[:1]) & _OFF:
        return amount
    number = amount.text.removesuffix(" k")
    try:
        return replace(amount, kind="", text=number, value=1000 * parse_number(number))
    except QuantityError:
        return amount  # "a K"


def has_unit(tokens: Sequence[Token], start: int) -> bool:
    """Whether a number ends before this token, and a unit begins with it."""
    return 0 < start < len(tokens) and tokens[start - 1].is_number() and _unit(tokens, start) is not None


def _unit(tokens: Sequence[Token], start: int) -> tuple[str, int] | None:
    """What the unit at this token measures, and how many tokens it has."""
    units = classes().units
    for size in (3, 2, 1):
        words = tuple(token.text for token in tokens[start : start + size])
        stemmed = tuple(token.stem for token in tokens[start : start + size])
        if len(words) == size and (kind := units.get(words) or units.get(stemmed)):
            return kind, size
    return None
