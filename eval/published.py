"""The published questions, answered by the engine and compared with the oracle."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from groundframe.errors import GroundframeError
from groundframe.eval.subject import Subject
from groundframe.postgis.execute import Tally
from groundframe.validator.outcomes import Checked, NeedsChoice, Outcome, Rejected

__all__ = ["PublishedResult", "published_frames", "run_published"]

_NO_DATA = ("missing_layer", "missing_field_data")
FOLDER = Path(__file__).resolve().parent / "golden" / "published"


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One published question on a dataset.

    Parameters
    ----------
    outcome : Outcome
        Of the validation; where it is not `Checked`, nothing was run.
    tally : Tally or None
        The counts of the answer, the number of its rows among them.
    differences : tuple of str or None
        How the oracle's answer differs; None where it was not asked.
    seconds : float
        For validating, compiling and running the frame, without the oracle.
    failure : str
        Why there is no answer, where there should be one.
    """

    id: str
    question: str
    outcome: Outcome
    tally: Tally | None
    differences: tuple[str, ...] | None
    seconds: float
    failure: str = ""

    @property
    def lacks_data(self) -> bool:
        """Whether the question is about something that the dataset has no data of."""
        return isinstance(self.outcome, Rejected) and all(
            issue.code in _NO_DATA for issue in self.outcome.issues
        )

    def why_not(self) -> str:
        """Why there is no answer, or how it is wrong; empty where it is as it should be."""
        if isinstance(self.outcome, Rejected):
            return self.outcome.issues[0].sentence()
        if isinstance(self.outcome, NeedsChoice):
            return self.outcome.choices[0].text
        return self.failure or "; ".join(self.differences or ())

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON-ready data."""
        return {
            "id": self.id,
            "question": self.question,
            "executed": self.tally is not None,
            "agrees_with_oracle": None if self.differences is None else not self.differences,
            "rows": None if self.tally is None else self.tally.true_total,
            "seconds": round(self.seconds, 4),
            **({"why_not": self.why_not()} if self.why_not() else {}),
        }


def published_frames() -> Mapping[str, dict[str, Any]]:
    """The frames of the published questions by their ids, as they were written.

    Examples
    --------
    >>> published_frames()["G1_06"]["question"]
    'show towns'
    """
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}


def run_published(subject: Subject, *, oracle: bool = False) -> Iterator[PublishedResult]:
    """Answer every published question.

    Parameters
    ----------
    oracle : bool
        Whether to compare with the oracle, which takes seconds for each.
    """
    for name, frame in published_frames().items():
        start = perf_counter()
        outcome = subject.check(frame)
        tally, failure = None, ""
        if isinstance(outcome, Checked):
            try:
                with subject.execution(outcome.frame) as execution:
                    for _ in execution:
                        pass
                    tally = execution.tally
            except GroundframeError as error:
                failure = str(error)
        seconds = perf_counter() - start
        differing = None
        if oracle and isinstance(outcome, Checked) and tally is not None:
            differing = tuple(subject.compare(outcome.frame)[1])
        yield PublishedResult(name, frame["question"], outcome, tally, differing, seconds, failure)
