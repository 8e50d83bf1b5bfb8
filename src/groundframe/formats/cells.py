"""Values as the cells of a spreadsheet, and text that is safe to show."""

from __future__ import annotations

import json
import re
import unicodedata
from calendar import month_name
from datetime import date, time
from decimal import Decimal
from typing import Any

from groundframe.frames.terms import DAY_NAMES
from groundframe.serialise import encode, plain

__all__ = ["cell", "escaped", "group_of", "guarded", "text_of", "visible"]

_FORMULA = ("=", "+", "-", "@", "\t", "\r")
_CONTROLS = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f]")
_PERIOD = re.compile(r"(\d{4})-(0[1-9]|1[0-2]|Q[1-4])")
_HIDDEN = {"Cc", "Cf", "Cs", "Co", "Zl", "Zp"}
"""Categories of characters that steer a terminal, hide or turn round what follows, or break lines."""


def guarded(text: str) -> str:
    r"""Text that no spreadsheet takes for a formula: with an apostrophe before what could start one.

    Control characters, which a spreadsheet may drop, are dropped first: what follows them starts the cell.

    Examples
    --------
    >>> guarded("=HYPERLINK(1)"), guarded("\x01+1"), guarded("Main St")
    ("'=HYPERLINK(1)", "'+1", 'Main St')
    """
    if not text.isprintable():
        text = _CONTROLS.sub("", text)
    return f"'{text}" if text.startswith(_FORMULA) else text


def cell(value: Any) -> str | int | float | bool | date | time | None:
    """A value as one cell: numbers, dates and times as such, lists joined by ``"; "``, texts guarded."""
    if type(value) is str:  # most cells by far
        return guarded(value)
    if value is None or isinstance(value, bool | date | time):
        return value
    if isinstance(value, int | float | Decimal):
        number: int | float | str | None = plain(value)
        return number
    return guarded(text_of(value))


def text_of(value: Any) -> str:
    """A value as one line of text.

    Examples
    --------
    >>> text_of(("Rain", "Fog")), text_of(time(7, 5)), text_of(None), text_of(True)
    ('Rain; Fog', '07:05', '', 'true')
    """
    if type(value) is str:
        return value
    if value is None:
        return ""
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, time) and not (value.second or value.microsecond):
        return value.isoformat("minutes")
    value = plain(value)
    if isinstance(value, str):
        return value
    if isinstance(value, list):
        return "; ".join(text_of(item) for item in value)
    return "" if value is None else encode(value) if isinstance(value, bool | dict) else str(value)


def group_of(bucket: str, value: Any) -> str:
    """A group of a time bucket in words; others as text.

    Examples
    --------
    >>> group_of("hour", 14), group_of("weekday", "thu"), group_of("month", "2025-01")
    ('14:00-14:59', 'Thursday', 'January 2025')
    >>> group_of("quarter", "2025-Q1"), group_of("town", "Quincy")
    ('Q1 2025', 'Quincy')
    """
    text = text_of(value)
    if bucket == "hour" and text.isdecimal():
        return f"{int(text):02}:00-{int(text):02}:59"
    if bucket == "month of year" and text.isdecimal():
        return month_name[int(text)]
    if bucket == "weekday":
        return DAY_NAMES.get(text, text)
    if bucket in ("month", "quarter") and (parts := _PERIOD.fullmatch(text)):
        year, part = parts.groups()
        return f"{month_name[int(part)] if part.isdecimal() else part} {year}"
    return text


def visible(text: str) -> str:
    r"""Text without the characters that steer a terminal or hide what follows.

    Examples
    --------
    >>> visible("Main\x1b[31m\tSt\u202e")
    'Main[31m St'
    """
    return "".join(
        " " if char in "\t\n\r" else char
        for char in text
        if char in "\t\n\r" or unicodedata.category(char) not in _HIDDEN
    )


def escaped(text: str) -> str:
    r"""Lines of JSON or CSV as a terminal may show them: what it could take for a control as JSON escapes.

    Examples
    --------
    >>> print(escaped('{"name":"Main\x9b31m \u202eSt"}'))
    {"name":"Main\u009b31m \u202eSt"}
    """
    if text.isprintable():
        return text
    return "".join(
        json.dumps(char)[1:-1] if char not in "\n\t" and unicodedata.category(char) in _HIDDEN else char
        for char in text
    )
