"""Areas given as GeoJSON: broken, self-crossing, outside the jurisdiction."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.errors import Issue
from groundframe.frames.model import Area
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule
from groundframe.validator.outcomes import Anchor, Candidate, Choice
from groundframe.validator.rules.coordinates import is_inside

WAYS = {
    "linework": "the parts that its outline encloses an odd number of times",
    "structure": "everything that its outline encloses",
}

RING = "[[longitude, latitude], ...]"
HOW_TO_WRITE = {
    "Polygon": f"Write 'coordinates' as [{RING}], the outline before its holes.",
    "MultiPolygon": f"Write 'coordinates' as [[{RING}], ...], one list of rings for each polygon.",
}

CHUNK = 100
MOST_NEAR = 100_000
MOST_CROSSINGS = 200


def check(context: Context) -> Iterator[Finding]:
    """Check every area; ask what a self-crossing outline encloses."""
    for number, reference in enumerate(context.frame.references):
        if reference.area is not None:
            yield from _area(context, f"/references/{number}/area", reference.area)


def _area(context: Context, path: str, area: Area) -> Iterator[Finding]:
    polygons = [area.coordinates] if area.type == "Polygon" else area.coordinates
    problem = next((found for polygon in polygons or [[]] for found in _problems(polygon)), None)
    if problem:
        message = f"The area is no GeoJSON {area.type}: {problem}."
        yield Issue("broken_area", path, message, action=HOW_TO_WRITE[area.type])
        return
    closed = [[_closed(ring) for ring in polygon] for polygon in polygons]
    after = {"type": area.type, "coordinates": closed[0] if area.type == "Polygon" else closed}
    if closed != [list(polygon) for polygon in polygons]:
        yield Edit(path, None, None, "Open rings were closed, heights left out.", (Put(path, after),))
    positions = [position for polygon in closed for ring in polygon for position in ring]
    outside = next((one for one in positions if not is_inside(context.pack, one[0], one[1])), None)
    if outside is not None:
        swapped = all(is_inside(context.pack, one[1], one[0]) for one in positions)
        action = "Longitude and latitude look swapped; GeoJSON has longitude first." if swapped else ""
        where = f"longitude {outside[0]:g}, latitude {outside[1]:g}"
        message = f"The area leaves the pack '{context.pack.name}' at {where}."
        yield Issue("outside_bounds", path, message, action=action)
        return
    shape = shapely.MultiPolygon([shapely.Polygon(polygon[0], polygon[1:]) for polygon in closed])
    if not shape.is_valid:
        yield from _crossing(context, path, shape)


def _problems(polygon: Any) -> Iterator[str]:
    """What is wrong with the coordinates of one polygon, before any geometry is made of them."""
    if not isinstance(polygon, list) or not polygon:
        yield "a polygon is a list of rings"
        return
    for ring in polygon:
        if not isinstance(ring, list) or len(ring) < 3:
            yield "a ring is a list of four or more positions"
        elif not all(_is_position(position) for position in ring):
            yield "a position is a list of longitude and latitude"
        elif len({tuple(position[:2]) for position in ring}) < 3:
            yield "a ring has three or more different corners"


def _is_position(position: Any) -> bool:
    return (
        isinstance(position, list)
        and 2 <= len(position) <= 3
        and all(isinstance(number, int | float) and not isinstance(number, bool) for number in position)
    )


def _closed(ring: list[Any]) -> list[Any]:
    flat = [position[:2] for position in ring]
    return flat if flat[0] == flat[-1] else [*flat, flat[0]]


def _crossing(context: Context, path: str, shape: shapely.MultiPolygon) -> Iterator[Finding]:
    """Offer what the outline may enclose, or take what was chosen."""
    pointer = context.origins.pointer(path)
    where = _where(shapely.is_valid_reason(shape))
    readings = {} if _is_tangled(shape) else _readings(shape)
    chosen = context.choice(pointer)
    offered = {way: _candidate(way, reading) for way, reading in readings.items()}
    if chosen in readings:
        after = shapely.geometry.mapping(readings[chosen])
        area = {"type": after["type"], "coordinates": _lists(after["coordinates"])}
        yield Anchor(pointer, "", "chosen", "frame", (offered[chosen],), tuple(offered.values()))
        yield Edit(path, None, None, f"The area is {WAYS[chosen]}.", (Put(path, area),), "chosen")
    elif chosen is not None and readings:
        message = f"'{chosen}' is none of the candidates for what the area encloses."
        action = "Run the frame without this choice to see the candidates."
        yield Issue("unknown_choice", path, message, tuple(readings), action=action)
    elif not readings:
        message = f"The outline of the area crosses itself{where}."
        yield Issue("crossing_area", path, message, action="Draw it without crossings.")
    else:
        text = f"The outline of the area crosses itself{where}. What does it enclose?"
        yield Choice(pointer, text, tuple(offered.values()))


def _where(reason: str) -> str:
    """The position in GEOS's reason why a shape is not valid.

    Examples
    --------
    >>> _where("Self-intersection[-71.95 42.05]")
    ' at longitude -71.95, latitude 42.05'
    """
    inside = reason.partition("[")[2].rstrip("]").split()
    return f" at longitude {float(inside[0]):g}, latitude {float(inside[1]):g}" if len(inside) == 2 else ""


def _is_tangled(shape: shapely.MultiPolygon) -> bool:
    """Whether the outline crosses itself so often that no reading is meant, and repair takes minutes."""
    ends = shapely.get_coordinates(shape)
    segments = np.asarray(shapely.linestrings(np.stack([ends[:-1], ends[1:]], axis=1)), dtype=object)
    tree = shapely.STRtree(segments)
    near: list[np.ndarray[Any, Any]] = []
    for start in range(0, len(segments), CHUNK):
        near.append(tree.query(segments[start : start + CHUNK]) + np.array([[start], [0]]))
        if sum(pairs.shape[1] for pairs in near) > MOST_NEAR:
            return True
    one, other = np.concatenate(near, axis=1)
    return int(shapely.crosses(segments[one], segments[other]).sum()) // 2 > MOST_CROSSINGS


def _readings(shape: shapely.MultiPolygon) -> dict[str, BaseGeometry]:
    """What the outline may enclose; one way where both come to the same."""
    made = {
        "linework": _odd(shape),
        "structure": shapely.make_valid(shape, method="structure", keep_collapsed=False),
    }
    found: dict[str, BaseGeometry] = {}
    for way, geometry in made.items():
        parts = shapely.get_parts(shapely.get_parts(geometry))
        reading = shapely.union_all([part for part in parts if part.geom_type == "Polygon"])
        if not reading.is_empty and not any(reading.equals(other) for other in found.values()):
            found[way] = reading
    return found


def _odd(shape: shapely.MultiPolygon) -> BaseGeometry:
    """What the rings enclose an odd number of times, also where they share edges."""
    rings = [ring for part in shape.geoms for ring in (part.exterior, *part.interiors)]
    found: BaseGeometry = shapely.Polygon()
    for ring in rings:
        made = shapely.make_valid(shapely.Polygon(ring), method="linework")
        found = found.symmetric_difference(made)
    return found


def _candidate(way: str, reading: BaseGeometry) -> Candidate:
    inside = reading.representative_point()
    return Candidate(way, WAYS[way], "area", "", round(inside.x, 7), round(inside.y, 7))


def _lists(value: Any) -> Any:
    return [_lists(part) for part in value] if isinstance(value, tuple | list) else value


RULE = Rule(
    id="areas",
    name="an area that is broken, crosses itself or lies elsewhere",
    rationale="What a self-crossing outline encloses can be read in two ways; that is for the planner.",
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
