"""Frames with ambiguous names: handed back in a file of their own, answered, and joined to the rest."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import groundframe as gf
from groundframe.batch.choices import read_answers

TOWNS = {"targets": [{"entity": "Town", "role": "primary"}]}


@pytest.fixture(scope="module")
def names(gis: gf.Connection) -> list[str]:
    """Names that several schools bear."""
    schools = gis.run({"targets": [{"entity": "School", "role": "primary"}]})
    found = Counter(feature["properties"]["name"] for feature in schools)
    return sorted(name for name, count in found.items() if count > 1)


def near(*schools: str) -> dict[str, Any]:
    """Crashes near schools, each of which has a choice of its own."""
    return {
        "question": f"Near {' and '.join(schools)}?",
        "targets": [{"entity": "Crash", "role": "primary"}],
        "references": [
            {"entity": "School", "role": "anchor", "id": f"a{n}", "names": [school]}
            for n, school in enumerate(schools)
        ],
    }


def the_choice(gis: gf.Connection, frame: dict[str, Any]) -> Any:
    """What a frame asks back when it is run by itself."""
    with pytest.raises(gf.NeedsChoiceError) as caught:
        gis.run(frame)
    (choice,) = caught.value.choices
    return choice


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_bytes().splitlines()]


def test_choices_are_asked_answered_and_joined(gis: gf.Connection, names: list[str], tmp_path: Path) -> None:
    frames: list[dict[str, Any]] = [TOWNS, near(names[0]), near(names[1]), {"targets": []}]
    report = gis.batch(frames, tmp_path)
    assert (report.states, report.exit_code) == ({"done": 1, "needs_choice": 2, "rejected": 1}, 1)
    asked = lines(tmp_path / "choices.jsonl")
    assert report.questions == asked
    assert [(one["line"], one["question"], one["frame"]) for one in asked] == [
        (2, frames[1]["question"], frames[1]),
        (3, frames[2]["question"], frames[2]),
    ]
    choice = the_choice(gis, frames[1])
    assert asked[0]["choices"] == [
        {"text": choice["text"], "answer": None, "candidates": choice["candidates"], "path": choice["path"]}
    ]
    entry = lines(tmp_path / "manifest.jsonl")[1]
    assert entry["issues"][0]["path"] == choice["path"]

    asked[0]["choices"][0]["answer"] = 2
    answered = tmp_path / "answered.jsonl"
    answered.write_text("".join(f"{json.dumps(one)}\n" for one in asked), encoding="utf-8")
    told: list[int] = []
    report = gis.batch(
        frames,
        tmp_path,
        choices=answered,
        progress=lambda p: told.append(p.entry["line"]) if p.entry else None,
    )
    assert told == [2]
    assert report.states == {"done": 2, "needs_choice": 1, "rejected": 1}
    key = choice["candidates"][1]["key"]
    expected = gis.run(frames[1], {choice["path"]: key}, None)
    entry = lines(tmp_path / "manifest.jsonl")[1]
    assert entry["choices"] == {choice["path"]: key}
    assert entry["digest"] == expected.digest
    anchors = json.loads((tmp_path / entry["file"]).read_bytes())["groundframe"]["anchors"]
    assert anchors[0]["basis"] == "chosen"
    assert len(anchors[0]["offered"]) == len(choice["candidates"])
    assert [one["line"] for one in lines(tmp_path / "choices.jsonl")] == [3]

    # What was answered stays answered, without being handed in again.
    again = gis.batch(frames, tmp_path)
    assert (again.reused, again.states) == (4, report.states)
    whole = gis.batch(
        frames, tmp_path, choices=[{**asked[1], "choices": [{**asked[1]["choices"][0], "answer": 1}]}]
    )
    assert whole.states == {"done": 3, "rejected": 1}
    assert not (tmp_path / "choices.jsonl").exists()


def test_the_exit_code_tells_choices_from_failures(
    gis: gf.Connection, names: list[str], tmp_path: Path
) -> None:
    report = gis.batch([TOWNS, near(names[0])], tmp_path)
    assert report.exit_code == 3
    assert str(report).endswith(
        f"1 waiting for a choice. Fill in {tmp_path / 'choices.jsonl'} and hand it back."
    )


def test_questions_of_one_frame_can_be_answered_one_by_one(
    gis: gf.Connection, names: list[str], tmp_path: Path
) -> None:
    frame = near(names[0], names[1])
    (question,) = gis.batch([frame], tmp_path).questions
    first, second = question["choices"]
    first["answer"] = first["candidates"][0]["key"]
    (left,) = gis.batch([frame], tmp_path, choices=[question]).questions
    assert [one["path"] for one in left["choices"]] == [second["path"]]
    left["choices"][0]["answer"] = 1
    assert gis.batch([frame], tmp_path, choices=[left]).ok
    (entry,) = lines(tmp_path / "manifest.jsonl")
    assert entry["choices"] == {
        first["path"]: first["candidates"][0]["key"],
        second["path"]: second["candidates"][0]["key"],
    }


def test_a_line_may_bring_its_choices(gis: gf.Connection, names: list[str], tmp_path: Path) -> None:
    choice = the_choice(gis, near(names[0]))
    key = choice["candidates"][0]["key"]
    frames: list[dict[str, Any]] = [
        {"id": "a", "frame": near(names[0]), "choices": {choice["path"]: key}},
        {"frame": {}, "choices": 5},
    ]
    assert gis.batch(frames, tmp_path).states == {"done": 1, "rejected": 1}
    first, second = lines(tmp_path / "manifest.jsonl")
    assert first["choices"] == {choice["path"]: key}
    assert second["issues"][0]["path"] == "/choices"


def test_answers_that_were_not_handed_in_are_not_lost(
    gis: gf.Connection, names: list[str], tmp_path: Path
) -> None:
    frame = near(names[0])
    (question,) = gis.batch([frame], tmp_path).questions
    question["choices"][0]["answer"] = 1
    path = tmp_path / "choices.jsonl"
    path.write_text(json.dumps(question) + "\n", encoding="utf-8")
    before = path.read_bytes()
    with pytest.raises(gf.UsageError, match="holds answers that were not handed in"):
        gis.batch([frame], tmp_path)
    assert path.read_bytes() == before
    assert gis.batch([frame], tmp_path, choices=path).ok


def test_answers_to_other_frames_are_refused(gis: gf.Connection, names: list[str], tmp_path: Path) -> None:
    (question,) = gis.batch([near(names[0])], tmp_path / "one").questions
    question["choices"][0]["answer"] = 1
    with pytest.raises(gf.UsageError, match="Choices are for 1 frame that this batch does not have"):
        gis.batch([near(names[1])], tmp_path / "two", choices=[question])
    assert not (tmp_path / "two").exists()


ASKED = {"path": "/references/0", "candidates": [{"key": "s:1"}, {"key": "2"}], "answer": None}


@pytest.mark.parametrize(
    ("answer", "key"), [("s:1", "s:1"), (1, "s:1"), (2, "2"), ("1", "s:1"), ("2", "2"), (" 2 ", "2")]
)
def test_answers_are_keys_or_numbers(answer: Any, key: str) -> None:
    content = {"sha256": "x", "choices": [{**ASKED, "answer": answer}]}
    assert read_answers([content]) == {"x": {"/references/0": key}}


@pytest.mark.parametrize("answer", [None, ""])
def test_what_is_not_filled_in_is_no_answer(answer: Any) -> None:
    assert read_answers([{"sha256": "x", "choices": [{**ASKED, "answer": answer}]}]) == {}


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("{", "line 2: The line is not JSON"),
        ('{"a": 1, "a": 2}', "The key 'a' is given twice"),
        ("{}", "line 2 is no line of choices"),
        ('{"sha256": "x", "choices": 5}', "is no line of choices"),
        ('{"sha256": "x", "choices": [{"answer": 1}]}', "a choice without path or candidates"),
        (json.dumps({"sha256": "x", "choices": [{**ASKED, "answer": 3}]}), "3 is none of the candidates"),
        (
            json.dumps({"sha256": "x", "choices": [{**ASKED, "answer": True}]}),
            "true is none of the candidates",
        ),
        (json.dumps({"sha256": "x", "choices": [{**ASKED, "answer": ["s:1"]}]}), "is none of the candidates"),
        (
            json.dumps({"sha256": "first", "choices": [{**ASKED, "answer": 2}]}),
            "an earlier line answers the same",
        ),
    ],
)
def test_wrong_files_of_choices_are_one_sentence(tmp_path: Path, line: str, said: str) -> None:
    first = json.dumps({"sha256": "first", "choices": [{**ASKED, "answer": 1}]})
    path = tmp_path / "choices.jsonl"
    path.write_text(f"{first}\n{line}\n", encoding="utf-8")
    with pytest.raises(gf.UsageError) as caught:
        read_answers(path)
    assert said in str(caught.value)
    assert str(path) in str(caught.value)


def test_there_must_be_a_file_of_choices(tmp_path: Path) -> None:
    with pytest.raises(gf.UsageError, match="cannot be read: No such file or directory"):
        read_answers(tmp_path / "none.jsonl")
