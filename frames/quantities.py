"""The one converter of units: what people write as a number or a quantity, into the unit that is wanted."""

from __future__ import annotations

import contextlib
import math
import re
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import pint

__all__ = ["QuantityError", "parse_number", "parse_quantity"]

_DECIMALS = 6
_NUMBER = re.compile(r"[+-]?(?:(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?|\.\d+)(?:e[+-]?\d{1,3})?", re.IGNORECASE)
_FRACTION = re.compile(r"(?:(\d{1,6})\s+)?(\d{1,6})\s*/\s*(\d{1,6})(?![\d/])")
_GLYPHS = {"½": " 1/2", "¼": " 1/4", "¾": " 3/4", "⅓": " 1/3", "⅔": " 2/3"}
_UNIT = re.compile(r"[a-z]+(?:\s*/\s*[a-z]+)?")
_ONES = re.findall(
    r"\w+",
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen "
    "seventeen eighteen nineteen",
)
_TENS = re.findall(r"\w+", "twenty thirty forty fifty sixty seventy eighty ninety")
_SMALL = {word: number for number, word in enumerate(_ONES)} | {w: 20 + 10 * n for n, w in enumerate(_TENS)}
_SCALES = {"dozen": 12, "hundred": 100, "thousand": 1000, "million": 1_000_000}
_PARTS = {"half": 1 / 2, "third": 1 / 3, "quarter": 1 / 4, "fourth": 1 / 4, "tenth": 1 / 10}
# What people write where pint has another word; everything else is pint's.
_WORDS = {"kmh": "km/hour", "kmph": "km/hour", "mi/h": "mph", "k": "km", "klick": "km", "klicks": "km"}

# What nearly every frame says, as pint defines it; the rest is pint's own.
_COMMON = (
    "kilo- = 1000 = k-",
    "meter = [length] = m = metre",
    "second = [time] = s = sec",
    "hour = 3600 * second = h = hr",
    "foot = 0.3048 * meter = ft = feet",
    "yard = 3 * foot = yd",
    "mile = 5280 * foot = mi",
    "mile_per_hour = mile / hour = mph",
    "kilometer_per_hour = kilometer / hour = kph",
)


class QuantityError(ValueError):
    """The text is no quantity, or not one of the wanted kind; the message says which."""


def parse_number(text: str) -> float:
    """A number written in digits or English words, without a unit.

    Raises
    ------
    QuantityError
        When the text is anything else.

    Examples
    --------
    >>> parse_number("1,640"), parse_number("two and a half"), parse_number("3/4")
    (1640.0, 2.5, 0.75)
    """
    number, rest = _leading_number(_plain(text))
    if number is None or rest:
        raise QuantityError(f"'{text}' is not a number")
    return number


def parse_quantity(text: str, unit: str) -> float:
    """A quantity such as ``"a quarter mile"`` in `unit`; a bare number is taken to be in it.

    Parameters
    ----------
    text : str
        A number in digits or English words and perhaps a unit.
    unit : str
        A pint unit such as ``m`` or ``mph``; empty for pure numbers.

    Raises
    ------
    QuantityError
        When the text is no quantity, or its unit measures something else.

    Examples
    --------
    >>> parse_quantity("500m", "m"), parse_quantity("a quarter mile", "m"), parse_quantity("1,640 ft", "m")
    (500.0, 402.336, 499.872)
    >>> parse_quantity("64 km/h", "mph")
    39.767756
    """
    number, rest = _leading_number(_plain(text))
    if number is None:
        raise QuantityError(f"'{text}' is not a number with a unit")
    rest = re.sub(r"^(?:of\s+)?(?:an?\s+)?", "", rest)
    if not rest:
        return number
    if not unit:
        raise QuantityError(f"'{text}' has a unit, and a plain number belongs here")
    factor = _factor(_unit_word(rest), unit)
    if factor is None:
        raise QuantityError(f"'{text}' has no unit that converts to {unit}")
    return round(number * factor, _DECIMALS)


def _plain(text: str) -> str:
    for glyph, written in _GLYPHS.items():
        text = text.replace(glyph, written)
    text = text.replace("\N{MINUS SIGN}", "-").replace("\N{NO-BREAK SPACE}", " ")
    return " ".join(text.casefold().split())


def _unit_word(rest: str) -> str:
    word = rest.rstrip(".").replace(" per ", "/").replace("an hour", "/hour").replace(" ", "")
    return _WORDS.get(word, word)


@cache
def _registry(definitions: tuple[str, ...] | None) -> pint.UnitRegistry[float]:
    """The registry of these definitions, or of all that pint knows, which takes half a second to make."""
    import pint

    if definitions is None:
        return pint.UnitRegistry()
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(None)
    for definition in definitions:
        registry.define(definition)
    return registry


@cache
def _factor(word: str, unit: str) -> float | None:
    """What one of `word` is in `unit`; None when it is no unit or measures something else."""
    import pint

    if not _UNIT.fullmatch(word) or len(word) > 40:
        return None
    for definitions in (_COMMON, None):
        with contextlib.suppress(pint.PintError, AttributeError, ValueError, TypeError):
            return float(_registry(definitions).Quantity(1.0, word).to(unit).magnitude)
    return None


def _leading_number(text: str) -> tuple[float | None, str]:
    """The number that the text begins with, and the rest."""
    fraction = _FRACTION.match(text)
    if fraction and int(fraction[3]):
        whole = int(fraction[1] or 0)
        return whole + int(fraction[2]) / int(fraction[3]), text[fraction.end() :].strip()
    digits = _NUMBER.match(text)
    if digits:
        rest = text[digits.end() :].strip()
        number = float(digits[0].replace(",", ""))
        if not math.isfinite(number) or rest[:1].isdigit() or rest[:1] in {",", "."}:
            return None, text
        scale = rest.split(" ", 1)[0]
        if scale in _SCALES:
            return number * _SCALES[scale], rest[len(scale) :].strip()
        return number, rest
    return _worded_number(text)


def _worded_number(text: str) -> tuple[float | None, str]:
    """A number in words at the start: "a quarter", "two and a half", "one hundred and fifty"."""
    whole, rest = _whole(text.replace("-", " ").split())
    if rest and (part := _part(rest[0])):
        return (1 if whole is None else whole) * part, " ".join(rest[1:])
    if whole is not None and rest[:1] == ["and"]:
        count, after = _whole(rest[1:])
        if after and (part := _part(after[0])):
            return whole + (1 if count is None else count) * part, " ".join(after[1:])
    return (None if whole is None else float(whole)), " ".join(rest)


def _part(word: str) -> float:
    return _PARTS.get(word.removesuffix("s"), 0)


def _whole(words: list[str]) -> tuple[float | None, list[str]]:
    """A whole number in words at the start, None when there is none, and the words after it."""
    done, group = 0, None
    if len(words) > 1 and words[0] in {"a", "an"}:
        # "a mile" and "a hundred" are one; "a quarter" is no whole number.
        words, group = words[1:], None if _part(words[1]) else 1
    for place, word in enumerate(words):
        following = words[place + 1] if place + 1 < len(words) else ""
        if word in _SMALL and _has_room(group, _SMALL[word]):
            group = (group or 0) + _SMALL[word]
        elif word == "hundred" and (group or 1) < 100:
            group = (group or 1) * 100
        elif word == "dozen" and (group or 1) < 100:
            group = (group or 1) * 12
        elif word in {"thousand", "million"} and (group or 1) < 1000:
            done, group = done + (group or 1) * _SCALES[word], 0
        elif word != "and" or group is None or not _has_room(group, _SMALL.get(following, 0)):
            return (None if group is None else done + group), words[place:]
    return (None if group is None else done + group), []


def _has_room(group: int | None, addend: int) -> bool:
    """Whether a number in words goes on: "five" fits after "twenty", nothing does after "five"."""
    if not group:
        return True
    zeros = len(str(group)) - len(str(group).rstrip("0"))
    return bool(0 < addend < 10**zeros)
