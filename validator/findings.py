"""What a rule reports: edits, issues, questions, anchors and notes."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Literal

from groundframe.errors import Issue
from groundframe.validator.outcomes import Anchor, Choice, Safety

if TYPE_CHECKING:
    from groundframe.validator.context import Context

__all__ = ["Add", "Drop", "Edit", "Fill", "Finding", "Note", "Operation", "Phase", "Put", "Rule", "edit"]


class Phase(IntEnum):
    """The order in which rules run (DESIGN §4)."""

    STRUCTURE = 1
    NAMES = 2
    VALUES = 3
    PLACES = 4
    MEANING = 5


@dataclass(frozen=True, slots=True)
class Put:
    """Put a value where the pointer leads."""

    path: str
    value: Any


@dataclass(frozen=True, slots=True)
class Add:
    """Add an element to the end of a list."""

    path: str
    value: Any


@dataclass(frozen=True, slots=True)
class Drop:
    """Take an element out of a list."""

    path: str


Operation = Put | Add | Drop


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of the frame, with its record.

    ``path`` is in terms of the frame as the rule sees it; the engine translates it to the frame as received.
    """

    path: str
    before: Any
    after: Any
    message: str
    operations: tuple[Operation, ...]
    safety: Safety = "safe"
    score: float | None = None


@dataclass(frozen=True, slots=True)
class Fill:
    """Parts of the frame to fill in whose record is another finding, such as an anchor."""

    operations: tuple[Operation, ...]


@dataclass(frozen=True, slots=True)
class Note:
    """Something that a reader of the answer should know."""

    text: str


Finding = Edit | Fill | Issue | Choice | Anchor | Note


@dataclass(frozen=True, slots=True)
class Rule:
    """One bad pattern, with its check and fix.

    Parameters
    ----------
    id : str
        Stable name, the same as the module's.
    name : str
        The pattern, in a few words.
    rationale : str
        Why it is wrong, or why it can be put right without asking.
    phase : Phase
        When it runs.
    safety : {'safe', 'declared', 'chosen'} or None
        The grade of its edits; None when it only reports.
    check : callable
        Reads the context and yields findings; an `Edit` among them is the fix.
    """

    id: str
    name: str
    rationale: str
    phase: Phase
    safety: Safety | None
    check: Callable[[Context], Iterator[Finding]]


def edit(
    path: str,
    before: Any,
    after: Any,
    message: str,
    *,
    safety: Literal["safe", "declared", "chosen"] = "safe",
    score: float | None = None,
) -> Edit:
    """An edit that puts `after` at `path`."""
    return Edit(path, before, after, message, (Put(path, after),), safety, score)
