"""The published questions group by group, beside the published figures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from statistics import fmean, median
from typing import Any

from groundframe.eval.published import PublishedResult
from groundframe.validator.outcomes import Checked

__all__ = ["PUBLISHED", "GroupFigures", "PublishedReport"]

PUBLISHED = {"questions": 80, "executed": 80, "repaired": 23, "with_text": 62}
"""Of the published evaluation (arXiv 2605.21712). Only the text of 62 questions was published."""


@dataclass(frozen=True, slots=True)
class Group:
    """A group of questions.

    Parameters
    ----------
    seconds : str
        The published time for all of its kind, without interpreting the question; empty where there is none.
    """

    id: str
    name: str
    seconds: str = ""


_FILTERING = "2-22"
GROUPS = (
    Group("G1", "entity retrieval", _FILTERING),
    Group("G2", "spatial scoping", _FILTERING),
    Group("G3", "attribute filtering", _FILTERING),
    Group("G4", "temporal filtering", _FILTERING),
    Group("G5", "spatial relationships", _FILTERING),
    Group("G6", "infrastructure ranking", "up to 53"),
    Group("G7", "town ranking", "mean 62"),
    Group("G8", "road segment ranking", "142"),
    Group("G9", "combinations"),
)


@dataclass(frozen=True)
class GroupFigures:
    """What was measured over some questions."""

    results: Sequence[PublishedResult]

    @property
    def executed(self) -> int:
        """Questions that were answered."""
        return sum(one.tally is not None for one in self.results)

    @property
    def lacking(self) -> int:
        """Questions about what the dataset has no data of."""
        return sum(one.lacks_data for one in self.results)

    @property
    def repaired(self) -> int:
        """Questions whose frames the validator repaired."""
        return sum(isinstance(one.outcome, Checked) and bool(one.outcome.repairs) for one in self.results)

    @property
    def agreeing(self) -> int | None:
        """Answers that are the oracle's; None where it was not asked."""
        compared = [one for one in self.results if one.differences is not None]
        return sum(one.differences == () for one in compared) if compared else None

    @property
    def rows(self) -> int:
        """Rows of all answers together."""
        return sum(one.tally.true_total for one in self.results if one.tally is not None)

    def seconds(self) -> list[float]:
        """Of the questions that were answered."""
        return [one.seconds for one in self.results if one.tally is not None]

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready data."""
        seconds = self.seconds()
        return {
            "questions": len(self.results),
            "executed": self.executed,
            "lacking_data": self.lacking,
            "repaired": self.repaired,
            "agree_with_oracle": self.agreeing,
            "rows": self.rows,
            "median_s": round(median(seconds), 4) if seconds else None,
            "mean_s": round(fmean(seconds), 4) if seconds else None,
            "worst_s": round(max(seconds), 4) if seconds else None,
        }


@dataclass(frozen=True)
class PublishedReport:
    """All results."""

    results: Sequence[PublishedResult]

    def groups(self) -> list[tuple[Group, GroupFigures]]:
        """The groups with their figures."""
        return [
            (group, GroupFigures([one for one in self.results if one.id.startswith(f"{group.id}_")]))
            for group in GROUPS
        ]

    @property
    def total(self) -> GroupFigures:
        """The figures of all questions."""
        return GroupFigures(self.results)

    def wrong(self) -> list[PublishedResult]:
        """Answers that are not the oracle's, and questions without an answer for no want of data."""
        return [one for one in self.results if one.differences or (one.tally is None and not one.lacks_data)]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        return {
            "groups": [
                {
                    "group": group.id,
                    "name": group.name,
                    **figures.as_dict(),
                    "published_s": group.seconds or None,
                }
                for group, figures in self.groups()
            ],
            "total": self.total.as_dict(),
            "published": PUBLISHED,
            "questions": [one.as_dict() for one in self.results],
        }
