"""Strict JSON within limits: how every document that somebody else wrote is read.

Duplicate keys, NaN and Infinity, numbers of endless length and text that is no Unicode are refused, size and
depth are checked before anything is parsed (DESIGN §3).
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import accumulate
from pathlib import Path
from typing import Any, NoReturn

from groundframe.errors import Issue
from groundframe.frames.shape import kind_of

__all__ = ["DIGITS", "DocumentKind", "read_object", "step"]

DIGITS = 30
"""The longest whole number."""

# An unclosed string counts as a string, so that the scan is linear whatever the input.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_UNPRINTABLE = re.compile("[\x00\ud800-\udfff]")


@dataclass(frozen=True, slots=True)
class DocumentKind:
    """What kind of document is read, and its limits.

    Parameters
    ----------
    name : str
        What a message calls it, such as ``frame``.
    bytes, depth : int
        Its limits.
    smallest : str
        What to do about an empty one.
    """

    name: str
    bytes: int
    depth: int
    smallest: str = ""


class _RefusedError(Exception):
    """What makes the rest of a document unreadable, on its way to the caller as an issue."""

    def __init__(self, code: str, message: str, action: str = "") -> None:
        super().__init__(message)
        self.issue = Issue(code, "", message, action=action)


def read_object(
    source: str | bytes | Path | Mapping[str, Any], kind: DocumentKind
) -> tuple[dict[str, Any], list[Issue]]:
    """Read a JSON object from text, UTF-8 bytes, a file, or data that is already parsed.

    Returns
    -------
    (dict, list of Issue)
        The object, and everything that is wrong with it as JSON; the object is empty where it cannot be read.

    Examples
    --------
    >>> read_object('{"a": 1, "a": 2}', DocumentKind("frame", 1000, 8))[1][0].message
    "The key 'a' is given twice."
    """
    if isinstance(source, Path):
        kind = replace(kind, name=f"{kind.name} '{source}'")
    try:
        return _document(_text(source, kind), kind)
    except _RefusedError as refused:
        return {}, [refused.issue]


def step(key: str) -> str:
    """A key as one step of a JSON pointer."""
    return key.replace("~", "~0").replace("/", "~1")


def _text(source: str | bytes | Path | Mapping[str, Any], kind: DocumentKind) -> str:
    """The JSON text of the source, within the limits of size and depth."""
    what = kind.name
    if isinstance(source, Mapping):
        source = _dumped(source)
    if isinstance(source, Path):
        source = _file(source, kind.bytes)
    try:
        content = source.encode() if isinstance(source, str) else bytes(source)
    except UnicodeEncodeError:
        _refuse("not_unicode", f"The {what} holds text that is not valid Unicode.")
    if len(content) > kind.bytes:
        size = f"{len(content) / 1e6:.1f} MB" if len(content) < 1e9 else "more than 1 GB"
        message = f"The {what} is {size} large; the limit is {kind.bytes / 1e6:g} MB."
        _refuse("too_large", message, "Is this the right file?")
    depth = max(
        accumulate(1 if b[0] in b"[{" else -1 for b in _BRACKET.findall(_STRING.sub(b"", content))), default=0
    )
    if depth > kind.depth:
        _refuse("too_deep", f"The {what} is nested {depth} levels deep; the limit is {kind.depth}.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        action = "Save the file as UTF-8."
        _refuse("not_utf8", f"The {what} is not UTF-8 text (byte {error.start + 1} is not).", action)
    if not text.strip():
        _refuse("empty", f"The {what} is empty.", kind.smallest)
    return text


def _dumped(source: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(source))
    except (TypeError, ValueError, RecursionError) as error:
        _refuse("not_json", f"The data cannot be written as JSON ({error}).", "Give only what JSON knows.")


def _file(path: Path, most: int) -> bytes:
    """The file's content, at most one byte more than is allowed, so that a huge one is not read."""
    try:
        with path.open("rb") as file:
            return file.read(most + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        _refuse("unreadable", f"{path} cannot be read ({reason}).", "Is it the right path?")


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys it had twice."""

    doubled: tuple[str, ...] = ()


class _NoNumber(str):
    """A number that cannot be held: NaN, Infinity, or too long."""

    __slots__ = ()


def _document(text: str, kind: DocumentKind) -> tuple[dict[str, Any], list[Issue]]:
    """The parsed document, with the issues of its keys and numbers."""
    try:
        parsed = json.loads(
            text, object_pairs_hook=_object, parse_constant=_NoNumber, parse_float=_float, parse_int=_int
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        reason = f"{error.msg[:1].lower()}{error.msg[1:]}"
        _refuse("not_json", f"The {kind.name} is not JSON: {reason} at {place}.")
    issues = list(_odd(parsed, "", kind.name))
    if not isinstance(parsed, dict):
        _refuse("not_an_object", f"A {kind.name} is a JSON object, and this is {kind_of(parsed)}.")
    return parsed, issues


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    made = _Object(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        made.doubled = tuple(dict.fromkeys(key for key in keys if keys.count(key) > 1))
    return made


def _float(text: str) -> float | int | _NoNumber:
    number = float(text)
    if not math.isfinite(number):
        return _NoNumber(text)
    # 5.0 is the whole number 5 in JSON Schema, too.
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _int(text: str) -> int | _NoNumber:
    return int(text) if len(text) <= DIGITS else _NoNumber(text)


def _odd(value: Any, path: str, what: str) -> Iterator[Issue]:
    """Keys given twice, numbers that are none, text that no database stores."""
    if isinstance(value, _NoNumber):
        shown = value if len(value) <= 20 else f"{value[:17]}…"
        message = f"{shown} is not a number that a {what} can hold."
        yield Issue("not_a_number", path, message, action="Give a finite number.")
    elif isinstance(value, str) and _UNPRINTABLE.search(value):
        yield Issue("not_unicode", path, "The text holds a NUL or half a character.", action="Remove it.")
    elif isinstance(value, _Object):
        for key in value.doubled:
            yield Issue(
                "doubled_key", f"{path}/{step(key)}", f"The key '{key}' is given twice.", action="Keep one."
            )
        for key, part in value.items():
            if _UNPRINTABLE.search(key):
                yield Issue(
                    "not_unicode", path, "A key holds a NUL or half a character.", action="Remove it."
                )
            yield from _odd(part, f"{path}/{step(key)}", what)
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _odd(part, f"{path}/{number}", what)


def _refuse(code: str, message: str, action: str = "") -> NoReturn:
    raise _RefusedError(code, message, action) from None
