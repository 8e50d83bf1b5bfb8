"""groundframe itself as a contestant."""

from __future__ import annotations

import json
from itertools import islice
from time import perf_counter
from typing import Any

from groundframe.compiler.compile import compile_frame
from groundframe.compiler.lowering import can_be_spelled, feature_template
from groundframe.compiler.plan import Plan
from groundframe.errors import RejectedError
from groundframe.eval.bench.classes import Case
from groundframe.eval.bench.contestant import Answered, answer_rows
from groundframe.frames.model import Frame
from groundframe.frames.reading import read_frame
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.execute import ROW_LIMIT, execute
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
        # As a batch job writes them: features as texts where the database makes them, else rows.
        template = feature_template(plan.columns, 0) if can_be_spelled(plan) else None
        most = ROW_LIMIT if template is None else None
        execution = execute(self._dataset, plan, row_limit=most, timeout_s=limit_s, template=template)
        compiled = perf_counter()
        with execution:
            coming = execution.texts() if template is not None else iter(execution)
            found = list(islice(coming, 1))
            first = perf_counter()
            found += coming
            execution.tally  # noqa: B018 - asked for its time
            ended = perf_counter()
        rows = (json.loads(text) for texts in found for text in texts) if template is not None else found
        answer = answer_rows(_answer(case, plan, row) for row in rows)
        return Answered(answer, ended - compiled, first - compiled, compiled - began)

    def close(self) -> None:
        self._checked.clear()


def _answer(case: Case, plan: Plan, row: Any) -> list[Any]:
    """What the class asks for, out of a row or a feature."""
    names = [column.name for column in plan.columns]
    if isinstance(row, dict):
        values = {names[0]: row["id"], **row["properties"]}
        return [values[name] for name in case.spec.answer]
    return [row[names.index(name)] for name in case.spec.answer]
