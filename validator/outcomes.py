"""The three outcomes of a validation, and the records that go with them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from groundframe.errors import Issue
from groundframe.frames.model import Frame

__all__ = [
    "Anchor",
    "Candidate",
    "Checked",
    "Choice",
    "NeedsChoice",
    "Outcome",
    "Rejected",
    "Repair",
    "Safety",
]

Safety = Literal["safe", "declared", "chosen"]
"""``safe``: there is one reading; ``declared``: the pack or the docs say so; ``chosen``: the caller did."""


@dataclass(frozen=True, slots=True)
class Repair:
    """One change that the validator made.

    Parameters
    ----------
    rule : str
        Id of the rule.
    path : str
        JSON pointer into the frame as received; ``-`` stands for a new element of a list.
    before, after : object
        The value there, JSON-ready; None where there was or is none.
    safety : {'safe', 'declared', 'chosen'}
        Why it could be made without asking.
    score : float or None
        Similarity from 0 to 1 where a word was matched by likeness.
    message : str
        What was done and why, in one sentence.
    """

    rule: str
    path: str
    before: Any
    after: Any
    safety: Safety
    score: float | None
    message: str

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON-ready data."""
        return {
            "rule": self.rule,
            "path": self.path,
            "before": self.before,
            "after": self.after,
            "safety": self.safety,
            "score": self.score,
            "message": self.message,
        }


@dataclass(frozen=True, slots=True)
class Candidate:
    """One thing that a name may stand for.

    ``key`` is what the caller sends back; ``kind`` is a label such as ``school``; longitude and latitude are
    a point on it; ``distance_m`` is how far it lies from ``distance_from``, a place that the frame or a
    geocoder names.
    """

    key: str
    name: str
    kind: str
    town: str = ""
    longitude: float | None = None
    latitude: float | None = None
    distance_m: float | None = None
    distance_from: str = ""

    def label(self) -> str:
        """One line that tells it from the others.

        Examples
        --------
        >>> Candidate("s:1", "Memorial School", "school", "Natick", -71.35, 42.28).label()
        'Memorial School (school, Natick) at 42.28000 N, 71.35000 W'
        >>> Candidate("s:1", "Memorial School", "school", distance_m=1234.5, distance_from="Natick").label()
        'Memorial School (school), 1.2 km from Natick'
        """
        facts = ", ".join(part for part in (self.kind, self.town) if part)
        line = f"{self.name} ({facts})" if facts else self.name
        if self.longitude is not None and self.latitude is not None:
            north = f"{abs(self.latitude):.5f} {'N' if self.latitude >= 0 else 'S'}"
            east = f"{abs(self.longitude):.5f} {'E' if self.longitude >= 0 else 'W'}"
            line += f" at {north}, {east}"
        if self.distance_m is not None:
            far = (
                f"{self.distance_m / 1000:.1f} km" if self.distance_m >= 1000 else f"{self.distance_m:.0f} m"
            )
            line += f", {far} from {self.distance_from}"
        return line

    def as_dict(self) -> dict[str, Any]:
        """The candidate as JSON-ready data, its point as GeoJSON."""
        located = self.longitude is not None and self.latitude is not None
        point = {"type": "Point", "coordinates": [self.longitude, self.latitude]} if located else None
        apart = {"distance_m": self.distance_m, "distance_from": self.distance_from}
        return {
            "key": self.key,
            "label": self.label(),
            "name": self.name,
            "kind": self.kind,
            "town": self.town,
            "point": point,
            **(apart if self.distance_m is not None else {}),
        }


@dataclass(frozen=True, slots=True)
class Choice:
    """A question back to the caller, who chooses one of the candidates.

    ``id`` is the JSON pointer of what is ambiguous in the frame as received;
    ``validate(..., choices={id: key})`` answers it.
    """

    id: str
    text: str
    candidates: tuple[Candidate, ...]

    def as_dict(self) -> dict[str, Any]:
        """The question as JSON-ready data."""
        return {
            "path": self.id,
            "text": self.text,
            "candidates": [candidate.as_dict() for candidate in self.candidates],
        }


@dataclass(frozen=True, slots=True)
class Anchor:
    """What a name in the frame was resolved to, and from what.

    ``basis`` says how: ``exact``, ``alias``, ``without_part``, ``fuzzy``, ``geocoded`` or ``chosen``;
    ``origin`` says where what was chosen comes from: ``dataset``, ``gazetteer``, ``geocoder`` (its terms are
    the ``notice``), or ``frame`` for a reading of its own area.
    """

    path: str
    asked: str
    basis: str
    origin: str
    chosen: tuple[Candidate, ...]
    offered: tuple[Candidate, ...] = ()
    notice: str = ""

    def as_dict(self) -> dict[str, Any]:
        """The record as JSON-ready data."""
        return {
            "path": self.path,
            "asked": self.asked,
            "basis": self.basis,
            "origin": self.origin,
            "chosen": [candidate.as_dict() for candidate in self.chosen],
            "offered": [candidate.as_dict() for candidate in self.offered],
            **({"notice": self.notice} if self.notice else {}),
        }


@dataclass(frozen=True, slots=True)
class Checked:
    """The frame can be answered.

    Attributes
    ----------
    frame : Frame
        Explicit and canonical, as docs/checked_frames.md says.
    received : Frame
        As it came.
    repairs : tuple of Repair
        What was wrong and safely put right.
    normalised : tuple of Repair
        Declared spellings and implied parts that were written out; nothing was wrong.
    anchors : tuple of Anchor
        What the names were resolved to.
    notes : tuple of str
        What a reader of the answer should know.
    choices : mapping
        Answers to open questions that were handed in: path to key.
    seconds : float
        How long the validation took; no part of what makes two outcomes equal.
    """

    frame: Frame
    received: Frame
    repairs: tuple[Repair, ...] = ()
    normalised: tuple[Repair, ...] = ()
    anchors: tuple[Anchor, ...] = ()
    notes: tuple[str, ...] = ()
    choices: Mapping[str, str] = field(default_factory=dict)
    seconds: float = field(default=0.0, compare=False)


@dataclass(frozen=True, slots=True)
class NeedsChoice:
    """The frame is right but a name has several candidates; nothing was guessed."""

    choices: tuple[Choice, ...]
    received: Frame
    repairs: tuple[Repair, ...] = ()


@dataclass(frozen=True, slots=True)
class Rejected:
    """The frame cannot be answered; every issue is listed.

    ``unsupported`` tells a question that groundframe does not answer from a frame that is wrong. ``choices``
    are the names that would have to be chosen as well.
    """

    issues: tuple[Issue, ...]
    received: Frame
    unsupported: bool = False
    choices: tuple[Choice, ...] = ()
    repairs: tuple[Repair, ...] = ()


Outcome = Checked | NeedsChoice | Rejected
