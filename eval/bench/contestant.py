"""Who answers: groundframe, statements by hand, and other tools, all asked in the same way."""

from __future__ import annotations

from collections.abc import Iterable
from copy import copy
from dataclasses import dataclass
from typing import Any, Protocol, Self

from groundframe.errors import GroundframeError

__all__ = ["Answered", "Contestant", "Peer", "TooSlowError", "answer_rows"]

AnswerRow = tuple[Any, ...]


class TooSlowError(GroundframeError):
    """A contestant was cut off at the limit."""


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer of a contestant.

    Attributes
    ----------
    rows : tuple of rows, or None
        The answer as keys and counts, in its order; None where nothing but a count was asked.
    seconds : float
        How long it took, with the counts beside the rows where the contestant gives them.
    first_s : float or None
        Until the first row was there, where that can be told.
    compile_s : float or None
        From the checked frame to SQL, which `seconds` leaves out.
    """

    rows: tuple[AnswerRow, ...] | None
    seconds: float
    first_s: float | None = None
    compile_s: float | None = None


class Peer:
    """Another tool, which answers once with the tables as they came, and once with what a load computes."""

    tool = ""

    def __init__(self) -> None:
        self.given = "raw"

    @property
    def name(self) -> str:
        """The tool, and with which tables it works."""
        return f"{self.tool} {self.given}"

    def both(self) -> tuple[Self, Self]:
        """Itself, and itself with the links and pairs of a load; they share the tables."""
        other = copy(self)
        other.given = "given"
        return self, other


class Contestant(Protocol):
    """Something that answers the cases of a bench."""

    @property
    def name(self) -> str:
        """What it is called in the figures."""
        ...

    def takes(self, case: Any) -> bool:
        """Whether it has an answer to questions of this class."""
        ...

    def answer(self, case: Any, limit_s: float) -> Answered:
        """Answer a case.

        Raises
        ------
        TooSlowError
            When it was cut off at the limit.
        """
        ...

    def close(self) -> None:
        """Give back what it holds."""
        ...


def answer_rows(rows: Iterable[Iterable[Any]]) -> tuple[AnswerRow, ...]:
    """Rows with plain values, so that those of different tools compare.

    Examples
    --------
    >>> answer_rows([("a", 2.0), (float("nan"), 3)])
    (('a', 2), (None, 3))
    """
    return tuple(tuple(map(_plain, row)) for row in rows)


def _plain(value: Any) -> Any:
    if value is None or value != value:
        return None
    return value if isinstance(value, str) else int(value)
