"""Questions on the command line: read, answered, or refused in one sentence."""

from __future__ import annotations

import json
import re
import shlex
from pathlib import Path

import pytest

import groundframe as gf
from groundframe.cli.main import main


@pytest.fixture(autouse=True)
def _database(demo_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", demo_url)


def test_reading_sentence_and_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "Which 2 towns had the most crashes?"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("I understood: towns; top 2 by crashes")
    assert "comes first with" in lines[1]
    assert any(line.startswith("2 of ") for line in lines)


def test_numbers_of_the_sentence_are_those_of_the_result(demo_url: str) -> None:
    with gf.connect(demo_url) as gis:
        reply = gis.ask("top 3 towns by fatal crashes")
        first = next(iter(reply.answer))["properties"]
        counted = gis.ask("how many schools are there in Quincy")
    assert f"{first['name']} comes first with {first['crash_count']} crashes" in reply.sentence
    assert counted.sentence.startswith(f"{counted.answer.counts['matched']} schools meet this")


def test_of_the_nearest_to_each_it_is_said_that_pairs_are_not_listed(demo_url: str) -> None:
    said = "each of the bus stops is listed once, without the school that it is nearest to"
    with gf.connect(demo_url) as gis:
        assert said in gis.ask("For each school in Quincy, the nearest bus stop").understood
        assert said not in gis.ask("the 3 bus stops nearest to Harvard Square").understood


def test_words_that_are_not_understood_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "zany of wobbly in Quincy"]) == 1
    said = capsys.readouterr()
    assert not said.out
    assert "Not understood: 'zany', 'wobbly'." in said.err
    assert "Ask for" in said.err


def test_one_word_that_is_not_understood_is_asked_about(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "Which crashes in Quincy were funny?", "--interpreter", "lexical"]) == 3
    choice = json.loads(capsys.readouterr().out)["choices"][0]
    assert choice["text"].startswith("'funny' can be read in several ways or not at all.")
    assert "Which crashes in Quincy were?" in [one["key"] for one in choice["candidates"]]


@pytest.mark.parametrize(
    ("question", "reason"),
    [
        ("delete every crash in Quincy", "nothing is changed"),
        ("will there be crashes in Quincy tomorrow", "nothing is predicted"),
        ("crashes in Quincy excluding " + ", ".join(map(str, range(2000))), "at most 1,000 characters"),
        ("crashes in \udcff", "it holds a NUL or half a character"),
        ("crashes in Vermont", "they are those of Massachusetts transportation safety ('Vermont')"),
    ],
)
def test_refusals_say_why(question: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", question, "--interpreter", "lexical"]) == 1
    assert reason in capsys.readouterr().err


def test_names_with_several_candidates_are_asked_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "crashes within 300 m of Memorial School"]) == 3
    said = json.loads(capsys.readouterr().out)
    choice = said["choices"][0]
    assert len(choice["candidates"]) > 1
    chosen = f"{choice['path']}={choice['candidates'][0]['key']}"
    assert main(["ask", "crashes within 300 m of Memorial School", "--choose", chosen]) == 0


def test_what_is_vague_is_asked_back(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "crashes in Quincy last year", "--interpreter", "lexical"]) == 3
    said = capsys.readouterr()
    offered = [one["key"] for one in json.loads(said.out)["choices"][0]["candidates"]]
    assert "crashes in Quincy in 2025" in offered
    assert "Which question is meant?" in said.err
    assert main(["ask", offered[0]]) == 0


def test_a_choice_is_taken_as_it_is_proposed(capsys: pytest.CaptureFixture[str], demo_url: str) -> None:
    question = "crashes in Quincy last year"
    assert main(["ask", question]) == 3
    proposed = re.search("--choose ('[^']+')", capsys.readouterr().err)
    assert proposed is not None
    assert main(["ask", question, "--choose", *shlex.split(proposed[1])]) == 0
    assert "crashes in Quincy" not in capsys.readouterr().err
    assert main(["ask", question, "--choose", "/question=crashes in Zork"]) == 2
    assert "They are: 'crashes in Quincy" in capsys.readouterr().err
    with gf.connect(demo_url) as gis:
        with pytest.raises(gf.NeedsChoiceError) as asked:
            gis.ask(question)
        first = shlex.split(proposed[1])[0].partition("=")[2]
        assert f"choices={{'/question': '{first}'}}" in asked.value.hint
        reply = gis.ask(question, choices={"/question": "crashes in Quincy in 2025"})
    assert reply.understood.startswith("I understood: crashes (2025) in Quincy")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("crashes in Zorkville", "There is no place 'Zorkville' in this dataset"),
        (
            "crashes on roads with a speed limit over 300 mph",
            "Speed limit is at least 1 mph and at most 80 mph.",
        ),
        ("fatal crashes that are not fatal", "Nothing can meet all conditions on severity of crashes."),
    ],
)
def test_what_is_wrong_is_said_of_the_question(
    question: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["ask", question]) == 1
    error = capsys.readouterr().err
    assert error.removeprefix("groundframe: ").startswith(said)
    assert "/" not in error.split("docs/")[0]


def test_files_and_frames(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "crashes.geojson"
    assert main(["ask", "fatal crashes in Quincy", "-o", str(file)]) == 0
    assert capsys.readouterr().err.startswith("I understood: fatal crashes in Quincy")
    assert json.loads(file.read_text())["type"] == "FeatureCollection"
    assert main(["ask", "fatal crashes in Quincy", "--frame"]) == 0
    assert json.loads(capsys.readouterr().out)["targets"][0]["entity"] == "Crash"


def test_published_questions_are_right_by_result(demo_url: str) -> None:
    from groundframe.eval.questions.measuring import entries_of, measure
    from groundframe.eval.subject import Subject
    from groundframe.frames.grounding import Grounding

    with gf.connect(demo_url) as gis:
        subject = Subject(gis.dataset)
        check = Grounding(gis.pack, subject.names).check
        entries = entries_of("published", "all")
        graded = list(measure(subject, entries, lambda text: gis.interpret(text, "lexical"), check))
    assert [(one.entry.id, one.grade, one.said) for one in graded if one.grade != "right"] == []


def test_how_many_keeps_the_number_in_sight(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "how many schools are there in Boston"]) == 0
    few = capsys.readouterr().out
    assert main(["ask", "how many schools are there in Boston", "--rows", "12"]) == 0
    more = capsys.readouterr().out
    assert len(more.splitlines()) == len(few.splitlines()) + 2
    assert few.splitlines()[1] == more.splitlines()[1]


def test_groups_are_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    days = "Monday|Tuesday|Wednesday|Thursday|Friday|Saturday|Sunday"
    for question, name in (
        ("which weekday had the most crashes", days),
        ("which hour of the day had the most crashes", r"\d\d:00-\d\d:59"),
        ("which month had the most crashes", r"[A-Z][a-z]+ \d{4}"),
    ):
        assert main(["ask", question]) == 0
        lines = capsys.readouterr().out.splitlines()
        named = re.match(f"({name}) (?:and others )?comes? first with", lines[1])
        assert named is not None, lines[1]
        assert any(re.match(rf"\s+1\s+{named[1]}\s", line) for line in lines)


def test_two_counts_are_told_apart(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "towns with at least 2 fatal crashes ranked by pedestrian crashes"]) == 0
    said = capsys.readouterr().out
    assert re.search("comes? first with [0-9,]+ pedestrian crash", said)
    assert re.search("pedestrian crashes +fatal crashes +population", said)
    assert "by their number of fatal crashes" in said
    assert "support" not in said.split("More columns")[0]


def test_what_was_put_right_twice_is_said_once(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["ask", "crashes near schools near crosswalks"]) == 0
    assert capsys.readouterr().out.count("Repaired: Near without a distance") == 1
