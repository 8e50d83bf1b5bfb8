"""What is handed to the public API by hand: refused in a sentence where it is of another kind."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, BinaryIO

from groundframe.errors import OutputError, UsageError

__all__ = [
    "MOST_ROWS",
    "MOST_SECONDS",
    "checked_choices",
    "checked_count",
    "checked_path",
    "checked_row_limit",
    "checked_seconds",
    "checked_stream",
    "require_type",
]

MOST_ROWS = 2**53
MOST_SECONDS = 2_000_000
"""What a database takes for its limit of time, with some room: about three weeks."""


def require_type(value: object, kind: type | tuple[type, ...], what: str, hint: str = "") -> None:
    """Refuse what is of another type.

    Examples
    --------
    >>> require_type(5, str, "A question is a text")
    Traceback (most recent call last):
    groundframe.errors.UsageError: A question is a text, not int.
    """
    if not isinstance(value, kind):
        raise UsageError(f"{what}, not {type(value).__name__}.", hint)


def checked_seconds(value: float, what: str, *, least: bool = True) -> float:
    """A span of seconds above 0, or from 0 where there is no `least`.

    Examples
    --------
    >>> checked_seconds(float("nan"), "timeout_s")
    Traceback (most recent call last):
    groundframe.errors.UsageError: timeout_s is a number of seconds, and nan is none. Give more than 0, ...
    """
    given: object = value
    number = isinstance(given, int | float) and not isinstance(given, bool) and not math.isnan(given)
    if not number or not 0 <= value <= MOST_SECONDS or (least and not value):
        room = f"more than 0, up to {MOST_SECONDS:,}" if least else f"0 to {MOST_SECONDS:,}"
        raise UsageError(f"{what} is a number of seconds, and {_shown(value)} is none.", f"Give {room}.")
    return value


def checked_count(value: int | None, what: str) -> int | None:
    """A whole number from 1, or None."""
    if not _counts(value):
        raise UsageError(f"{what} is a whole number, and {_shown(value)} is none.", "Give 1 or more.")
    return value


def checked_row_limit(value: int | None) -> int | None:
    """The most rows to read; None for all of them."""
    if not _counts(value):
        raise UsageError(
            f"{_shown(value)} rows cannot be asked for.", "Ask for 1 or more, or for all of them."
        )
    return value


def _counts(value: object) -> bool:
    whole = isinstance(value, int) and not isinstance(value, bool)
    return value is None or (whole and value in range(1, MOST_ROWS + 1))


def checked_choices(given: Mapping[str, str] | None) -> Mapping[str, str]:
    """Which candidates are meant: path to key, both of them texts."""
    if given is None:
        return {}
    hint = "Give {path: key}, as NeedsChoice lists them."
    require_type(given, Mapping, "Choices are a mapping of path to key", hint)
    for path, key in given.items():
        require_type(path, str, "The path of a choice is a text", hint)
        if not isinstance(key, str):
            raise UsageError(
                f"{_shown(key)}, chosen for '{path}', is no candidate's key, which is text.", hint
            )
    return given


def checked_path(path: str | os.PathLike[str]) -> Path:
    """The path of a file or folder to write.

    Raises
    ------
    UsageError
        When it is no path.
    OutputError
        When no file can bear its name.
    """
    require_type(path, (str, os.PathLike), "A path belongs here")
    name: Any = os.fspath(path)
    require_type(name, str, "A path belongs here")
    if "\0" in name or not _can_be_written(name):
        raise OutputError(f"{name!r} cannot be written: no file can have this name.", "Name another.")
    return Path(name)


def checked_stream(stream: BinaryIO) -> BinaryIO:
    """A binary stream to write to."""
    hint = "Open the file with mode 'wb', or take io.BytesIO()."
    given: object = stream
    if not callable(getattr(given, "write", None)) or isinstance(given, io.TextIOBase):
        raise UsageError(f"A binary stream belongs here, not {type(stream).__name__}.", hint)
    return stream


def _can_be_written(name: str) -> bool:
    try:
        os.fsencode(name)
    except UnicodeEncodeError:
        return False
    return True


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:59]}…"
