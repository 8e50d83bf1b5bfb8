"""Whether a configured model does what is needed of it."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator
from typing import Any

from groundframe.errors import ModelError
from groundframe.frames.model_interpreter.client import ModelClient
from groundframe.frames.model_interpreter.settings import ModelSettings

__all__ = ["check_model"]

_COLOURS = ["red", "green", "blue"]
_SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"colour": {"type": "string", "enum": _COLOURS}},
    "required": ["colour"],
    "additionalProperties": False,
}
# Without the schema it would say something else.
_QUESTION = "Reply with the single word: yellow"


def check_model(settings: ModelSettings) -> Iterator[str]:
    """Ask one tiny question with a strict schema; what works, line by line.

    Raises
    ------
    ModelError
        With the first thing that does not.
    """
    client = ModelClient(settings)
    yield f"The model is {client.model}."
    began = time.perf_counter()
    text = client.complete([{"role": "user", "content": _QUESTION}], _SCHEMA, tokens=64).text
    yield f"It replies in {time.perf_counter() - began:.1f} s."
    try:
        kept = json.loads(text)["colour"] in _COLOURS
    except (ValueError, KeyError, TypeError):
        kept = False
    if not kept:
        said = " ".join(text.split())[:80]
        raise ModelError(
            f"It does not keep a JSON Schema: it replied {said}",
            "Use an endpoint with strict json_schema (docs/models.md).",
            kind="not_json",
        )
    yield "It keeps a strict JSON Schema."
