"""Years as they are spoken, "two thousand and fifteen", and as they are typed, "'19"."""

from __future__ import annotations

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.tokens import Token, rewritten
from groundframe.frames.quantities import QuantityError, parse_number

__all__ = ["in_digits"]

_CENTURIES = {"nineteen": 1900, "twenty": 2000}
_LONGEST = 5
_MONTHS = frozenset(name for month in words_of("times", "months") for name in (month, month[:3])) | {"sept"}
_SEASONS = ("spring", "summer", "autumn", "winter")
_JOINTS = ("-", "+", "&", "/", "and", "to", "through", "thru", "until", "till")
_ENDINGS = ("st", "nd", "rd", "th")
_FIRST, _LAST = 10, 40
"""Two digits that may be a year of this century, and no day of a month before."""


def in_digits(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with years in words as years in digits.

    Examples
    --------
    >>> from groundframe.frames.lexical.tokens import tokenize
    >>> [token.text for token in in_digits(tokenize("since two thousand and fifteen, twenty nineteen"))]
    ['since', '2015', ',', '2019']
    >>> [token.text for token in in_digits(tokenize("'19-'22"))]
    ['2019', '-', '2022']
    >>> [token.text for token in in_digits(tokenize("oct-dec 23, july 4th 22"))]
    ['oct', 'dec', '2023', ',', 'july', '4', 'th', '2022']
    """

    def instead(place: int, size: int) -> tuple[list[Token], int] | None:
        part = tokens[place : place + size]
        if size == 2 and (short := _short(part[0], part[1], tokens[place - 1] if place else None)):
            dash = Token("-", part[0].start, part[0].start) if part[0].hyphened else None
            made = Token(short, part[0].start, part[1].end, part[0].glued)
            return [*((dash,) if dash else ()), made], size
        if size == 1 and part[0].text.isdecimal() and _follows_time(tokens, place):
            return [Token(f"20{part[0].text}", part[0].start, part[0].end)], 1
        year = _year([token.text for token in part]) if size > 1 else None
        return (
            None if year is None else ([Token(str(year), part[0].start, part[-1].end, part[0].glued)], size)
        )

    return rewritten(tokens, _LONGEST, instead)


def _short(mark: Token, number: Token, before: Token | None) -> str:
    """The year that two digits behind an apostrophe say, empty where they say none."""
    feet = before is not None and before.is_number() and mark.glued
    if mark.text != "'" or feet or not number.glued or len(number.text) != 2 or not number.text.isdigit():
        return ""
    return f"20{number.text}" if number.text < "40" else f"19{number.text}"


def _follows_time(tokens: tuple[Token, ...], place: int) -> bool:
    """Whether two digits stand behind months, a day or a season of the year that they are: "oct-dec 23"."""
    number, before = tokens[place], [token.text for token in tokens[max(0, place - 3) : place]]
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    if len(number.text) != 2 or not _FIRST <= int(number.text) < _LAST or not before or number.glued:
        return False
    if (
        after is not None
        and (after.glued or after.text in (*_JOINTS, "h", "hours"))
        and after.text not in ",.?!;)"
    ):
        return False
    first, second, last = ["", "", *before][-3:]
    if last in _SEASONS:
        return True
    # A hyphen between words is no token.
    months = last in _MONTHS and (second in _MONTHS or (second in _JOINTS and first in _MONTHS))
    return months or (first in _MONTHS and second.isdecimal() and last in _ENDINGS)


def _year(words: list[str]) -> int | None:
    """The year that the words say, None where they say none."""
    if not all(word.isalpha() for word in words):
        return None
    if words[:2] == ["two", "thousand"]:
        rest = [word for word in words[2:] if word != "and"]
        number = _number(rest) if rest else None
        return 2000 + number if number is not None and words[-1] != "and" else None
    number = _number(words[1:]) if words[0] in _CENTURIES else None
    return _CENTURIES[words[0]] + number if number is not None and number >= 10 else None


def _number(words: list[str]) -> int | None:
    try:
        number = parse_number(" ".join(words))
    except QuantityError:
        return None
    return int(number) if number.is_integer() and 0 < number < 100 else None
