"""What is evaluated: a dataset with its names and the oracle's view of its rows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from groundframe.compiler.compile import compile_frame
from groundframe.eval.comparison import differences
from groundframe.eval.oracle import OracleAnswer, World, answer
from groundframe.eval.rows import rows_of_dataset
from groundframe.frames.model import Frame
from groundframe.frames.reading import read_frame
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.execute import Execution, execute
from groundframe.postgis.names import DatasetNames
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Outcome

__all__ = ["Subject"]


@dataclass(frozen=True)
class Subject:
    """A dataset under evaluation; its names and rows are read once."""

    dataset: Dataset

    @cached_property
    def names(self) -> DatasetNames:
        """The names in the dataset, for the validator."""
        return DatasetNames(self.dataset)

    @cached_property
    def world(self) -> World:
        """The rows of the dataset as the oracle sees them."""
        return World(self.dataset.pack, rows_of_dataset(self.dataset))

    def check(self, frame: Mapping[str, Any], choices: Mapping[str, str] | None = None) -> Outcome:
        """Validate a frame; `choices` are the keys of places that were asked back, by path."""
        return validate(read_frame(frame), self.dataset.pack, self.names, choices=choices)

    def execution(self, frame: Frame) -> Execution:
        """Compile and run a checked frame without a limit of rows; to be used in a ``with`` statement."""
        return execute(
            self.dataset, compile_frame(frame, self.dataset.pack, self.dataset.physical), row_limit=None
        )

    def compare(self, frame: Frame) -> tuple[OracleAnswer, list[str]]:
        """The oracle's answer to a checked frame, and how the engine's differs from it."""
        expected = answer(self.world, frame)
        with self.execution(frame) as execution:
            return expected, differences(self.world, frame, expected, execution)
