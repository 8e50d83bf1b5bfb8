"""One drawn frame, answered twice."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from random import Random
from typing import Any

from groundframe.eval.comparison import differences
from groundframe.eval.oracle import Evaluation, OracleAnswer, answer_of, last_period
from groundframe.eval.random_frames.aspects import Case, aspects_of
from groundframe.eval.random_frames.choices import Pick, Recorder, replay, simplest
from groundframe.eval.random_frames.drawing import draw_frame
from groundframe.eval.random_frames.sketch import Data
from groundframe.eval.subject import Subject
from groundframe.frames.model import Frame
from groundframe.validator.outcomes import Checked, Rejected

__all__ = ["Trial", "answered_otherwise", "try_drawn", "try_frame"]

EXCLUDED = {"contradiction", "empty_period"}
"""What the validator may find wrong with a drawn frame: conditions that exclude each other."""


@dataclass(frozen=True, slots=True)
class Trial:
    """What became of a drawn frame.

    Parameters
    ----------
    number : int
        Its number among those of a seed.
    frame : dict
        The checked frame; as drawn, where the validator refuses it.
    aspects : frozenset of (group, name)
        What it puts to the test.
    answered : bool
        Whether the answer has rows.
    differences : tuple of str
        How the engine's answer differs from the oracle's.
    simplest : dict or None
        The simplest frame that was found to differ, too.
    expected : OracleAnswer or None
        The oracle's answer; None where the validator refuses the frame.
    """

    number: int
    frame: Data
    aspects: frozenset[tuple[str, str]] = frozenset()
    answered: bool = False
    differences: tuple[str, ...] = ()
    simplest: Data | None = None
    expected: OracleAnswer | None = None

    def as_dict(self) -> dict[str, Any]:
        """What differs, as JSON-ready data."""
        return {
            "number": self.number,
            "differences": list(self.differences),
            "frame": self.frame,
            "simplest": self.simplest,
        }


def try_frame(subject: Subject, seed: int, number: int, *, simplify: bool = True) -> Trial:
    """Draw the frame of that number, and compare its two answers.

    Frames whose conditions exclude each other are drawn again.

    Parameters
    ----------
    simplify : bool
        Look for the simplest frame that differs, too; takes a minute where one does.
    """
    dice = Random(f"{seed} {number}")
    while True:
        choices = Recorder(dice)
        trial = try_drawn(subject, choices, number)
        if trial is not None:
            break
    if trial.differences and simplify:
        made = simplest(choices.made, lambda made: _differs(subject, replay(made)))
        simpler = try_drawn(subject, replay(made), number)
        if simpler is not None:
            return replace(trial, simplest=simpler.frame)
    return trial


def _differs(subject: Subject, pick: Pick) -> bool:
    trial = try_drawn(subject, pick, 0)
    return trial is not None and bool(trial.differences)


def try_drawn(subject: Subject, pick: Pick, number: int) -> Trial | None:
    """The trial of the frame that these choices make; None where its conditions exclude each other."""
    drawn = draw_frame(subject.world, pick)
    outcome = subject.check(drawn)
    if isinstance(outcome, Rejected) and {issue.code for issue in outcome.issues} <= EXCLUDED:
        return None
    if not isinstance(outcome, Checked):
        reasons = [issue.sentence() for issue in outcome.issues] if isinstance(outcome, Rejected) else []
        return Trial(number, drawn, differences=("not checked", *reasons))
    frame = outcome.frame
    shown = frame.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    found = Evaluation(subject.world, frame)
    expected = answer_of(found)
    aspects = frozenset(aspects_of(Case(drawn, frame, found, expected)))
    wrong = answered_otherwise(subject, frame, expected)
    wrong += _period_differences(subject, drawn, frame)
    return Trial(number, shown, aspects, bool(expected.rows), tuple(wrong), expected=expected)


def answered_otherwise(subject: Subject, frame: Frame, expected: OracleAnswer) -> list[str]:
    """How the engine's answer to a checked frame differs from the oracle's; that there is none is one way."""
    try:
        with subject.execution(frame) as execution:
            return differences(subject.world, frame, expected, execution)
    except Exception as error:
        # Whatever keeps the engine from an answer that the oracle has is a difference.
        return [f"no answer ({type(error).__name__}): {error}"]


def _period_differences(subject: Subject, drawn: Mapping[str, Any], frame: Frame) -> Iterator[str]:
    """What differs in periods that were drawn as the last so many years and are written out by now."""
    entities = {target.id: target.entity for target in frame.targets}
    for written, when in zip(drawn.get("temporal_constraints", ()), frame.temporal_constraints, strict=True):
        if "last" not in written:
            continue
        entity = entities[when.target_role]
        field = subject.world.pack.entity(entity).date_field or ""
        days = (feature.values.get(field) for feature in subject.world.features[entity].values())
        first, last = last_period((day for day in days if day is not None), **written["last"])
        first = max(first, date.fromisoformat(written.get("from", first.isoformat())))
        last = min(last, date.fromisoformat(written.get("to", last.isoformat())))
        wanted, got = (first.isoformat(), last.isoformat()), (when.from_, when.to)
        if got != wanted:
            yield f"period: {got} instead of {wanted}"
