"""What happened to every row of a file: nothing is dropped without a line here."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

__all__ = ["Disagreement", "FileReport", "Finding", "Stray"]

EXAMPLES = 5
DISTINCT_STRAYS = 200
OTHER_STRAYS = "(other values)"


@dataclass(slots=True)
class Finding:
    """Rows that one thing happened to: how many, and the first of them by number in the file (from 1)."""

    count: int = 0
    examples: list[dict[str, Any]] = field(default_factory=list)

    def add(self, row: int, **what: Any) -> None:
        """One more row, with what is worth telling about it."""
        self.count += 1
        if len(self.examples) < EXAMPLES:
            self.examples.append({"row": row, **what})

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON-ready data."""
        return {"count": self.count, "examples": self.examples}


@dataclass(slots=True)
class Stray:
    """A value that is not in a field's vocabulary: how often, and in which years if the rows have a date."""

    count: int = 0
    years: Counter[int] = field(default_factory=Counter)

    def as_dict(self) -> dict[str, Any]:
        """The count as JSON-ready data."""
        years = {str(year): self.years[year] for year in sorted(self.years)}
        return {"count": self.count, "years": years} if years else {"count": self.count}


@dataclass(slots=True)
class Disagreement(Finding):
    """Rows whose pairs of coordinates lie apart, and how far the worst of them."""

    threshold_m: float = 0.0
    max_m: float = 0.0

    def as_dict(self) -> dict[str, Any]:
        """The finding as JSON-ready data."""
        return {"threshold_m": self.threshold_m, "max_m": self.max_m, **Finding.as_dict(self)}


@dataclass(slots=True)
class FileReport:
    """What was read from one file, and what became of it.

    ``rows_read`` is ``left_out`` (no features of the entity, by the source's row filter) + rejected +
    ``collected`` (parts joined to a feature counted before) + ``loaded``.

    Parameters
    ----------
    file : str
        Path within the folder that is loaded.
    source, entity : str or None
        None when no source of the pack recognises the file; a note then says so.
    rejected : dict
        Reason to the rows that were not loaded.
    coordinates_refused : dict
        Reason to the rows that were loaded without coordinates although the file has some.
    repaired : dict
        Kind of repair to the features whose geometry was repaired, by name.
    unknown_values : dict
        Field to values outside its vocabulary, kept as unknown.
    """

    file: str
    source: str | None = None
    entity: str | None = None
    sha256: str | None = None
    rows_read: int = 0
    left_out: int = 0
    collected: int = 0
    loaded: int = 0
    without_coordinates: int = 0
    rejected: dict[str, Finding] = field(default_factory=dict)
    coordinates_refused: dict[str, Finding] = field(default_factory=dict)
    repaired: dict[str, list[str]] = field(default_factory=dict)
    unknown_values: dict[str, dict[str, Stray]] = field(default_factory=dict)
    disagreement: Disagreement | None = None
    notes: list[str] = field(default_factory=list)

    def reject(self, reason: str, row: int, name: str) -> None:
        """Count a row that is not loaded."""
        self.rejected.setdefault(reason, Finding()).add(row, name=name)

    def refuse_coordinates(self, reason: str, row: int, name: str) -> None:
        """Count a row that is loaded without the coordinates it has."""
        self.coordinates_refused.setdefault(reason, Finding()).add(row, name=name)

    def repair(self, kind: str, name: str) -> None:
        """Note a feature whose geometry was repaired."""
        self.repaired.setdefault(kind, []).append(name)

    def stray(self, field_name: str, value: str, year: int | None) -> None:
        """Count a value that is not in the field's vocabulary."""
        known = self.unknown_values.setdefault(field_name, {})
        if value not in known and len(known) >= DISTINCT_STRAYS:
            value = OTHER_STRAYS
        stray = known.setdefault(value, Stray())
        stray.count += 1
        if year is not None:
            stray.years[year] += 1

    def rows_rejected(self) -> int:
        """How many rows were not loaded for a reason of their own."""
        return sum(finding.count for finding in self.rejected.values())

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data, in a fixed order."""
        return {
            "file": self.file,
            "source": self.source,
            "entity": self.entity,
            "sha256": self.sha256,
            "rows_read": self.rows_read,
            "left_out": self.left_out,
            "rejected": {reason: self.rejected[reason].as_dict() for reason in sorted(self.rejected)},
            "collected": self.collected,
            "loaded": self.loaded,
            "without_coordinates": self.without_coordinates,
            "coordinates_refused": {
                reason: self.coordinates_refused[reason].as_dict()
                for reason in sorted(self.coordinates_refused)
            },
            "repaired": {kind: sorted(self.repaired[kind]) for kind in sorted(self.repaired)},
            "unknown_values": {
                name: {value: strays[value].as_dict() for value in sorted(strays)}
                for name, strays in sorted(self.unknown_values.items())
            },
            "disagreement": None if self.disagreement is None else self.disagreement.as_dict(),
            "notes": list(self.notes),
        }
