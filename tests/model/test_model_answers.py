"""Questions that a model read, answered: what is recorded of it, and what leaves this machine."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import groundframe as gf
from groundframe.cli.main import main

QUESTION = "the 2 towns with the most fatal crashes"
REPLY = (
    '{"asked_for":"Town","counted":"Crash","by":"crashes","order":"highest","top_n":2,'
    '"conditions":["fatal crash"]}'
)


@pytest.fixture(autouse=True)
def _configured(endpoint: Any, demo_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", demo_url)
    monkeypatch.setenv("GROUNDFRAME_MODEL_URL", endpoint.url)
    monkeypatch.setenv("GROUNDFRAME_MODEL_CACHE", "off")


def test_the_record_keeps_model_prompt_and_reply_and_replays_without_a_model(
    endpoint: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.replies(REPLY)
    path = tmp_path / "record.json"
    assert main(["ask", QUESTION, "--interpreter", "model", "--record", str(path)]) == 0
    reading = json.loads(path.read_text())["reading"]
    assert reading["model"].pop("prompt").startswith("slots-")
    assert reading == {
        "interpreter": "model",
        "corrections": {},
        "model": {"model": "tiny", "reply": REPLY, "refinements": "0"},
    }
    asked = len(endpoint.requests)
    monkeypatch.delenv("GROUNDFRAME_MODEL_URL")
    assert main(["replay", str(path)]) == 0
    assert "The answer is the same." in capsys.readouterr().out
    assert len(endpoint.requests) == asked


def test_a_frame_that_was_handed_in_has_no_reading(demo_url: str) -> None:
    with gf.connect(demo_url) as gis:
        read = gis.ask("crashes in Quincy", "lexical").answer
        handed_in = gis.run(read.audit()["frame"]).audit()
        assert read.audit()["reading"] == {"interpreter": "lexical", "corrections": {}}
    assert "reading" not in handed_in


@pytest.mark.parametrize("elsewhere", [False, True])
def test_rows_that_leave_this_machine_are_announced(
    endpoint: Any, elsewhere: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if elsewhere:  # the same endpoint under a name that says nothing of this machine
        monkeypatch.setattr("groundframe.frames.model_interpreter.settings.is_loopback", lambda host: False)
        monkeypatch.setenv("NO_PROXY", "127.0.0.1")
        monkeypatch.setenv("GROUNDFRAME_MODEL_URL", endpoint.url.replace("http://", "https://"))
    endpoint.replies("Two towns lead.")
    assert main(["ask", QUESTION, "--interpreter", "lexical", "--narrate"]) == 0
    said = capsys.readouterr()
    assert ("rows of the answer go to 127.0.0.1" in said.err) is elsewhere
    assert ("Two towns lead." in said.out) is not elsewhere  # it speaks no TLS: the composed words stand


def test_numbers_of_the_model_are_said_and_left_out(
    endpoint: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    endpoint.replies("There were 987654 of them.")
    assert main(["ask", QUESTION, "--interpreter", "lexical", "--narrate"]) == 0
    said = capsys.readouterr()
    assert "the result does not say '987654'" in said.err
    assert "987654" not in said.out
    assert "comes first with" in said.out
