"""The turn that every request to a geocoder waits for."""

from __future__ import annotations

import fcntl
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from groundframe.kept import private

__all__ = ["Pace"]


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
