"""Source files in, canonical rows out: everything before the database."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from pathlib import Path

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.errors import LoadError
from groundframe.postgis.load.canonical import Canonicaliser, Draft, Rejection
from groundframe.postgis.load.detect import Recognised, recognise, totals_for
from groundframe.postgis.load.files import digest_of, find_files, local_root, shown
from groundframe.postgis.load.locate import Locator
from groundframe.postgis.load.mapping import RowMapper, cell_text
from groundframe.postgis.load.plane import plane_of
from groundframe.postgis.load.report import FileReport
from groundframe.postgis.load.rows import Row
from groundframe.postgis.load.table import Batch
from groundframe.schema.model import Pack

__all__ = ["Progress", "SourceRows", "read_sources"]

Progress = Callable[[str, int, int], None]
"""Called with the file's name, its rows done and its rows in all."""


@dataclass(slots=True)
class SourceRows:
    """The rows of the files of one load, streamed entity by entity.

    Attributes
    ----------
    pack : Pack
        The schema pack.
    files : tuple of Recognised
        The files that a source of the pack recognises, in the order of their names.
    reports : list of FileReport
        One per file, in the order of their names, of files that were not read too; complete once the rows of
        every entity were iterated to their end.
    """

    pack: Pack
    files: tuple[Recognised, ...]
    reports: list[FileReport]
    progress: Progress | None = None
    _places: dict[str, int] = field(init=False)

    def __post_init__(self) -> None:
        self._places = {report.file: place for place, report in enumerate(self.reports)}

    def entities(self) -> tuple[str, ...]:
        """The entities that the files have rows of, in the pack's order."""
        there = {file.source.entity for file in self.files}
        return tuple(entity.name for entity in self.pack.entities if entity.name in there)

    def rows(self, entity: str) -> Iterator[Row]:
        """The rows of an entity, file by file.

        Raises
        ------
        LoadError
            When a file turns out to be broken; what came before it must not be kept.
        """
        for file in self.files:
            if file.source.entity == entity:
                report = FileReport(file.name, file.source.name, entity, digest_of(file.path))
                self.reports[self._places[file.name]] = report
                yield from _FileReader(self.pack, file, report, self.progress).rows()


def read_sources(pack: Pack, folder: Path, *, progress: Progress | None = None) -> SourceRows:
    """Find and open the source files of a folder, or one file.

    Parameters
    ----------
    pack : Pack
        Its sources say what the files are and what they mean.
    folder : Path
        A local folder, read with its subfolders, or one local file.
    progress : callable, optional
        Called now and then with the file's name, its rows done and its rows in all.

    Raises
    ------
    LoadError
        When nothing there is a file of the pack's sources, or one of them is broken.
    """
    root = local_root(folder)
    files: list[Recognised] = []
    reports: list[FileReport] = []
    for path in find_files(root):
        name = shown(path, root)
        report = FileReport(name)
        totals = totals_for(pack, path)
        if path.is_symlink():
            report.notes.append("not read: a link to something else in the folder")
        elif totals is not None:
            report.notes.append(
                f"official totals ({totals.title}), compared by `load --check`; holds no rows"
            )
        elif (found := recognise(pack, path, name, alone=path == root)) is not None:
            files.append(found)
            report.source, report.entity = found.source.name, found.source.entity
        else:
            report.notes.append("not read: no source of the pack recognises its name or its columns")
        reports.append(report)
    if not files:
        what = "is no file" if root.is_file() else "has no file"
        raise LoadError(
            f"'{root.name}' {what} of a source of the pack '{pack.name}'.",
            f"Its sources: {', '.join(source.name for source in pack.sources if source.read is not None)}.",
        )
    return SourceRows(pack, tuple(files), reports, progress)


class _FileReader:
    """Reads one file, twice: native ids are counted first, so that keys do not depend on the order."""

    def __init__(self, pack: Pack, file: Recognised, report: FileReport, progress: Progress | None) -> None:
        self._file = file
        self._reading = file.reading
        self._report = report
        self._progress = progress
        self._plane = plane_of(pack)
        self._mapper = RowMapper(pack, file.source)
        self._canonicaliser = Canonicaliser(pack, file.source.entity, file.source.name, report)
        self._date_field = pack.entity(file.source.entity).date_field
        self._ids: Counter[str] = Counter()
        self._total = 0

    def rows(self) -> Iterator[Row]:
        """The file's rows; a file with nothing usable in it is refused at the end."""
        self._survey()
        locator = Locator(self._plane, self._reading.geometry, self._file.table.crs, self._report)
        drafts: Iterable[Draft] = self._drafts(locator)
        if self._reading.collect:
            drafts = self._collected(drafts)
        for row in self._canonicaliser.rows(drafts):
            if not isinstance(row, Rejection):
                yield row
        self._report.notes.extend(self._file.table.notes)
        self._note_shared_ids()
        locator.check()
        self._refuse_if_mostly_rejected()
        self._refuse_if_mostly_undated()

    def _survey(self) -> None:
        """Count the rows and their native ids, which also shows that the file is whole."""
        reading = self._reading
        wanted = (
            tuple(dict.fromkeys((*((reading.id,) if reading.id else ()), *reading.where)))
            or self._first_column()
        )
        for batch in self._file.table.batches(wanted, False):
            self._total += batch.size
            if reading.id:
                ids = batch.cells[reading.id]
                self._ids.update(cell_text(ids[position]) for position in self._kept(batch))
        if not self._total:
            raise LoadError(f"{self._file.name}: has column names but no rows.")

    def _first_column(self) -> tuple[str, ...]:
        return self._reading.required_columns()[:1]

    def _kept(self, batch: Batch) -> Iterable[int]:
        """Positions of the rows that pass the source's row filter."""
        where = self._reading.where
        if not where:
            return range(batch.size)
        tests = [(batch.cells[column], frozenset(texts)) for column, texts in where.items()]
        return [
            position
            for position in range(batch.size)
            if all(cell_text(cells[position]) in texts for cells, texts in tests)
        ]

    def _drafts(self, locator: Locator) -> Iterator[Draft]:
        reading, report = self._reading, self._report
        for batch in self._file.table.batches(reading.required_columns(), not reading.geometry.pairs):
            report.rows_read += batch.size
            kept = list(self._kept(batch))
            report.left_out += batch.size - len(kept)
            batch = _only(batch, kept)
            located = locator.locate(batch)
            ids = (
                [cell_text(cell) or None for cell in batch.cells[reading.id]]
                if reading.id
                else [None] * batch.size
            )
            values = self._mapper.rows(batch.cells, batch.size)
            for native, row, geometry, number, problem in zip(
                ids, values, located.geometries, batch.numbers, located.problems, strict=True
            ):
                unique = native is not None and self._ids[native] == 1
                yield Draft(native, row, geometry, number, unique, problem)
            if self._progress is not None:
                self._progress(self._file.name, report.rows_read, self._total)

    def _collected(self, drafts: Iterable[Draft]) -> Iterator[Draft]:
        """One draft per native id, with the geometries of all its rows."""
        groups: dict[str | None, list[Draft]] = {}
        differing = 0
        for draft in drafts:
            groups.setdefault(draft.native_id, []).append(draft)
        # Rows without an id are features of their own.
        for draft in groups.pop(None, []):
            yield draft
        for group in groups.values():
            self._report.collected += len(group) - 1
            first = min(group, key=lambda draft: repr(sorted(draft.values.items())))
            differing += any(draft.values != first.values for draft in group)
            parts = [draft.geometry for draft in group if isinstance(draft.geometry, BaseGeometry)]
            geometry = shapely.geometrycollections(parts) if len(parts) > 1 else next(iter(parts), None)
            yield replace(first, geometry=geometry, unique=True, row=min(draft.row for draft in group))
        if differing:
            features = "1 feature has" if differing == 1 else f"{differing:,} features have"
            self._report.notes.append(f"{features} rows that differ in a value; one of them holds")

    def _refuse_if_mostly_rejected(self) -> None:
        report = self._report
        rejected = report.rows_rejected()
        if rejected > report.loaded:
            reason, finding = max(report.rejected.items(), key=lambda item: (item[1].count, item[0]))
            raise LoadError(
                f"{report.file}: {rejected} of {report.rows_read} rows cannot be loaded, most often for "
                f"{reason} (first in row {finding.examples[0]['row']}).",
                f"Check that it is a file of '{self._file.source.name}'.",
            )

    def _note_shared_ids(self) -> None:
        """Say that an id does not tell rows apart, as it may be one feature that was reported twice."""
        shared = {native: count for native, count in self._ids.items() if native and count > 1}
        if shared and not self._reading.collect:
            one = len(shared) == 1
            values = (
                f"1 value of {self._reading.id} stands"
                if one
                else (f"{len(shared):,} values of {self._reading.id} stand")
            )
            self._report.notes.append(
                f"{values} in several rows, "
                f"{sum(shared.values()):,} in all ({'' if one else 'such as '}{min(shared)}); "
                "rows that differ count as features of their own"
            )

    def _refuse_if_mostly_undated(self) -> None:
        """Refuse a file whose dates are written in a way that the source does not declare."""
        name, report = self._date_field, self._report
        strays = report.unknown_values.get(name or "", {})
        unread = sum(stray.count for stray in strays.values())
        if unread * 2 > report.loaded:
            raise LoadError(
                f"{report.file}: {unread:,} of {report.loaded:,} values of {name} cannot be read "
                f"(such as '{next(iter(strays))}').",
                f"Write dates as '{self._file.source.name}' declares them in its pack.",
            )


def _only(batch: Batch, kept: list[int]) -> Batch:
    """The batch with some of its rows."""
    if len(kept) == batch.size:
        return batch
    cells = {column: [values[position] for position in kept] for column, values in batch.cells.items()}
    geometries = None if batch.geometries is None else batch.geometries[np.array(kept, dtype=int)]
    return Batch([batch.numbers[position] for position in kept], cells, geometries)
