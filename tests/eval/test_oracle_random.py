"""Frames drawn at random: PostGIS and the oracle agree on every row and every count."""

from __future__ import annotations

from random import Random

import pytest
import shapely
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from groundframe.eval.random_frames.aspects import ASPECTS
from groundframe.eval.random_frames.choices import Recorder, replay, simplest
from groundframe.eval.random_frames.drawing import draw_frame
from groundframe.eval.random_frames.links import link_differences
from groundframe.eval.random_frames.relations import DISTANCES
from groundframe.eval.random_frames.report import TrialReport
from groundframe.eval.random_frames.trials import run_trials
from groundframe.eval.subject import Subject
from groundframe.frames.model import Frame
from groundframe.validator.outcomes import Checked

SETTINGS = settings(
    max_examples=40,
    deadline=None,
    derandomize=True,
    database=None,
    phases=[Phase.generate, Phase.shrink],
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)


@pytest.fixture(scope="module")
def report(ground: Subject) -> TrialReport:
    """The first 200 frames of `groundframe eval oracle`."""
    made = TrialReport()
    for trial in run_trials(ground.dataset, seed=1, frames=200):
        made.add(trial)
    return made


def test_the_first_200_frames_have_one_answer(report: TrialReport) -> None:
    assert [trial.as_dict() for trial in report.differing] == []
    assert report.frames == 200


def test_each_aspect_is_put_to_the_test_by_an_answer_with_rows(report: TrialReport) -> None:
    assert report.missing() == []
    assert report.shown.keys() <= {(group, name) for group, names in ASPECTS.items() for name in names}


@given(data=st.data())
@SETTINGS
def test_engine_and_oracle_agree(
    ground: Subject, drawn: st.SearchStrategy[Frame], data: st.DataObject
) -> None:
    assert ground.compare(data.draw(drawn))[1] == []


def test_links_are_those_of_geometry(ground: Subject) -> None:
    assert list(link_differences(ground)) == []


def test_a_checked_frame_checks_to_itself(ground: Subject) -> None:
    for seed in range(60):
        outcome = ground.check(draw_frame(ground.world, Random(seed).choice))
        if isinstance(outcome, Checked):
            again = ground.check(outcome.frame.model_dump(mode="json", by_alias=True))
            assert isinstance(again, Checked)
            assert (again.frame, again.repairs, again.normalised) == (outcome.frame, (), ())


def test_events_lie_where_the_tolerance_decides(ground: Subject) -> None:
    crashes = [one.geometry for one in ground.world.features["Crash"].values() if one.geometry is not None]
    sites = [
        one.geometry
        for entity in ("School", "BusStop")
        for one in ground.world.features[entity].values()
        if one.geometry is not None
    ]
    apart = shapely.distance(crashes, [[site] for site in sites])
    for distance in DISTANCES:
        for beyond in (0.0, 0.0004, 0.0006):
            assert (abs(apart - distance - beyond) < 5e-5).any(), (distance, beyond)


def test_what_fails_is_made_simple(ground: Subject) -> None:
    def fails(made: tuple[int, ...]) -> bool:
        frame = draw_frame(ground.world, replay(made))
        return any(one["relation"] == "nearest_to" for one in frame.get("spatial_constraints", ()))

    choices = next(
        made
        for made in (Recorder(Random(seed)) for seed in range(100))
        if len(draw_frame(ground.world, made).get("spatial_constraints", ())) > 2 and fails(tuple(made.made))
    )
    frame = draw_frame(ground.world, replay(simplest(choices.made, fails)))
    assert [one["relation"] for one in frame["spatial_constraints"]] == ["nearest_to"]
    assert frame.keys() <= {"targets", "references", "spatial_constraints", "measures"}
