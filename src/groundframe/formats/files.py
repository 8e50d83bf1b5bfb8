"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

from groundframe.errors import OutputError

__all__ = ["remove_unfinished", "require_folder", "scratch_folder", "written_whole"]

_UNFINISHED = ".groundframe-"
"""How the names of files and folders begin that are not finished yet."""


@contextmanager
def written_whole(path: str | os.PathLike[str]) -> Iterator[BinaryIO]:
    """A stream into `path` that takes its name only when everything has been written.

    Until then an older file of that name stays as it is, and when writing fails nothing is left behind. The
    content has reached the disk before the name does. What is no ordinary file (a pipe, ``/dev/null``) is
    written to directly.

    Raises
    ------
    OutputError
        When the file cannot be written, with the reason.
    """
    target = Path(path)
    require_folder(target)
    try:
        if target.exists() and not target.is_file() and not target.is_dir():
            with target.open("wb") as stream:
                yield stream
            return
        if target.is_dir():
            raise OutputError(f"'{path}' cannot be written: it is a folder.", "Name a file in it.")
        # Through a link, so that the link stays one.
        target = target.resolve()
        handle, fresh = tempfile.mkstemp(dir=target.parent, prefix=_UNFINISHED)
        os.close(handle)
        try:
            # Opened by its name, which `scratch_folder` wants to know.
            with Path(fresh).open("wb") as stream:
                yield stream
                stream.flush()
                os.fsync(stream.fileno())
            Path(fresh).chmod(_mode(target))
            Path(fresh).replace(target)
        except BaseException:
            with suppress(OSError):
                Path(fresh).unlink()
            raise
    except OSError as error:
        raise OutputError(f"'{path}' cannot be written: {error.strerror or error}.") from error


def require_folder(path: Path) -> None:
    """Refuse a file in a folder that is not there.

    Raises
    ------
    OutputError
        When there is no such folder.
    """
    if not path.parent.is_dir():
        raise OutputError(
            f"'{path}' cannot be written: there is no folder '{path.parent}'.", "Make it, or name another."
        )


@contextmanager
def scratch_folder(out: BinaryIO) -> Iterator[Path]:
    """A folder for what a library writes by name on the way to `out`; it is removed at the end.

    For a file that is written whole it lies beside it: on the same disk, and where `remove_unfinished` finds
    what a killed process left.
    """
    name = getattr(out, "name", None)
    beside = Path(name).parent if isinstance(name, str) and Path(name).name.startswith(_UNFINISHED) else None
    with tempfile.TemporaryDirectory(dir=beside, prefix=_UNFINISHED) as folder:
        yield Path(folder)


def remove_unfinished(folder: Path) -> None:
    """Remove what killed processes have left in `folder`; none may be writing there."""
    for path in folder.glob(f"{_UNFINISHED}*"):
        if path.is_dir() and not path.is_symlink():
            shutil.rmtree(path)
        else:
            path.unlink()


def _mode(target: Path) -> int:
    """The permissions that the file has, or that a new one would get."""
    with suppress(OSError):
        return target.stat().st_mode & 0o777
    mask = os.umask(0)
    os.umask(mask)
    return 0o666 & ~mask
