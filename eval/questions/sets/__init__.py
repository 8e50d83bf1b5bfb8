"""Questions with what they mean, for measuring interpreters.

Three sets of two files each: ``NAME.yaml`` to tune on, and ``NAME_held_out.yaml``, which nobody reads while
an interpreter, its vocabulary or its examples are made. ``README.md`` says how the entries were written.
"""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from groundframe.schema.packs import read_yaml

__all__ = ["SETS", "Entry", "Part", "is_held_out", "read_set"]

SETS = ("messy", "unsupported", "good")
Part = Literal["tuning", "held_out", "all"]
FOLDER = Path(__file__).resolve().parent


@dataclass(frozen=True, slots=True)
class Entry:
    """One question and what is right to do with it.

    Parameters
    ----------
    id : str
        Stable: an entry keeps it, and one that is taken out leaves a gap.
    kind : str
        The group that it is reported in; for a question to refuse, why.
    frames : tuple of dict
        The readings of which any is right, the likeliest first; each a frame as a user would write it.
    ask : bool
        Whether asking back is right, too; without frames nothing else is. With neither the question is
        to be refused.
    note : str
        Why the readings are these, where that is not plain.
    """

    id: str
    kind: str
    question: str
    frames: tuple[dict[str, Any], ...] = ()
    ask: bool = False
    note: str = ""

    @property
    def refuse(self) -> bool:
        """Whether refusing is what is right."""
        return not self.frames and not self.ask


def read_set(name: str, part: Part = "tuning") -> tuple[Entry, ...]:
    """The entries of a set in the order of their ids.

    Examples
    --------
    >>> first = read_set("unsupported")[0]
    >>> first.refuse, is_held_out(first.id)
    (True, False)
    """
    stems = {"tuning": (name,), "held_out": (f"{name}_held_out",), "all": (name, f"{name}_held_out")}[part]
    rows = [row for stem in stems for row in read_yaml(FOLDER / f"{stem}.yaml")]
    entries = (Entry(**{**row, "frames": tuple(row.get("frames", ()))}) for row in rows)
    return tuple(sorted(entries, key=lambda entry: entry.id))


def is_held_out(entry_id: str) -> bool:
    """Whether an entry belongs into the held-out file of its set: every third does, by the hash of its id."""
    return int.from_bytes(sha256(entry_id.encode()).digest(), "big") % 3 == 0
