"""The model as an interpreter: what it proposes is checked, and it is told what is wrong, twice at most."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace

from groundframe.errors import Issue
from groundframe.frames.grounding import Grounding, Ungrounded
from groundframe.frames.grounding.said import denials_of
from groundframe.frames.interpretation import Interpretation, Span
from groundframe.frames.lexical.interpreter import LONGEST
from groundframe.frames.lexical.scanner import scanner
from groundframe.frames.model import Frame
from groundframe.frames.model_interpreter.interpreter import ModelInterpreter, Proposal
from groundframe.frames.model_interpreter.settings import model_settings
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Rejected

__all__ = ["REFINEMENTS", "RefiningInterpreter", "configured_model"]

REFINEMENTS = 2
"""How often a model is told what is wrong with its proposal."""


@dataclass(frozen=True)
class _Judged:
    """A proposal with everything that is wrong with it."""

    proposal: Proposal
    issues: tuple[Issue, ...] = ()
    ungrounded: tuple[Ungrounded, ...] = ()
    hints: tuple[str, ...] = field(default=(), compare=False)
    told: int = field(default=0, compare=False)

    @property
    def wrong(self) -> frozenset[tuple[str, str]]:
        """What is wrong, for comparing two proposals."""
        return frozenset((issue.code, issue.message) for issue in self.evidence)

    @property
    def evidence(self) -> tuple[Issue, ...]:
        """What the model is told: what is wrong, and where words that are missing belong."""
        said = zip(self.ungrounded, self.hints, strict=True)
        return (*self.issues, *(replace(one.issue(), action=hint) for one, hint in said))


class RefiningInterpreter:
    """Asks a model, and asks again with evidence where the frame is invalid or says something else.

    A refinement is taken only when it breaks nothing that was right before.
    """

    name = "model"

    def __init__(self, pack: Pack, names: NameIndex | None, model: ModelInterpreter) -> None:
        self._pack, self._names, self._model = pack, names, model
        self._grounding = Grounding(pack, names)

    def interpret(self, question: str) -> Interpretation:
        """Read a question; what is still wrong after the refinements is said.

        Raises
        ------
        ModelError
            When the model gives no usable reply to the question itself.
        """
        if len(question) > LONGEST or not question.strip():
            size = f"A question has 1 to {LONGEST:,} characters; this one has {len(question.strip()):,}."
            return Interpretation(question, None, reason=size, interpreter=self.name)
        best = self._completed(question, self._judged(question, self._model.propose(question), 0))
        for told in range(1, REFINEMENTS + 1):
            if best.proposal.unsupported or not best.wrong:
                break
            proposal = self._model.again(question, best.proposal, best.evidence)
            refined = self._completed(question, self._judged(question, proposal, told))
            if not self._is_better(refined, best):
                break  # asked the same again it would say the same again
            best = refined
        return self._said(question, best)

    def _completed(self, question: str, judged: _Judged) -> _Judged:
        """The same with conditions and times of the question that the model left out, where that mends it."""
        items, _ = scanner(self._pack, self._names).scan(question)
        # Behind a denial "not fatal" would become its opposite.
        stop = min((one.start for one in denials_of(items)), default=len(question))
        missing = [one for one in judged.ungrounded if one.kind == "missing" and one.end <= stop]
        if not missing:
            return judged
        words = [question[one.start : one.end] for one in missing]
        proposal = self._model.completed(judged.proposal, words)
        if proposal is None:
            return judged
        completed = self._judged(question, proposal, judged.told)
        return completed if self._is_better(completed, judged) else judged

    def _judged(self, question: str, proposal: Proposal, told: int) -> _Judged:
        frame = proposal.frame
        if frame is None:
            return _Judged(proposal, proposal.issues, told=told)
        outcome = validate(frame, self._pack, self._names)
        issues = outcome.issues if isinstance(outcome, Rejected) else ()
        ungrounded = self._grounding.check(question, frame)
        hints = tuple(self._model.hint(question[one.start : one.end]) for one in ungrounded)
        return _Judged(proposal, issues, ungrounded, hints, told)

    @staticmethod
    def _is_better(refined: _Judged, before: _Judged) -> bool:
        if refined.proposal.frame is None:
            return False
        if before.proposal.frame is None:
            return True
        return refined.wrong < before.wrong

    def _said(self, question: str, judged: _Judged) -> Interpretation:
        proposal = judged.proposal
        record = {**proposal.record, "refinements": str(judged.told)}
        reason = f"The model says: {proposal.unsupported}" if proposal.unsupported else ""
        left = (*self._spans(question, judged), *self._unknown(question, proposal.frame))
        return Interpretation(
            question,
            None if judged.wrong or reason or left else proposal.frame,
            proposal.frame,
            leftovers=left,
            reason=reason,
            interpreter=self.name,
            model=record,
        )

    def _unknown(self, question: str, frame: Frame | None) -> Iterator[Span]:
        """Words that neither the vocabulary knows nor the frame holds: nobody can say what became of them."""
        items, _ = scanner(self._pack, self._names).scan(question)
        held = {} if frame is None else frame.model_dump(mode="json", exclude={"question", "notes"})
        said = json.dumps(held, ensure_ascii=False).casefold()
        for item in items:
            unknown = not item.known and not item.aside and any(letter.isalnum() for letter in item.text)
            if unknown and item.text not in said:
                text = question[item.start : item.end]
                yield Span(item.start, item.end, text, f"'{text}' is not in the frame.")

    @staticmethod
    def _spans(question: str, judged: _Judged) -> Iterator[Span]:
        for one in judged.ungrounded:
            yield Span(one.start, one.end, question[one.start : one.end], one.message)
        for issue in judged.issues:
            yield Span(0, 0, "", issue.sentence())


def configured_model(pack: Pack, names: NameIndex | None) -> RefiningInterpreter | None:
    """The model of the user's settings as an interpreter, None where none is configured."""
    settings = model_settings()
    if settings is None:
        return None
    return RefiningInterpreter(pack, names, ModelInterpreter(pack, settings, names))
