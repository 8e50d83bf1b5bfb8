"""The published questions on three synthetic states: the oracle agrees, and every constraint matters."""

from __future__ import annotations

from typing import Any

import pytest

from groundframe.eval.published import published_frames
from groundframe.eval.removal import removals
from groundframe.eval.subject import Subject
from groundframe.frames.model import Frame
from groundframe.validator.outcomes import Checked

FRAMES = published_frames()


def checked(subject: Subject, frame: dict[str, Any]) -> Frame:
    outcome = subject.check(frame)
    assert isinstance(outcome, Checked), outcome
    return outcome.frame


def rows_of(subject: Subject, frame: Frame) -> list[tuple[Any, ...]]:
    """Which rows, and what was measured of them."""
    with subject.execution(frame) as execution:
        kept = [number for number, one in enumerate(execution.columns) if one.kind in ("key", "measure")]
        return [tuple(row[number] for number in kept) for row in execution]


def test_there_are_62_questions() -> None:
    assert len(FRAMES) == 62


@pytest.mark.parametrize("name", FRAMES)
def test_the_answer_is_the_oracle_s(demo: Subject, name: str) -> None:
    expected, differing = demo.compare(checked(demo, FRAMES[name]))
    assert expected.rows, "an empty answer proves nothing"
    assert differing == []


@pytest.mark.parametrize("name", FRAMES)
def test_every_constraint_changes_the_answer(demo: Subject, name: str) -> None:
    frame = checked(demo, FRAMES[name])
    rows = rows_of(demo, frame)
    for what, less in removals(FRAMES[name]):
        outcome = demo.check(less)
        # Without it the frame may mean nothing, or by the defaults of DESIGN §3 the same.
        if isinstance(outcome, Checked) and outcome.frame != frame:
            assert rows_of(demo, outcome.frame) != rows, f"without {what} the answer is the same"
