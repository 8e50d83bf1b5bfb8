"""A question, put to a model; what it replies is a proposal, which others check."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from pydantic import ValidationError

from groundframe.errors import FrameError, Issue, ModelError
from groundframe.frames.model import Frame
from groundframe.frames.model_interpreter.client import Completion, ModelClient
from groundframe.frames.model_interpreter.filling import SlotsError
from groundframe.frames.model_interpreter.hints import Hints
from groundframe.frames.model_interpreter.prompt import Prompt
from groundframe.frames.model_interpreter.settings import ModelSettings
from groundframe.frames.model_interpreter.slots import SlotForm
from groundframe.frames.model_interpreter.strict import without_nulls
from groundframe.frames.names import NameIndex
from groundframe.frames.reading import read_frame
from groundframe.frames.strict_json import DocumentKind, read_object
from groundframe.kept import Cache
from groundframe.schema.model import Pack

__all__ = ["ModelInterpreter", "Proposal"]

_CACHE_BYTES = 64_000_000
_REPLY = DocumentKind("reply", 1_000_000, 32, smallest="The smallest is {}.")


@dataclass(frozen=True)
class Proposal:
    """What a model made of a question, unchecked.

    Attributes
    ----------
    frame : Frame or None
        None where the reply is no frame.
    issues : tuple of Issue
        Why it is none.
    unsupported : str
        The model's reason why the question cannot be answered; empty where it thinks it can.
    reply : str
        As the model wrote it, or as it was completed.
    record : dict
        Model, prompt version, the reply as written and what completed it, for the audit record.
    """

    frame: Frame | None
    reply: str
    issues: tuple[Issue, ...] = ()
    unsupported: str = ""
    record: dict[str, str] = field(default_factory=dict)


class ModelInterpreter:
    """Asks the model of the settings for frames about one pack.

    Replies are kept on disk by everything that was sent, so that the same question costs nothing twice.
    """

    name = "model"

    def __init__(self, pack: Pack, settings: ModelSettings, names: NameIndex | None = None) -> None:
        self._form = SlotForm(pack, names)
        self._settings = settings
        # A prompt is made without names of the data. A small model on one's own machine is slow: what is not
        # said is left out.
        self._prompt = Prompt(SlotForm(pack), settings.form, every=not settings.local)
        self._hints = Hints(self._form.choices)
        self._client = ModelClient(settings)
        self._cache = Cache(settings.cache, _CACHE_BYTES) if settings.cache is not None else None

    def propose(self, question: str) -> Proposal:
        """What the model makes of a question.

        Raises
        ------
        ModelError
            When there is no usable reply.
        """
        return self._asked(question, self._prompt.messages(question))

    def again(self, question: str, earlier: Proposal, issues: Sequence[Issue]) -> Proposal:
        """What it makes of the question when it is told what is wrong with an earlier proposal.

        Raises
        ------
        ModelError
            When there is no usable reply.
        """
        more = self._prompt.again(question, earlier.reply, issues)
        return self._asked(question, [*self._prompt.messages(question), *more])

    def completed(self, proposal: Proposal, words: Iterable[str]) -> Proposal | None:
        """A proposal with words that it left out, where it is certain which slots they fill; else None."""
        if self._settings.form != "slots" or proposal.frame is None:
            return None
        slots, added = self._read(proposal.reply), self._hints.certain(" ; ".join(words))
        if not added or any(
            slots.get(slot, value) != value for slot, value in added.items() if not _listed(value)
        ):
            return None
        for slot, value in added.items():
            slots[slot] = [*slots.get(slot, ()), *value] if _listed(value) else value
        reply, completed = (json.dumps(one, ensure_ascii=False) for one in (slots, added))
        return self._proposed(
            proposal.frame.question, slots, reply, {**proposal.record, "completed": completed}
        )

    def hint(self, words: str) -> str:
        """Where words of a question belong in what the model fills in; empty where that is not known."""
        return self._hints.of(words) if self._settings.form == "slots" else ""

    def _asked(self, question: str, messages: list[dict[str, str]]) -> Proposal:
        completion = self._completion(messages)
        record = {"model": completion.model, "prompt": self._prompt.version, "reply": completion.text}
        slots = self._read(completion.text)
        if reason := self._unsupported(slots):
            return Proposal(None, completion.text, unsupported=reason, record=record)
        return self._proposed(question, slots, completion.text, record)

    def _proposed(
        self, question: str | None, slots: dict[str, Any], reply: str, record: dict[str, str]
    ) -> Proposal:
        try:
            if self._settings.form == "slots":
                frame = self._form.frame(slots, question)
            else:
                frame = read_frame({**slots, "question": question})
        except (SlotsError, FrameError) as error:
            return Proposal(None, reply, tuple(error.issues), record=record)
        except ValidationError as error:
            wrong = error.errors()[0]
            issue = Issue("wrong_slot", "", f"{wrong['msg']}: {wrong['input']!r:.80}")
            return Proposal(None, reply, (issue,), record=record)
        return Proposal(frame, reply, record=record)

    def _completion(self, messages: list[dict[str, str]]) -> Completion:
        if self._cache is None:
            return self._client.complete(messages, self._prompt.schema)
        path = self._cache.path(self._settings.url, self._client.model, messages, self._prompt.schema)
        try:
            return Completion(**json.loads(path.read_text(encoding="utf-8")))
        except (OSError, ValueError, TypeError):
            found = self._client.complete(messages, self._prompt.schema)
        self._cache.write(path, json.dumps(asdict(found)))
        return found

    def _read(self, text: str) -> dict[str, Any]:
        """The object of a reply; endpoints that keep no schema may put it into a block of code."""
        body = text.strip().removeprefix("```json").removeprefix("```").removesuffix("```")
        document, issues = read_object(body, _REPLY)
        if issues:
            said = " ".join(text.split())[:80]
            raise ModelError(
                f"The model's reply is no JSON object: {said}",
                "Use a model and an endpoint that keep a JSON Schema (docs/models.md).",
                kind="not_json",
            )
        found: dict[str, Any] = without_nulls(document)
        return found

    def _unsupported(self, reply: dict[str, Any]) -> str:
        if self._settings.form == "slots":
            return str(reply.get("unsupported", "")).strip()
        return (
            str(reply.get("notes") or "it asks for something else") if reply.get("supported") is False else ""
        )


def _listed(value: object) -> bool:
    return isinstance(value, list)
