"""Anchors drawn at random: features, coordinates, areas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import shapely
from pyproj import Transformer

from groundframe.eval.oracle.world import World

__all__ = ["draw_reference"]

Pick = Callable[[Sequence[Any]], Any]


def draw_reference(world: World, pick: Pick) -> dict[str, Any]:
    """A reference with exactly one of keys, coordinates and area, somewhere where features are."""
    entities = [one for one in world.pack.entities if "anchor" in one.roles and world.features[one.name]]
    entity = pick(entities)
    feature = pick(list(world.features[entity.name].values()))
    kind = pick(["keys", "coordinates", "area"])
    if kind == "keys" or feature.geometry is None:
        return {"entity": entity.name, "keys": [feature.key]}
    centre = shapely.point_on_surface(feature.geometry)
    if kind == "coordinates":
        longitude, latitude = _degrees(world, centre.x, centre.y)
        return {"coordinates": {"longitude": longitude, "latitude": latitude}}
    reach = pick([100.0, 700.0, 3000.0])
    corners = [(-1.0, -1.0), (1.0, -0.8), (0.9, 0.7), (-0.2, 1.1), (-1.0, -1.0)]
    ring = [_degrees(world, centre.x + reach * x, centre.y + reach * y) for x, y in corners]
    return {"area": {"type": "Polygon", "coordinates": [ring]}}


def _degrees(world: World, x: float, y: float) -> tuple[float, float]:
    to_degrees = Transformer.from_pipeline(world.pack.pipeline)
    longitude, latitude = to_degrees.transform(x, y, direction="INVERSE")
    return round(longitude, 6), round(latitude, 6)
