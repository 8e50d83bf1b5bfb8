"""What many trials have shown: differences, and what was put to the test how often."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from groundframe.eval.random_frames.aspects import ASPECTS
from groundframe.eval.random_frames.trial import Trial

__all__ = ["TrialReport"]


@dataclass(slots=True)
class TrialReport:
    """The sum of trials.

    Attributes
    ----------
    frames, answered : int
        How many there were, and how many of their answers have rows.
    drawn, shown : Counter
        Of each aspect the frames that put it to the test, and those of them whose answer has rows.
    differing : list of Trial
        Those in which the two answers differ.
    links : list of str
        What is linked otherwise than the oracle says.
    """

    frames: int = 0
    answered: int = 0
    drawn: Counter[tuple[str, str]] = field(default_factory=Counter)
    shown: Counter[tuple[str, str]] = field(default_factory=Counter)
    differing: list[Trial] = field(default_factory=list)
    links: list[str] = field(default_factory=list)

    def add(self, trial: Trial) -> None:
        """Take a trial in."""
        self.frames += 1
        self.answered += trial.answered
        self.drawn.update(trial.aspects)
        self.shown.update(trial.aspects if trial.answered else ())
        if trial.differences:
            self.differing.append(trial)

    def missing(self) -> list[tuple[str, str]]:
        """Aspects that no frame with an answer has put to the test."""
        every = ((group, name) for group, names in ASPECTS.items() for name in names)
        return [aspect for aspect in every if not self.shown[aspect]]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        aspects = {
            group: {
                name: {"drawn": self.drawn[group, name], "with_rows": self.shown[group, name]}
                for name in names
            }
            for group, names in ASPECTS.items()
        }
        return {
            "frames": self.frames,
            "answered": self.answered,
            "links": list(self.links),
            "differences": [trial.as_dict() for trial in self.differing],
            "aspects": aspects,
        }
