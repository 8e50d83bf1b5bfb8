"""The published questions, answered by the engine and compared with the oracle."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from groundframe.eval.subject import Subject
from groundframe.postgis.execute import Tally
from groundframe.validator.outcomes import Checked, Outcome

__all__ = ["PublishedResult", "published_frames", "run_published"]

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
    """

    id: str
    question: str
    outcome: Outcome
    tally: Tally | None
    differences: tuple[str, ...] | None
    seconds: float


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
        tally = None
        if isinstance(outcome, Checked):
            with subject.execution(outcome.frame) as execution:
                for _ in execution:
                    pass
                tally = execution.tally
        seconds = perf_counter() - start
        differing = None
        if oracle and isinstance(outcome, Checked):
            differing = tuple(subject.compare(outcome.frame)[1])
        yield PublishedResult(name, frame["question"], outcome, tally, differing, seconds)
