"""Years in words, as they are spoken: "two thousand and fifteen", "twenty nineteen"."""

from __future__ import annotations

from groundframe.frames.lexical.tokens import Token, rewritten
from groundframe.frames.quantities import QuantityError, parse_number

__all__ = ["in_digits"]

_CENTURIES = {"nineteen": 1900, "twenty": 2000}
_LONGEST = 5


def in_digits(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with years in words as years in digits.

    Examples
    --------
    >>> from groundframe.frames.lexical.tokens import tokenize
    >>> [token.text for token in in_digits(tokenize("since two thousand and fifteen, twenty nineteen"))]
    ['since', '2015', ',', '2019']
    """

    def instead(place: int, size: int) -> tuple[list[Token], int] | None:
        part = tokens[place : place + size]
        year = _year([token.text for token in part]) if size > 1 else None
        return (
            None if year is None else ([Token(str(year), part[0].start, part[-1].end, part[0].glued)], size)
        )

    return rewritten(tokens, _LONGEST, instead)


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
