"""One frame of a batch: answered into its file, or the reasons why not."""

from __future__ import annotations

import errno
import hashlib
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

from groundframe.answer import Answer
from groundframe.batch.folder import CHOICES
from groundframe.batch.reading import Job
from groundframe.errors import (
    FrameError,
    GroundframeError,
    Issue,
    NeedsChoiceError,
    OutputError,
    RejectedError,
    UnreachableError,
    UnsupportedError,
)
from groundframe.formats.registry import ABOUT, Format
from groundframe.postgis.datasets import Dataset

__all__ = ["Asker", "Came", "Writer"]


class Asker(Protocol):
    """What answers frames; a :class:`groundframe.Connection` does."""

    @property
    def dataset(self) -> Dataset:
        """The dataset that is asked."""
        ...

    def run(
        self, frame: Any, choices: Mapping[str, str] | None = None, row_limit: int | None = None
    ) -> Answer:
        """Answer a frame."""
        ...


@dataclass(frozen=True, slots=True)
class Came:
    """What came of a frame: its line of the manifest, and the questions that it leaves open."""

    entry: Mapping[str, Any]
    choices: list[dict[str, Any]] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Writer:
    """Answers frames into files of one format in one folder."""

    gis: Asker
    folder: Path
    format: Format
    row_limit: int | None

    def answer(self, job: Job, choices: Mapping[str, str]) -> Came:
        """Answer a frame.

        Raises
        ------
        UnreachableError
            When there is no connection to the database: the frame is to be tried again.
        OutputError
            When the disk is full, or the folder cannot be written to: the others would not fare better.
        """
        try:
            return Came(self._about(job, choices, "done") | self._answered(job, choices))
        except NeedsChoiceError as error:
            asked = [
                Issue(error.code, str(one["path"]), str(one["text"]), action=f"Answer it in {CHOICES}.")
                for one in error.choices
            ]
            return Came(self._about(job, choices, "needs_choice", asked), list(error.choices))
        except UnsupportedError as error:
            return Came(self._about(job, choices, "unsupported", error.issues))
        except (FrameError, RejectedError) as error:
            return Came(self._about(job, choices, "rejected", error.issues))
        except UnreachableError:
            raise
        except OutputError as error:
            if not (isinstance(error.__cause__, OSError) and error.__cause__.errno == errno.EFBIG):
                raise
            return self.failed(job, choices, error)
        except GroundframeError as error:
            return self.failed(job, choices, error)
        except Exception as error:
            kind, text = type(error).__name__, " ".join(str(error).split())[:200]
            return self.failed(
                job,
                choices,
                GroundframeError(
                    f"groundframe met an error it did not expect ({kind}: {text}).",
                    "Please report it, with the frame.",
                ),
            )

    def failed(self, job: Job, choices: Mapping[str, str], error: GroundframeError) -> Came:
        """What came of a frame that could not be answered this time."""
        issue = Issue(error.code, "", error.message, action=error.hint)
        return Came(self._about(job, choices, "failed", [issue]))

    def _answered(self, job: Job, choices: Mapping[str, str]) -> dict[str, Any]:
        if job.issues:
            raise FrameError.of(job.issues)
        answer = self.gis.run(job.frame, choices, self.row_limit)
        name = f"{job.stem}{self.format.suffixes[0]}"
        answer.write(self.folder / name, self.format.name)
        names = [name] if self.format.carries_record else [name, f"{name}{ABOUT}"]
        record = answer.record()
        return {
            "file": name,
            "sha256": {one: _digest(self.folder / one) for one in names},
            "digest": answer.digest,
            "counts": record["counts"],
            "warnings": record["warnings"],
            "repairs": [repair["message"] for repair in record["repairs"]],
        }

    def _about(self, job: Job, choices: Mapping[str, str], state: str, issues: Any = ()) -> dict[str, Any]:
        """What is known of a frame however it ends."""
        known = {"name": job.name, "question": job.question, "state": state, "frame": job.digest}
        more = {"choices": dict(sorted(choices.items())), "issues": [issue.as_dict() for issue in issues]}
        return {key: part for key, part in (known | more).items() if part}


def _digest(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
