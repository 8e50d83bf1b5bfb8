"""Frames drawn from a pack and a world, over all that a checked frame can say.

Every choice is a pick from a list whose first entry is the simplest, so that the same code serves a random
number generator and a property testing library, and what fails can be made simple.
"""

from __future__ import annotations

from groundframe.eval.oracle.world import World
from groundframe.eval.random_frames.choices import Pick
from groundframe.eval.random_frames.conditions import draw_attribute, draw_temporal
from groundframe.eval.random_frames.numbers import draw_numbers
from groundframe.eval.random_frames.places import draw_reference
from groundframe.eval.random_frames.relations import draw_relation
from groundframe.eval.random_frames.sketch import Data, Part, Sketch

__all__ = ["draw_frame"]

KEYS = 5
OFTEN = {"primary": (5, 2), "support": (4, 1), "filter": (2, 1), "scope": (1, 1)}
"""How often events are drawn in a role, and what events are linked to; all else once."""


def draw_frame(world: World, pick: Pick) -> Data:
    """A frame with ids, keys and canonical values, as JSON-ready data."""
    sketch = Sketch(world, pick)
    primary = _target(sketch, "primary")
    for _ in range(pick([0, 1, 1, 1, 2, 2, 3])):
        _grow(sketch)
    varying = [part for part in sketch.parts if part.varies]
    attributes = [
        {"target_role": part.id, **condition}
        for part in varying
        for _ in range(pick([0, 0, 0, 1, 1, 2]))
        for condition in draw_attribute(world, part.known, pick)
    ]
    times = [
        {"target_role": part.id, **draw_temporal(world, part.known, pick)}
        for part in varying
        if part.known.date_field and sketch.often(5)
    ]
    frame: Data = {
        "targets": [part.written for part in sketch.parts if part.role != "anchor"],
        "references": [part.written for part in sketch.parts if part.role == "anchor"],
        "spatial_constraints": sketch.relations,
        "attribute_constraints": attributes,
        "temporal_constraints": times,
        **draw_numbers(sketch, primary),
    }
    return {name: content for name, content in frame.items() if content}


def _target(sketch: Sketch, role: str) -> Part:
    features = sketch.world.features
    able = [one for one in sketch.pack.entities if role in one.roles and features[one.name]]
    events, counted_for = OFTEN[role]
    linked = {link.to for one in sketch.pack.entities if one.date_field for link in one.links}
    weights = (events if one.date_field else counted_for if one.name in linked else 1 for one in able)
    entity = sketch.pick([one for one, weight in zip(able, weights, strict=True) for _ in range(weight)])
    part = sketch.add(role, entity, {"entity": entity.name})
    if role == "scope" or sketch.often(1):
        part.written["keys"] = sketch.some(list(features[entity.name]), KEYS)
    return part


def _grow(sketch: Sketch) -> None:
    """Hang one more target or reference from one that is there."""
    role = sketch.pick(
        ["support", "support", "support", "filter", "filter", "filter", "scope", "anchor", "anchor"]
    )
    parents = [part for part in sketch.parts if part.varies and not (role == "support" and part.absent)]
    parent = sketch.pick(parents[:1] if role == "support" and sketch.often(5) else parents)
    if role == "anchor":
        reference = draw_reference(sketch.world, sketch.pick, sketch.parts[0].known)
        entity = sketch.pack.entity(reference["entity"]) if "keys" in reference else None
        child = sketch.add(role, entity, reference)
    else:
        child = _target(sketch, role)
    for _ in range(1 + sketch.often(2)):
        sketch.relations.append(draw_relation(sketch, parent, child))
    # What is related to nothing else than by "none" is absent, and all that hangs from it.
    child.absent = parent.absent or all(one.get("negate") for one in sketch.between(parent, child))
