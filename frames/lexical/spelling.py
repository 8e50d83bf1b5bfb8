"""What people type instead of words: abbreviations."""

from __future__ import annotations

from collections.abc import Sequence

from groundframe.frames.lexical.classes import classes, words_of
from groundframe.frames.lexical.tokens import Token, rewritten, tokenize
from groundframe.frames.quantities import QuantityError, parse_number

__all__ = ["is_year", "spelt"]

_CALENDAR = ("cy",)
_BACK = ("last", "past", "previous")
_LONGEST = 4
_ROADS = ("route", "rt", "rte", "interstate", "highway", "hwy")
_LEAST = ("min", "minimum")
_EXTREMES = frozenset(
    {"max", "maximum", "min", "minimum", "average", "avg", "mean", "total", "highest", "the"}
)
_VAGUE = ("decade", "year", "yr")
_EXPLAINING = frozenset({"i", "e", ".", "ie", "(", "that", "is", "they", "have", "meaning", "mean"})
_IS = ("is", "are", "was", "were", "be", "r")
_SAID_OF = ("worst", "bad", "worse", "dangerous", "deadliest", "best", "safest")
_ARTICLES = ("a", "an", "the", "any", "some", "it", "them")


def spelt(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with what people type instead of words written out."""
    spellings = classes().spellings

    def instead(place: int, size: int) -> tuple[list[Token], int] | None:
        part = tokens[place : place + size]
        following = tokens[place + 1].text if place + 1 < len(tokens) else ""
        if size == 1 and part[0].text == "an" and place and _is_and(following):
            return [Token("and", part[0].start, part[0].end, part[0].glued)], 1
        if size == 1 and (digit := _instead_of_digit(tokens, place)):
            return [Token(digit, part[0].start, part[0].end)], 1
        if part[0].text == "couple" and size == 1 + (following == "of") and _goes_back(tokens, place):
            return [Token("two", part[0].start, part[-1].end)], size
        if size == 1 and part[0].text == "'" and _is_feet(tokens, place):
            return [Token("ft", part[0].start, part[0].end)], 1
        if (told := _said_of_year(tokens, place, size)) is not None:
            return told, size
        if size == 3 and (power := _power(part)):
            return [Token(power, part[0].start, part[-1].end, part[0].glued)], size
        if (road := _numbered(tokens, place, size)) is not None:
            return [road], size
        if size == 1 and part[0].text in _LEAST and _is_count(tokens, place + 1):
            return [Token(word, part[0].start, part[0].end) for word in ("at", "least")], 1
        if size == 2 and _is_number_of(tokens, place):
            return [Token("number", part[0].start, part[1].end)], size
        if size == 2 and part[0].text in _CALENDAR and is_year([part[1].text], 0):
            dash = [Token("-", part[0].start, part[0].start)] if part[0].hyphened else []
            return [*dash, Token(part[1].text, part[0].start, part[1].end)], size  # "CY2019-CY2021"
        glued = all(token.glued or token.text.isalpha() for token in part[1:])
        word = spellings.get(tuple(token.text for token in part)) if glued else None
        if word is None:
            return None
        start, end = part[0].start, part[-1].end
        return [Token(one.text, start, end, bool(n)) for n, one in enumerate(tokenize(word))], size

    return rewritten(tokens, _LONGEST, instead)


def _is_and(following: str) -> bool:
    """Whether "an" cannot be the article of what follows: "charter an private schools"."""
    return len(following) > 3 and following.isalpha() and following[0] not in "aeiouh"


def _said_of_year(tokens: Sequence[Token], place: int, size: int) -> list[Token] | None:
    """A year without words that only say that it is one: "year is 2022", "2023 year", "past 2024"."""
    part = tokens[place : place + size]
    words, after = [token.text for token in part], tokens[place + size : place + size + 1]
    led = words[:-1] in (["year", "is"], ["year", "was"], ["past"]) and is_year(words[-1:], 0)
    ends = not after or not after[0].text.isalnum()
    if led or (size == 2 and is_year(words, 0) and words[1] == "year" and ends):
        year = next(word for word in words if is_year([word], 0))
        return [Token(year, part[0].start, part[-1].end)]
    if size == 2 and words[0] == "last" and words[1] in _VAGUE:
        rest = [token.text for token in tokens[place + 2 : place + 9]]
        first = next((n for n in range(len(rest)) if is_year(rest[n:], 0)), 0)
        # "Last year vs 2023" are two.
        if first and set(rest[:first]) <= (_EXPLAINING if words[1] != "decade" else {*_EXPLAINING, ","}):
            return [Token(",", part[0].start, part[-1].end)]
    return None


def _power(part: Sequence[Token]) -> str:
    """A number that is typed with a power of ten, written out: "1e3"; empty where it is none."""
    number, mark, power = part
    glued = mark.glued and power.glued and mark.text == "e" and number.is_number() and power.text.isdecimal()
    small = glued and len(power.text) == 1 and number.text.isdecimal()
    return f"{number.text}{'0' * int(power.text)}" if small else ""


def _numbered(tokens: Sequence[Token], place: int, size: int) -> Token | None:
    """The number of a road in digits: "route nine", "interstate ninety five"."""
    part = tokens[place : place + size]
    before = tokens[place - 1].text if place else ""
    if before not in _ROADS or size > 2 or not all(token.text.isalpha() for token in part):
        return None
    try:
        number = parse_number(" ".join(token.text for token in part))
    except QuantityError:
        return None
    whole = number.is_integer() and 0 < number < 1000
    return Token(str(int(number)), part[0].start, part[-1].end) if whole else None


def _is_number_of(tokens: Sequence[Token], place: int) -> bool:
    """Whether "no." is short for number: "max no. hurt"."""
    words = [token.text for token in tokens[max(0, place - 1) : place + 3]]
    return place > 0 and words[0] in _EXTREMES and words[1:3] == ["no", "."] and len(words) > 3


def _is_count(tokens: Sequence[Token], place: int) -> bool:
    """Whether a number of things follows: "min 200 crashes"."""
    counted = tokens[place : place + 2]
    return len(counted) == 2 and counted[0].is_number() and counted[1].text.isalpha() and not counted[1].glued


def _instead_of_digit(tokens: Sequence[Token], place: int) -> str:
    """What a digit is typed for: "the day is worst 4 crashes", "within 500 m 2 a school"."""
    before = [token.text for token in tokens[max(0, place - 2) : place]]
    following = tokens[place + 1].text if place + 1 < len(tokens) else ""
    if tokens[place].text == "4" and len(before) == 2 and before[0] in _IS and before[1] in _SAID_OF:
        return "for"
    leads = before and (
        tokens[place - 1].text in ("close", "closer", "next", "near", "nearest", "less")
        or _is_unit(before[-1])
    )
    return "to" if tokens[place].text == "2" and leads and following in _ARTICLES else ""


def _is_unit(word: str) -> bool:
    return word in words_of("units", "length")


def _goes_back(tokens: Sequence[Token], place: int) -> bool:
    """Whether a word counts how far a time goes back: "the last couple of years"."""
    return place > 0 and tokens[place - 1].text in _BACK


def _is_feet(tokens: Sequence[Token], place: int) -> bool:
    """Whether a sign behind a number measures it, and closes no quotation: "within 250' of"."""
    before = tokens[place - 1] if place else None
    after = tokens[place + 1] if place + 1 < len(tokens) else None
    opened = any(one.text == "'" and not one.glued for one in tokens[:place])
    measured = before is not None and before.is_number() and tokens[place].glued
    return measured and not opened and not (after is not None and after.glued and after.text.isalnum())


def is_year(words: Sequence[str], place: int) -> bool:
    """Whether a word is a year: the first, or the second behind what joins it to a day ("of 2023")."""
    if place >= len(words) or not (words[place].isdecimal() and len(words[place]) == 4):
        return False
    return place == 0 or words[0] in ("of", "in", ",")
