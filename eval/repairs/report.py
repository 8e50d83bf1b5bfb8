"""Figures over graded mutants, per family and group."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from groundframe.eval.repairs.grading import GRADES, Graded

__all__ = ["SINGLE_CHANGES", "Figures", "RepairReport", "repair_report"]

SINGLE_CHANGES = ("typo", "plural", "units", "synonym")
"""The groups of which at least nine in ten must be restored."""


@dataclass(frozen=True, slots=True)
class Figures:
    """How often each grade was given; shares leave out what is a word for something else."""

    grades: Counter[str]

    @property
    def n(self) -> int:
        """Mutants that count."""
        return self.grades.total() - self.grades["other"]

    def share(self, *grades: str) -> float:
        """The share of these grades."""
        return sum(self.grades[grade] for grade in grades) / self.n if self.n else 0.0

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready data."""
        shares = {
            "restored": self.share("restored", "unaffected"),
            "asked": self.share("asked"),
            "rejected": self.share("rejected", "asked_in_vain"),
            "wrong": self.share("wrong", "guessed"),
        }
        counts = {grade: self.grades[grade] for grade in GRADES}
        return {"n": self.n, **counts, "shares": {name: round(share, 4) for name, share in shares.items()}}


@dataclass(frozen=True, slots=True)
class RepairReport:
    """What the measuring of a validator gave."""

    families: dict[str, Figures]
    groups: dict[str, Figures]
    single_changes: Figures
    total: Figures
    as_near: Figures
    wrong: Sequence[Graded]
    others: Sequence[Graded]
    slowest: Graded | None
    median_ms: float

    @property
    def slowest_ms(self) -> float:
        """The most processor time that one validation took."""
        return self.slowest.milliseconds if self.slowest else 0.0

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return {
            "total": self.total.as_dict(),
            "single_changes": self.single_changes.as_dict(),
            "as_near_another": self.as_near.as_dict(),
            "groups": {name: figures.as_dict() for name, figures in self.groups.items()},
            "families": {name: figures.as_dict() for name, figures in self.families.items()},
            "milliseconds": {"median": round(self.median_ms, 2), "slowest": round(self.slowest_ms, 2)},
            "slowest": _example(self.slowest) if self.slowest else None,
            "wrong": [_example(one) for one in self.wrong],
            "not_restored": [_example(one) for one in self.others],
        }


def repair_report(graded: Iterable[Graded], examples: int = 3) -> RepairReport:
    """Add up grades; keep all that is wrong, and of what is rejected so many examples per family."""
    found = list(graded)
    families: dict[str, Counter[str]] = {}
    groups: dict[str, Counter[str]] = {}
    others: dict[str, list[Graded]] = {}
    for one in found:
        family = one.mutant.family
        families.setdefault(family.name, Counter())[one.grade] += 1
        groups.setdefault(family.group, Counter())[one.grade] += 1
        if one.grade in ("rejected", "asked_in_vain") and len(others.setdefault(family.name, [])) < examples:
            others[family.name].append(one)
    times = sorted(one.milliseconds for one in found) or [0.0]
    single = sum((groups.get(name, Counter()) for name in SINGLE_CHANGES), Counter[str]())
    return RepairReport(
        {name: Figures(counts) for name, counts in families.items()},
        {name: Figures(counts) for name, counts in groups.items()},
        Figures(single),
        Figures(sum(groups.values(), Counter[str]())),
        Figures(Counter(one.grade for one in found if one.mutant.change.clash == "as_near")),
        [one for one in found if one.grade in ("wrong", "guessed")],
        [one for kept in others.values() for one in kept],
        max(found, key=lambda one: one.milliseconds, default=None),
        times[len(times) // 2],
    )


def _example(one: Graded) -> dict[str, Any]:
    change = one.mutant.change
    return {
        "family": one.mutant.family.name,
        "grade": one.grade,
        "source": one.mutant.source,
        "path": change.path,
        "before": change.before,
        "after": change.after,
        "said": one.said,
        "frame": one.mutant.frame,
    }
