"""Answers of services outside of the program, kept on disk by what was asked."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

__all__ = ["Cache", "private"]


@dataclass(frozen=True, slots=True)
class Cache:
    """A folder with one file per question.

    The file's name is a digest of the question, so that nothing in the question reaches the file system.

    Parameters
    ----------
    folder : Path
        Made when it is first written to.
    most_bytes : int, optional
        When the files hold more, those that were written first are removed; by default nothing ever is.
    """

    folder: Path
    most_bytes: int | None = None

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
        if self.most_bytes is not None:
            self._make_room(self.most_bytes)

    def _make_room(self, most: int) -> None:
        """Remove the oldest files until half is free, so that it is not done at every write."""
        found = []
        for entry in os.scandir(self.folder):
            try:
                found.append((entry.stat().st_mtime_ns, entry.stat().st_size, entry.path))
            except FileNotFoundError:
                continue  # another process was faster
        held = sum(size for _, size, _ in found)
        if held <= most:
            return
        for _, size, path in sorted(found):
            Path(path).unlink(missing_ok=True)
            held -= size
            if held <= most // 2:
                return


def private(folder: Path) -> Path:
    """The folder, made for this user alone if it was not there: what was asked is nobody else's business."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    return folder
