"""What geocoders answered, kept on disk, and the turn that every request waits for."""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cache", "Pace"]


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder with one file per question, which never expires.

    The file's name is a digest of the question, so that nothing in the question reaches the file system.
    """

    folder: Path

    def path(self, *question: object) -> Path:
        """Where the answer to this question is, or would be."""
        canonical = json.dumps(question, ensure_ascii=True, separators=(",", ":"))
        return self.folder / f"{hashlib.sha256(canonical.encode()).hexdigest()}.json"

    def write(self, path: Path, text: str) -> None:
        """Put an answer in place in one step: a reader finds all of it or none."""
        handle, name = tempfile.mkstemp(dir=private(self.folder), suffix=".part")
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                file.write(text)
            Path(name).replace(path)
        except BaseException:
            Path(name).unlink(missing_ok=True)
            raise


@dataclass(frozen=True, slots=True)
class Pace:
    """One request at a time and at least `interval` seconds from one to the next, over all processes.

    The file's lock is the turn; the file holds the time at which the last turn began.
    """

    file: Path
    interval: float
    clock: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep

    @contextmanager
    def turn(self) -> Iterator[None]:
        """Wait for the turn, and hold it."""
        private(self.file.parent)
        with self.file.open("a+", encoding="ascii") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.seek(0)
            try:
                last = float(file.read())
            except ValueError:
                last = float("-inf")
            # A last turn in the future means that the clock was set back; it costs one interval, not hours.
            wait = min(last + self.interval - self.clock(), self.interval)
            if wait > 0:
                self.sleep(wait)
            file.seek(0)
            file.truncate()
            file.write(repr(self.clock()))
            file.flush()
            yield


def private(folder: Path) -> Path:
    """The folder, made for this user alone if it was not there: what was asked is nobody else's business."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
