"""The published questions, answered by the engine and by the oracle."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter
from typing import Any

from groundframe.compiler.compile import compile_frame
from groundframe.eval.comparison import differences
from groundframe.eval.oracle import World, answer
from groundframe.eval.rows import rows_of_dataset
from groundframe.frames.model import Frame
from groundframe.frames.reading import read_frame
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.execute import Execution, execute
from groundframe.postgis.names import DatasetNames
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Checked, Outcome

__all__ = [
    "PublishedResult",
    "check_frame",
    "open_execution",
    "published_frames",
    "run_published",
    "world_of",
]

FOLDER = Path(__file__).resolve().parent / "golden" / "published"


@dataclass(frozen=True, slots=True)
class PublishedResult:
    """One published question on a dataset.

    Parameters
    ----------
    outcome : Outcome
        Of the validation; where it is not `Checked`, nothing was run.
    rows : int
        Rows of the answer.
    differences : tuple of str
        What the oracle answers otherwise; None where it was not asked.
    seconds : float
        For validating, compiling and running it, without the oracle.
    """

    id: str
    question: str
    outcome: Outcome
    rows: int
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


def world_of(dataset: Dataset) -> World:
    """The rows of a dataset as the oracle sees them."""
    return World(dataset.pack, rows_of_dataset(dataset))


def check_frame(dataset: Dataset, frame: Mapping[str, Any], names: DatasetNames | None = None) -> Outcome:
    """Validate a frame against a dataset; `names` spares reading them again for every frame."""
    return validate(read_frame(frame), dataset.pack, names or DatasetNames(dataset))


def open_execution(dataset: Dataset, frame: Frame) -> Execution:
    """Compile and run a checked frame, without a limit of rows; to be used in a ``with`` statement."""
    return execute(dataset, compile_frame(frame, dataset.pack), row_limit=None)


def run_published(dataset: Dataset, world: World | None = None) -> Iterator[PublishedResult]:
    """Answer every published question, and compare with the oracle where its world is given."""
    names = DatasetNames(dataset)
    for name, frame in published_frames().items():
        start = perf_counter()
        outcome = check_frame(dataset, frame, names)
        rows = 0
        if isinstance(outcome, Checked):
            with open_execution(dataset, outcome.frame) as execution:
                rows = sum(1 for _ in execution)
        seconds = perf_counter() - start
        differing = None
        if world is not None and isinstance(outcome, Checked):
            expected = answer(world, outcome.frame)
            with open_execution(dataset, outcome.frame) as execution:
                differing = tuple(differences(dataset.pack, outcome.frame, expected, execution))
        yield PublishedResult(name, frame["question"], outcome, rows, differing, seconds)
