"""Relations drawn at random: every one that two parts can have, either way round, with telling distances."""

from __future__ import annotations

import numpy as np
import shapely

from groundframe.eval.random_frames.sketch import Data, Part, Sketch

__all__ = ["BEYOND_M", "DISTANCES", "draw_relation"]

DISTANCES = (60.0, 200.0, 500.0, 1000.0, 4000.0, 1.0, 15.0)
BEYOND_M = (0.0, 0.0004, 0.0006)
"""How far beyond a distance features lie that tell whether it is kept to half a millimetre."""

NEAREST, MANY = (1, 2, 3, 5), (20, 5)
BY_LINK = ("on", "within", "contains")
LEAST_M, MOST_M = 1.0, 10_000.0
NEIGHBOURS = 8

Way = tuple[str, Part, Part]
"""A relation with its target and its reference."""


def draw_relation(sketch: Sketch, parent: Part, child: Part) -> Data:
    """A constraint between two parts."""
    kinds = [ways for ways in _ways(sketch, parent, child) if ways]
    relation, target, reference = sketch.pick(sketch.pick(kinds))
    constraint: Data = {"relation": relation, "target_role": target.id, "reference_role": reference.id}
    if relation == "within_distance":
        constraint["distance_m"] = _distance(sketch, parent, child)
    if relation == "nearest_to":
        # Few are the nearest of two at once unless many are of one.
        constraint["k"] = sketch.pick(MANY if sketch.is_chosen(target) else NEAREST)
    elif child.role != "support" and sketch.often(_negated(relation, child)):
        constraint["negate"] = True
    return constraint


def _negated(relation: str, child: Part) -> int:
    """How often in ten it is asked for no one: oftener by a link, of which no place may be known."""
    if relation not in BY_LINK:
        return 3
    return 5 if child.varies else 7


def _ways(sketch: Sketch, parent: Part, child: Part) -> tuple[list[Way], ...]:
    """The relations that the two can have: by distance, by a link, by their shape, by nearness."""
    both = child.role not in ("scope", "anchor")
    near: list[Way] = [("within_distance", parent, child)]
    links: list[Way] = []
    for one, other in ((parent, child), (child, parent)) if child.entity is not None else ():
        for link in one.known.links_to(other.known.name):
            links.append(("on" if link.rule == "nearest" else "within", one, other))
            if link.rule == "covering":
                links.append(("contains", other, one))
    areas = [part for part in (parent, child) if _is_area(part)]
    shapes: list[Way] = [] if links else [("within", _other(area, parent, child), area) for area in areas]
    shapes += [] if links else [("contains", area, _other(area, parent, child)) for area in areas]
    entities = [part.entity for part in (parent, child) if part.entity is not None]
    if areas or any(entity.geometry != ("point",) for entity in entities):
        shapes.append(("intersects", parent, child))
    nearest: list[Way] = []
    # Each other's nearest cannot be asked.
    if not any(one["relation"] == "nearest_to" for one in sketch.between(parent, child)):
        nearest.append(("nearest_to", parent, child))
    if both:
        near.append(("within_distance", child, parent))
        nearest += [("nearest_to", child, parent)] if nearest else []
    # Areas around a place, and what is the nearest of two at once, come up too seldom by themselves.
    placed = [shapes, shapes] if child.entity is None and _is_area(parent) else []
    again = [nearest[:1]] * 4 if sketch.is_chosen(parent) else []
    return near, near, *[links] * 5, shapes, nearest, nearest, *placed, *again


def _other(part: Part, one: Part, another: Part) -> Part:
    return another if part is one else one


def _is_area(part: Part) -> bool:
    return "area" in part.written or (part.entity is not None and "polygon" in part.entity.geometry)


def _distance(sketch: Sketch, parent: Part, child: Part) -> float:
    """A round distance, or one that features have to within a fraction of a millimetre."""
    round_one = float(sketch.pick(DISTANCES))
    if child.entity is None or sketch.often(5):
        return round_one
    one = sketch.pick(list(sketch.world.features[parent.known.name].values()))
    others = [other.geometry for other in sketch.world.features[child.known.name].values()]
    if one.geometry is None or not any(others):
        return round_one
    apart = np.unique(shapely.distance(one.geometry, [other for other in others if other is not None]))
    far = float(sketch.pick(apart[apart >= LEAST_M][:NEIGHBOURS].tolist() or [round_one]))
    return min(max(LEAST_M, round(far - float(sketch.pick(BEYOND_M)), 6)), MOST_M)
