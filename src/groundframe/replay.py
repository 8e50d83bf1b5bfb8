"""What becomes of a recorded answer when its frame is run again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

from groundframe.answer import Answer
from groundframe.audit.comparison import stage_differences
from groundframe.audit.making import provenance
from groundframe.audit.reading import RecordSource, read_record
from groundframe.audit.sealing import as_read
from groundframe.errors import NeedsChoiceError, RejectedError, UnsupportedError
from groundframe.postgis.datasets import Dataset

__all__ = ["Replay", "replayed"]


@dataclass(frozen=True)
class Replay:
    """A recorded answer, and the one that its frame gives now; `Connection.replay` makes it.

    Attributes
    ----------
    recorded : mapping
        The audit record.
    now : mapping
        The audit record of the same frame with the same choices, run again. Where there is no answer any
        more, only the data version, the pack and the versions.
    failure : str
        Why there is no answer any more; empty where there is one.
    answer : Answer or None
        What the frame gives now.
    """

    recorded: Mapping[str, Any]
    now: Mapping[str, Any]
    failure: str = ""
    answer: Answer | None = None

    @property
    def same(self) -> bool:
        """Whether the result is the same to the byte."""
        return not self.failure and bool(self.recorded["digest"] == self.now["digest"])

    @cached_property
    def differences(self) -> dict[str, list[str]]:
        """What differs, in words: stage to lines, in the order in which an answer comes about.

        The same result may have come about in another way, so that there can be differences without a
        different result.
        """
        return stage_differences(self.recorded, self.now, self.failure)

    def verdict(self) -> str:
        """The outcome in one sentence."""
        if self.same:
            how = "; how it came about differs" if self.differences else ""
            return f"The answer is the same{how}."
        if "data" in self.differences:
            return "The answer is another: the data are not those of the record."
        if "versions" in self.differences:
            return "The answer is another: the data are the same, but not the versions."
        why = "though data and versions are the same, so the record does not tell what its frame gives."
        return f"The answer is another, {why}"

    def as_dict(self) -> dict[str, Any]:
        """The comparison as JSON-ready data."""
        return {
            "same": self.same,
            "verdict": self.verdict(),
            "recorded_digest": self.recorded["digest"],
            "digest": self.now.get("digest"),
            "differences": self.differences,
        }


class Runs(Protocol):
    """What answers frames about a dataset."""

    @property
    def dataset(self) -> Dataset:
        """The dataset."""

    def run(self, frame: Mapping[str, Any], choices: Mapping[str, str], row_limit: int | None) -> Answer:
        """Answer a frame."""


def replayed(connection: Runs, record: RecordSource) -> Replay:
    """Run the frame of a record again; see `Connection.replay`."""
    recorded = read_record(record)
    try:
        answer = connection.run(recorded["frame"], recorded["choices"], recorded["row_limit"])
    except (RejectedError, UnsupportedError, NeedsChoiceError) as error:
        return Replay(recorded, provenance(connection.dataset), str(error))
    return Replay(recorded, as_read(answer.audit()), answer=answer)
