"""One request to a chat endpoint: asked within limits, and everything that goes wrong is one sentence."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from groundframe.errors import ModelError
from groundframe.frames.model_interpreter.settings import ModelSettings

if TYPE_CHECKING:
    import httpx2
    import openai
    from openai.types.chat import ChatCompletion

__all__ = ["LARGEST_REPLY", "Completion", "ModelClient"]

LARGEST_REPLY = 2_000_000
"""Bytes of a reply that are read at most."""

_ADDRESS = "Check GROUNDFRAME_MODEL_URL; 'groundframe model check' says what works."
_KEY = "Check GROUNDFRAME_MODEL_KEY and the account behind it."
_LONGER = "Allow more seconds with GROUNDFRAME_MODEL_TIMEOUT, or use a smaller model."
_OTHER_FORM = "Use a model and an endpoint that keep a JSON Schema (docs/models.md)."


@dataclass(frozen=True, slots=True)
class Completion:
    """What a model wrote, with its own name for itself."""

    text: str
    model: str


class ModelClient:
    """Asks the endpoint of the settings.

    A redirect is an error, as what is asked goes to the configured host only; a reply has one deadline and a
    largest size, however it drips.
    """

    def __init__(self, settings: ModelSettings) -> None:
        self.settings = settings

    def complete(
        self,
        messages: Sequence[Mapping[str, str]],
        schema: Mapping[str, Any] | None = None,
        *,
        tokens: int | None = None,
    ) -> Completion:
        """The model's reply; with a schema, JSON that keeps it as far as the endpoint does.

        Raises
        ------
        ModelError
            When there is no usable reply; ``kind`` says why.
        """
        request: dict[str, Any] = {
            "model": self.model,
            "messages": list(messages),
            "max_tokens": tokens or self.settings.tokens,
            "temperature": 0,
        }
        if schema is not None:
            request["response_format"] = {
                "type": "json_schema",
                "json_schema": {"name": "answer", "strict": True, "schema": dict(schema)},
            }
        return _completion(self._answer(request))

    @cached_property
    def model(self) -> str:
        """The endpoint's name of the model: that of the settings, else the first that it lists.

        Raises
        ------
        ModelError
            When the endpoint cannot be asked.
        """
        if self.settings.name:
            return self.settings.name
        client = self._client
        import openai

        try:
            listed = client.models.list().data
            return str(listed[0].id)
        except openai.OpenAIError as error:
            raise self._refusal(error) from None
        except (AttributeError, IndexError, TypeError, ValueError):
            what = f"{self.settings.host} lists no model."
            raise ModelError(what, "Name one with GROUNDFRAME_MODEL.", kind="request") from None

    def _answer(self, request: dict[str, Any]) -> ChatCompletion:
        try:
            return self._send(request)
        except ModelError as error:
            other = _as_newer_models_want_it(request, error)
            if other is None:
                raise
        return self._send(other)

    def _send(self, request: dict[str, Any]) -> ChatCompletion:
        client = self._client
        import openai

        try:
            found: ChatCompletion = client.chat.completions.create(**request)
        except openai.OpenAIError as error:
            raise self._refusal(error) from None
        except _TooLargeError:
            what = f"The reply of {self.settings.host} is larger than {LARGEST_REPLY / 1e6:g} MB."
            raise ModelError(what, _ADDRESS, kind="too_large") from None
        except ValueError:
            raise ModelError("The endpoint's answer is not JSON.", _ADDRESS, kind="not_json") from None
        return found

    @cached_property
    def _client(self) -> openai.OpenAI:
        try:
            import httpx2
            import openai
        except ImportError:
            raise ModelError(
                "The package openai, which speaks to models, is not installed.",
                "Install it: pip install 'groundframe[model]'",
                kind="not_installed",
            ) from None
        settings, unset = self.settings, openai.Omit()
        return openai.OpenAI(
            # Without a key the package would take one of the environment, or refuse to start.
            api_key=settings.key or "none",
            base_url=settings.url,
            timeout=settings.timeout_s,
            max_retries=settings.retries,
            # What the environment says of another account is nothing for this host.
            default_headers={"OpenAI-Organization": unset, "OpenAI-Project": unset},  # type: ignore[dict-item]
            http_client=httpx2.Client(
                timeout=settings.timeout_s,
                follow_redirects=False,
                trust_env=not settings.local,
                # A connection for each request: nothing is left open by whoever forgets to close.
                limits=httpx2.Limits(max_keepalive_connections=0),
                event_hooks={"response": [self._limit]},
            ),
        )

    def _limit(self, response: httpx2.Response) -> None:
        response.stream = _limited(response.stream, time.monotonic() + self.settings.timeout_s)

    def _refusal(self, error: openai.OpenAIError) -> ModelError:
        """The error in a sentence; never with the key, and of the endpoint's words only the beginning."""
        import openai

        host = self.settings.host
        match error:
            case openai.APITimeoutError():
                what = f"The model at {host} did not reply within {self.settings.timeout_s:g} s."
                return ModelError(what, _LONGER, kind="timeout")
            case openai.APIConnectionError():
                return ModelError(f"There is no model at {host} to reach.", _ADDRESS, kind="unreachable")
            case openai.APIStatusError(status_code=status):
                return _by_status(host, status, _said(error))
        return ModelError(f"The model at {host} gave no usable reply ({type(error).__name__}).", _ADDRESS)


class _TooLargeError(Exception):
    """A reply went beyond the limit."""


def _limited(stream: Any, deadline: float) -> Any:
    """The stream of a reply, cut off at the largest size and at the deadline."""
    import httpx2

    class Limited(httpx2.SyncByteStream):
        def __iter__(self) -> Iterator[bytes]:
            size = 0
            for chunk in stream:
                size += len(chunk)
                if size > LARGEST_REPLY:
                    raise _TooLargeError
                if time.monotonic() > deadline:
                    raise httpx2.ReadTimeout("the deadline is over")
                yield chunk

        def close(self) -> None:
            stream.close()

    return Limited()


def _by_status(host: str, status: int, said: str) -> ModelError:
    if 300 <= status < 400:
        what = f"{host} sends to another address (HTTP {status}), which is not followed."
        return ModelError(what, _ADDRESS, kind="redirect")
    if status in (401, 402, 403, 407):
        return ModelError(f"{host} refuses the key (HTTP {status}).", _KEY, kind="key")
    if status == 404:
        what = f"{host} knows no such address or model (HTTP 404)."
        return ModelError(what, "Check GROUNDFRAME_MODEL_URL and GROUNDFRAME_MODEL.", kind="request")
    if status in (429, 503):
        what = f"The model at {host} has too much to do, or is still loading (HTTP {status})."
        return ModelError(what, "Try again in a minute.", kind="busy")
    if 400 <= status < 500:
        return ModelError(
            f"{host} does not take the request (HTTP {status}{said}).", _OTHER_FORM, kind="request"
        )
    return ModelError(f"The model at {host} failed (HTTP {status}).", "Look into its log.", kind="failed")


def _said(error: Any) -> str:
    """What the endpoint says of a wrong request, short and on one line."""
    body = error.body if isinstance(error.body, dict) else {}
    text = " ".join(str(body.get("message", "")).split())
    shown = "".join(letter for letter in text if letter.isprintable())[:200]
    return f": {shown}" if shown else ""


def _as_newer_models_want_it(request: dict[str, Any], error: ModelError) -> dict[str, Any] | None:
    """The request in other words where the endpoint refuses a parameter by name; None where it does not."""
    if error.kind != "request":
        return None
    if "max_completion_tokens" in error.message:
        request = {("max_completion_tokens" if key == "max_tokens" else key): request[key] for key in request}
    elif "temperature" not in error.message:
        return None
    # Models that think for themselves refuse both.
    return {key: value for key, value in request.items() if key != "temperature"}


def _completion(answer: object) -> Completion:
    """The text of a reply, whatever the endpoint made of the format."""
    choices = getattr(answer, "choices", None)
    message = getattr(choices[0], "message", None) if isinstance(choices, list) and choices else None
    if message is None:
        raise ModelError("The endpoint's answer holds no reply of a model.", _ADDRESS, kind="not_json")
    refusal = getattr(message, "refusal", None)
    finish = getattr(choices[0], "finish_reason", None) if choices else None
    if refusal or finish == "content_filter":
        said = " ".join(str(refusal or "").split())[:200]
        raise ModelError(
            f"The model refuses to answer{f': {said}' if said else ''}.",
            "Ask in other words, or use another model.",
            kind="refused",
        )
    if finish == "length":
        raise ModelError(
            "The model's reply was cut off at the limit of tokens.",
            "Ask a shorter question, or allow more with GROUNDFRAME_MODEL_TOKENS.",
            kind="truncated",
        )
    text = getattr(message, "content", None)
    if not isinstance(text, str) or not text.strip():
        raise ModelError("The model's reply is empty.", _OTHER_FORM, kind="not_json")
    return Completion(text, str(getattr(answer, "model", "") or ""))
