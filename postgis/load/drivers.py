"""Opening files: one driver per format, chosen by the source and never by what the file contains.

Every driver checks that the file is whole before its first row is used.
"""

from __future__ import annotations

import struct
import warnings
from collections.abc import Callable, Iterator, Sequence
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
from groundframe.postgis.load.delimited import open_csv
from groundframe.postgis.load.plane import Geometries
from groundframe.postgis.load.table import BATCH, Batch, Table

__all__ = ["SUFFIXES", "open_table"]

SUFFIXES = {
    "csv": (".csv", ".txt"),
    "shapefile": (".shp",),
    "geojson": (".geojson", ".json"),
    "parquet": (".parquet",),
}
_GDAL_NAME = {"shapefile": "ESRI Shapefile", "geojson": "GeoJSON"}
_SHAPEFILE_CODE = struct.pack(">i", 9994)
_START = 4096
_SHOWN = 5
"""Rows that are named of several."""


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
        return open_csv(path, name, encoding or "utf-8")
    if driver == "parquet":
        return _open_parquet(path, name)
    return _open_vector(path, name, driver, encoding)


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
    if not info["features"]:
        raise LoadError(f"{name}: has no features.", "Get the file again, or leave it out.")

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
            geometries: Geometries | None = shapely.from_wkb(wkb, on_invalid="ignore") if geometry else None
        if geometries is not None:
            notes.extend(text for text in _broken(wkb, geometries) if text not in notes)
        for start in range(0, len(ids), BATCH):
            numbers = range(start + 1, min(start + BATCH, len(ids)) + 1)
            part = slice(start, start + BATCH)
            found = None if geometries is None else geometries[part]
            yield Batch(numbers, {column: cells[column][part] for column in order}, found)

    return Table(tuple(info["fields"]), _code(info["crs"]), batches, notes)


def _broken(wkb: Any, geometries: Geometries) -> Iterator[str]:
    """A note on features whose geometry is none, such as a line of one point."""
    broken = [n for n, (raw, read) in enumerate(zip(wkb, geometries, strict=True), 1) if raw and read is None]
    if broken:
        rows = ", ".join(map(str, broken[:_SHOWN]))
        more = ", …" if len(broken) > _SHOWN else ""
        one = len(broken) == 1
        said = f"1 feature has a geometry that is none (row {rows})" if one else ""
        said = said or f"{len(broken)} features have a geometry that is none (rows {rows}{more})"
        yield f"{said}, and {'is' if one else 'are'} read without it"


def _gdal(name: str, notes: list[str], call: Callable[[], Any]) -> Any:
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        try:
            result = call()
        except UnicodeDecodeError as error:
            raise LoadError(
                f"{name}: has text that is not {error.encoding.upper()}.", "Save it as UTF-8."
            ) from None
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
