"""Areas that tile the state: Voronoi cells of their centres within a rough outline."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from groundframe.postgis.load.columns import Floats, Ints, Objects
from groundframe.postgis.load.plane import DEGREES, plane_of
from groundframe.schema.demo import Area, DemoPlan
from groundframe.schema.model import Pack

__all__ = ["Tiling", "tile"]

# A place of the gazetteer this near to a centre is that centre.
_SAME_PLACE_M = 400.0


@dataclass(frozen=True, eq=False)
class Tiling:
    """The areas.

    Attributes
    ----------
    polygons : array of geometry
        One per area. Vertices are whole metres, so that the points that cut an edge into 1024 equal parts lie
        exactly on it, and on the grid of the data.
    centres, area_of : arrays
        Built-up places and the area of each; the first of an area is its centre.
    borders, sides : arrays
        Edges (x, y, x, y) shared by two areas, and those two.
    """

    areas: tuple[Area, ...]
    polygons: Objects
    centres: Floats
    area_of: Ints
    borders: Floats
    sides: Ints

    def centre(self, area: int) -> Floats:
        """The centre of an area."""
        centre: Floats = self.centres[np.searchsorted(self.area_of, area)]
        return centre

    def area_at(self, points: Floats) -> Ints:
        """The area that covers each point, -1 where there is none."""
        found = np.full(len(points), -1, dtype=np.int64)
        tree = shapely.STRtree(self.polygons)
        rows, areas = tree.query(shapely.points(points), predicate="intersects")
        found[rows[::-1]] = areas[::-1]
        return found


def tile(plan: DemoPlan, pack: Pack, count: int) -> Tiling:
    """The first `count` areas of the plan; places of the pack's gazetteer lie in the area they name."""
    plane = plane_of(pack)
    areas = plan.areas[:count]
    number = {area.name: index for index, area in enumerate(areas)}
    places = [(index, at) for index, area in enumerate(areas) for at in (area.at, *area.also)]
    places += [(number[p.town], (p.longitude, p.latitude)) for p in pack.gazetteer if p.town in number]
    found = np.round(plane.project(np.array([at for _, at in places]), DEGREES))
    apart = [
        index
        for index, point in enumerate(found)
        if all(np.hypot(*(found[:index] - point).T) > _SAME_PLACE_M)
    ]
    in_order = np.array(sorted(apart, key=lambda index: places[index][0]))
    area_of = np.array([places[index][0] for index in in_order], dtype=np.int64)
    centres = found[in_order]

    rings = [plane.project(np.array(ring), DEGREES) for ring in plan.outline]
    outline = shapely.union_all([shapely.Polygon(ring) for ring in rings])
    cells = shapely.voronoi_polygons(shapely.MultiPoint(centres), extend_to=outline, ordered=True)
    parts = shapely.intersection(np.array(shapely.get_parts(cells), dtype=object), outline)
    parts = shapely.transform(parts, np.round)
    polygons = np.array(
        [shapely.union_all(parts[area_of == index]) for index in range(len(areas))], dtype=object
    )
    borders, sides = _shared_edges(polygons)
    return Tiling(areas, polygons, centres, area_of, borders, sides)


def _shared_edges(polygons: Objects) -> tuple[Floats, Ints]:
    """Edges that two polygons have in common, and the two."""
    edges, owners = [], []
    for index, polygon in enumerate(polygons):
        for ring in shapely.get_rings(polygon):
            path = shapely.get_coordinates(ring)
            ends = np.hstack([path[:-1], path[1:]])
            backwards = (ends[:, 0] > ends[:, 2]) | ((ends[:, 0] == ends[:, 2]) & (ends[:, 1] > ends[:, 3]))
            ends[backwards] = ends[backwards][:, [2, 3, 0, 1]]
            edges.append(ends)
            owners.append(np.full(len(ends), index, dtype=np.int64))
    every, owner = np.concatenate(edges), np.concatenate(owners)
    distinct, inverse, times = np.unique(every, axis=0, return_inverse=True, return_counts=True)
    by_edge = owner[np.argsort(inverse, kind="stable")]
    first = np.cumsum(times) - times
    shared = times == 2
    return distinct[shared], np.column_stack([by_edge[first[shared]], by_edge[first[shared] + 1]])
