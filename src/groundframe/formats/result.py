"""What every format writes: columns, a stream of rows, and a record of how they came about."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, runtime_checkable

import shapely

from groundframe.compiler.columns import Column

__all__ = ["Column", "Record", "Result", "Row", "Spelled", "header", "heading", "position"]

Row = tuple[Any, ...]
"""The values of the columns in their order, then the geometry as GeoJSON text or None."""

Record = Mapping[str, Any]


def header(column: Column) -> str:
    """The column's name with its unit, as files for spreadsheets have it.

    Examples
    --------
    >>> header(Column("speed_limit", "speed limit", "number", "mph", "field"))
    'speed_limit [mph]'
    """
    return f"{column.name} [{column.unit}]" if column.unit else column.name


def heading(column: Column) -> str:
    """The column's label with its unit, unless it counts: then the label says what.

    Examples
    --------
    >>> heading(Column("speed_limit", "speed limit", "number", "mph", "field"))
    'speed limit [mph]'
    >>> heading(Column("crash_count", "crashes", "integer", "crashes", "measure"))
    'crashes'
    """
    counted = not column.unit or (column.kind in ("measure", "split") and column.type == "integer")
    return column.label if counted else f"{column.label} [{column.unit}]"


class Result(Protocol):
    """A result on its way out."""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, without the geometry."""
        ...

    @property
    def id_index(self) -> int | None:
        """Which column identifies a feature; None when rows are groups that are no features."""
        ...

    def rows(self) -> Iterator[Row]:
        """The rows in their order, streamed."""
        ...

    def record(self) -> Record:
        """How the rows came about; whole once they have been read."""
        ...


@runtime_checkable
class Spelled(Protocol):
    """A result that may come as texts of features, from who has the rows."""

    def features(self) -> Iterator[Sequence[str]] | None:
        """The texts in their order, streamed, many at a time; None when there are rows only."""
        ...


def position(geometry: str | None) -> tuple[float | None, float | None]:
    """Longitude and latitude of a geometry: of a point its own, otherwise of a point on the feature.

    Examples
    --------
    >>> position('{"type":"Point","coordinates":[-71.0589,42.3601]}')
    (-71.0589, 42.3601)
    >>> position(None)
    (None, None)
    """
    if geometry is None:
        return None, None
    content = json.loads(geometry)
    if content["type"] == "Point":
        longitude, latitude, *_ = content["coordinates"]
    else:
        point = shapely.point_on_surface(shapely.from_geojson(geometry))
        longitude, latitude = point.x, point.y
    return round(longitude, 7), round(latitude, 7)
