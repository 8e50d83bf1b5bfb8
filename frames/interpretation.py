"""What an interpreter makes of a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from groundframe.frames.model import Frame

__all__ = ["Interpretation", "Interpreter", "Span"]


@dataclass(frozen=True, slots=True)
class Span:
    """Some characters of the question, and what they were taken for; for words not understood, why."""

    start: int
    end: int
    text: str
    meaning: str = ""


@dataclass(frozen=True)
class Interpretation:
    """A question as an interpreter reads it.

    Attributes
    ----------
    frame : Frame or None
        What the question asks; None where not all of it was understood. It is still to be validated.
    draft : Frame or None
        What the words that were understood ask, when others are left over; never to be answered as it stands.
    accounted : tuple of Span
        The words with what they were taken for.
    leftovers : tuple of Span
        The words that were not understood.
    corrections : dict
        Misspelt words with what they were read as.
    aside : tuple of Span
        Sentences about who asks, which ask nothing; words of which it is to be said how they were read.
    offers : tuple of str
        Questions that would be understood, to ask back with where this one is not.
    reason : str
        Why a question is not answered, as one sentence; empty where only words are missing.
    interpreter : str
        Which one it was.
    model : dict
        Of a model: its name, the version of the prompt, its last reply, how often it was told what is wrong.
    """

    question: str
    frame: Frame | None
    draft: Frame | None = None
    accounted: tuple[Span, ...] = ()
    leftovers: tuple[Span, ...] = ()
    corrections: dict[str, str] = field(default_factory=dict)
    aside: tuple[Span, ...] = ()
    offers: tuple[str, ...] = ()
    reason: str = ""
    interpreter: str = ""
    model: dict[str, str] = field(default_factory=dict)


class Interpreter(Protocol):
    """Turns questions into frames; it never sees the data beyond the names that it is given."""

    name: str

    def interpret(self, question: str) -> Interpretation:
        """Read a question; whatever cannot be read is said, and nothing is raised."""
        ...
