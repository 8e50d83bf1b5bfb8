"""Anchors drawn at random: features, positions, areas."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import shapely
from pyproj import Transformer

from groundframe.eval.oracle.world import World
from groundframe.eval.random_frames.choices import Pick
from groundframe.eval.random_frames.sketch import Data
from groundframe.schema.model import Entity, Pack

__all__ = ["draw_reference", "to_degrees"]

CORNERS = ((-1.0, -1.0), (1.0, -0.8), (0.9, 0.7), (-0.2, 1.1), (-1.0, -1.0))
HOLE = tuple((x / 3, y / 3) for x, y in reversed(CORNERS))
BESIDE = tuple((x + 3.0, y) for x, y in CORNERS)
SHAPES: dict[str, Any] = {
    "plain": [[CORNERS]],
    "with a hole": [[CORNERS, HOLE]],
    "of two parts": [[CORNERS], [BESIDE]],
}
DECIMALS = 6
OWN = 4
"""How often more an anchor is of the primary's own entity."""


def draw_reference(world: World, pick: Pick, primary: Entity) -> Data:
    """A reference with exactly one of keys, coordinates and area, somewhere where features are."""
    entities = [one for one in world.pack.entities if "anchor" in one.roles and world.features[one.name]]
    # Anchors of the primary's own entity are no results.
    entity = pick([*entities, *[one for one in entities if one == primary] * OWN])
    features = list(world.features[entity.name].values())
    feature = pick(features)
    kind = pick(["keys", "coordinates", "area"])
    if kind == "keys" or feature.geometry is None:
        keys = {feature.key, *(pick(features).key for _ in range(pick([0, 1, 2])))}
        return {"entity": entity.name, "keys": sorted(keys)}
    centre = shapely.point_on_surface(feature.geometry)
    if kind == "coordinates":
        longitude, latitude = to_degrees(world.pack, [(centre.x, centre.y)])[0]
        return {"coordinates": {"longitude": longitude, "latitude": latitude}}
    reach, shape = pick([700.0, 3000.0, 100.0]), SHAPES[pick(list(SHAPES))]
    parts = [
        [
            to_degrees(world.pack, [(centre.x + reach * x, centre.y + reach * y) for x, y in ring])
            for ring in part
        ]
        for part in shape
    ]
    if len(parts) > 1:
        return {"area": {"type": "MultiPolygon", "coordinates": parts}}
    return {"area": {"type": "Polygon", "coordinates": parts[0]}}


def to_degrees(
    pack: Pack, points: Sequence[tuple[float, float]], decimals: int = DECIMALS
) -> list[tuple[float, float]]:
    """Longitude and latitude of points on the plane."""
    transformer = Transformer.from_pipeline(pack.pipeline)
    degrees = (transformer.transform(x, y, direction="INVERSE") for x, y in points)
    return [(round(longitude, decimals), round(latitude, decimals)) for longitude, latitude in degrees]
