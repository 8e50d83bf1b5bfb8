"""Questions put to an interpreter, and what became of each, by its result on the data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from time import perf_counter
from typing import Any, Literal

from groundframe.eval.published import published_frames
from groundframe.eval.questions.sets import Entry, Part, read_set
from groundframe.eval.subject import Subject
from groundframe.frames.interpretation import Interpretation
from groundframe.frames.model import Frame
from groundframe.validator.outcomes import Checked, NeedsChoice, Rejected

__all__ = ["GRADES", "Graded", "entries_of", "measure"]

Grade = Literal["right", "asked", "refused", "wrong"]
GRADES: tuple[Grade, ...] = ("right", "asked", "refused", "wrong")
_IDENTITY = ("key", "group")
_VALUES = ("measure", "distance")


@dataclass(frozen=True, slots=True)
class Graded:
    """One question and what became of it.

    Parameters
    ----------
    grade : {'right', 'asked', 'refused', 'wrong'}
        ``right``: the result of one of the gold frames, or a refusal where one is due; ``asked``: asked back
        where one answer was expected; ``refused``: not answered though it could be; ``wrong``: another one,
        or an answer to what is to be refused.
    said : str
        What the interpreter or the validator said where there is no answer.
    seconds : float
        For reading the question, without the database.
    """

    entry: Entry
    grade: Grade
    said: str
    seconds: float
    interpretation: Interpretation


def entries_of(name: str, part: Part) -> tuple[Entry, ...]:
    """The entries of a set; the published questions are one with a single part.

    Examples
    --------
    >>> entries_of("published", "all")[0].kind
    'G1'
    """
    if name != "published":
        return read_set(name, part)
    frames = published_frames().items()
    return tuple(Entry(key, key.split("_")[0], frame["question"], (frame,)) for key, frame in frames)


def measure(
    subject: Subject, entries: Iterable[Entry], read: Callable[[str], Interpretation]
) -> Iterator[Graded]:
    """Put every question to the interpreter and grade what it makes of it."""
    results: dict[str, Any] = {}
    for entry in entries:
        start = perf_counter()
        found = read(entry.question)
        seconds = perf_counter() - start
        grade, said = _grade(subject, entry, found, results)
        yield Graded(entry, grade, said, seconds, found)


def _grade(
    subject: Subject, entry: Entry, found: Interpretation, results: dict[str, Any]
) -> tuple[Grade, str]:
    if found.frame is None:
        left = ", ".join(span.text or span.meaning for span in found.leftovers)
        return "right" if entry.refuse else "refused", f"{found.reason} {left}".strip()
    outcome = subject.check(_written(found.frame))
    if isinstance(outcome, NeedsChoice) or (isinstance(outcome, Rejected) and outcome.choices):
        return "right" if entry.ask or entry.refuse else "asked", outcome.choices[0].text
    if isinstance(outcome, Rejected):
        return "right" if entry.refuse else "refused", outcome.issues[0].sentence()
    if entry.refuse or not entry.frames:
        return "wrong", "answered"
    own = _result(subject, outcome)
    for frame in entry.frames:
        key = json.dumps(frame, sort_keys=True)
        if key not in results:
            gold = subject.check(frame)
            results[key] = (gold, _result(subject, gold) if isinstance(gold, Checked) else None)
        gold, wanted = results[key]
        if wanted is not None and _same(gold, wanted, own):
            return "right", ""
    return "wrong", "another result"


def _written(frame: Frame) -> Mapping[str, Any]:
    return frame.model_dump(mode="json", by_alias=True, exclude_defaults=True)


Result = tuple[tuple[tuple[Any, ...], tuple[Any, ...]], ...]
"""Rows in their order: what each is, and what was measured of it."""


def _result(subject: Subject, checked: Checked) -> Result:
    with subject.execution(checked.frame) as execution:
        kinds = [column.kind for column in execution.columns]
        rows = []
        for row in execution:
            cells = list(zip(kinds, row, strict=False))
            identity = tuple(str(value) for kind, value in cells if kind in _IDENTITY)
            rows.append((identity, tuple(value for kind, value in cells if kind in _VALUES)))
    return tuple(rows)


def _same(gold: Checked, wanted: Result, own: Result) -> bool:
    """Equal rows with equal measures, in order where the gold frame ranks; of a count only the number."""
    frame = gold.frame
    if "count" in frame.outputs and frame.ranking is None and not frame.group_by:
        return len(wanted) == len(own)
    if frame.ranking is not None:
        return wanted == own
    return sorted(wanted, key=str) == sorted(own, key=str)
