"""GeoPackage: one layer with typed columns, the record in its metadata tables.

A layer's type of geometry is declared before its first feature, and is known after the last; so the rows are
set down beside the file first. The same result gives the same bytes: the file says when it was changed, and
that is made one fixed time.
"""

from __future__ import annotations

import errno
import shutil
import sqlite3
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from threading import Lock
from typing import Any, BinaryIO

import pyarrow as pa
import pyogrio
import shapely

from groundframe.formats.arrow import ArrowRows, binary, free_name
from groundframe.formats.files import scratch_folder
from groundframe.formats.geojson import MEMBER
from groundframe.formats.notes import headline
from groundframe.formats.result import Column, Record, Result, heading
from groundframe.serialise import encode

__all__ = ["LAYER", "write"]

LAYER = "answer"

_FIXED = {
    "OGR_CURRENT_DATE": "1980-01-01T00:00:00.000Z",
    # An index that a second thread builds could come out otherwise.
    "OGR_GPKG_ALLOW_THREADED_RTREE": "NO",
}
_SETTINGS = Lock()
_COLLECT: dict[str, Callable[..., Any]] = {
    "MultiPoint": shapely.multipoints,
    "MultiLineString": shapely.multilinestrings,
    "MultiPolygon": shapely.multipolygons,
}


def write(result: Result, out: BinaryIO) -> None:
    """Write the result as a GeoPackage.

    Raises
    ------
    OSError
        When there is no room for it.
    """
    names = _names(result.columns)
    fid = free_name("fid", names)
    geometry = free_name("geom", [*names, fid])
    labels = Counter(column.label.casefold() for column in result.columns)

    def about(column: Column) -> dict[str, str] | None:
        # A table may not have two columns of one title.
        unique = labels[column.label.casefold()] == 1
        return {"GDAL:OGR:alternative_name": heading(column)} if unique else None

    rows = ArrowRows(result, names, geometry, without=("category_list", "time_of_day"), about=about)
    with scratch_folder(out) as folder:
        path = folder / "answer.gpkg"
        with (folder / "rows.arrow").open("w+b") as spool:
            with pa.ipc.new_stream(spool, rows.schema) as stream:
                for batch in rows.batches():
                    stream.write_batch(batch)
            spool.seek(0)
            with pa.ipc.open_stream(spool) as stored:
                _write_layer(path, _declared(stored, rows), rows, result.record(), fid)
        _check(path, geometry if rows.spatial else None)
        with path.open("rb") as made:
            shutil.copyfileobj(made, out, 1 << 20)


def _names(columns: Sequence[Column]) -> list[str]:
    """The names of the columns, which a GeoPackage does not tell apart by case."""
    names: list[str] = []
    for column in columns:
        names.append(free_name(column.name, names))
    return names


def _shape(rows: ArrowRows) -> str:
    """The type of the layer: what all geometries are; single ones beside collections too."""
    if len(rows.shapes) == 1:
        return next(iter(rows.shapes))
    several = {f"Multi{shape.removeprefix('Multi')}" for shape in rows.shapes}
    return next(iter(several)) if len(several) == 1 else "Unknown"


def _declared(stored: Iterable[pa.RecordBatch], rows: ArrowRows) -> pa.RecordBatchReader:
    """The rows with all geometries of the type of the layer."""
    collect = _COLLECT.get(_shape(rows))
    if collect is not None and len(rows.shapes) > 1:
        stored = (_collected(batch, collect) for batch in stored)
    return pa.RecordBatchReader.from_batches(rows.schema, stored)


def _collected(batch: pa.RecordBatch, collect: Callable[..., Any]) -> pa.RecordBatch:
    """The batch with every single geometry as a collection of one."""
    last = batch.num_columns - 1
    shapes = shapely.from_wkb(batch.column(last).to_numpy(zero_copy_only=False))
    made = [shape if shape is None or hasattr(shape, "geoms") else collect([shape]) for shape in shapes]
    return batch.set_column(last, batch.schema.field(last), pa.array(binary(made), pa.binary()))


def _write_layer(path: Path, reader: pa.RecordBatchReader, rows: ArrowRows, record: Record, fid: str) -> None:
    name = rows.schema.names[-1]
    geometry = {"geometry_name": name, "geometry_type": _shape(rows), "crs": "EPSG:4326"}
    named = {"GEOMETRY_NAME": name} if rows.spatial else {}
    try:
        with _fixed_settings():
            pyogrio.write_arrow(
                reader,
                path,
                layer=LAYER,
                driver="GPKG",
                **(geometry if rows.spatial else {}),
                layer_options={"FID": fid, "DESCRIPTION": headline(record), **named},
                layer_metadata={MEMBER: encode(record)},
            )
    except RuntimeError as error:  # what pyogrio's errors derive from
        raise OSError(errno.EIO, f"GDAL stopped with '{error}'") from error


def _check(path: Path, geometry: str | None) -> None:
    """Raise unless the file is complete: of what fails while it is closed, GDAL says nothing.

    The last that it makes then is the index of the geometries, all of it or nothing.
    """
    if geometry is None:
        return
    index = f"rtree_{LAYER}_{geometry}"
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("SELECT 1 FROM sqlite_master WHERE name = ?", [index]).fetchone()
    if found is None:
        raise OSError(errno.EIO, "GDAL could not finish it; is the disk full?")


@contextmanager
def _fixed_settings() -> Iterator[None]:
    """GDAL's settings are the whole process's: only one thread changes them at a time, and puts them back."""
    with _SETTINGS:
        before = {name: pyogrio.get_gdal_config_option(name) for name in _FIXED}
        pyogrio.set_gdal_config_options(_FIXED)
        try:
            yield
        finally:
            pyogrio.set_gdal_config_options(before)
