"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from groundframe.errors import GroundframeError

__all__ = ["written_whole"]


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream into `path` that takes its name only when everything has been written.

    Until then an older file of that name stays as it is, and when writing fails nothing is left behind. What
    is no ordinary file (a pipe, ``/dev/null``) is written to directly.

    Raises
    ------
    GroundframeError
        When the file cannot be written, with the reason.
    """
    target = Path(path)
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as stream:
                yield stream
            return
        if target.is_dir():
            raise IsADirectoryError(21, "it is a folder")
        # Through a link, so that the link stays one.
        target = target.resolve()
        handle, fresh = tempfile.mkstemp(dir=target.parent, prefix=".groundframe-")
        try:
            with os.fdopen(handle, "wb") as stream:
                yield stream
            Path(fresh).chmod(_mode(target))
            Path(fresh).replace(target)
        except BaseException:
            with suppress(OSError):
                Path(fresh).unlink()
            raise
    except OSError as error:
        raise GroundframeError(f"'{path}' cannot be written: {error.strerror or error}.") from error


def _mode(target: Path) -> int:
    """The permissions that the file has, or that a new one would get."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
