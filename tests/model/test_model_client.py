"""What becomes of every kind of reply, and of settings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundframe.cli import main
from groundframe.errors import ModelError, UsageError
from groundframe.frames.model_interpreter.checking import check_model
from groundframe.frames.model_interpreter.client import LARGEST_REPLY, ModelClient
from groundframe.frames.model_interpreter.settings import ModelSettings, model_settings

ASKED = [{"role": "user", "content": "x"}]


def failed(settings: ModelSettings) -> ModelError:
    client = ModelClient(settings)
    with pytest.raises(ModelError) as caught:
        client.complete(ASKED, {"type": "object"})
    sentence = str(caught.value)
    assert "\n" not in sentence
    assert sentence.endswith((".", "'"))
    return caught.value


def test_a_reply_is_text_and_the_request_is_strict(endpoint: Any) -> None:
    client = ModelClient(ModelSettings(endpoint.url, key="secret", tokens=99))
    assert client.complete(ASKED, {"type": "object"}).text == '{"asked_for": "Crash"}'
    sent = endpoint.requests[0]
    assert sent["model"] == "tiny"
    assert (sent["max_tokens"], sent["temperature"]) == (99, 0)
    assert sent["response_format"]["json_schema"]["strict"] is True
    assert endpoint.headers[0]["authorization"] == "Bearer secret"


def test_what_the_environment_says_of_another_account_stays_here(
    endpoint: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("API_KEY", "ORG_ID", "PROJECT_ID", "BASE_URL"):
        monkeypatch.setenv(f"OPENAI_{name}", "https://elsewhere.example")
    client = ModelClient(ModelSettings(endpoint.url))
    client.complete(ASKED)
    assert not [text for text in endpoint.headers[0].values() if "elsewhere" in text]


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (("chat", (None,), {"refusal": "I may not."}), "refused"),
        (("chat", ("", "content_filter"), {}), "refused"),
        (("chat", ('{"asked', "length"), {}), "truncated"),
        (("chat", ("  ",), {}), "not_json"),
        (("said", ((b"<html>no</html>",),), {}), "not_json"),
        (("said", ((b"<html>no</html>",),), {"headers": {"Content-Type": "text/html"}}), "not_json"),
        (("said", ((b"[]",),), {}), "not_json"),
        (("said", ((b'{"choices": []}',),), {}), "not_json"),
        (("said", ((b'{"choices": [{"message": null}]}',),), {}), "not_json"),
        (("said", ((b'{"error": {"message": "no such schema"}}',),), {"status": 400}), "request"),
        (("said", ((b"{}",),), {"status": 401}), "key"),
        (("said", ((b"{}",),), {"status": 404}), "request"),
        (("said", ((b"{}",),), {"status": 429}), "busy"),
        (("said", ((b"{}",),), {"status": 500}), "failed"),
        (("said", ((b"",),), {"status": 302, "headers": {"Location": "http://127.0.0.1:9/v1"}}), "redirect"),
        (("said", ((b" " * 65536,) * (LARGEST_REPLY // 65536 + 2),), {}), "too_large"),
    ],
)
def test_every_failure_is_a_sentence_of_its_kind(endpoint: Any, answer: Any, kind: str) -> None:
    make, arguments, keywords = answer
    endpoint.answers = [getattr(endpoint, make)(*arguments, **keywords)]
    error = failed(ModelSettings(endpoint.url, name="tiny"))
    assert (error.kind, error.code) == (kind, "model")
    assert len(endpoint.requests) == 1


def test_what_the_endpoint_says_of_a_wrong_request_is_told_short(endpoint: Any) -> None:
    body = b'{"error": {"message": "no\\nsuch \\u001b[31mschema' + b"!" * 500 + b'"}}'
    endpoint.answers = [endpoint.said((body,), status=400)]
    message = failed(ModelSettings(endpoint.url, name="tiny")).message
    assert "no such [31mschema!" in message
    assert len(message) < 300


@pytest.mark.parametrize("parts", [(b"{}",), (b"{", b" ", b" ", b" ", b" ", b" ")])
def test_a_silent_or_dripping_endpoint_has_one_deadline(endpoint: Any, parts: tuple[bytes, ...]) -> None:
    endpoint.answers = [endpoint.said(parts, pause=0.3)]
    assert failed(ModelSettings(endpoint.url, name="tiny", timeout_s=0.2)).kind == "timeout"


def test_nobody_there() -> None:
    error = failed(ModelSettings("http://127.0.0.1:9/v1", name="tiny"))
    assert error.kind == "unreachable"


def test_a_parameter_that_newer_models_refuse_is_said_in_their_words(endpoint: Any) -> None:
    wrong = b'{"error": {"message": "max_tokens is not supported, use max_completion_tokens"}}'
    endpoint.answers = [endpoint.said((wrong,), status=400), endpoint.chat("{}")]
    ModelClient(ModelSettings(endpoint.url, name="tiny", tokens=50)).complete(ASKED)
    assert endpoint.requests[1]["max_completion_tokens"] == 50
    assert "max_tokens" not in endpoint.requests[1]
    assert "temperature" not in endpoint.requests[1]


def test_a_busy_host_is_asked_again_where_that_is_set(endpoint: Any) -> None:
    busy = endpoint.said((b"{}",), status=429, headers={"Retry-After-Ms": "1"})
    endpoint.answers = [busy, endpoint.chat("{}")]
    assert ModelClient(ModelSettings(endpoint.url, name="tiny", retries=1)).complete(ASKED).text == "{}"


def test_check_says_what_works(endpoint: Any) -> None:
    endpoint.replies('{"colour": "red"}')
    lines = list(check_model(ModelSettings(endpoint.url)))
    assert lines[0] == "The model is tiny."
    assert lines[-1] == "It keeps a strict JSON Schema."


@pytest.mark.parametrize("reply", ["yellow", '{"colour": "yellow"}', "[1]"])
def test_check_says_that_a_schema_is_not_kept(endpoint: Any, reply: str) -> None:
    endpoint.replies(reply)
    with pytest.raises(ModelError, match="does not keep a JSON Schema"):
        list(check_model(ModelSettings(endpoint.url)))


def test_settings_of_file_and_environment(tmp_path: Path) -> None:
    config = tmp_path / "config.toml"
    config.write_text(
        '[model]\nurl = "https://models.example/v1"\nname = "big"\ntimeout = 5\nform = "frame"\n'
    )
    found = model_settings({"GROUNDFRAME_MODEL_TIMEOUT": "7", "GROUNDFRAME_MODEL_CACHE": "off"}, config)
    assert found == ModelSettings("https://models.example/v1", "big", timeout_s=7, retries=2, form="frame")
    assert not found.local
    own = model_settings({"GROUNDFRAME_MODEL_URL": "http://127.0.0.1:1/v1"}, tmp_path / "none.toml")
    assert own is not None
    assert (own.local, own.timeout_s, own.retries) == (True, 300, 0)
    assert model_settings({"GROUNDFRAME_MODEL": "off"}, config) is None
    assert model_settings({}, tmp_path / "none.toml") is None


@pytest.mark.parametrize(
    ("name", "value", "said"),
    [
        ("URL", "http://models.example/v1", "others could read"),
        ("URL", "ftp://models.example", "others could read"),
        ("URL", "nonsense", "not a web address"),
        ("TIMEOUT", "soon", "GROUNDFRAME_MODEL_TIMEOUT"),
        ("FORM", "poem", "slots or frame"),
        ("KEY", "a\u00a0b", "plain text"),
        ("COLOUR", "red", "no setting 'colour'"),
    ],
)
def test_a_setting_that_cannot_be_used_is_named(name: str, value: str, said: str) -> None:
    given = {"GROUNDFRAME_MODEL_URL": "http://localhost:1/v1", f"GROUNDFRAME_MODEL_{name}": value}
    with pytest.raises(UsageError, match=said):
        model_settings(given, Path("none"))


def test_a_key_is_not_shown() -> None:
    assert "secret" not in repr(ModelSettings("https://models.example/v1", key="secret"))


def test_the_commands_say_what_is_missing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.delenv("GROUNDFRAME_MODEL_URL", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    assert main(["model", "check"]) == 1
    assert "Set GROUNDFRAME_MODEL_URL" in capsys.readouterr().err
    assert main(["model", "serve", str(tmp_path / "none.gguf")]) == 2
    assert "cannot be read" in capsys.readouterr().err
    (tmp_path / "no.gguf").write_bytes(b"not weights")
    assert main(["model", "serve", str(tmp_path / "no.gguf")]) == 2
    assert "GGUF" in capsys.readouterr().err
