"""Results of two frames on the same data, and whether they are equal."""

from __future__ import annotations

from typing import Any

from groundframe.eval.subject import Subject
from groundframe.validator.outcomes import Checked

__all__ = ["Result", "result_of", "same_result"]

_IDENTITY = ("key", "group")
_VALUES = ("measure", "distance")

Result = tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...]
"""Rows in their order: what each is, and what was measured of it."""


def result_of(subject: Subject, checked: Checked) -> Result:
    """The rows of an answer."""
    with subject.execution(checked.frame) as execution:
        kinds = [column.kind for column in execution.columns]
        rows = []
        for row in execution:
            cells = list(zip(kinds, row, strict=False))
            identity = tuple(str(value) for kind, value in cells if kind in _IDENTITY)
            rows.append((identity, tuple(value for kind, value in cells if kind in _VALUES)))
    return tuple(rows)


def same_result(gold: Checked, wanted: Result, own: Result) -> bool:
    """Equal rows with equal measures, in order where the gold frame ranks; of a count only the number."""
    frame = gold.frame
    if "count" in frame.outputs and frame.ranking is None and not frame.group_by:
        return len(wanted) == len(own)
    if frame.ranking is not None:
        return wanted == own
    return sorted(wanted, key=str) == sorted(own, key=str)
