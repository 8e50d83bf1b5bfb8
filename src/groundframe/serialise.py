"""One total JSON serialiser: the same value always becomes the same text.

Answers, reports and everything that is digested go through it. Strict JSON: there is no NaN, and whole
numbers that a JavaScript reader would change become strings.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from collections.abc import Set as AbstractSet
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from json.encoder import encode_basestring
from math import isfinite
from numbers import Integral
from typing import Any
from uuid import UUID

__all__ = ["encode", "plain"]

_SAFE = 2**53
"""Whole numbers beyond this change in a reader that knows only doubles."""


def encode(value: Any) -> str:
    """`value` as compact JSON text.

    Dates and times are ISO 8601, UUIDs and whole numbers beyond 2**53 strings, NaN and infinities null; a
    Decimal is a number; sets are sorted. Whatever else there is becomes its text.

    Examples
    --------
    >>> from datetime import date
    >>> encode({"day": date(2024, 2, 29), "mean": float("nan"), "id": 2**60, "both": (True, None)})
    '{"day":"2024-02-29","mean":null,"id":"1152921504606846976","both":[true,null]}'
    """
    encoder = _ENCODERS.get(type(value))
    return encoder(value) if encoder else _other(value)


def plain(value: Any) -> Any:
    """`value` made of the types that JSON has; ``json.loads(encode(value))`` without the detour.

    Examples
    --------
    >>> plain({"half": Decimal("0.5"), "at": time(7, 30)})
    {'half': 0.5, 'at': '07:30:00'}
    """
    if value is None or isinstance(value, bool) or type(value) is str:
        return value
    if isinstance(value, float):
        # Adding 0.0 turns a negative zero into zero: they are equal, so their text is, too.
        return float(value) + 0.0 if isfinite(value) else None
    if type(value) is int and -_SAFE <= value <= _SAFE:
        return value
    if isinstance(value, Enum):
        return plain(value.value)
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Integral):
        return int(value) if abs(int(value)) <= _SAFE else str(int(value))
    if isinstance(value, Decimal):
        if not value.is_finite():
            return None
        return plain(int(value)) if value == value.to_integral_value() else float(value)
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, timedelta):
        return value.total_seconds()
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, AbstractSet):
        return sorted((plain(item) for item in value), key=encode)
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    if isinstance(value, Iterable) and not isinstance(value, UUID):
        return [plain(item) for item in value]
    return str(value)


def _text(value: str) -> str:
    # A lone surrogate has no UTF-8 form; a question mark says that something was there.
    return encode_basestring(value if value.isascii() else value.encode("utf-8", "replace").decode())


def _integer(value: int) -> str:
    return str(value) if -_SAFE <= value <= _SAFE else f'"{value}"'


def _number(value: float) -> str:
    return repr(value + 0.0) if isfinite(value) else "null"


def _list(value: Iterable[Any]) -> str:
    return "[" + ",".join([encode(item) for item in value]) + "]"


def _object(value: Mapping[Any, Any]) -> str:
    return "{" + ",".join([f"{_text(str(key))}:{encode(item)}" for key, item in value.items()]) + "}"


def _iso(value: date | time) -> str:
    return f'"{value.isoformat()}"'


def _other(value: Any) -> str:
    return encode(plain(value))


_ENCODERS: dict[type, Callable[[Any], str]] = {
    type(None): lambda _: "null",
    bool: lambda value: "true" if value else "false",
    str: _text,
    int: _integer,
    float: _number,
    list: _list,
    tuple: _list,
    dict: _object,
    date: _iso,
    time: _iso,
}
"""The usual types, found without asking what a value is an instance of: a large answer has millions of
them."""
