"""What the commands say, and where: answers on standard output, everything else on standard error.

Nothing that comes from a file or a database reaches the terminal with its control characters.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    SpinnerColumn,
    TextColumn,
    TimeElapsedColumn,
)
from rich.text import Text

from groundframe.errors import GroundframeError, IssuesError
from groundframe.formats.cells import escaped, visible
from groundframe.serialise import plain

__all__ = ["binary_output", "interactive", "print_error", "print_json", "print_line", "progress_bars", "say"]


def print_line(text: str = "") -> None:
    """One line of an answer."""
    sys.stdout.write(f"{visible(text)}\n")


def print_json(value: Any) -> None:
    """Data as indented JSON; what a terminal could take for a control is escaped."""
    text = json.dumps(plain(value), indent=2, ensure_ascii=not _utf8(), allow_nan=False)
    sys.stdout.write(f"{escaped(text)}\n")


def say(text: str, style: str = "") -> None:
    """One line beside the answer."""
    Console(stderr=True, highlight=False, soft_wrap=True).print(Text(visible(text), style=style))


def print_error(error: GroundframeError) -> None:
    """An error as one sentence; several issues as one line each."""
    if isinstance(error, IssuesError) and len(error.issues) > 1:
        for issue in error.issues:
            say(issue.sentence(), "red")
    else:
        say(str(error), "red")


def interactive() -> bool:
    """Whether somebody is there to be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def binary_output() -> BinaryIO:
    """Standard output for whole lines of bytes; on a terminal without what could steer it."""
    sys.stdout.flush()
    return _Shown() if sys.stdout.isatty() else sys.stdout.buffer


class _Shown(io.BytesIO):
    """A terminal for bytes of UTF-8."""

    def write(self, data: Any) -> int:
        text = bytes(data).decode("utf-8", "replace").replace("\r\n", "\n")
        return sys.stdout.write(escaped(text))


class Plain:
    """Progress as plain lines: one for each step."""

    def __init__(self) -> None:
        self._seen: set[str] = set()

    def __call__(self, step: str, done: int = 0, total: int | None = None) -> None:
        if step not in self._seen:
            self._seen.add(step)
            say(step)


class Bars:
    """Progress as bars, one for each step."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, Any] = {}

    def __call__(self, step: str, done: int = 0, total: int | None = None) -> None:
        if step not in self._tasks:
            self._tasks[step] = self._progress.add_task(visible(step), total=total)
        self._progress.update(self._tasks[step], completed=done, total=total)


@contextmanager
def progress_bars() -> Iterator[Plain | Bars]:
    """Report progress: bars on a terminal, plain lines elsewhere."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Plain()
        return
    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(*columns, TimeElapsedColumn(), console=console, transient=True) as progress:
        yield Bars(progress)


def _utf8() -> bool:
    return (sys.stdout.encoding or "").casefold().replace("-", "") == "utf8"
