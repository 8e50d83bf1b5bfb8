"""Questions put to an interpreter, and what became of each, by its result on the data."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from time import perf_counter
from typing import Any, Literal

from groundframe.errors import GroundframeError, ModelError
from groundframe.eval.published import published_frames
from groundframe.eval.questions.results import Result, misstated, result_of, same_result, sentence_of
from groundframe.eval.questions.sets import Entry, Part, read_set
from groundframe.eval.subject import Subject
from groundframe.frames.interpretation import Interpretation
from groundframe.frames.model import Frame
from groundframe.validator.outcomes import Checked, NeedsChoice, Outcome, Rejected

__all__ = ["GRADES", "Graded", "Stages", "entries_of", "measure"]

Grade = Literal["right", "asked", "refused", "wrong", "failed"]
GRADES: tuple[Grade, ...] = ("right", "asked", "refused", "wrong", "failed")
Read = Callable[[str], Interpretation]
Ground = Callable[[str, Frame], object]


@dataclass(frozen=True, slots=True)
class Stages:
    """How far a question came, and whether it was right there.

    Parameters
    ----------
    proposed, valid, executed : bool
        Whether there was a frame, whether it was checked or asked back, whether it was answered.
    before_repair, after_repair : bool
        Whether the frame that was proposed has a gold frame's result, without safe repairs and with them.
    after_grounding : bool
        Whether it has, and was let through.
    repairs : int
        How many safe repairs there were.
    seconds : dict
        For reading, the grounding check included; for that check alone; for validating; for answering.
    """

    proposed: bool = False
    valid: bool = False
    executed: bool = False
    before_repair: bool = False
    after_repair: bool = False
    after_grounding: bool = False
    repairs: int = 0
    seconds: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Graded:
    """One question and what became of it.

    Parameters
    ----------
    grade : {'right', 'asked', 'refused', 'wrong', 'failed'}
        ``right``: the result of one of the gold frames, in a sentence that states its numbers, or a refusal
        where one is due; ``asked``: asked back where one answer was expected; ``refused``: not answered
        though it could be; ``wrong``: another result or number, or an answer to what is to be refused;
        ``failed``: the interpreter or the query broke down.
    said : str
        What the interpreter or the validator said where there is no answer.
    helped : bool
        Asked back, and one of the choices leads to the result of a gold frame.
    """

    entry: Entry
    grade: Grade
    said: str
    stages: Stages
    helped: bool = False

    @property
    def seconds(self) -> float:
        """For reading the question and holding the frame against it, without the database."""
        return self.stages.seconds.get("read", 0.0)


def entries_of(name: str, part: Part) -> tuple[Entry, ...]:
    """The entries of a set; the published questions are one with a single part.

    Examples
    --------
    >>> entries_of("published", "all")[0].kind
    'G1'
    """
    if name != "published":
        return read_set(name, part)
    frames = published_frames().items()
    return tuple(Entry(key, key.split("_")[0], frame["question"], (frame,)) for key, frame in frames)


def measure(subject: Subject, entries: Iterable[Entry], read: Read, ground: Ground) -> Iterator[Graded]:
    """Put every question to the interpreter and grade what it makes of it.

    ``read`` is the interpreter with everything that it does by itself; ``ground`` is the grounding check
    alone, which is run once more so that its share of the time is known.
    """
    golds: dict[str, tuple[Checked, Result] | None] = {}
    for entry in entries:
        yield _Trial(subject, entry, golds).graded(read, ground)


class _Trial:
    """One question on its way through the stages."""

    def __init__(
        self, subject: Subject, entry: Entry, golds: dict[str, tuple[Checked, Result] | None]
    ) -> None:
        self._subject, self._entry, self._golds = subject, entry, golds
        self._seconds: dict[str, float] = {}

    def graded(self, read: Read, ground: Ground) -> Graded:
        entry = self._entry
        try:
            found = self._timed("read", lambda: read(entry.question))
        except ModelError as error:
            return Graded(entry, "failed", error.message, Stages(seconds=self._seconds))
        proposal = found.frame or found.draft
        if proposal is None:
            return self._put_aside(found, read, Stages(seconds=self._seconds))
        self._timed("ground", lambda: ground(entry.question, proposal))
        outcome = self._timed("check", lambda: self._subject.check(_written(proposal)))
        try:
            gold = self._timed("answer", lambda: self._right(outcome))
            same = gold is not None
            stated = self._misstated(outcome, gold) if found.frame is not None else ""
        except GroundframeError as error:
            stages = Stages(proposed=True, valid=True, seconds=self._seconds)
            return Graded(entry, "failed", error.message, stages)
        let_through = found.frame is not None
        repairs = (
            [one for one in outcome.repairs if one.safety == "safe"] if isinstance(outcome, Checked) else []
        )
        stages = Stages(
            proposed=True,
            valid=not isinstance(outcome, Rejected),
            executed=let_through and isinstance(outcome, Checked),
            before_repair=same and not repairs,
            after_repair=same,
            after_grounding=same and let_through,
            repairs=len(repairs),
            seconds=self._seconds,
        )
        if not let_through:
            return self._put_aside(found, read, stages)
        grade, said = self._grade(outcome, stated, same=same)
        chosen = self._chosen(proposal, outcome) if grade == "asked" else ()
        return Graded(entry, grade, said, stages, self._any_right(chosen))

    def _timed(self, stage: str, work: Callable[[], Any]) -> Any:
        start = perf_counter()
        try:
            return work()
        finally:
            self._seconds[stage] = perf_counter() - start

    def _put_aside(self, found: Interpretation, read: Read, stages: Stages) -> Graded:
        """The grade of a question that was not answered, and whether asking back leads to what was meant."""
        entry = self._entry
        left = ", ".join(span.text or span.meaning for span in found.leftovers)
        if not found.offers:
            said = f"{found.reason} {left}".strip()
            return Graded(entry, "right" if entry.refuse else "refused", said, stages)
        asked = f"{left}: {' | '.join(found.offers)}"
        if entry.ask and not entry.refuse:
            return Graded(entry, "right", asked, stages)
        frames = (again.frame for again in map(read, found.offers) if again.frame is not None)
        helped = self._any_right(self._subject.check(_written(frame)) for frame in frames)
        return Graded(entry, "asked", asked, stages, helped)

    def _chosen(self, proposal: Frame, outcome: Outcome) -> Iterator[Outcome]:
        """What becomes of the frame with each of the places that are asked back."""
        choices = outcome.choices if isinstance(outcome, NeedsChoice | Rejected) else ()
        for choice in choices[:1]:
            for candidate in choice.candidates:
                yield self._subject.check(_written(proposal), {choice.id: candidate.key})

    def _any_right(self, outcomes: Iterable[Outcome]) -> bool:
        if not self._entry.frames:
            return False
        try:
            return any(self._right(outcome) is not None for outcome in outcomes)
        except GroundframeError:
            return False

    def _grade(self, outcome: Outcome, stated: str, *, same: bool) -> tuple[Grade, str]:
        entry = self._entry
        if isinstance(outcome, NeedsChoice) or (isinstance(outcome, Rejected) and outcome.choices):
            return "right" if entry.ask or entry.refuse else "asked", outcome.choices[0].text
        if isinstance(outcome, Rejected):
            return "right" if entry.refuse else "refused", outcome.issues[0].sentence()
        if same:
            return ("wrong", f"the sentence states {stated}") if stated else ("right", "")
        return "wrong", "answered" if entry.refuse or not entry.frames else "another result"

    def _right(self, outcome: Outcome) -> Result | None:
        """The result of the gold frame that the outcome has the result of; None where there is none."""
        if not isinstance(outcome, Checked) or not self._entry.frames:
            return None
        own = result_of(self._subject, outcome)
        for frame in self._entry.frames:
            key = json.dumps(frame, sort_keys=True)
            if key not in self._golds:
                gold = self._subject.check(frame)
                checked = gold if isinstance(gold, Checked) else None
                self._golds[key] = (checked, result_of(self._subject, checked)) if checked else None
            held = self._golds[key]
            if held is not None and same_result(held[0], held[1], own):
                return held[1]
        return None

    def _misstated(self, outcome: Outcome, gold: Result | None) -> str:
        """A number in the answer's sentence that is not that of the gold result; empty where it is."""
        if gold is None or not isinstance(outcome, Checked):
            return ""
        return misstated(sentence_of(self._subject, outcome), gold)


def _written(frame: Frame) -> Mapping[str, Any]:
    return frame.model_dump(mode="json", by_alias=True, exclude_defaults=True)
