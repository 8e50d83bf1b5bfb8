"""What can go wrong, as values: one exception root, one issue record.

This module imports nothing of groundframe, so that every layer may import it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

__all__ = [
    "DatabaseError",
    "DatasetError",
    "FrameError",
    "GoldenError",
    "GroundframeError",
    "Issue",
    "LoadError",
    "ModelError",
    "NeedsChoiceError",
    "NotUnderstoodError",
    "OutputError",
    "PackError",
    "PlanError",
    "RecordError",
    "RejectedError",
    "UnreachableError",
    "UnsupportedError",
    "UsageError",
]


@dataclass(frozen=True, slots=True)
class Issue:
    """One thing that is wrong with an input, in words a planner understands.

    Parameters
    ----------
    code : str
        Machine-readable name of the kind of issue, such as ``unknown_field``.
    path : str
        JSON pointer into the input, such as ``/targets/0/entity``; ``""`` is the whole document.
    message : str
        What is wrong, in one sentence.
    allowed : tuple of str
        The allowed values, when there are few of them.
    nearest : tuple of str
        At most three values that were perhaps meant, best first.
    action : str
        What to do next.
    """

    code: str
    path: str
    message: str
    allowed: tuple[str, ...] = ()
    nearest: tuple[str, ...] = ()
    action: str = ""

    def sentence(self) -> str:
        """The issue as the one or two sentences that a terminal shows.

        Examples
        --------
        >>> Issue("unknown_field", "/x/0", "There is no field 'sped'.", nearest=("speed_limit",)).sentence()
        "/x/0: There is no field 'sped'. Did you mean 'speed_limit'?"
        """
        parts = [f"{self.path}: {self.message}" if self.path else self.message]
        if self.nearest:
            parts.append("Did you mean " + " or ".join(f"'{value}'" for value in self.nearest) + "?")
        elif self.allowed:
            parts.append("Allowed: " + ", ".join(self.allowed) + ".")
        if self.action:
            parts.append(self.action)
        return " ".join(parts)

    def as_dict(self) -> dict[str, object]:
        """The issue as JSON-ready data, with empty parts left out."""
        data: dict[str, object] = {"code": self.code, "path": self.path, "message": self.message}
        if self.allowed:
            data["allowed"] = list(self.allowed)
        if self.nearest:
            data["nearest"] = list(self.nearest)
        if self.action:
            data["action"] = self.action
        return data


@dataclass(eq=False)
class GroundframeError(Exception):
    """Root of every error that groundframe raises on purpose.

    Parameters
    ----------
    message : str
        What went wrong and where, in one sentence.
    hint : str
        The next action, empty when there is none.

    Attributes
    ----------
    code : str
        Machine-readable kind, stable between releases.
    exit_code : int
        What the command line exits with: 1 rejected or failed, 2 usage, 3 needs a choice.
    """

    message: str
    hint: str = ""
    code: str = field(default="failed", init=False)
    exit_code: int = field(default=1, init=False)

    def __post_init__(self) -> None:
        """Where a subclass sets its code; declared here, so that the generated constructor calls it."""

    def __str__(self) -> str:
        return f"{self.message} {self.hint}".strip()


class UsageError(GroundframeError):
    """The command or the call itself is off: a wrong option, a missing choice of dataset."""

    def __post_init__(self) -> None:
        self.code, self.exit_code = "usage", 2


class PackError(GroundframeError):
    """A schema pack cannot be used; the message names the file and the path in it."""

    def __post_init__(self) -> None:
        self.code = "pack"


class LoadError(GroundframeError):
    """A source file is refused; the dataset is as it was before."""

    def __post_init__(self) -> None:
        self.code = "load"


class GoldenError(GroundframeError):
    """A golden file cannot be read, or is for something else."""

    def __post_init__(self) -> None:
        self.code = "golden"


@dataclass(eq=False)
class ModelError(GroundframeError):
    """A language model was asked, or was to be asked, and gave no usable reply.

    Parameters
    ----------
    kind : str
        Why: ``not_configured``, ``not_installed``, ``unreachable``, ``timeout``, ``busy``, ``key``,
        ``refused``, ``truncated``, ``request``, ``redirect``, ``too_large``, ``not_json``, ``failed``.
    """

    kind: str = "failed"

    def __post_init__(self) -> None:
        self.code = "model"


class OutputError(GroundframeError):
    """A file cannot be written; what was there before is as it was, and nothing half-written is left."""

    def __post_init__(self) -> None:
        self.code = "output"


class DatabaseError(GroundframeError):
    """The database is missing, unreachable, without PostGIS, or stopped a query."""

    def __post_init__(self) -> None:
        self.code = "database"


class UnreachableError(DatabaseError):
    """There is no connection to the database, or it was lost; later it may be there again."""


class DatasetError(GroundframeError):
    """There is no such dataset, no data in it, or it was loaded under another pack version."""

    def __post_init__(self) -> None:
        self.code = "dataset"


class PlanError(GroundframeError):
    """A plan that breaks the rules of the graph; always a fault of groundframe itself."""

    def __post_init__(self) -> None:
        self.code = "plan"


@dataclass(eq=False)
class IssuesError(GroundframeError):
    """An error that carries every issue found, not only the first."""

    issues: tuple[Issue, ...] = ()

    @classmethod
    def of(cls, issues: Iterable[Issue]) -> IssuesError:
        """The error for these issues; its message is the first one's sentence."""
        found: Sequence[Issue] = tuple(issues)
        more = f" ({len(found) - 1} more)" if len(found) > 1 else ""
        return cls(found[0].sentence() + more, issues=tuple(found))


@dataclass(eq=False)
class FrameError(IssuesError):
    """The document is no frame: not JSON, over a limit, or not of the frame's shape."""

    def __post_init__(self) -> None:
        self.code = "invalid_frame"


@dataclass(eq=False)
class RecordError(IssuesError):
    """The document is no audit record, is damaged, or was changed after it was written."""

    def __post_init__(self) -> None:
        self.code = "invalid_record"


@dataclass(eq=False)
class RejectedError(IssuesError):
    """The frame is well-formed and cannot be answered as it stands."""

    def __post_init__(self) -> None:
        self.code = "rejected"


@dataclass(eq=False)
class UnsupportedError(IssuesError):
    """The frame asks for something that groundframe, or this engine, does not do."""

    def __post_init__(self) -> None:
        self.code = "unsupported"


@dataclass(eq=False)
class NotUnderstoodError(IssuesError):
    """Words of a question are left over; what the others say is never answered alone."""

    def __post_init__(self) -> None:
        self.code = "not_understood"


@dataclass(eq=False)
class NeedsChoiceError(GroundframeError):
    """A name has several candidates; the caller chooses and runs the frame again.

    Parameters
    ----------
    choices : tuple of dict
        One entry per question: ``path``, ``text`` and labelled ``candidates``.
    """

    choices: tuple[dict[str, object], ...] = ()

    def __post_init__(self) -> None:
        self.code, self.exit_code = "needs_choice", 3
