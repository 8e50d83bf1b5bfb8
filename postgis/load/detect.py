"""Which source of the pack a file belongs to: by its name, or else by its columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from rapidfuzz import process

from groundframe.errors import LoadError
from groundframe.postgis.load.drivers import SUFFIXES, open_table
from groundframe.postgis.load.table import Table
from groundframe.schema.model import Pack
from groundframe.schema.source import Reading, Source, Totals

__all__ = ["Recognised", "recognise", "totals_for"]

# A file with this share of a source's columns is a broken file of that source and no other kind of file.
_LIKENESS = 0.75
_MINIMUM_COLUMNS = 4
_NEAREST_SCORE = 70


@dataclass(frozen=True, slots=True)
class Recognised:
    """A file, opened by the driver of its source."""

    path: Path
    name: str
    source: Source
    reading: Reading
    table: Table


def totals_for(pack: Pack, path: Path) -> Totals | None:
    """The workbook of official totals that a file is, by its name."""
    return next((totals for totals in pack.totals if _matches(path, totals.files)), None)


def recognise(pack: Pack, path: Path, name: str, *, alone: bool = False) -> Recognised | None:
    """The file's source; None when the pack has none for it.

    Parameters
    ----------
    alone : bool
        Whether nothing but this file is to be loaded, so that it must be one.

    Raises
    ------
    LoadError
        When the file is a source's by name or by most of its columns, and is broken or lacks a column.
    """
    candidates = [
        (source, source.read)
        for source in pack.sources
        if source.read is not None and path.suffix.lower() in SUFFIXES[source.read.driver]
    ]
    named = [(source, reading) for source, reading in candidates if _matches(path, reading.files)]
    best: tuple[float, Recognised] | None = None
    broken: LoadError | None = None
    for source, reading in named or candidates:
        try:
            table = open_table(path, name, reading.driver, reading.encoding)
        except LoadError as error:
            # Without a name that says so it need not be a file of this driver at all: a .txt may be prose.
            if named:
                raise
            broken = error
            continue
        columns = reading.required_columns()
        share = sum(column in table.columns for column in columns) / len(columns)
        if best is None or (share, len(columns)) > (best[0], len(best[1].reading.required_columns())):
            best = (share, Recognised(path, name, source, reading, table))
    if best is None:
        if alone and broken is not None:
            raise broken
        return None
    share, found = best
    alike = len(found.reading.required_columns()) >= _MINIMUM_COLUMNS
    if not named and not (alike and share >= _LIKENESS):
        return None
    _require_columns(found)
    return found


def _require_columns(found: Recognised) -> None:
    columns = found.table.columns
    for column in found.reading.required_columns():
        if column not in columns:
            nearest = process.extractOne(column, columns, score_cutoff=_NEAREST_SCORE)
            hint = f"Is it '{nearest[0]}'?" if nearest else f"Its columns: {', '.join(columns)}."
            raise LoadError(
                f"{found.name}: has no column '{column}', which '{found.source.name}' needs.", hint
            )
        if columns.count(column) > 1:
            raise LoadError(f"{found.name}: has the column '{column}' {columns.count(column)} times.")


def _matches(path: Path, patterns: Sequence[str]) -> bool:
    return any(fnmatch(path.name.lower(), pattern.lower()) for pattern in patterns)
