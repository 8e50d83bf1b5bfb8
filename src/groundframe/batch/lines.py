"""Files of JSON Lines that grow, and of which a crash leaves whole lines."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from groundframe.errors import OutputError
from groundframe.serialise import encode

__all__ = ["LineFile", "read_lines"]


class LineFile:
    """A file to which lines are added; each has reached the disk when :meth:`add` returns.

    Parameters
    ----------
    path : Path
        The file; a last line without an end, which a killed process has left, is cut off.

    Raises
    ------
    OutputError
        When it cannot be written; it ends with the line before, then.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            self._handle = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666)
            try:
                self._size = _whole_lines(self._handle)
                os.ftruncate(self._handle, self._size)
            except BaseException:
                os.close(self._handle)
                raise
        except OSError as error:
            raise self._unwritable(error) from error

    @property
    def handle(self) -> int:
        """The descriptor of the open file, for a lock on it."""
        return self._handle

    def add(self, content: Mapping[str, Any]) -> None:
        """Add one line."""
        text = f"{encode(content)}\n".encode()
        try:
            written = 0
            while written < len(text):
                written += os.pwrite(self._handle, text[written:], self._size + written)
            os.fsync(self._handle)
        except OSError as error:
            with suppress(OSError):
                os.ftruncate(self._handle, self._size)
            raise self._unwritable(error) from error
        self._size += len(text)

    def clear(self) -> None:
        """Remove all lines."""
        os.ftruncate(self._handle, 0)
        self._size = 0

    def close(self) -> None:
        """Close the file."""
        os.close(self._handle)

    def _unwritable(self, error: OSError) -> OutputError:
        return OutputError(f"'{self._path}' cannot be written: {error.strerror or error}.")


def read_lines(path: Path) -> list[dict[str, Any]]:
    """The lines of a file that are whole; nothing where there is no file."""
    if not path.is_file():
        return []
    content = path.read_bytes()
    found = []
    for line in content[: content.rfind(b"\n") + 1].splitlines():
        try:
            parsed = json.loads(line)
        except ValueError:
            continue
        if isinstance(parsed, dict):
            found.append(parsed)
    return found


def _whole_lines(handle: int) -> int:
    """Bytes up to the end of the last whole line."""
    size = os.fstat(handle).st_size
    block = 1 << 16
    for end in range(size, 0, -block):
        start = max(0, end - block)
        last = os.pread(handle, end - start, start).rfind(b"\n")
        if last >= 0:
            return start + last + 1
    return 0
