"""Where the rows of a file lie: its geometry, WKT or coordinate columns, brought onto the pack's plane."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyproj
import shapely

from groundframe.errors import LoadError
from groundframe.postgis.load.mapping import cell_text
from groundframe.postgis.load.plane import DEGREES, Geometries, Plane
from groundframe.postgis.load.report import Disagreement, FileReport, Finding
from groundframe.postgis.load.table import Batch
from groundframe.schema.source import CoordinatePair, GeometryReading

__all__ = ["Located", "Locator"]

HALF_A_PAIR = "one coordinate without the other"
NO_NUMBER = "coordinates that are not numbers"
NO_WKT = "text that is not WKT"


@dataclass(frozen=True, slots=True)
class Located:
    """The geometries of a batch on the plane (None: without), and why coordinates cannot be used (or "")."""

    geometries: Geometries
    problems: list[str]


class Locator:
    """Locates the rows of one file, batch by batch; at its end refuses a file of mostly absurd coordinates.

    Parameters
    ----------
    plane : Plane
        The pack's plane.
    reading : GeometryReading
        What the source declares.
    found_crs : str or None
        The reference system that the file declares.
    report : FileReport
        Gets the disagreeing pairs; its file names the messages.

    Raises
    ------
    LoadError
        When the file declares no reference system, or another than the source does.
    """

    def __init__(
        self, plane: Plane, reading: GeometryReading, found_crs: str | None, report: FileReport
    ) -> None:
        self._plane = plane
        self._reading = reading
        self._report = report
        self._crs = "" if reading.pairs else _agreed_crs(reading.crs, found_crs, report.file)
        self._present = self._absurd = self._swapped = 0
        self._first_absurd: tuple[int, str] | None = None
        self._other_pair: dict[str, Finding] = {}
        if reading.disagree_m is not None:
            report.disagreement = Disagreement(threshold_m=reading.disagree_m)

    def locate(self, batch: Batch) -> Located:
        """The locations of a batch's rows."""
        if self._reading.pairs:
            return self._from_pairs(batch)
        if self._reading.wkt is not None:
            texts = [cell_text(cell) or None for cell in batch.cells[self._reading.wkt]]
            with np.errstate(invalid="ignore"):
                geometries = shapely.from_wkt(np.array(texts, dtype=object), on_invalid="ignore")
            unread = np.array([text is not None for text in texts]) & (geometries == np.array(None))
            problems = [NO_WKT if there else "" for there in unread]
        else:
            geometries = (
                batch.geometries if batch.geometries is not None else np.full(batch.size, None, dtype=object)
            )
            problems = [""] * batch.size
        projected = self._plane.project_geometries(geometries, self._crs)
        self._judge_geometries(geometries, projected, batch.numbers)
        return Located(projected, problems)

    def check(self) -> None:
        """Note where a second pair had to be taken; refuse the file when most of its coordinates are absurd.

        Raises
        ------
        LoadError
            Names the columns, the first such row, and what was probably meant.
        """
        for problem, found in self._other_pair.items():
            count, one = found.count, found.count == 1
            self._report.notes.append(
                f"{problem} in {count:,} row{'' if one else 's'} (first in row {found.examples[0]['row']}), "
                f"which {'lies where its' if one else 'lie where their'} other pair of coordinates says"
            )
        if self._first_absurd is None or 2 * self._absurd <= self._present:
            return
        row, where = self._first_absurd
        if 2 * self._swapped > self._absurd:
            hint = "Longitude and latitude (x and y) seem to be exchanged; put them in the other's column."
        else:
            hint = "Check which reference system the coordinates are in; the source expects another."
        what = " and ".join(f"'{pair.x}', '{pair.y}'" for pair in self._reading.pairs) or "its geometry"
        raise LoadError(
            f"{self._report.file}: {self._absurd} of {self._present} coordinates in {what} lie outside the "
            f"bounds of the pack; the first is row {row} ({where}).",
            hint,
        )

    def _from_pairs(self, batch: Batch) -> Located:
        problems = [""] * batch.size
        chosen = np.full((batch.size, 2), np.nan)
        places: list[np.ndarray] = []
        for pair in self._reading.pairs:
            raw, given = self._numbers(batch, pair, problems)
            place = np.full((batch.size, 2), np.nan)
            place[given] = self._plane.project(raw[given], pair.crs)
            absurd = np.zeros(batch.size, dtype=bool)
            absurd[given] = self._plane.absurd(place[given])
            self._judge(raw, given & absurd, int(given.sum()), pair.crs, batch.numbers)
            # An absurd pair is taken only where no other is given, so that it is reported for what it is.
            free = np.isnan(chosen[:, 0]) | self._plane.absurd(chosen)
            better = given & free & (~absurd | np.isnan(chosen[:, 0]))
            chosen[better] = place[better]
            places.append(place)
        if len(places) > 1 and self._report.disagreement is not None:
            self._compare(places[0], places[1], batch.numbers, self._report.disagreement)
        geometries: Geometries = np.full(batch.size, None, dtype=object)
        located = ~np.isnan(chosen[:, 0])
        geometries[located] = shapely.points(chosen[located])
        for position in np.flatnonzero(located).tolist():
            if problems[position]:
                found = self._other_pair.setdefault(problems[position], Finding())
                found.add(batch.numbers[position])
        return Located(geometries, problems)

    def _numbers(
        self, batch: Batch, pair: CoordinatePair, problems: list[str]
    ) -> tuple[np.ndarray, np.ndarray]:
        """The pair's numbers and where both are given; half a pair and what is no number become problems."""
        raw = np.full((batch.size, 2), np.nan)
        for position, cells in enumerate(zip(batch.cells[pair.x], batch.cells[pair.y], strict=True)):
            x, y = cells
            if x in (None, "") and y in (None, ""):
                continue
            try:
                raw[position] = float(x), float(y)
            except (TypeError, ValueError):
                blank = not cell_text(x) or not cell_text(y)
                if cell_text(x) or cell_text(y):
                    problems[position] = HALF_A_PAIR if blank else NO_NUMBER
            else:
                if not np.isfinite(raw[position]).all():
                    raw[position] = np.nan
                    problems[position] = NO_NUMBER
        return raw, ~np.isnan(raw[:, 0])

    def _compare(
        self, one: np.ndarray, other: np.ndarray, numbers: Sequence[int], found: Disagreement
    ) -> None:
        apart = np.hypot(*(one - other).T)
        # NaN where a pair is missing, and no comparison with NaN is true.
        for position in np.flatnonzero(apart > found.threshold_m).tolist():
            # What cannot be projected is infinitely far, for which there is no number in a report.
            metres = round(float(apart[position]), 1) if np.isfinite(apart[position]) else None
            found.add(numbers[position], metres=metres)
            found.max_m = max(found.max_m, metres or 0.0)

    def _judge_geometries(self, raw: Geometries, projected: Geometries, numbers: Sequence[int]) -> None:
        there = np.flatnonzero(~(shapely.is_missing(raw) | shapely.is_empty(raw)))
        corners = shapely.bounds(raw[there])[:, :2]
        absurd = np.zeros(len(raw), dtype=bool)
        absurd[there] = self._plane.absurd_geometries(projected[there])
        coordinates = np.full((len(raw), 2), np.nan)
        coordinates[there] = corners
        self._judge(coordinates, absurd, len(there), self._crs, numbers)

    def _judge(
        self, raw: np.ndarray, absurd: np.ndarray, present: int, crs: str, numbers: Sequence[int]
    ) -> None:
        self._present += present
        positions = np.flatnonzero(absurd)
        if not len(positions):
            return
        self._absurd += len(positions)
        exchanged = self._plane.project(raw[positions][:, ::-1], crs)
        self._swapped += int((~self._plane.absurd(exchanged)).sum())
        if self._first_absurd is None:
            x, y = raw[positions[0]].tolist()
            self._first_absurd = (numbers[positions[0]], f"{x:g}, {y:g}")


def _agreed_crs(declared: str, found: str | None, name: str) -> str:
    """The reference system of the file's geometry."""
    if declared == "as_found":
        if found is None:
            raise LoadError(
                f"{name}: does not say which reference system its coordinates are in.", "Add its .prj file."
            )
        return found
    if found is not None and not _same(declared, found):
        raise LoadError(
            f"{name}: is in {_crs_name(found)}, while its source is in {declared}.",
            f"Save it in {declared} first.",
        )
    return declared


def _same(one: str, other: str) -> bool:
    first, second = (pyproj.CRS.from_user_input(crs) for crs in (one, other))
    # GeoJSON is longitude first whatever its axes are called.
    return bool(
        first == second
        or first.equals(second, ignore_axis_order=True)
        or {one, other} <= {DEGREES, "OGC:CRS84"}
    )


def _crs_name(crs: str) -> str:
    return crs if len(crs) < 40 else str(pyproj.CRS.from_user_input(crs).name)
