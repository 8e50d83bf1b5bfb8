"""The folder of a batch: which frames are finished, with which file, under which settings.

========================  ==========================================================================
``NAME.geojson``, …       one file per answer
``manifest.jsonl``        one line per frame in the order of the input, as far as the batch has come
``choices.jsonl``         the questions that are open, with a place for the answer
``timings.jsonl``         how long frames took, in the order in which they were finished
``batch.json``            what all answers have in common
``.journal.jsonl``        every finished frame, in whatever order; what a later run goes by
========================  ==========================================================================
"""

from __future__ import annotations

import fcntl
import hashlib
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from groundframe.batch.lines import LineFile, read_lines
from groundframe.errors import OutputError, UsageError
from groundframe.formats.files import remove_unfinished, written_whole
from groundframe.serialise import encode

__all__ = ["CHOICES", "MANIFEST", "Finished", "Folder"]

MANIFEST, CHOICES, TIMINGS = "manifest.jsonl", "choices.jsonl", "timings.jsonl"
_SETTINGS, _JOURNAL = "batch.json", ".journal.jsonl"


@dataclass(frozen=True, slots=True)
class Finished:
    """A frame that need not be run again.

    Parameters
    ----------
    key : str
        Digest of everything that the answer depends on.
    entry : mapping
        Its line of the manifest, but for the number of the line.
    choices : list of mapping
        The questions that it has left open.
    """

    key: str
    entry: Mapping[str, Any]
    choices: list[dict[str, Any]] = field(default_factory=list)

    @property
    def files(self) -> Mapping[str, str]:
        """Its files with the SHA-256 of each."""
        found = self.entry.get("sha256")
        return found if isinstance(found, dict) else {}


class Folder:
    """A folder that one batch at a time works in; see :meth:`opened`.

    Attributes
    ----------
    path : Path
        The folder.
    settings : mapping
        What all answers of the run before had in common; empty when there was none.
    damaged : int
        Finished frames whose files were found missing or changed.
    """

    def __init__(self, path: Path, journal: LineFile) -> None:
        self.path = path
        self.settings: Mapping[str, Any] = next(iter(read_lines(path / _SETTINGS)), {})
        self.damaged = 0
        self._journal = journal
        self._timings = LineFile(path / TIMINGS)
        self._manifest: LineFile | None = None
        self._finished: dict[str, Finished] = {}
        for line in read_lines(path / _JOURNAL):
            with suppress(KeyError, TypeError):
                self._note(Finished(line["key"], line["entry"], line.get("choices", [])))

    @classmethod
    @contextmanager
    def opened(cls, path: Path) -> Iterator[Folder]:
        """The folder at `path`, made where there is none, to this process alone.

        Raises
        ------
        UsageError
            When it holds anything but a batch, or another process works in it.
        OutputError
            When it cannot be written to.
        """
        try:
            path.mkdir(parents=True, exist_ok=True)
            there = [file.name for file in path.iterdir() if not file.name.startswith(".")]
        except OSError as error:
            raise OutputError(f"'{path}' cannot be used: {error.strerror or error}.") from error
        if there and not (path / _JOURNAL).exists():
            raise UsageError(
                f"'{path}' holds other files, such as '{min(there)}'.", "A batch wants a folder of its own."
            )
        journal = LineFile(path / _JOURNAL)
        try:
            try:
                # The lock ends with the process, however that ends.
                fcntl.flock(journal.handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise UsageError(f"Another batch works in '{path}'.", "Wait for its end.") from None
            except OSError as error:
                raise OutputError(f"'{path}' cannot be locked: {error.strerror or error}.") from error
            remove_unfinished(path)
            folder = cls(path, journal)
            try:
                yield folder
            finally:
                folder._close()
        finally:
            journal.close()

    def frames(self) -> frozenset[str]:
        """Digests of the frames that were finished here."""
        return frozenset(one.entry["frame"] for one in self._finished.values())

    def answers(self) -> dict[str, dict[str, str]]:
        """The choices with which frames were run here, by the digest of the frame; the latest count."""
        made = ((one.entry["frame"], one.entry.get("choices")) for one in self._finished.values())
        return {frame: choices for frame, choices in made if choices}

    def finished(self, key: str) -> Finished | None:
        """The frame of that key, if it was finished and its files are as they were written."""
        found = self._finished.get(key)
        if found is None or all(self._is(name, digest) for name, digest in found.files.items()):
            return found
        self.damaged += 1
        return None

    def restart(self) -> None:
        """Remove everything that batches have left in the folder."""
        self.remove_all_but(())
        for name in (MANIFEST, CHOICES, _SETTINGS):
            self._remove(name)
        self._journal.clear()
        self._timings.clear()
        self._finished, self.settings = {}, {}

    def begin(self, settings: Mapping[str, Any], entries: Iterable[Mapping[str, Any]]) -> None:
        """Note the settings, and put a manifest of these entries in the place of the old one."""
        self._replace(_SETTINGS, (settings,))
        self._replace(MANIFEST, entries)
        self._manifest = LineFile(self.path / MANIFEST)

    def keep(self, finished: Finished, timing: Mapping[str, Any]) -> None:
        """Note that a frame is finished; what failed is not, and is run again by the next run."""
        if finished.entry["state"] != "failed":
            left = {"choices": finished.choices} if finished.choices else {}
            self._journal.add({"key": finished.key, "entry": finished.entry, **left})
            self._note(finished)
        self._timings.add(timing)

    def add(self, entry: Mapping[str, Any]) -> None:
        """Add a line to the manifest."""
        assert self._manifest is not None  # noqa: S101 - begun before
        self._manifest.add(entry)

    def ask(self, questions: Collection[Mapping[str, Any]]) -> None:
        """Write the questions that are open; without any there is no such file."""
        if questions:
            self._replace(CHOICES, questions)
        else:
            self._remove(CHOICES)

    def remove_all_but(self, names: Collection[str]) -> int:
        """Remove the files of earlier runs that are not among these and are as they were written."""
        known = {name: digest for one in self._finished.values() for name, digest in one.files.items()}
        strays = [name for name, digest in known.items() if name not in names and self._is(name, digest)]
        for name in strays:
            self._remove(name)
        return len(strays)

    def _note(self, finished: Finished) -> None:
        # The latest comes last.
        self._finished.pop(finished.key, None)
        self._finished[finished.key] = finished

    def _is(self, name: str, digest: str) -> bool:
        """Whether there is a file of that name and content."""
        path = self.path / name
        if Path(name).name != name or not path.is_file():
            return False
        with path.open("rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest() == digest

    def _remove(self, name: str) -> None:
        try:
            (self.path / name).unlink(missing_ok=True)
        except OSError as error:
            raise OutputError(
                f"'{self.path / name}' cannot be removed: {error.strerror or error}."
            ) from error

    def _replace(self, name: str, lines: Iterable[Mapping[str, Any]]) -> None:
        with written_whole(self.path / name) as out:
            out.writelines(f"{encode(line)}\n".encode() for line in lines)

    def _close(self) -> None:
        self._timings.close()
        if self._manifest is not None:
            self._manifest.close()
