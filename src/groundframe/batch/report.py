"""What became of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundframe.batch.folder import CHOICES, MANIFEST
from groundframe.batch.lines import read_lines

__all__ = ["BatchReport", "frames_in_words"]

_STATES = {
    "done": "done",
    "rejected": "rejected",
    "unsupported": "unsupported",
    "needs_choice": "waiting for a choice",
    "failed": "failed",
}


@dataclass(frozen=True, slots=True)
class BatchReport:
    """What became of a batch.

    Attributes
    ----------
    folder : Path
        Where the answers, the manifest and the questions are.
    total : int
        Frames of the batch.
    states : mapping of str to int
        How many of them are ``done``, ``rejected``, ``unsupported``, ``needs_choice`` and ``failed``; fewer
        than `total` where the batch ended at the first that was not answered.
    reused : int
        How many earlier runs had finished.
    """

    folder: Path
    total: int
    states: Mapping[str, int]
    reused: int

    @property
    def ok(self) -> bool:
        """Whether every frame was answered."""
        return self.states.get("done", 0) == self.total

    @property
    def exit_code(self) -> int:
        """0 all answered, 3 all but those that wait for a choice, 1 otherwise."""
        others = {state for state, count in self.states.items() if count and state != "done"}
        return 0 if self.ok else 3 if others == {"needs_choice"} else 1

    @property
    def entries(self) -> list[dict[str, Any]]:
        """The lines of the manifest, one per frame in the order of the input."""
        return read_lines(self.folder / MANIFEST)

    @property
    def questions(self) -> list[dict[str, Any]]:
        """The questions that are open: set each ``answer``, and hand them back as ``choices``."""
        return read_lines(self.folder / CHOICES)

    def __str__(self) -> str:
        parts = [
            f"{self.states[state]:,} {words}" for state, words in _STATES.items() if self.states.get(state)
        ]
        left = self.total - sum(self.states.values())
        if left:
            parts.append(f"{left:,} not looked at")
        said = f"{self.folder}: {frames_in_words(self.total)}, {', '.join(parts) or 'none looked at'}."
        if self.reused:
            said += f" {self.reused:,} finished before."
        if self.states.get("needs_choice"):
            said += f" Fill in {self.folder / CHOICES} and hand it back."
        return said


def frames_in_words(number: int) -> str:
    """So many frames."""
    return "1 frame" if number == 1 else f"{number:,} frames"
