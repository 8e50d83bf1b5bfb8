"""Opening files: one driver per format, chosen by the source and never by what the file contains.

Every driver checks that the file is whole before its first row is used.
"""

from __future__ import annotations

import csv
import struct
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow
import pyarrow.parquet
import pyogrio
import pyproj
import shapely

from groundframe.errors import LoadError
from groundframe.postgis.load.plane import Geometries

__all__ = ["SUFFIXES", "Batch", "Table", "open_table"]

BATCH = 20_000
SUFFIXES = {
    "csv": (".csv", ".txt"),
    "shapefile": (".shp",),
    "geojson": (".geojson", ".json"),
    "parquet": (".parquet",),
}
_GDAL_NAME = {"shapefile": "ESRI Shapefile", "geojson": "GeoJSON"}
_SHAPEFILE_CODE = struct.pack(">i", 9994)
_START = 4096

Cells = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some consecutive rows of a file, column by column.

    ``numbers`` are those of the rows in the file (1 is the first row); ``geometries`` is None where the
    format has none.
    """

    numbers: Sequence[int]
    cells: Cells
    geometries: Geometries | None = None

    @property
    def size(self) -> int:
        """How many rows it has."""
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class Table:
    """An open file.

    Attributes
    ----------
    columns : tuple of str
        Its columns.
    crs : str or None
        The reference system that the file declares, as ``EPSG:<code>`` where it has a code.
    batches : callable
        Takes the wanted columns, and whether the geometry is wanted, and gives the rows; may be called again.
    notes : list of str
        What the driver had to say while it opened or read the file.
    """

    columns: tuple[str, ...]
    crs: str | None
    batches: Callable[[Sequence[str], bool], Iterator[Batch]]
    notes: list[str] = field(default_factory=list)


def open_table(path: Path, name: str, driver: str, encoding: str) -> Table:
    """Open a file with the driver of its source.

    Parameters
    ----------
    path : Path
        A local file.
    name : str
        How messages name it.
    driver : {'csv', 'shapefile', 'geojson', 'parquet'}
        See `groundframe.schema.source.Reading`.
    encoding : str
        Of the text; empty for what the format says.

    Raises
    ------
    LoadError
        When the file is empty, truncated, binary or of another format.
    """
    try:
        with path.open("rb") as file:
            empty = not file.read(1)
    except OSError as error:
        raise LoadError(f"{name}: cannot be read ({error.strerror}).") from None
    if empty:
        raise LoadError(f"{name}: the file is empty.")
    if driver == "csv":
        return _open_csv(path, name, encoding or "utf-8")
    if driver == "parquet":
        return _open_parquet(path, name)
    return _open_vector(path, name, driver, encoding)


def _open_csv(path: Path, name: str, encoding: str) -> Table:
    # A byte order mark is no part of the first header.
    encoding = "utf-8-sig" if encoding.casefold() in {"utf-8", "utf8"} else encoding
    header = [cell.strip() for cell in next(_records(path, name, encoding), [])]
    if not any(header):
        raise LoadError(f"{name}: the first row has no column names.")

    def batches(wanted: Sequence[str], _: bool) -> Iterator[Batch]:
        places = [(column, header.index(column)) for column in wanted]
        records = _records(path, name, encoding)
        next(records)
        rows: list[list[str]] = []
        number = 0
        for number, record in enumerate(records, start=1):
            if len(record) != len(header):
                raise LoadError(
                    f"{name}: row {number} has {len(record)} cells where the header has {len(header)}.",
                    "The file may be truncated or have an unquoted comma; get it again.",
                )
            rows.append(record)
            if len(rows) == BATCH:
                yield _batch_of(rows, number, places)
                rows = []
        if rows:
            yield _batch_of(rows, number, places)

    return Table(tuple(header), None, batches)


def _batch_of(rows: list[list[str]], last: int, places: list[tuple[str, int]]) -> Batch:
    cells = {column: [row[place] for row in rows] for column, place in places}
    return Batch(range(last - len(rows) + 1, last + 1), cells)


def _records(path: Path, name: str, encoding: str) -> Iterator[list[str]]:
    """The records of a CSV file with any of the three line ends; blank lines are none."""
    with path.open("rb") as raw:
        if b"\x00" in raw.read(_START):
            raise LoadError(f"{name}: is binary, not text with commas.")
    count = -1
    try:
        with path.open(encoding=encoding, newline="") as file:
            for record in csv.reader(file):
                if record:
                    count += 1
                    yield record
    except UnicodeDecodeError as error:
        raise LoadError(
            f"{name}: after row {max(count, 0)} there are bytes that are not {error.encoding.upper()}."
        ) from None
    except csv.Error as error:
        raise LoadError(
            f"{name}: row {count + 1} cannot be read ({error}).", "The file may be truncated."
        ) from None


def _open_parquet(path: Path, name: str) -> Table:
    try:
        file = pyarrow.parquet.ParquetFile(path)
    except (pyarrow.ArrowException, OSError) as error:
        raise LoadError(f"{name}: is not a whole Parquet file ({_first_line(error)}).") from None

    def batches(wanted: Sequence[str], _: bool) -> Iterator[Batch]:
        done = 0
        try:
            for part in file.iter_batches(BATCH, columns=list(wanted)):
                cells = {column: part.column(column).to_pylist() for column in wanted}
                yield Batch(range(done + 1, done + part.num_rows + 1), cells)
                done += part.num_rows
        except (pyarrow.ArrowException, OSError) as error:
            raise LoadError(f"{name}: cannot be read after row {done} ({_first_line(error)}).") from None

    return Table(tuple(file.schema_arrow.names), None, batches)


def _open_vector(path: Path, name: str, driver: str, encoding: str) -> Table:
    if driver == "shapefile":
        _check_shapefile(path, name)
    else:
        _check_json(path, name)
    options = {"encoding": encoding} if encoding else {}
    notes: list[str] = []
    info = _gdal(name, notes, lambda: pyogrio.read_info(path, force_feature_count=True, **options))
    if info["driver"] != _GDAL_NAME[driver]:
        raise LoadError(f"{name}: is {info['driver']}, not {_GDAL_NAME[driver]}.")

    def batches(wanted: Sequence[str], geometry: bool) -> Iterator[Batch]:
        geometry = geometry or not wanted
        _, ids, wkb, columns = _gdal(
            name,
            notes,
            lambda: pyogrio.raw.read(
                path, columns=list(wanted), read_geometry=geometry, return_fids=True, **options
            ),
        )
        if len(ids) != info["features"]:
            raise LoadError(f"{name}: has {len(ids)} of {info['features']} features.", "Get the file again.")
        order = [column for column in info["fields"] if column in set(wanted)]
        cells = {column: _plain(values) for column, values in zip(order, columns, strict=True)}
        with np.errstate(invalid="ignore"):
            geometries: Geometries | None = shapely.from_wkb(wkb) if geometry else None
        for start in range(0, len(ids), BATCH):
            numbers = range(start + 1, min(start + BATCH, len(ids)) + 1)
            part = slice(start, start + BATCH)
            found = None if geometries is None else geometries[part]
            yield Batch(numbers, {column: cells[column][part] for column in order}, found)

    return Table(tuple(info["fields"]), _code(info["crs"]), batches, notes)


def _gdal(name: str, notes: list[str], call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = call()
        except UnicodeDecodeError as error:
            raise LoadError(f"{name}: has text that is not {error.encoding.upper()}.") from None
        except (pyogrio.errors.DataSourceError, pyogrio.errors.DataLayerError, ValueError) as error:
            raise LoadError(
                f"{name}: cannot be read ({_first_line(error)}).", "Get the file again."
            ) from None
    notes.extend(text for warning in said if (text := str(warning.message)) not in notes)
    return result


def _check_shapefile(path: Path, name: str) -> None:
    """Both parts are there and as long as their headers say."""
    with path.open("rb") as file:
        head = file.read(100)
    if head[:4] != _SHAPEFILE_CODE or len(head) < 100:
        raise LoadError(f"{name}: is not a shapefile.")
    if 2 * struct.unpack(">i", head[24:28])[0] != path.stat().st_size:
        raise LoadError(f"{name}: is truncated; it is not as long as its header says.", "Get the file again.")
    for suffix in (".dbf", ".shx"):
        if not path.with_suffix(suffix).is_file():
            raise LoadError(
                f"{name}: its {suffix} file is missing.", "A shapefile needs .shp, .shx and .dbf."
            )
    table = path.with_suffix(".dbf")
    with table.open("rb") as file:
        head = file.read(12)
    if len(head) < 12:
        raise LoadError(f"{table.name}: is truncated.", "Get the file again.")
    rows, start, width = struct.unpack("<IHH", head[4:12])
    if table.stat().st_size < start + rows * width:
        raise LoadError(
            f"{table.name}: is truncated; it has fewer rows than its header says.", "Get the file again."
        )


def _check_json(path: Path, name: str) -> None:
    with path.open("rb") as file:
        start = file.read(_START).removeprefix(b"\xef\xbb\xbf").lstrip()
    if not start.startswith(b"{") or b"\x00" in start:
        raise LoadError(f"{name}: is not GeoJSON.")


def _plain(values: np.ndarray) -> list[Any]:
    """A column as Python values, with None where there is none."""
    if values.dtype.kind == "M":
        cells: list[Any] = (
            values.astype("datetime64[us]").tolist() if values.dtype != "datetime64[D]" else values.tolist()
        )
        return [cell if isinstance(cell, date) else None for cell in cells]
    if values.dtype.kind == "f":
        return [None if cell != cell else cell for cell in values.tolist()]
    plain: list[Any] = values.tolist()
    return plain


def _code(crs: str | None) -> str | None:
    if not crs:
        return None
    code = pyproj.CRS.from_user_input(crs).to_epsg()
    return f"EPSG:{code}" if code else crs


def _first_line(error: BaseException) -> str:
    return str(error).strip().splitlines()[0].rstrip(".") if str(error).strip() else type(error).__name__
