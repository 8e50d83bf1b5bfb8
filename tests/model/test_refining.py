"""The loop around a model: evidence goes back, nothing that was right is broken, what remains is said."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundframe.asking import asked, interpreted
from groundframe.errors import ModelError, NotUnderstoodError
from groundframe.frames.interpretation import Interpretation
from groundframe.frames.model_interpreter.interpreter import ModelInterpreter
from groundframe.frames.model_interpreter.settings import ModelSettings
from groundframe.refining import REFINEMENTS, RefiningInterpreter, configured_model
from groundframe.schema.packs import load_pack

PACK = load_pack("massachusetts")
QUESTION = "fatal crashes in 2023"
WHOLE = '{"asked_for": "Crash", "conditions": ["fatal crash"], "years": [2023]}'
HALF = '{"asked_for": "Crash", "conditions": ["fatal crash"]}'
NEAR = "fatal crashes near schools"
NEAR_WHOLE = '{"asked_for": "Crash", "other": "School", "how": "near", "conditions": ["fatal crash"]}'
Ask = Callable[..., Interpretation]


class Unnamed:
    """The names of a dataset that has none: only those are known that the pack lists."""

    def distinct_names(self, entity: str, field: str = "") -> tuple[str, ...]:
        return ()

    def has_rows(self, entity: str) -> bool:
        return True

    def newest_date(self, entity: str) -> None:
        return None

    oldest_date = newest_date

    def sources(self, entity: str) -> frozenset[str]:
        return frozenset(one.name for one in PACK.sources)


NAMES: Any = Unnamed()


@pytest.fixture
def ask(endpoint: Any, tmp_path: Path) -> Ask:
    """Put a question to a model that replies so."""

    def put(question: str, *replies: str, **settings: Any) -> Interpretation:
        endpoint.replies(*replies)
        chosen = ModelSettings(endpoint.url, name="tiny", **settings)
        return RefiningInterpreter(PACK, None, ModelInterpreter(PACK, chosen)).interpret(question)

    return put


def test_what_is_right_at_once_is_asked_once(ask: Ask, endpoint: Any) -> None:
    found = ask(QUESTION, WHOLE)
    assert found.frame is not None
    assert found.frame.question == QUESTION
    assert (found.interpreter, found.leftovers) == ("model", ())
    assert found.model["reply"] == WHOLE
    assert found.model["model"] == "tiny"
    assert found.model["prompt"].startswith("slots-")
    assert len(endpoint.requests) == 1


def test_what_is_missing_goes_back_to_the_model(ask: Ask, endpoint: Any) -> None:
    found = ask(NEAR, HALF, NEAR_WHOLE)
    assert found.frame is not None
    assert found.model["refinements"] == "1"
    *_, before, evidence = endpoint.requests[1]["messages"]
    assert before == {"role": "assistant", "content": HALF}
    assert '\'schools\' is not in the frame. Say it as "other":"School","how":"near".' in evidence["content"]


def test_conditions_and_times_that_are_left_out_are_completed(ask: Ask, endpoint: Any) -> None:
    found = ask(f"{QUESTION} from 2 to 5 pm", HALF)
    assert found.frame is not None
    assert found.frame.temporal_constraints[0].years == (2023,)
    assert found.model["reply"] == HALF
    completed = {"years": [2023], "hour_from": "14:00", "hour_to": "17:00"}
    assert json.loads(found.model["completed"]) == completed
    assert len(endpoint.requests) == 1


def test_nothing_is_completed_beside_a_denial(ask: Ask, endpoint: Any) -> None:
    found = ask("crashes that are not fatal crashes", '{"asked_for": "Crash"}')
    assert found.frame is None
    assert "completed" not in found.model


def test_a_refinement_that_breaks_something_is_not_taken(ask: Ask, endpoint: Any) -> None:
    found = ask(NEAR, HALF, NEAR_WHOLE.replace("fatal", "injury"))
    assert found.frame is None
    assert found.draft is not None
    assert [one.concept for one in found.draft.attribute_constraints] == ["fatal_crash"]
    assert "schools" in " ".join(span.text for span in found.leftovers)
    assert len(endpoint.requests) == 2


def test_a_model_is_told_twice_at_most(ask: Ask, endpoint: Any) -> None:
    most = '{"asked_for": "School", "conditions": ["fatal crash"], "near": "%s"}'
    found = ask(NEAR, most % "x", HALF.replace("fatal", "injury"), HALF, NEAR_WHOLE)
    assert found.frame is None
    assert len(endpoint.requests) <= 1 + REFINEMENTS


def test_what_the_model_makes_up_is_no_answer(ask: Ask) -> None:
    found = ask("crashes in 2023", WHOLE)
    assert found.frame is None
    assert any("fatal" in span.meaning for span in found.leftovers)


def test_slots_that_do_not_fit_go_back_too(ask: Ask, endpoint: Any) -> None:
    wrong = '{"asked_for": "School", "conditions": ["fatal crash"], "years": [2023]}'
    assert ask(QUESTION, wrong, WHOLE).frame is not None
    assert "Nothing in the question can be 'fatal crash'" in endpoint.requests[1]["messages"][-1]["content"]


def test_a_condition_that_fits_nothing_and_nobody_asked_for_is_left_out(ask: Ask, endpoint: Any) -> None:
    more = WHOLE.replace('"fatal crash"', '"fatal crash", "school type: Charter"')
    assert ask(QUESTION, more).frame is not None
    assert len(endpoint.requests) == 1


def test_a_refusal_of_the_model_is_a_reason(ask: Ask, endpoint: Any) -> None:
    found = ask("will there be crashes?", '{"unsupported": "it asks about the future"}')
    assert found.frame is None
    assert "it asks about the future" in found.reason
    assert len(endpoint.requests) == 1


@pytest.mark.parametrize("question", ["", " \n", "crashes " * 200])
def test_what_is_no_question_reaches_no_model(ask: Ask, endpoint: Any, question: str) -> None:
    found = ask(question, WHOLE)
    assert found.frame is None
    assert "1 to 1,000 characters" in found.reason
    assert not endpoint.requests


def test_a_whole_frame_is_read_with_its_nulls(ask: Ask) -> None:
    frame = {
        "supported": True,
        "targets": [{"entity": "Crash", "role": "primary", "id": None, "names": []}],
        "attribute_constraints": [{"target_role": "primary", "concept": "fatal_crash", "field": None}],
        "temporal_constraints": [{"target_role": "primary", "years": [2023], "hours": None}],
        "ranking": None,
    }
    found = ask(QUESTION, json.dumps(frame), form="frame")
    assert found.frame is not None
    assert found.frame.temporal_constraints[0].years == (2023,)
    assert found.model["prompt"].startswith("frame-")


def test_a_block_of_code_is_read_and_prose_is_not(ask: Ask) -> None:
    assert ask(QUESTION, f"```json\n{WHOLE}\n```").frame is not None
    with pytest.raises(ModelError) as caught:
        ask(QUESTION, "Here are the crashes you asked for!")
    assert caught.value.kind == "not_json"


def test_the_same_question_is_asked_of_the_endpoint_once(ask: Ask, endpoint: Any, tmp_path: Path) -> None:
    first = ask(QUESTION, WHOLE, cache=tmp_path / "kept")
    second = ask(QUESTION, "never asked", cache=tmp_path / "kept")
    assert first == second
    assert len(endpoint.requests) == 1
    (kept,) = (tmp_path / "kept").iterdir()
    kept.write_text("damaged")
    assert ask(QUESTION, WHOLE, cache=tmp_path / "kept") == first
    assert len(endpoint.requests) == 2


def test_the_question_is_the_only_thing_that_is_not_of_the_pack(ask: Ask, endpoint: Any) -> None:
    ask("fatal crashes in Boston in 2023", WHOLE)
    *before, question = endpoint.requests[0]["messages"]
    assert question == {"role": "user", "content": "fatal crashes in Boston in 2023"}
    assert "Boston" not in json.dumps(before)


def test_auto_asks_the_model_only_for_what_the_grammar_leaves_over(
    endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDFRAME_MODEL_URL", endpoint.url)
    monkeypatch.setenv("GROUNDFRAME_MODEL_CACHE", "off")
    endpoint.replies(WHOLE)
    assert interpreted(QUESTION, "auto", PACK, NAMES).interpreter == "lexical"
    assert not endpoint.requests
    found = interpreted("compare fatal crashes in 2023", "auto", PACK, NAMES)
    assert (found.interpreter, found.frame is not None) == ("model", True)


@pytest.mark.parametrize(
    "question",
    ["wretched fatal crashes in 2023", "fatal crashes in 2023 with unicorns", "fatal crashes in 2023 zzz"],
)
def test_words_that_neither_vocabulary_nor_frame_knows_stop_a_model(question: str, ask: Ask) -> None:
    found = ask(question, WHOLE)
    (word,) = found.leftovers
    assert found.frame is None
    assert word.text in ("wretched", "unicorns", "zzz")
    assert word.meaning == f"'{word.text}' is not in the frame."


def test_auto_asks_back_about_a_word_that_a_model_ignores(
    endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDFRAME_MODEL_URL", endpoint.url)
    monkeypatch.setenv("GROUNDFRAME_MODEL_CACHE", "off")
    endpoint.replies(WHOLE)
    found = interpreted("wretched fatal crashes in 2023", "auto", PACK, NAMES)
    assert (found.frame, found.offers) == (None, ("fatal crashes in 2023",))


def test_auto_says_what_the_grammar_left_over_where_the_model_fails(
    endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GROUNDFRAME_MODEL_URL", endpoint.url)
    monkeypatch.setenv("GROUNDFRAME_MODEL_CACHE", "off")
    endpoint.answers = [endpoint.said((b"{}",), status=500)]
    found = interpreted("unicorns of zorks", "auto", PACK, NAMES)
    with pytest.raises(NotUnderstoodError, match=r"'unicorns', 'zorks'.* could a model be asked: .* failed"):
        asked(found, PACK)
    with pytest.raises(ModelError, match="failed"):
        interpreted(QUESTION, "model", PACK, NAMES)


def test_a_model_that_is_not_configured_is_said(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("GROUNDFRAME_MODEL_URL", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert configured_model(PACK, None) is None
    with pytest.raises(ModelError, match="GROUNDFRAME_MODEL_URL"):
        interpreted(QUESTION, "model", PACK, NAMES)
