"""Coordinates and areas of a frame as constants on the pack's projected plane."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
import shapely
from shapely.geometry import Point, shape
from shapely.geometry.base import BaseGeometry

from groundframe.compiler.ops import Constant
from groundframe.errors import PlanError
from groundframe.frames.model import Area, Coordinates
from groundframe.schema.model import Pack

if TYPE_CHECKING:
    import pyproj

__all__ = ["GRID_M", "area_constant", "point_constant"]

GRID_M = 1 / 1024
"""The grid of every stored geometry, metres; constants keep to it too."""


def point_constant(place: Coordinates, pack: Pack) -> Constant:
    """The point of a coordinate in WGS 84 degrees.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> place = point_constant(Coordinates(longitude=-71.5, latitude=41.0), load_pack("massachusetts"))
    >>> shapely.from_wkb(place.wkb)
    <POINT (200000 750000)>
    """
    return _constant(Point(place.longitude, place.latitude), pack)


def area_constant(area: Area, pack: Pack) -> Constant:
    """The area of a GeoJSON polygon; its edges are straight on the plane."""
    return _constant(shape({"type": area.type, "coordinates": area.coordinates}), pack)


def _constant(geometry: BaseGeometry, pack: Pack) -> Constant:
    def project(coordinates: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        x, y = _transformer(pack.pipeline).transform(coordinates[:, 0], coordinates[:, 1])
        return np.column_stack((x, y))

    projected = shapely.transform(shapely.force_2d(geometry), project)
    # set_precision keeps a polygon valid where rounding its vertices one by one would not.
    snapped = shapely.set_precision(projected, GRID_M)
    if snapped.is_empty or not np.isfinite(shapely.get_coordinates(snapped)).all():
        raise PlanError("A place or an area is nothing on the plane of the pack.")
    wkb: bytes = shapely.to_wkb(snapped, byte_order=1)
    return Constant(wkb, "point" if snapped.geom_type == "Point" else "polygon", pack.srid)


@lru_cache(maxsize=8)
def _transformer(pipeline: str) -> pyproj.Transformer:
    import pyproj  # takes longer to import than most frames to answer, and few have places of their own

    return pyproj.Transformer.from_pipeline(pipeline)
