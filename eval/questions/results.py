"""Results of two frames on the same data, whether they are equal, and whether a sentence states them."""

from __future__ import annotations

import re
from math import isclose
from typing import Any

from groundframe.answer import Answer
from groundframe.compiler.compile import compile_frame
from groundframe.eval.subject import Subject
from groundframe.postgis.execute import ROW_LIMIT, TIMEOUT_S
from groundframe.query import Query
from groundframe.sentences import sentence
from groundframe.validator.outcomes import Checked

__all__ = ["Result", "misstated", "result_of", "same_result", "sentence_of"]

_IDENTITY = ("key", "group")
_VALUES = ("measure", "distance")
_LEADER = re.compile(r"comes? first with ([\d,.]*\d)")
_SUM = re.compile(r"([\d,.]*\d) .* in ([\d,]*\d) .*")
_ONLY = re.compile(r"[^:]+: ([\d,.]*\d) .*")
_ROWS = re.compile(r"(?:There (?:is|are) )?(No|[\d,]*\d) .*")

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


def sentence_of(subject: Subject, checked: Checked) -> str:
    """The sentence that the answer to a checked frame is given in."""
    dataset = subject.dataset
    query = Query(checked, compile_frame(checked.frame, dataset.pack, dataset.physical), dataset.pack)
    return sentence(Answer(query, dataset, row_limit=ROW_LIMIT, timeout_s=TIMEOUT_S))


def misstated(said: str, wanted: Result) -> str:
    """The number in a sentence that is not that of the gold result; empty where it is, or states none.

    Of a ranking or of a single row that is the first one's measure, of groups how many there are and how
    many features or what number they have together, of everything else how many there are.

    Examples
    --------
    >>> rows = ((("a",), (44,)), (("b",), (7,)))
    >>> misstated("Broadway comes first with 44 crashes. 90 towns were compared.", rows)
    ''
    >>> misstated("2 towns meet this.", rows), misstated("There are 3 groups by year.", rows)
    ('', '3')
    >>> misstated("51 crashes in 2 groups by year.", rows), misstated("50 crashes in 2 groups by year.", rows)
    ('', '50')
    >>> misstated("Broadway: 44 crashes.", rows[:1]), misstated("Broadway: 45 crashes.", rows[:1])
    ('', '45')
    >>> misstated("Lowell: 2,401.34 sum of length.", ((("a",), (2401.335,)),))
    ''
    >>> lengths = ((("a",), (90_000.4,)), (("b",), (58_769.2,)))
    >>> misstated("148,770 m (sum of length) in 2 groups by town.", lengths)
    ''
    """
    stated: list[tuple[str, set[float]]] = []
    if leader := _LEADER.search(said):
        stated.append((leader[1], set(wanted[0][1][:1]) if wanted else set()))
    elif sums := _SUM.fullmatch(said):
        columns = [column for column in _numbers(wanted) if column]
        wholes = {of(column) for column in columns for of in (sum, max, min)}
        stated += [(sums[1], wholes), (sums[2], {len(wanted)})]
    elif rows := _ROWS.fullmatch(said):
        stated.append((rows[1], {len(wanted)}))
    elif only := _ONLY.fullmatch(said):
        stated.append((only[1], set(wanted[0][1][:1]) if wanted else set()))
    return next((text for text, allowed in stated if not any(_states(text, one) for one in allowed)), "")


def _states(text: str, value: float) -> bool:
    """Whether a number is a value, up to the decimal places that it is written with."""
    places = len(text.partition(".")[2])
    rounded = places or not float(value).is_integer()
    return isclose(_number(text), value, abs_tol=0.5001 * 10**-places if rounded else 0)


def _numbers(wanted: Result) -> list[list[float]]:
    """The measures of a result, column by column."""
    columns = zip(*(values for _, values in wanted), strict=True)
    return [[value for value in column if isinstance(value, int | float)] for column in columns]


def _number(text: str) -> float:
    return 0.0 if text == "No" else float(text.replace(",", ""))
