"""Frames drawn at random: PostGIS and the oracle agree on every row and every count."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, note, settings
from hypothesis import strategies as st

from groundframe.eval.drawing import draw_frame
from groundframe.eval.oracle import World
from groundframe.eval.subject import Subject
from groundframe.schema.predicate import OPERATORS
from groundframe.validator.outcomes import Checked, Rejected

SETTINGS = settings(
    max_examples=60,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@st.composite
def frames(draw: st.DrawFn, world: World) -> dict[str, Any]:
    def pick(options: Sequence[Any]) -> Any:
        return options[draw(st.integers(0, len(options) - 1))]

    return draw_frame(world, pick)


@given(data=st.data())
@SETTINGS
def test_engine_and_oracle_agree(small_demo: Subject, data: st.DataObject) -> None:
    frame = data.draw(frames(small_demo.world))
    outcome = small_demo.check(frame)
    if isinstance(outcome, Rejected):
        # Conditions may be drawn that exclude each other; nothing else may be wrong with a drawn frame.
        assert {issue.code for issue in outcome.issues} == {"contradiction"}, outcome.issues
        return
    assert isinstance(outcome, Checked)
    note(outcome.frame.model_dump_json(by_alias=True, exclude_defaults=True))
    assert small_demo.compare(outcome.frame)[1] == []


def test_a_checked_frame_checks_to_itself(small_demo: Subject) -> None:
    for seed in range(60):
        outcome = small_demo.check(draw_frame(small_demo.world, Random(seed).choice))
        if isinstance(outcome, Checked):
            again = small_demo.check(outcome.frame.model_dump(mode="json", by_alias=True))
            assert isinstance(again, Checked)
            assert (again.frame, again.repairs, again.normalised) == (outcome.frame, (), ())


@pytest.fixture(scope="module")
def said(small_demo: Subject) -> Counter[str]:
    """How often a few hundred drawn frames say what."""
    return Counter(
        word for seed in range(400) for word in words(draw_frame(small_demo.world, Random(seed).choice))
    )


def words(frame: dict[str, Any]) -> Iterator[str]:
    for part in (*frame["targets"], *frame.get("references", ())):
        yield part["role"]
        yield from (f"reference by {kind}" for kind in ("keys", "coordinates", "area") if kind in part)
    for constraint in frame.get("spatial_constraints", ()):
        yield constraint["relation"] + (" not" if constraint.get("negate") else "")
    for condition in frame.get("attribute_constraints", ()):
        yield from condition
        yield condition.get("operator", "")
    for when in frame.get("temporal_constraints", ()):
        yield from when
        hours = when.get("hours")
        if hours:
            yield "several spans" if isinstance(hours, list) else "one span"
        for span in hours if isinstance(hours, list) else [hours] if hours else []:
            yield "past midnight" if span["from"] > span["to"] else "by day"
    yield from (part for part in ("measures", "group_by", "having") if part in frame)
    ranking = frame.get("ranking")
    if ranking:
        yield ranking["order"]
        yield "with ties" if ranking["include_ties"] else "without ties"


def test_the_draw_reaches_everything_that_a_frame_can_say(said: Counter[str]) -> None:
    relations = ("within_distance", "within", "contains", "intersects", "on")
    wanted = (
        *("primary", "support", "filter", "scope", "anchor"),
        *(f"reference by {kind}" for kind in ("keys", "coordinates", "area")),
        *relations,
        *(f"{relation} not" for relation in relations),
        "nearest_to",
        *OPERATORS,
        *("concept", "any_of", "negate"),
        *(
            "from",
            "to",
            "years",
            "months",
            "weekdays",
            "hours",
            "past midnight",
            "by day",
            "one span",
            "several spans",
        ),
        *("measures", "group_by", "having", "highest", "lowest", "with ties", "without ties"),
    )
    assert [word for word in wanted if said[word] < 3] == []
