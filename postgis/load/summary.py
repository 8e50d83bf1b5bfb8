"""The load report: what a dataset holds, from where, and what does not fit together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

from groundframe.postgis.load.staging import StagedRows

__all__ = ["LinkSummary", "LoadReport", "Overlap", "SourceSummary", "StatedElsewhere"]


@dataclass(frozen=True, slots=True)
class SourceSummary:
    """The rows of one source in the dataset.

    Parameters
    ----------
    rows, located : int
        Features, and those of them with a geometry.
    first, last : date or None
        The oldest and newest date among them.
    coverage : dict or None
        What the pack declares the source to cover.
    known : dict
        Field to the number of rows in which its value is known, for the fields that the source provides.
    """

    entity: str
    source: str
    title: str
    synthetic: bool
    rows: int
    located: int
    first: date | None
    last: date | None
    coverage: dict[str, Any] | None
    licence: str
    notice: str
    known: dict[str, int]

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> SourceSummary:
        """The summary that a report holds."""
        days = {name: stored[name] and date.fromisoformat(stored[name]) for name in ("first", "last")}
        return cls(**{**stored, **days})


@dataclass(frozen=True, slots=True)
class StatedElsewhere:
    """Rows that state one feature and lie in another, ``""`` for none."""

    stated: str
    found: str
    rows: int


@dataclass(frozen=True, slots=True)
class LinkSummary:
    """How the rows of an entity were linked.

    Parameters
    ----------
    basis : dict
        How many rows were linked on which basis; ``none`` counts those without a link.
    located_outside : int
        Rows with a geometry that no feature covers; 0 for nearest links.
    stated_elsewhere, stated_unknown : int
        Located rows that lie in another feature than they state, and rows that state a name no feature bears.
    examples : tuple of StatedElsewhere
        The most frequent pairs of stated and found feature.
    """

    entity: str
    link: str
    to: str
    basis: dict[str, int]
    located_outside: int
    stated_elsewhere: int
    stated_unknown: int
    examples: tuple[StatedElsewhere, ...]

    @classmethod
    def of(cls, stored: Mapping[str, Any]) -> LinkSummary:
        """The summary that a report holds."""
        return cls(**{**stored, "examples": tuple(StatedElsewhere(**pair) for pair in stored["examples"])})

    def and_those(self, others: LinkSummary) -> LinkSummary:
        """The summary of these rows and of others, for a link of which no examples are told."""
        bases = sorted({*self.basis, *others.basis})
        return replace(
            self,
            basis={basis: self.basis.get(basis, 0) + others.basis.get(basis, 0) for basis in bases},
            located_outside=self.located_outside + others.located_outside,
            stated_elsewhere=self.stated_elsewhere + others.stated_elsewhere,
            stated_unknown=self.stated_unknown + others.stated_unknown,
        )


@dataclass(frozen=True, slots=True)
class Overlap:
    """Features of one entity that two sources both seem to hold: same day and time, within `distance_m`."""

    entity: str
    sources: tuple[str, str]
    distance_m: float
    rows: int
    first: date
    last: date


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a load did and what the dataset now holds.

    Attributes
    ----------
    synthetic : bool
        Whether rows of a source that the pack declares synthetic are in the dataset.
    changed : bool
        False when all that was given was there already, so that the dataset was left alone.
    files : sequence of dict
        The reports of the files, those of earlier loads that were added to included.
    rows : sequence of StagedRows
        Per entity, how many rows were new, already loaded, and repeated.
    """

    dataset: str
    pack: str
    pack_version: str
    data_version: str
    synthetic: bool
    changed: bool
    files: Sequence[dict[str, Any]]
    rows: Sequence[StagedRows]
    sources: Sequence[SourceSummary]
    links: Sequence[LinkSummary]
    overlaps: Sequence[Overlap]

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data, in a fixed order and without anything that depends on the time."""
        plain: dict[str, Any] = _plain(asdict(self))
        return plain


def _plain(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _plain(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(item) for item in value]
    return value.isoformat() if isinstance(value, date) else value
