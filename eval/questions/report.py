"""Figures on graded questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundframe.eval.questions.measuring import GRADES, Graded
from groundframe.eval.questions.statistics import mcnemar, percentiles, wilson

__all__ = ["QuestionReport"]

_STAGES = ("proposed", "valid", "executed", "before_repair", "after_repair", "after_grounding")
_STEPS = ("read", "ground", "check", "answer")


@dataclass(frozen=True)
class QuestionReport:
    """What became of the questions of a set, as a whole and by group.

    Parameters
    ----------
    about : dict
        What was measured: set, part, interpreter, data.
    graded : list of Graded
        By the data that the questions were put to: the name of each and its questions.
    """

    about: Mapping[str, Any]
    graded: Mapping[str, Sequence[Graded]] = field(default_factory=dict)

    @property
    def all(self) -> list[Graded]:
        """The questions of all data."""
        return [one for graded in self.graded.values() for one in graded]

    def groups(self) -> dict[str, Counter[str]]:
        """The grades by group, in the order of the groups' names."""
        found: dict[str, Counter[str]] = {}
        for one in sorted(self.all, key=lambda one: one.entry.kind):
            found.setdefault(one.entry.kind, Counter())[one.grade] += 1
        return found

    def total(self) -> Counter[str]:
        """The grades of all."""
        return Counter(one.grade for one in self.all)

    def shares(self) -> dict[str, tuple[int, int, float, float]]:
        """Hits, questions and the 95 % interval of what matters."""
        every = self.all
        due = [one for one in every if one.entry.refuse]
        answerable = [one for one in every if not one.entry.refuse]
        graded = Counter(one.grade for one in answerable)
        counted = {
            "right": (graded["right"], len(answerable)),
            "right or asked back": (graded["right"] + graded["asked"], len(answerable)),
            "what was meant among what was asked back": (
                sum(one.helped for one in answerable),
                graded["asked"],
            ),
            "silently wrong": (graded["wrong"], len(answerable)),
            "refused wrongly": (graded["refused"], len(answerable)),
            "refused rightly": (sum(one.grade == "right" for one in due), len(due)),
        }
        return {name: (*pair, *wilson(*pair)) for name, pair in counted.items() if pair[1]}

    def stages(self) -> dict[str, int]:
        """How many questions came so far; of the frames, how many were right there."""
        answerable = [one.stages for one in self.all if not one.entry.refuse]
        return {name: sum(getattr(stages, name) for stages in answerable) for name in _STAGES}

    def changes(self) -> dict[str, int]:
        """What repairs and the grounding check did for better and for worse."""
        answerable = [one for one in self.all if not one.entry.refuse and one.stages.proposed]
        repaired = [one.stages for one in answerable if one.stages.repairs]
        stopped = [one for one in answerable if one.grade == "refused" and one.stages.valid]
        return {
            "repaired": len(repaired),
            "repaired to a right frame": sum(stages.after_repair for stages in repaired),
            "repaired to another frame": sum(not stages.after_repair for stages in repaired),
            "wrong frames stopped": sum(not one.stages.after_repair for one in stopped),
            "right frames stopped": sum(one.stages.after_repair for one in stopped),
        }

    def milliseconds(self) -> dict[str, tuple[float, float]]:
        """Median and 95th percentile of every stage; grounding is a part of reading."""
        steps: dict[str, list[float]] = {}
        for step in _STEPS:
            steps[step] = [1000 * one.stages.seconds[step] for one in self.all if step in one.stages.seconds]
        return {step: percentiles(times) for step, times in steps.items() if times}

    def right(self) -> dict[str, bool]:
        """Whether each question was right, by data and id; for a comparison with another run."""
        return {
            f"{data}/{one.entry.id}": one.grade == "right"
            for data, graded in self.graded.items()
            for one in graded
        }

    def against(self, other: Mapping[str, Any]) -> dict[str, Any]:
        """The exact McNemar test against another run's figures."""
        gained, lost, p = mcnemar(
            self.right(), {key: bool(value) for key, value in other["right_by_id"].items()}
        )
        return {"right_only_here": gained, "right_only_there": lost, "p": p}

    def as_dict(self, *, listed: bool) -> dict[str, Any]:
        """The figures as JSON-ready data; with `listed` the questions that are not right are among them."""
        total = self.total()
        data: dict[str, Any] = {
            **self.about,
            "questions": len(self.all),
            **{grade: total[grade] for grade in GRADES},
            "shares": {
                name: {"hits": hits, "of": of, "low": round(low, 4), "high": round(high, 4)}
                for name, (hits, of, low, high) in self.shares().items()
            },
            "stages": self.stages(),
            "changes": self.changes(),
            "groups": {
                name: {grade: grades[grade] for grade in GRADES} for name, grades in self.groups().items()
            },
            "milliseconds": {
                step: {"median": round(median, 2), "p95": round(slow, 2)}
                for step, (median, slow) in self.milliseconds().items()
            },
            "right_by_id": self.right(),
        }
        if listed:
            data["not_right"] = [
                {
                    "data": name,
                    "id": one.entry.id,
                    "question": one.entry.question,
                    "grade": one.grade,
                    "said": one.said,
                }
                for name, graded in self.graded.items()
                for one in graded
                if one.grade != "right"
            ]
        return data
