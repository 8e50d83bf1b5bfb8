"""groundframe itself as a contestant."""

from __future__ import annotations

from time import perf_counter

from groundframe.compiler.compile import compile_frame
from groundframe.errors import RejectedError
from groundframe.eval.bench.classes import Case
from groundframe.eval.bench.contestant import Answered, answer_rows
from groundframe.frames.model import Frame
from groundframe.frames.reading import read_frame
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.execute import execute
from groundframe.postgis.names import DatasetNames
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Checked

__all__ = ["Groundframe"]


class Groundframe:
    """Frames compiled and run, every time anew; only their validation is done once."""

    name = "groundframe"

    def __init__(self, dataset: Dataset) -> None:
        self._dataset = dataset
        self._names = DatasetNames(dataset)
        self._checked: dict[Case, Frame] = {}

    def takes(self, case: Case) -> bool:
        return True

    def checked(self, case: Case) -> Frame:
        """The checked frame of a case."""
        if case not in self._checked:
            outcome = validate(read_frame(case.frame), self._dataset.pack, self._names)
            if not isinstance(outcome, Checked):
                issues = getattr(outcome, "issues", ())
                raise RejectedError(f"The frame of class {case.spec.name} is not accepted.", issues=issues)
            self._checked[case] = outcome.frame
        return self._checked[case]

    def answer(self, case: Case, limit_s: float) -> Answered:
        frame = self.checked(case)
        began = perf_counter()
        plan = compile_frame(frame, self._dataset.pack, self._dataset.physical)
        execution = execute(self._dataset, plan, timeout_s=limit_s)
        compiled = perf_counter()
        with execution:
            first = perf_counter()
            rows = list(execution)
            execution.tally  # noqa: B018 - asked for its time
            ended = perf_counter()
        names = [column.name for column in plan.columns]
        places = [names.index(name) for name in case.spec.answer]
        answer = answer_rows([row[place] for place in places] for row in rows)
        return Answered(answer, ended - compiled, first - compiled, compiled - began)

    def close(self) -> None:
        self._checked.clear()
