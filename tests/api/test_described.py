"""A checked frame in words: nothing of it is lost, and the words are read as the same frame."""

from __future__ import annotations

import pytest

from groundframe.described import described
from groundframe.eval.repairs.ground import Ground, synthetic_ground
from groundframe.frames.grounding import Grounding
from groundframe.frames.lexical.interpreter import LexicalInterpreter
from groundframe.frames.model import Frame
from groundframe.schema.packs import load_pack
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Checked


@pytest.fixture(scope="module")
def ground() -> Ground:
    return synthetic_ground(load_pack("massachusetts"))


def _checked(question: str, ground: Ground) -> Frame:
    frame = LexicalInterpreter(ground.pack, ground.names).interpret(question).frame
    assert frame is not None, question
    assert Grounding(ground.pack, ground.names).check(question, frame) == ()
    outcome = validate(frame, ground.pack, ground.names)
    assert isinstance(outcome, Checked), outcome
    return outcome.frame.model_copy(update={"question": "", "outputs": ()})


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("crashes in Quincy near schools", "crashes in Quincy within 200 m of schools"),
        ("crashes within 200 m of schools in Quincy", "crashes within 200 m of schools in Quincy"),
        ("crashes on Main Street in Quincy", "crashes on Main Street in Quincy"),
        ("schools within a quarter mile of a bus stop", "schools within 0.25 miles of bus stops"),
        ("crosswalks within 100 ft of a school", "crosswalks within 100 ft of schools"),
        (
            "crashes within 30 m of a crosswalk and within 100 m of a bus stop",
            "crashes within 30 m of crosswalks and within 100 m of bus stops",
        ),
        (
            "schools not within 200 m of a crosswalk and not within 300 m of a bus stop",
            "schools not within 200 m of crosswalks and not within 300 m of bus stops",
        ),
        (
            "road segments with a sidewalk on one side in Quincy",
            "road segments (sidewalk one side) in Quincy",
        ),
        ("crashes in snow or sleet in Quincy", None),
        ("how many crashes did each town have in 2024", None),
        (
            "for each school in Quincy, how many crashes within 400 m",
            "for each school in Quincy, crashes within 400 m",
        ),
        ("for each town, how many crosswalks", "for each town, number of crosswalks"),
        ("towns with between 10 and 15 crashes", "towns with between 10 and 15 crashes"),
        (
            "towns with more than 20 crashes and fewer than 5 fatal ones",
            "towns with over 20 crashes and under 5 fatal crashes",
        ),
        ("road segments named Main Street in Quincy", "road segments (named Main Street) in Quincy"),
    ],
)
def test_words_are_read_back(question: str, words: str | None, ground: Ground) -> None:
    frame = _checked(question, ground)
    said = described(frame, ground.pack)
    assert said == (words or said)
    assert _checked(said, ground) == frame
