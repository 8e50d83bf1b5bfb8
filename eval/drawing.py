"""Frames drawn at random from a pack and a world, over all that a checked frame can say.

Every choice is a pick from a list, so that the same code serves :meth:`random.Random.choice` and a property
testing library that shrinks what it finds.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from groundframe.eval.drawing_conditions import draw_attribute, draw_temporal
from groundframe.eval.drawing_places import draw_reference
from groundframe.eval.oracle.world import World
from groundframe.schema.model import Entity, Pack

__all__ = ["Pick", "draw_frame"]

T = TypeVar("T")
Pick = Callable[[Sequence[Any]], Any]
Data = dict[str, Any]

DISTANCES = (1.0, 15.0, 60.0, 200.0, 500.0, 1000.0, 4000.0)
AGGREGATES = ("count", "sum", "mean", "min", "max", "median")
BUCKETS = ("year", "quarter", "month", "weekday", "hour")


@dataclass(slots=True)
class _Part:
    id: str
    role: str
    entity: Entity | None


@dataclass(slots=True)
class _Drawing:
    world: World
    pick: Pick
    parts: list[_Part] = field(default_factory=list)
    frame: Data = field(default_factory=lambda: {"targets": [], "references": [], "spatial_constraints": []})

    @property
    def pack(self) -> Pack:
        return self.world.pack

    def chosen(self, part: _Part) -> bool:
        """Whether the part is to be the nearest of something already."""
        return any(
            one["relation"] == "nearest_to" and one["target_role"] == part.id
            for one in self.frame["spatial_constraints"]
        )

    def often(self, in_ten: int) -> bool:
        """True about so many times in ten."""
        return bool(self.pick([False] * (10 - in_ten) + [True] * in_ten))


def draw_frame(world: World, pick: Pick) -> Data:
    """A frame with ids, keys and canonical values, as JSON-ready data."""
    drawing = _Drawing(world, pick)
    primary = _target(drawing, "primary")
    for _ in range(pick([0, 1, 1, 2, 2, 3])):
        _grow(drawing)
    frame = drawing.frame
    varying = [
        part for part in drawing.parts if part.entity is not None and part.role not in ("scope", "anchor")
    ]
    frame["attribute_constraints"] = [
        {"target_role": part.id, **condition}
        for part in varying
        for _ in range(pick([0, 0, 1, 1, 2]))
        for condition in draw_attribute(world, _entity(part), pick)
    ]
    frame["temporal_constraints"] = [
        {"target_role": part.id, **draw_temporal(world, _entity(part), pick)}
        for part in varying
        if _entity(part).date_field and drawing.often(3)
    ]
    _numbers(drawing, primary)
    return {name: content for name, content in frame.items() if content}


def _entity(part: _Part) -> Entity:
    if part.entity is None:
        raise ValueError(f"{part.id} is a place")
    return part.entity


def _add(drawing: _Drawing, role: str, entity: Entity | None) -> _Part:
    number = 1 + sum(part.role == role for part in drawing.parts)
    part = _Part(role if number == 1 else f"{role}_{number}", role, entity)
    drawing.parts.append(part)
    return part


def _target(drawing: _Drawing, role: str, entities: Sequence[Entity] = ()) -> _Part:
    able = [
        one
        for one in entities or drawing.pack.entities
        if role in one.roles and drawing.world.features[one.name]
    ]
    part = _add(drawing, role, drawing.pick(able))
    target: Data = {"entity": _entity(part).name, "role": role, "id": part.id}
    if role == "scope":
        keys = list(drawing.world.features[_entity(part).name])
        target["keys"] = sorted({drawing.pick(keys) for _ in range(drawing.pick([1, 2, 3]))})
    drawing.frame["targets"].append(target)
    return part


def _grow(drawing: _Drawing) -> None:
    """Hang one more target or reference from one that is there."""
    role = drawing.pick(["support", "support", "filter", "filter", "scope", "anchor"])
    parents = [part for part in drawing.parts if part.role in ("primary", "support", "filter")]
    parent = drawing.pick(parents[:1] if role == "support" and drawing.often(8) else parents)
    if role == "anchor":
        child = _add(drawing, role, None)
        reference = draw_reference(drawing.world, drawing.pick)
        if "keys" in reference:
            child.entity = drawing.pack.entity(reference["entity"])
        drawing.frame["references"].append({**reference, "id": child.id, "role": role})
    else:
        child = _target(drawing, role)
        reference = {}
    twice = role in ("support", "filter") and drawing.often(1)
    for _ in range(1 + twice):
        drawing.frame["spatial_constraints"].append(_relation(drawing, parent, child, reference))


def _relation(drawing: _Drawing, parent: _Part, child: _Part, reference: Data) -> Data:
    pick = drawing.pick
    options: list[tuple[str, _Part, _Part]] = [("within_distance", parent, child)]
    ends = {parent.id, child.id}
    between = [
        one
        for one in drawing.frame["spatial_constraints"]
        if {one["target_role"], one["reference_role"]} == ends
    ]
    if "area" in reference:
        options = [("within", parent, child), ("intersects", parent, child)]
    elif child.entity is not None:
        options.append(("within_distance", child, parent))
        if _entity(parent).geometry != ("point",) or child.entity.geometry != ("point",):
            options.append(("intersects", parent, child))
    # One choice of the nearest between two, and one for the primary.
    if not any(one["relation"] == "nearest_to" for one in between):
        if child.role in ("filter", "anchor") and "area" not in reference and not drawing.chosen(parent):
            options.append(("nearest_to", parent, child))
        if child.role in ("filter", "support"):
            options.append(("nearest_to", child, parent))
    for one, other in ((parent, child), (child, parent)) if child.entity is not None else ():
        for link in _entity(one).links_to(_entity(other).name):
            relation = "on" if link.rule == "nearest" else "within"
            options += [(relation, one, other)] * 3
            if relation == "within":
                options.append(("contains", other, one))
    relation, target, of = pick(options)
    constraint: Data = {"relation": relation, "target_role": target.id, "reference_role": of.id}
    if relation == "within_distance":
        constraint["distance_m"] = _distance(drawing, parent, child)
    if relation == "nearest_to":
        constraint["k"] = pick([1, 2, 3, 5])
    if child.role != "support" and relation != "nearest_to" and drawing.often(2):
        constraint["negate"] = True
    return constraint


def _distance(drawing: _Drawing, parent: _Part, child: _Part) -> float:
    """A round distance, or exactly the one between two features."""
    if child.entity is None or drawing.often(7):
        return float(drawing.pick(DISTANCES))
    one, other = (
        drawing.pick(list(drawing.world.features[_entity(part).name].values())) for part in (parent, child)
    )
    if one.geometry is None or other.geometry is None:
        return float(drawing.pick(DISTANCES))
    exact = round(float(one.geometry.distance(other.geometry)), drawing.pick([0, 3, 6]))
    return min(max(1.0, exact), 10_000.0)


def _numbers(drawing: _Drawing, primary: _Part) -> None:
    """Measures, groups, a condition on a measure, a ranking."""
    pick, frame = drawing.pick, drawing.frame
    supports = [part for part in drawing.parts if part.role == "support"]
    measures = [_measure(drawing, part) for part in supports]
    if drawing.often(2) or (drawing.often(3) and not supports):
        measures.append(_measure(drawing, pick([primary, *supports])))
    frame["measures"] = [{**one, "name": f"m{number}"} for number, one in enumerate(measures)]
    if drawing.often(1):
        frame["group_by"] = [_group(drawing, primary)]
    if measures and drawing.often(2):
        frame["having"] = [
            {
                "measure": "m0",
                "operator": pick(["gt", "gte", "lt", "lte", "eq", "ne"]),
                "value": pick([0, 1, 2, 5]),
            }
        ]
    if measures and drawing.often(8):
        frame["ranking"] = {
            "metric": pick([one["name"] for one in frame["measures"]]),
            "target_role": "primary",
            "order": pick(["highest", "highest", "lowest"]),
            "top_n": pick([1, 3, 10, 20, None]),
            "include_ties": drawing.often(2),
        }


def _measure(drawing: _Drawing, part: _Part) -> Data:
    pick, entity = drawing.pick, _entity(part)
    known = [measure.name for measure in drawing.pack.measures if measure.entity == entity.name]
    numbers = [one.name for one in entity.fields if one.type in ("number", "integer") and not one.internal]
    if known and drawing.often(7):
        return {"measure": pick(known), "target_role": part.id}
    function = pick(AGGREGATES if numbers else AGGREGATES[:1])
    asked = {"measure": function, "target_role": part.id}
    return asked if function == "count" else {**asked, "field": pick(numbers)}


def _group(drawing: _Drawing, primary: _Part) -> Data:
    entity = _entity(primary)
    options: list[Data] = [{"entity": link.to} for link in entity.links if link.rule == "covering"]
    options += [
        {"field": one.name}
        for one in entity.fields
        if one.type in ("category", "category_list") and not one.internal
    ]
    if entity.date_field:
        options += [{"time": bucket} for bucket in BUCKETS]
    return {"target_role": primary.id, **drawing.pick(options or [{"field": entity.name_field}])}
