"""Figures on graded questions: stages, shares, how two runs differ, and failures that are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, cast

import pytest

from groundframe.cli.main import main
from groundframe.errors import ModelError
from groundframe.eval.questions.measuring import Grade, Graded, Stages, measure
from groundframe.eval.questions.report import QuestionReport
from groundframe.eval.questions.results import misstated
from groundframe.eval.questions.sets import Entry
from groundframe.eval.questions.statistics import mcnemar, percentiles, wilson
from groundframe.frames.interpretation import Interpretation, Span

FRAME = {"targets": [{"entity": "Crash", "role": "primary"}]}
THROUGH = Stages(
    proposed=True, valid=True, executed=True, before_repair=True, after_repair=True, after_grounding=True,
    seconds={"read": 0.01, "check": 0.02},
)  # fmt: skip
REPAIRED = Stages(
    proposed=True, valid=True, executed=True, after_repair=True, after_grounding=True, repairs=1,
    seconds={"read": 0.03},
)  # fmt: skip
STOPPED = Stages(proposed=True, valid=True, seconds={"read": 0.02})


def graded(
    number: int,
    grade: Grade,
    stages: Stages,
    *,
    kind: str = "count",
    due: bool = False,
    helped: bool = False,
) -> Graded:
    frames = () if due else (FRAME,)
    return Graded(Entry(f"q{number}", kind, f"question {number}", frames), grade, "", stages, helped)


@pytest.fixture
def report() -> QuestionReport:
    return QuestionReport(
        {"set": "own"},
        {
            "one": [
                graded(1, "right", THROUGH),
                graded(2, "right", REPAIRED),
                graded(3, "refused", STOPPED, kind="near"),
                graded(4, "wrong", Stages(proposed=True, valid=True, executed=True)),
                graded(5, "right", Stages(), kind="weather", due=True),
                graded(6, "asked", Stages(), kind="near", helped=True),
            ]
        },
    )


def test_shares_are_of_the_questions_that_they_are_about(report: QuestionReport) -> None:
    hits = {name: (hits, of) for name, (hits, of, _, _) in report.shares().items()}
    assert hits == {
        "right": (2, 5),
        "right or asked back": (3, 5),
        "what was meant among what was asked back": (1, 1),
        "silently wrong": (1, 5),
        "refused wrongly": (1, 5),
        "refused rightly": (1, 1),
    }
    assert report.groups()["near"] == {"refused": 1, "asked": 1}


def test_stages_say_where_a_right_frame_was_made_or_lost(report: QuestionReport) -> None:
    assert report.stages() == {
        "proposed": 4, "valid": 4, "executed": 3, "before_repair": 1, "after_repair": 2, "after_grounding": 2,
    }  # fmt: skip
    assert report.changes() == {
        "repaired": 1,
        "repaired to a right frame": 1,
        "repaired to another frame": 0,
        "wrong frames stopped": 1,
        "right frames stopped": 0,
    }
    assert report.milliseconds()["read"][0] == pytest.approx(20)


def test_what_is_held_out_is_not_listed(report: QuestionReport) -> None:
    assert "question 4" not in json.dumps(report.as_dict(listed=False))
    assert [one["id"] for one in report.as_dict(listed=True)["not_right"]] == ["q3", "q4", "q6"]


def test_two_runs_are_compared_question_by_question(report: QuestionReport) -> None:
    other = report.as_dict(listed=False)
    other["right_by_id"] |= {"one/q1": False, "one/q2": False, "one/q4": True, "two/q1": True}
    assert report.against(other) == {"right_only_here": 2, "right_only_there": 1, "p": 1.0}


def test_statistics_against_published_values() -> None:
    # Newcombe 1998: 81 of 263, and 0 of 20, by the score method without continuity correction.
    assert wilson(81, 263) == pytest.approx((0.2553, 0.3662), abs=5e-5)
    assert wilson(0, 20) == pytest.approx((0.0, 0.1611), abs=5e-5)
    gained = {str(number): number < 9 for number in range(10)}
    assert mcnemar(gained, {key: not value for key, value in gained.items()}) == (9, 1, 22 / 1024)
    assert percentiles([5.0]) == (5.0, 5.0)


def test_a_model_that_fails_costs_one_question() -> None:
    def read(question: str) -> Interpretation:
        if question == "one":
            raise ModelError("No reply.")
        return Interpretation(question, None, leftovers=(Span(0, 3, question),))

    entries = [Entry("a", "k", "one", (FRAME,)), Entry("b", "k", "two", (FRAME,))]
    found = list(measure(cast(Any, None), entries, read, lambda *_: ()))
    assert [(one.grade, one.said) for one in found] == [("failed", "No reply."), ("refused", "two")]


def test_a_sentence_must_state_the_numbers_of_the_gold_result() -> None:
    years = ((("2023",), (40,)), (("2024",), (60,)))
    stated = {
        "100 crashes in 2 groups by year.": "",
        "99 crashes in 2 groups by year.": "99",
        "100 crashes in 3 groups by year.": "3",
        "2024 comes first with 40 crashes; then 2023 (60). 9 groups were compared.": "",
        "2024 comes first with 60 crashes. 2 groups were compared.": "60",
        "2 crashes meet this: 2 fatal.": "",
        "No crashes meet this.": "No",
        "2024: 40 crashes.": "",
    }
    assert {said: misstated(said, years) for said in stated} == stated
    assert misstated("No crashes meet this.", ()) == ""


def test_figures_that_are_none_are_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "run.json"
    file.write_text("[]")
    assert main(["eval", "questions", "--against", str(file)]) == 2
    assert "holds no figures of a run" in capsys.readouterr().err
