"""Values of fields, made canonical: one spelling, one type, one way to be unknown."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Callable, Iterable
from datetime import date, datetime, time
from typing import Any

from groundframe.postgis.load.rows import CanonicalValue
from groundframe.schema.model import EntityField
from groundframe.schema.vocabulary import ValueIndex, fold, value_index

__all__ = ["FieldCanoniser", "clean_text"]

Canonised = tuple[CanonicalValue, tuple[str, ...]]
"""A canonical value (None: unknown) and the texts in it that are not in the field's vocabulary."""

_SPACE_OR_CONTROL = re.compile(r"[\s\x00-\x1f\x7f-\x9f]+")
_CACHED = 100_000
_LARGEST = 2**31 - 1
"""The largest whole number that a column holds."""
_TRUE = frozenset({"true", "t", "yes", "y", "1"})
_FALSE = frozenset({"false", "f", "no", "n", "0"})


def clean_text(text: str) -> str:
    """Text as it is stored: Unicode NFC, runs of white space and control characters as one space, trimmed.

    Examples
    --------
    >>> clean_text(" Property  damage only ")
    'Property damage only'
    """
    if text.isascii() and text.isprintable():
        return " ".join(text.split()) if "  " in text else text.strip()
    return _SPACE_OR_CONTROL.sub(" ", unicodedata.normalize("NFC", text)).strip()


class FieldCanoniser:
    """Makes the values of one field canonical.

    Takes texts as well as typed values; a list field takes one text or several. None is blank as "" is.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> severity = FieldCanoniser(load_pack("massachusetts").entity("Crash").field("severity"))
    >>> severity("Property damage only "), severity("Grievous")
    (('Property damage only (none injured)', ()), ('Unknown', ('Grievous',)))
    """

    def __init__(self, field: EntityField) -> None:
        self._field = field
        self._index: ValueIndex = value_index(field)
        self._rank = {value.value: rank for rank, value in enumerate(field.values)}
        self._unknown = field.unknown_values[0] if field.unknown_values else None
        self._blank: CanonicalValue = (
            () if field.null_means == "none" and field.type == "category_list" else None
        )
        self._parse: Callable[[Any], Canonised] = {
            "category": self._category,
            "category_list": self._category_list,
            "number": self._number,
            "integer": self._number,
            "text": self._text,
            "date": self._date,
            "time_of_day": self._time,
            "boolean": self._boolean,
        }[field.type]
        # Few distinct values come in many rows; free text is the exception.
        self._cache: dict[Any, Canonised] | None = None if field.type == "text" else {}

    def __call__(self, raw: Any) -> Canonised:
        if isinstance(raw, list):
            raw = tuple(raw)
        if self._cache is None:
            return self._parse(raw)
        try:
            return self._cache[raw]
        except KeyError:
            canonised = self._parse(raw)
            if len(self._cache) < _CACHED:
                self._cache[raw] = canonised
            return canonised

    def _category(self, raw: Any) -> Canonised:
        text = clean_text(str(raw)) if raw is not None else ""
        if not text:
            return self._blank, ()
        value = self._index.official.get(fold(text))
        return (value, ()) if value is not None else (self._unknown, (text,))

    def _category_list(self, raw: Any) -> Canonised:
        parts: Iterable[Any] = raw if isinstance(raw, tuple) else (raw,)
        canonised = [self._category(part) for part in parts if part is not None and clean_text(str(part))]
        if not canonised:
            return self._blank, ()
        values = {str(value) for value, _ in canonised if value is not None}
        strays = tuple(stray for _, found in canonised for stray in found)
        # The order of the pack, so that rain/cloudy and cloudy/rain are one value.
        return tuple(sorted(values, key=self._rank.__getitem__)) or None, strays

    def _number(self, raw: Any) -> Canonised:
        if raw is None or (isinstance(raw, str) and not raw.strip()):
            return None, ()
        try:
            number = float(raw)
        except (TypeError, ValueError):
            return None, (clean_text(str(raw)),)
        if number in self._field.unknown_numbers:
            return None, ()
        low, high = self._field.minimum, self._field.maximum
        within = math.isfinite(number) and (low is None or number >= low) and (high is None or number <= high)
        whole = math.isfinite(number) and number.is_integer() and abs(number) <= _LARGEST
        if not within or (self._field.type == "integer" and not whole):
            return None, (clean_text(str(raw)),)
        return (int(number) if self._field.type == "integer" else number + 0.0), ()

    def _text(self, raw: Any) -> Canonised:
        return (clean_text(str(raw)) or None) if raw is not None else None, ()

    def _date(self, raw: Any) -> Canonised:
        if isinstance(raw, datetime):
            return raw.date(), ()
        if raw is None or isinstance(raw, date):
            return raw, ()
        text = clean_text(str(raw))
        try:
            return (date.fromisoformat(text) if text else None), ()
        except ValueError:
            return None, (text,)

    def _time(self, raw: Any) -> Canonised:
        if isinstance(raw, datetime):
            return raw.time(), ()
        if raw is None or isinstance(raw, time):
            return raw, ()
        text = clean_text(str(raw))
        try:
            return (time.fromisoformat(text) if text else None), ()
        except ValueError:
            return None, (text,)

    def _boolean(self, raw: Any) -> Canonised:
        if raw is None or isinstance(raw, bool):
            return raw, ()
        text = clean_text(str(raw))
        word = text.casefold()
        if word in _TRUE or word in _FALSE:
            return word in _TRUE, ()
        return None, (text,) if text else ()
