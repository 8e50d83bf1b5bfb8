"""From field values as a source gives them to canonical rows.

Readers of files and the generator of synthetic data both hand over what they have here, so that a value has
one spelling and a geometry one form wherever it came from.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.errors import PackError
from groundframe.postgis.load.columns import Column, Ints, Objects
from groundframe.postgis.load.plane import DEGREES, plane_of
from groundframe.postgis.load.report import FileReport
from groundframe.postgis.load.rows import CanonicalValue, Row, RowBlock, row_digest
from groundframe.postgis.load.settle import Settled, settle
from groundframe.postgis.load.values import FieldCanoniser, clean_text
from groundframe.schema.model import Pack

__all__ = ["Canonicaliser", "Draft", "Rejection"]

BATCH = 10_000
_HASH_DIGITS = 12
# The length of a segment is measured, not given: to the millimetre, as every distance.
_LENGTH_DIGITS = 3
_NOWHERE = "no geometry"


@dataclass(frozen=True, slots=True)
class Draft:
    """One feature before it is canonical.

    Parameters
    ----------
    native_id : str or None
        The source's own id.
    values : mapping
        Field of the entity to value: texts, typed values, several texts for a list (an empty tuple: known to
        be none). A field that the source says nothing about is left out.
    geometry : BaseGeometry, tuple of float or None
        A geometry in the pack's SRID, or a point as (longitude, latitude) in degrees.
    row : int
        Number of the row in its file, for the report.
    unique : bool
        Whether no other row of the file has this native id.
    problem : str
        Why the row's coordinates cannot be used, known before.
    """

    native_id: str | None
    values: Mapping[str, Any]
    geometry: BaseGeometry | tuple[float, float] | None = None
    row: int = 0
    unique: bool = True
    problem: str = ""


@dataclass(frozen=True, slots=True)
class Rejection:
    """A row that is not loaded: the reason, the row's number in the file and the feature's name or id."""

    reason: str
    row: int
    name: str


class Canonicaliser:
    """Makes rows of one entity and source canonical, and keeps the report.

    Parameters
    ----------
    pack : Pack
        The schema pack.
    entity, source : str
        Canonical names of the entity and the source.
    report : FileReport, optional
        Where to count; a fresh one by default.

    Raises
    ------
    PackError
        When the pack has no such entity.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> schools = Canonicaliser(load_pack("massachusetts"), "School", "massgis_schools")
    >>> row = schools.row("1", {"name": "North School ", "type": "ele"}, (-71.5, 41.5))
    >>> row.key, row.values["type"], row.geometry.wkt
    ('massgis_schools:1', 'Public Elementary', 'POINT (200000 805535.1533203125)')
    """

    def __init__(self, pack: Pack, entity: str, source: str, report: FileReport | None = None) -> None:
        try:
            self._entity = pack.entity(entity)
        except KeyError:
            raise PackError(
                f"{pack.name}: source '{source}' is of entity '{entity}', which the pack lacks."
            ) from None
        self._source = source
        self._plane = plane_of(pack)
        # The row's source is a column of every table, whether or not the entity shows it as a field.
        self._fields = {
            field.name: FieldCanoniser(field)
            for field in self._entity.fields
            if field.values_from != "sources"
        }
        self._lengths = [field.name for field in self._entity.fields if field.computed == "length"]
        self._may_be_unlocated = "point" in self._entity.geometry
        self.report = report if report is not None else FileReport("", source=source, entity=entity)

    def row(
        self,
        native_id: str | None,
        values: Mapping[str, Any],
        geometry: BaseGeometry | tuple[float, float] | None = None,
        *,
        unique: bool = True,
    ) -> Row | Rejection:
        """One row; for many, `rows` is much quicker. The parameters are those of `Draft`."""
        return next(self.rows([Draft(native_id, values, geometry, unique=unique)]))

    def rows(self, drafts: Iterable[Draft]) -> Iterator[Row | Rejection]:
        """The rows of many drafts, in their order, worked on in batches."""
        batch: list[Draft] = []
        for draft in drafts:
            batch.append(draft)
            if len(batch) == BATCH:
                yield from self._batch(batch)
                batch = []
        yield from self._batch(batch)

    def blocks(self, columns: Mapping[str, Column], geometries: Objects) -> Iterator[RowBlock]:
        """The rows of whole columns, of values as in `Draft`; their native ids count from 1."""
        canonical = {name: self._canonical(name, column) for name, column in columns.items()}
        for start in range(0, len(geometries), BATCH):
            part = np.arange(start, min(start + BATCH, len(geometries)))
            values = {name: column.at(part) for name, column in canonical.items()}
            settled = settle(geometries[part], self._entity.geometry, self._plane)
            taken = self._taken(settled, part, values.get(self._entity.name_field or ""))
            numbers = (part[taken] + 1).tolist()
            places = np.array([settled[place].geometry for place in taken.tolist()], dtype=object)
            values = {name: column.at(taken) for name, column in values.items()}
            for name in self._lengths:
                values.setdefault(
                    name, Column.of_each(round(place.length, _LENGTH_DIGITS) for place in places)
                )
            self.report.rows_read += len(part)
            self.report.loaded += len(taken)
            keys = [f"{self._source}:{number}" for number in numbers]
            yield RowBlock(self._entity.name, self._source, keys, values, places)

    def _canonical(self, name: str, column: Column) -> Column:
        """The column with each of its distinct values made canonical; what is in no vocabulary is counted."""
        # The last is None, of which the source says nothing.
        found = [self._fields[name](value) for value in column.table[:-1].tolist()]
        times = np.bincount(column.codes[column.codes >= 0], minlength=len(found))
        for (_, strays), count in zip(found, times.tolist(), strict=True):
            for stray in strays * count:
                self.report.stray(name, stray, None)
        return Column.of(column.codes, [value for value, _ in found])

    def _taken(self, settled: list[Settled], numbers: Ints, names: Column | None) -> Ints:
        """Which rows are kept; the report gets what is wrong with any."""
        taken = []
        for place, found in enumerate(settled):
            if found.geometry is None or found.repair:
                row = int(numbers[place]) + 1
                name = str((names.values(place, place + 1)[0] if names is not None else None) or row)
                if not self._judge(found, found.problem, row, name):
                    continue
            taken.append(place)
        return np.array(taken, dtype=np.int64)

    def _batch(self, drafts: list[Draft]) -> Iterator[Row | Rejection]:
        settled = settle(self._geometries(drafts), self._entity.geometry, self._plane)
        for draft, place in zip(drafts, settled, strict=True):
            yield self._finish(draft, place)

    def _geometries(self, drafts: list[Draft]) -> np.ndarray:
        geometries = np.array(
            [None if isinstance(d.geometry, tuple) else d.geometry for d in drafts], dtype=object
        )
        degrees = [position for position, draft in enumerate(drafts) if isinstance(draft.geometry, tuple)]
        if degrees:
            pairs = np.array([drafts[position].geometry for position in degrees], dtype=float)
            geometries[degrees] = shapely.points(self._plane.project(pairs, DEGREES))
        return geometries

    def _finish(self, draft: Draft, place: Settled) -> Row | Rejection:
        values, strays = self._values(draft.values)
        if place.geometry is not None:
            for name in self._lengths:
                values.setdefault(name, round(place.geometry.length, _LENGTH_DIGITS))
        name = self._name(draft, values)
        problem = place.problem or draft.problem
        if not self._judge(place, problem, draft.row, name):
            return Rejection(problem or _NOWHERE, draft.row, name)
        if strays:
            day = values.get(self._entity.date_field or "")
            for field, stray in strays:
                self.report.stray(field, stray, day.year if isinstance(day, date) else None)
        self.report.loaded += 1
        return self._keyed(draft, values, place.geometry)

    def _judge(self, place: Settled, problem: str, row: int, name: str) -> bool:
        """Whether a row is kept with the geometry it has; the report gets what is wrong with that."""
        if place.geometry is None and not self._may_be_unlocated:
            self.report.reject(problem or _NOWHERE, row, name)
            return False
        if place.geometry is None:
            self.report.without_coordinates += 1
            if problem:
                self.report.refuse_coordinates(problem, row, name)
        if place.repair:
            self.report.repair(place.repair, name)
        return True

    def _values(self, raw: Mapping[str, Any]) -> tuple[dict[str, CanonicalValue], list[tuple[str, str]]]:
        values: dict[str, CanonicalValue] = {}
        strays: list[tuple[str, str]] = []
        for name, cell in raw.items():
            value, found = self._fields[name](cell)
            if value is not None:
                values[name] = value
            if found:
                strays.extend((name, stray) for stray in found)
        return values, strays

    def _name(self, draft: Draft, values: Mapping[str, CanonicalValue]) -> str:
        return str(values.get(self._entity.name_field or "") or draft.native_id or "")

    def _keyed(self, draft: Draft, values: dict[str, CanonicalValue], geometry: BaseGeometry | None) -> Row:
        native = clean_text(draft.native_id) if draft.native_id is not None else ""
        if native and draft.unique:
            return Row(self._entity.name, self._source, f"{self._source}:{native}", values, geometry)
        # The hash is of the canonical content, so that neither the order of rows nor their spelling matters.
        bare = Row(self._entity.name, self._source, f"{self._source}:{native}", values, geometry)
        key = f"{bare.key}#{row_digest(bare)[:_HASH_DIGITS]}"
        return Row(bare.entity, bare.source, key, values, geometry)
