"""Geometry as it is stored: on the grid, valid, without empty or zero-length parts; else refused."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.postgis.load.plane import GRID, Geometries, Plane, snap_coordinates

__all__ = ["OUTSIDE", "Settled", "settle"]

OUTSIDE = "coordinates outside the bounds of the pack"
NOT_FINITE = "coordinates that are not numbers"
EMPTY = "empty geometry"
ZERO_LENGTH = "zero-length line"
NO_AREA = "polygon without area"

_DIMENSION = {"point": 0, "line": 1, "polygon": 2}
_POINT, _LINE = 0, 1
_MULTI: dict[str, Callable[[Any], BaseGeometry]] = {
    "Point": shapely.MultiPoint,
    "LineString": shapely.MultiLineString,
    "Polygon": shapely.MultiPolygon,
}


@dataclass(frozen=True, slots=True)
class Settled:
    """One geometry, ready to be stored, or None with the problem; and what had to be repaired."""

    geometry: BaseGeometry | None
    problem: str = ""
    repair: str = ""


def settle(geometries: Geometries, kinds: Sequence[str], plane: Plane) -> list[Settled]:
    """Settle geometries that are on the plane.

    Parameters
    ----------
    geometries : array of geometries
        None where a row has none.
    kinds : sequence of {'point', 'line', 'polygon'}
        The kinds that the entity allows.
    plane : Plane
        The pack's plane.
    """
    types = shapely.get_type_id(geometries)
    usable = (types >= 0) & ~shapely.is_empty(geometries)
    absurd = plane.absurd_geometries(geometries)
    settled = [Settled(None, EMPTY if there else "") for there in types >= 0]
    for position in np.flatnonzero(absurd):
        finite = np.isfinite(shapely.get_coordinates(geometries[position])).all()
        settled[position] = Settled(None, OUTSIDE if finite else NOT_FINITE)
    usable &= ~absurd
    # Single points and lines are the bulk of all data and are done as arrays.
    done = np.zeros(len(geometries), dtype=bool)
    if "point" in kinds:
        done |= _settle_points(geometries, usable & (types == _POINT), settled)
    if "line" in kinds:
        done |= _settle_lines(geometries, usable & (types == _LINE), settled, plane)
    for position in np.flatnonzero(usable & ~done):
        settled[position] = _settle_one(geometries[position], kinds)
    return settled


def _settle_points(geometries: Geometries, mask: np.ndarray, settled: list[Settled]) -> np.ndarray:
    where = np.flatnonzero(mask)
    for position, point in zip(where.tolist(), _points(geometries[where]), strict=True):
        settled[position] = Settled(point)
    return mask


def _points(geometries: Geometries) -> Geometries:
    """Single points, on the grid."""
    points: Geometries = np.asarray(shapely.points(snap_coordinates(shapely.get_coordinates(geometries))))
    return points


def _settle_lines(
    geometries: Geometries, mask: np.ndarray, settled: list[Settled], plane: Plane
) -> np.ndarray:
    where = np.flatnonzero(mask)
    lines = shapely.remove_repeated_points(plane.snap(geometries[where]))
    for position, line, length in zip(where.tolist(), lines, shapely.length(lines), strict=True):
        settled[position] = Settled(line) if length > 0 else Settled(None, ZERO_LENGTH)
    return mask


def _settle_one(geometry: BaseGeometry, kinds: Sequence[str]) -> Settled:
    """Multi-part geometry, collections and polygons."""
    everything = _simple_parts(geometry)
    parts = [part for part in everything if not part.is_empty]
    allowed = {_DIMENSION[kind] for kind in kinds}
    fitting = {dimension for part in parts if (dimension := int(shapely.get_dimensions(part))) in allowed}
    if not fitting:
        return Settled(None, f"a {geometry.geom_type} where a {' or '.join(kinds)} belongs")
    dimension = max(fitting)
    kept = [part for part in parts if shapely.get_dimensions(part) == dimension]
    repairs = ["parts of another kind or empty parts left out"] if len(kept) < len(everything) else []
    if dimension == 0:
        places = np.unique(snap_coordinates(shapely.get_coordinates(kept)), axis=0)
        return Settled(_joined([shapely.Point(place) for place in places]), repair="; ".join(repairs))
    if dimension == 1:
        snapped = shapely.remove_repeated_points(shapely.transform(np.array(kept), snap_coordinates))
        lines = [line for line in snapped if line.length > 0]
        if not lines:
            return Settled(None, ZERO_LENGTH)
        if len(lines) < len(kept):
            repairs.append("zero-length parts left out")
        return Settled(_joined(lines), repair="; ".join(repairs))
    polygon = _joined(kept)
    if not polygon.is_valid:
        why = shapely.is_valid_reason(polygon).split("[")[0].strip().lower()
        repairs.append(f"made valid ({why})")
        polygon = shapely.make_valid(polygon, method="structure", keep_collapsed=False)
    # The second call takes the grid off the object again; the coordinates stay on it.
    on_grid = shapely.set_precision(shapely.set_precision(polygon, GRID, mode="valid_output"), 0)
    areas = [part for part in _simple_parts(on_grid) if part.geom_type == "Polygon" and part.area > 0]
    if not areas:
        return Settled(None, NO_AREA)
    return Settled(shapely.normalize(_joined(areas)), repair="; ".join(repairs))


def _simple_parts(geometry: BaseGeometry) -> list[BaseGeometry]:
    """The points, lines and polygons that a geometry is made of."""
    if not hasattr(geometry, "geoms"):
        return [geometry]
    return [simple for part in geometry.geoms for simple in _simple_parts(part)]


def _joined(parts: Sequence[BaseGeometry]) -> BaseGeometry:
    """One geometry of simple parts of one kind: the part itself, or a Multi*."""
    if len(parts) == 1:
        return parts[0]
    return _MULTI[parts[0].geom_type](parts)
