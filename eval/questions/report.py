"""Figures on graded questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import quantiles
from typing import Any

from groundframe.eval.questions.measuring import GRADES, Graded

__all__ = ["QuestionReport"]


@dataclass(frozen=True)
class QuestionReport:
    """What became of the questions of a set, as a whole and by group."""

    graded: Sequence[Graded]

    def groups(self) -> dict[str, Counter[str]]:
        """The grades by group, in the order of the groups' names."""
        found: dict[str, Counter[str]] = {}
        for one in sorted(self.graded, key=lambda one: one.entry.kind):
            found.setdefault(one.entry.kind, Counter())[one.grade] += 1
        return found

    def total(self) -> Counter[str]:
        """The grades of all."""
        return Counter(one.grade for one in self.graded)

    def milliseconds(self) -> tuple[float, float]:
        """Median and 95th percentile of the time to read a question."""
        times = sorted(1000 * one.seconds for one in self.graded)
        if len(times) < 2:
            return (times[0], times[0]) if times else (0.0, 0.0)
        cuts = quantiles(times, n=100, method="inclusive")
        return cuts[49], cuts[94]

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready data."""
        median, slow = self.milliseconds()
        total = self.total()
        return {
            "questions": len(self.graded),
            **{grade: total[grade] for grade in GRADES},
            "groups": {
                name: {grade: grades[grade] for grade in GRADES} for name, grades in self.groups().items()
            },
            "median_ms": round(median, 2),
            "p95_ms": round(slow, 2),
            "not_right": [
                {"id": one.entry.id, "question": one.entry.question, "grade": one.grade, "said": one.said}
                for one in self.graded
                if one.grade != "right"
            ],
        }
