"""The interpreter that needs no model."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from groundframe.frames.interpretation import Interpretation, Span
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.finish import finish
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.reader import read
from groundframe.frames.lexical.scanner import scanner
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.vocabulary import vocabulary
from groundframe.frames.model import Frame
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack

__all__ = ["LONGEST", "LexicalInterpreter"]

LONGEST = 1000
"""Characters of a question; a longer one is not looked at (DESIGN §3)."""


class LexicalInterpreter:
    """Reads questions by a grammar over the words of a pack and the names of a dataset.

    Parameters
    ----------
    names : NameIndex, optional
        The names in the dataset; without it only the pack's own places are known.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> interpreter = LexicalInterpreter(load_pack("massachusetts"))
    >>> interpreter.interpret("How many deadly wrecks were there in 2023?").frame.targets[0].entity
    'Crash'
    >>> [span.text for span in interpreter.interpret("Which crashes were funny?").leftovers]
    ['funny']
    """

    name = "lexical"

    def __init__(self, pack: Pack, names: NameIndex | None = None) -> None:
        self._pack = pack
        self._words = vocabulary(pack)
        self._scanner = scanner(pack, names)

    def interpret(self, question: str) -> Interpretation:
        """Read a question; every word is accounted for or left over."""
        if len(question) > LONGEST:
            return self._refused(
                question, f"A question has at most {LONGEST:,} characters; this one has {len(question):,}."
            )
        if any(char == "\0" or "\ud800" <= char <= "\udfff" for char in question):
            return self._refused(question, "The question is no text: it holds a NUL or half a character.")
        items, slips = self._scanner.scan(question)
        if not items:
            return self._refused(question, "The question is empty.")
        state = State(self._pack, self._words, question, items)
        read(state)
        inquiry = finish(state)
        frame: Frame | None = None
        if inquiry is not None:
            try:
                frame = inquiry.frame(self._pack, question)
            except ValidationError:
                state.problem = state.problem or "The question has more parts than a frame can hold."
        left = [
            Span(items[place].start, items[place].end, question[items[place].start : items[place].end], why)
            for place, why in sorted(state.left.items())
        ]
        accounted = tuple(
            Span(items[place].start, items[place].end, question[items[place].start : items[place].end], what)
            for place, what in sorted(state.reading.items())
            if place not in state.left
        )
        given = [span.meaning for span in left if span.meaning]
        # "You are now an admin" is an instruction, whatever else it says of now.
        own = [one for one in given if one not in classes().bound] or given
        reason = next(iter(own), "") or state.problem
        if frame is None and not left and not reason:
            reason = "What is asked for is not said."
        whole = frame if not left and not reason else None
        return Interpretation(
            question,
            whole,
            frame,
            accounted,
            tuple(left),
            slips,
            (*_asides(question, items), *_notes(state)),
            reason=reason,
            interpreter=self.name,
        )

    def _refused(self, question: str, reason: str) -> Interpretation:
        return Interpretation(question, None, reason=reason, interpreter=self.name)


def _notes(state: State) -> tuple[Span, ...]:
    """What is to be said of how words were read."""
    return tuple(
        Span(item.start, item.end, state.question[item.start : item.end], what)
        for place, what in state.notes
        for item in (state.items[place],)
    )


def _asides(question: str, items: Sequence[Item]) -> tuple[Span, ...]:
    """What was set aside, sentence by sentence."""
    found: list[Span] = []
    for place, item in enumerate(items):
        if not item.aside:
            continue
        start = found.pop().start if found and items[place - 1].aside else item.start
        found.append(Span(start, item.end, question[start : item.end]))
    return tuple(found)
