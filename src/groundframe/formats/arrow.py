"""Rows as Arrow record batches, for the formats that have types: GeoParquet and GeoPackage."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from decimal import Decimal
from itertools import islice
from typing import Any

import numpy as np
import pyarrow as pa
import shapely

from groundframe.formats.cells import text_of
from groundframe.formats.result import Column, Result
from groundframe.serialise import plain

__all__ = ["ROWS", "ArrowRows", "binary", "free_name"]

ROWS = 10_000
"""Rows that are held at a time."""

_TYPES: Mapping[str, pa.DataType] = {
    "integer": pa.int64(),
    "number": pa.float64(),
    "boolean": pa.bool_(),
    "date": pa.date32(),
    "time_of_day": pa.time32("ms"),
    "category_list": pa.list_(pa.string()),
}
"""Types of the pack's field types; all others are text."""


class ArrowRows:
    """The rows of a result as record batches, and what was met on the way.

    Rows that are features have their geometry as the last column, well-known binary; groups have none.

    Parameters
    ----------
    result : Result
        The rows are gone through once.
    names : sequence of str
        What the columns are called.
    geometry : str
        What the column of the geometry is called.
    without : collection of str
        Field types that the format does not have; their values become text, as in CSV.
    about : callable, optional
        What to say about a column in the metadata of its field.

    Attributes
    ----------
    spatial : bool
        Whether there is a column for the geometry.
    shapes : set of str
        Types of the geometries, such as ``MultiPolygon``; whole once the batches have gone by.
    """

    def __init__(
        self,
        result: Result,
        names: Sequence[str],
        geometry: str,
        *,
        without: Collection[str] = (),
        about: Callable[[Column], Mapping[str, str] | None],
    ) -> None:
        self._result = result
        self._types = [
            _TYPES.get("text" if one.type in without else one.type, pa.string()) for one in result.columns
        ]
        self.spatial = result.id_index is not None
        fields = [
            pa.field(name, kind, metadata=about(column))
            for name, kind, column in zip(names, self._types, result.columns, strict=True)
        ]
        if self.spatial:
            fields.append(pa.field(geometry, pa.binary(), metadata={"ARROW:extension:name": "geoarrow.wkb"}))
        self.schema = pa.schema(fields)
        self.shapes: set[str] = set()
        self._bounds: list[Any] = []

    @property
    def bounds(self) -> list[float] | None:
        """West, south, east and north of all geometries; None where there are none."""
        if not self._bounds:
            return None
        every = np.array(self._bounds)
        return [float(value) for value in (*every[:, :2].min(axis=0), *every[:, 2:].max(axis=0))]

    def batches(self) -> Iterator[pa.RecordBatch]:
        """The rows, some thousand at a time."""
        rows = self._result.rows()
        while taken := list(islice(rows, ROWS)):
            *columns, geometries = zip(*taken, strict=True)
            arrays = [
                pa.array(_values(cells, kind), kind) for cells, kind in zip(columns, self._types, strict=True)
            ]
            if self.spatial:
                arrays.append(pa.array(self._binary(geometries), pa.binary()))
            yield pa.record_batch(arrays, schema=self.schema)

    def _binary(self, geometries: Sequence[str | None]) -> list[bytes | None]:
        shapes = shapely.from_geojson(np.array(geometries, dtype=object))
        there = shapes[~shapely.is_missing(shapes)]
        if len(there):
            self.shapes.update(shape.geom_type for shape in there)
            self._bounds.append(shapely.total_bounds(there))
        return binary(shapes)


def binary(shapes: Iterable[Any]) -> list[bytes | None]:
    """Geometries as well-known binary in the spelling of ISO."""
    found: list[bytes | None] = shapely.to_wkb(np.array(list(shapes), dtype=object), flavor="iso").tolist()
    return found


def free_name(wanted: str, taken: Collection[str]) -> str:
    """`wanted`, or that with a number where something has that name already, in whatever case.

    Examples
    --------
    >>> free_name("geom", ["key", "Geom", "geom_2"])
    'geom_3'
    """
    folded = {name.casefold() for name in taken}
    names = (wanted if number == 1 else f"{wanted}_{number}" for number in range(1, len(folded) + 2))
    return next(name for name in names if name.casefold() not in folded)


def _values(cells: Sequence[Any], kind: pa.DataType) -> list[Any]:
    if pa.types.is_string(kind):
        return [None if cell is None else text_of(cell) for cell in cells]
    if pa.types.is_nested(kind):
        return [None if cell is None else [text_of(item) for item in cell] for cell in cells]
    if pa.types.is_floating(kind):
        return [None if plain(cell) is None else float(cell) for cell in cells]
    return [int(cell) if isinstance(cell, Decimal) else cell for cell in cells]
