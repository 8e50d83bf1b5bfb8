"""The pack's projected plane: projecting to it, its bounds and its grid of 1/1024 m."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt
import pyproj
import pyproj.network
import shapely

from groundframe.schema.model import Pack

__all__ = ["DEGREES", "GRID", "Geometries", "Plane", "plane_of"]

DEGREES = "EPSG:4326"
GRID = 1 / 1024
"""Metres; a power of two, so that snapped coordinates are exact in binary."""

_DEGREE_DIGITS = 7

Geometries = npt.NDArray[np.object_]
Coordinates = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]

# A grid file fetched on one machine and not on another would move coordinates.
pyproj.network.set_network_enabled(False)  # type: ignore[attr-defined]


@dataclass(frozen=True, slots=True)
class Plane:
    """Projects arrays of coordinates and geometries onto the pack's plane.

    Parameters
    ----------
    srid : int
        The plane's reference system.
    pipeline : str
        PROJ pipeline from WGS 84 degrees to it.
    bounds : tuple of float
        West, south, east, north in degrees.
    """

    srid: int
    pipeline: str
    bounds: tuple[float, float, float, float]

    def project(self, coordinates: Coordinates, crs: str) -> Coordinates:
        """Coordinates (n, 2) in `crs`, x first, on the plane; not finite where they cannot be projected.

        Degrees are rounded to 7 decimals before, because a file that a spreadsheet saved again differs in the
        digits after.
        """
        if crs == f"EPSG:{self.srid}":
            return coordinates
        if crs != DEGREES:
            coordinates = _transform(_to_degrees(crs), coordinates)
        return _transform(_pipeline(self.pipeline), np.round(coordinates, _DEGREE_DIGITS))

    def project_geometries(self, geometries: Geometries, crs: str) -> Geometries:
        """Geometries in `crs` on the plane, without Z and M."""
        flat: Geometries = shapely.force_2d(geometries)
        if crs == f"EPSG:{self.srid}":
            return flat
        # What is not a number stays one, and is refused later.
        with np.errstate(invalid="ignore"):
            projected: Geometries = shapely.transform(
                flat, lambda coordinates: self.project(coordinates, crs)
            )
        return projected

    def absurd(self, coordinates: Coordinates) -> Mask:
        """Which coordinates (n, 2) on the plane are not finite or lie outside the bounds of the pack."""
        west, south, east, north = self.bounds
        degrees = _transform(_pipeline(self.pipeline), coordinates, inverse=True)
        x, y = degrees[:, 0], degrees[:, 1]
        # Comparisons with NaN are false, hence the negation.
        return ~((x >= west) & (x <= east) & (y >= south) & (y <= north))

    def absurd_geometries(self, geometries: Geometries) -> Mask:
        """Which geometries on the plane have a coordinate that is absurd."""
        coordinates, owner = shapely.get_coordinates(geometries, return_index=True)
        return np.bincount(owner[self.absurd(coordinates)], minlength=len(geometries)) > 0

    def snap(self, geometries: Geometries) -> Geometries:
        """Points and lines with every coordinate on the grid."""
        snapped: Geometries = shapely.transform(geometries, snap_coordinates)
        return snapped


def snap_coordinates(coordinates: Coordinates) -> Coordinates:
    """Coordinates in metres on the grid; exact, as the grid is a power of two."""
    snapped: Coordinates = np.rint(coordinates / GRID) * GRID + 0.0
    return snapped


def plane_of(pack: Pack) -> Plane:
    """The plane of a pack.

    Examples
    --------
    >>> import numpy as np
    >>> from groundframe.schema.packs import load_pack
    >>> plane = plane_of(load_pack("massachusetts"))
    >>> plane.project(np.array([[-71.5, 41.0]]), DEGREES).round(3).tolist()
    [[200000.0, 750000.0]]
    """
    return Plane(pack.srid, pack.pipeline, pack.bounds)


@lru_cache(maxsize=8)
def _pipeline(pipeline: str) -> Any:
    return pyproj.Transformer.from_pipeline(pipeline)


@lru_cache(maxsize=32)
def _to_degrees(crs: str) -> Any:
    return pyproj.Transformer.from_crs(crs, DEGREES, always_xy=True)


def _transform(transformer: Any, coordinates: Coordinates, *, inverse: bool = False) -> Coordinates:
    direction = (
        pyproj.enums.TransformDirection.INVERSE if inverse else pyproj.enums.TransformDirection.FORWARD
    )
    return np.column_stack(transformer.transform(coordinates[:, 0], coordinates[:, 1], direction=direction))
