"""The question sets: every frame is valid, runs and mostly finds something; nothing is copied or repeated."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from rapidfuzz import fuzz, utils

from groundframe.compiler.compile import compile_frame
from groundframe.eval.published import published_frames
from groundframe.eval.questions.measuring import measure
from groundframe.eval.questions.sets import SETS, Entry, is_held_out, read_set
from groundframe.eval.subject import Subject
from groundframe.frames.interpretation import Interpretation
from groundframe.frames.model import Frame
from groundframe.postgis.execute import execute
from groundframe.validator.outcomes import Checked

LEAST = {"messy": 170, "unsupported": 70, "good": 200}
ANSWERED = [entry for name in ("messy", "good") for entry in read_set(name, "all")]
TOO_ALIKE = 90
_RUN = 5
"""Of so many entries one is run here; `groundframe eval questions` runs them all."""

# The state whose places the sets name.
on_the_first_state = pytest.mark.parametrize("demo", [1], ids=["seed1"], indirect=True)


@pytest.mark.parametrize("name", SETS)
def test_every_third_entry_is_held_out(name: str) -> None:
    tuning, held_out = read_set(name), read_set(name, "held_out")
    assert len(tuning) + len(held_out) >= LEAST[name]
    assert all(is_held_out(entry.id) for entry in held_out)
    assert not any(is_held_out(entry.id) for entry in tuning)
    assert 0.25 < len(held_out) / (len(tuning) + len(held_out)) < 0.42


def test_ids_and_questions_are_unique() -> None:
    entries = [entry for name in SETS for entry in read_set(name, "all")]
    repeated = Counter(" ".join(entry.question.casefold().split()) for entry in entries)
    assert [question for question, times in repeated.items() if times > 1] == []
    assert len({entry.id for entry in entries}) == len(entries)


def test_what_is_right_is_said() -> None:
    assert all(entry.refuse for entry in read_set("unsupported", "all"))
    assert [entry.id for entry in ANSWERED if entry.refuse] == []


def test_nothing_is_a_copy_of_a_published_question() -> None:
    published = [frame["question"] for frame in published_frames().values()]
    alike = [
        (entry.id, question)
        for name in SETS
        for entry in read_set(name, "all")
        for question in published
        if fuzz.token_set_ratio(entry.question, question, processor=utils.default_process) >= TOO_ALIKE
    ]
    assert alike == []


def test_every_kind_is_there_and_none_prevails() -> None:
    for name in SETS:
        kinds = Counter(entry.kind for entry in read_set(name, "all"))
        assert len(kinds) >= 12
        assert max(kinds.values()) <= 0.2 * kinds.total(), kinds


def checked(subject: Subject, frame: dict[str, Any]) -> Frame:
    """The checked frame; a gold frame is canonical, so nothing is repaired."""
    outcome = subject.check(frame)
    assert isinstance(outcome, Checked), outcome
    assert [repair for repair in outcome.repairs if repair.safety != "declared"] == []
    return outcome.frame


@on_the_first_state
def test_every_frame_is_valid_readings_differ_and_most_find_something(demo: Subject) -> None:
    empty, same = [], []
    run = ANSWERED[::_RUN]
    for entry in ANSWERED:
        try:
            readings = [checked(demo, frame) for frame in entry.frames]
            found = [rows_of(demo, frame) for frame in readings] if entry in run else []
        except Exception as error:
            error.add_note(f"{entry.id}: {entry.question}")
            raise
        if found and not found[0]:
            empty.append(entry.id)
        if len({frame.model_dump_json() for frame in readings}) < len(readings):
            same.append(entry.id)
    assert same == []
    assert len(empty) <= 0.05 * len(run), empty


def rows_of(subject: Subject, frame: Frame) -> int:
    """How many rows the answer has; one is fetched."""
    with execute(subject.dataset, compile_frame(frame, subject.dataset.pack), row_limit=1) as execution:
        assert len(list(execution)) <= 1
        return execution.tally.true_total


@on_the_first_state
def test_asking_back_helps_where_what_is_offered_gives_what_was_meant(demo: Subject) -> None:
    town = {"entity": "Town", "role": "scope"}
    quincy, lowell = (
        {"targets": [{"entity": "School", "role": "primary"}, {**town, "names": [name]}]}
        for name in ("Quincy", "Lowell")
    )

    def read(question: str) -> Interpretation:
        if question == "schools in Quincy":
            return Interpretation(question, checked(demo, quincy))
        return Interpretation(question, None, offers=("schools in Quincy",))

    entries = [Entry("a", "list", "skools quincy", (quincy,)), Entry("b", "list", "skools", (lowell,))]
    found = list(measure(demo, entries, read, lambda *_: ()))
    assert [(one.grade, one.helped) for one in found] == [("asked", True), ("asked", False)]
