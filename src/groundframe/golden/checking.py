"""Checking golden files against what is answered today, and rewriting them."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any

from groundframe.api import TIMEOUT_S, Connection, connect
from groundframe.errors import (
    DatabaseError,
    GoldenError,
    GroundframeError,
    IssuesError,
    NeedsChoiceError,
    UsageError,
)
from groundframe.golden.file import ENDING, Golden, frame_document, read_golden, source_of
from groundframe.golden.recording import HEAD, recorded
from groundframe.golden.stages import Change, changes, headline
from groundframe.outcomes import require_checked

__all__ = ["Connections", "Verdict", "check_golden", "golden_files"]

SHOWN = 12


@dataclass(frozen=True, slots=True)
class Verdict:
    """What became of one golden file.

    Attributes
    ----------
    changes : tuple of Change
        What is different today, stage by stage.
    error : GroundframeError or None
        Why there is no answer to compare.
    updated : bool
        Whether the file was rewritten.
    """

    path: Path
    changes: tuple[Change, ...] = ()
    error: GroundframeError | None = None
    updated: bool = False

    @property
    def holds(self) -> bool:
        """Whether all is as recorded; the same answer from other data counts as such."""
        return self.error is None and all(change.stage == "data" for change in self.changes)

    def lines(self, name: str = "") -> Iterator[str]:
        """What there is to say: a headline, then each stage that changed, in a few lines.

        Parameters
        ----------
        name : str
            What to call the file; by default its path.
        """
        name = name or str(self.path)
        if not self.changes:
            said = self.error or ("recorded." if self.updated else "holds.")
            yield f"{name}: {said}"
            return
        yield f"{name}: {'there is no answer.' if self.error else headline(self.changes)}"
        for change in self.changes:
            yield f"  {change.stage}"
            yield from (f"    {line}" for line in change.lines[:SHOWN])
            if len(change.lines) > SHOWN:
                yield f"    … and {len(change.lines) - SHOWN:,} more"


class Connections:
    """Connections to the datasets that golden files are for, each opened once; to be used with ``with``.

    Parameters
    ----------
    url : str, optional
        The database; by default as :func:`groundframe.connect` has it.
    dataset : str, optional
        The dataset for all files, whatever they say themselves.
    timeout_s : float
        Seconds that one answer may take.
    """

    def __init__(
        self, url: str | None = None, dataset: str | None = None, *, timeout_s: float = TIMEOUT_S
    ) -> None:
        self._url = url
        self._dataset = dataset
        self._timeout = timeout_s
        self._open: dict[str | None, Connection] = {}

    def to(self, dataset: str) -> Connection:
        """The connection for a file that names this dataset."""
        name = self._dataset or dataset or None
        if name not in self._open:
            self._open[name] = connect(self._url, name, timeout_s=self._timeout)
        return self._open[name]

    def close(self) -> None:
        """Close them all."""
        for connection in self._open.values():
            connection.close()
        self._open.clear()

    def __enter__(self) -> Connections:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def golden_files(paths: Iterable[str | os.PathLike[str]]) -> list[Path]:
    """The golden files among files and folders; folders are searched with all that is in them.

    Raises
    ------
    UsageError
        When a path is not there, or there is no golden file.
    """
    given = [Path(path) for path in paths]
    found: dict[Path, None] = {}
    for path in given:
        if path.is_dir():
            for folder, inner, files in os.walk(path):
                # Repositories and environments have their own.
                inner[:] = sorted(name for name in inner if not name.startswith("."))
                found.update((Path(folder, name), None) for name in sorted(files) if name.endswith(ENDING))
        elif path.exists():
            found[path] = None
        else:
            raise UsageError(f"There is no file or folder '{path}'.")
    if not found:
        raise UsageError(
            f"There is no golden frame (*{ENDING}) in {', '.join(map(str, given))}.",
            "Make one: groundframe golden add FRAME",
        )
    return list(found)


def check_golden(path: Path, connections: Connections, *, update: bool = False) -> Verdict:
    """Answer the frame of a golden file and compare every stage.

    Parameters
    ----------
    update : bool
        Rewrite the file where anything is different.

    Raises
    ------
    DatabaseError
        When there is no database to ask.
    """
    try:
        golden = read_golden(path)
        if golden.result is None and not update:
            raise GoldenError(
                "It holds no answer yet.", f"Record it: groundframe golden check --update {path}"
            )
        source = source_of(path)
        frame = frame_document(source) if source.is_file() else golden.frame or {}
        gis = connections.to(golden.dataset)
        if golden.pack is not None and golden.pack.name != gis.pack.name:
            raise GoldenError(
                f"It is for the pack '{golden.pack.name}', and dataset '{gis.dataset.name}' is of "
                f"'{gis.pack.name}'.",
                "Choose another dataset.",
            )
        return _checked(path, golden, frame, gis, update=update)
    except DatabaseError:
        raise
    except GroundframeError as error:
        return Verdict(path, error=error)


def _checked(path: Path, golden: Golden, frame: dict[str, Any], gis: Connection, *, update: bool) -> Verdict:
    stage = "checked frame"
    try:
        checked = require_checked(gis.validate(frame, golden.choices))
        stage = "plan"
        query = gis.compile(checked)
        stage = "result"
        head = max(HEAD, len(golden.result.head)) if golden.result else HEAD
        fresh = recorded(gis, query, frame, question=golden.question, head=head).shaped_as(golden)
    except GroundframeError as error:
        return Verdict(path, (Change(stage, tuple(_reasons(error))),), error)
    found = changes(golden, fresh)
    written = update and (bool(found) or golden.result is None)
    if written:
        fresh.write(path)
    return Verdict(path, found, updated=written)


def _reasons(error: GroundframeError) -> Iterator[str]:
    """Why there is no answer, a line each; candidates as they are written under ``choices``."""
    if isinstance(error, IssuesError):
        yield from (issue.sentence() for issue in error.issues)
    elif isinstance(error, NeedsChoiceError):
        choices: Sequence[Mapping[str, Any]] = error.choices
        for choice in choices:
            yield f"{choice['text']} Choose one under 'choices':"
            for candidate in choice["candidates"]:
                yield f"{choice['path']}: {candidate['key']}  # {candidate['label']}"
    else:
        yield str(error)
