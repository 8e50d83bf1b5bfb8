"""What is counted of a frame, drawn at random: measures, groups, conditions on measures, a ranking."""

from __future__ import annotations

from groundframe.eval.random_frames.sketch import Data, Part, Sketch
from groundframe.frames.terms import AGGREGATES, TIME_BUCKETS

__all__ = ["draw_numbers"]

COMPARISONS = ("gt", "gte", "lt", "lte", "eq", "ne")


def draw_numbers(sketch: Sketch, primary: Part) -> Data:
    """The parts of a frame that make numbers."""
    pick = sketch.pick
    supports = [part for part in sketch.parts if part.role == "support"]
    measures = [_measure(sketch, part) for part in supports]
    if sketch.often(2) or (sketch.often(4) and not supports):
        measures.append(_measure(sketch, pick([primary, *supports])))
    drawn: Data = {"measures": [{**one, "name": f"m{number}"} for number, one in enumerate(measures)]}
    names = [one["name"] for one in drawn["measures"]]
    if sketch.often(4):
        groups = [_group(sketch, primary) for _ in range(pick([1, 1, 1, 2]))]
        drawn["group_by"] = groups[:1] if groups[0] == groups[-1] else groups
    if names and sketch.often(2):
        drawn["having"] = [
            {"measure": pick(names), "operator": pick(COMPARISONS), "value": pick([0, 1, 2, 5])}
        ]
    if names and sketch.often(7):
        drawn["ranking"] = {
            "metric": pick(names),
            "target_role": "primary",
            "order": pick(["highest", "highest", "lowest"]),
            "top_n": pick([1, 3, 10, 20, None]),
            "include_ties": sketch.often(2),
        }
    return drawn


def _measure(sketch: Sketch, part: Part) -> Data:
    """A measure of the pack, a count, or an aggregate of a field."""
    asked: Data = {"target_role": part.id}
    known = [measure.name for measure in sketch.pack.measures if measure.entity == part.known.name]
    fields = [one for one in part.known.fields if not one.internal]
    numbers = [one.name for one in fields if one.type in ("number", "integer")]
    if known and sketch.often(5):
        return {**asked, "measure": sketch.pick(known)}
    function = sketch.pick(AGGREGATES if numbers else AGGREGATES[:1])
    return {**asked, "measure": function, **({} if function == "count" else {"field": sketch.pick(numbers)})}


def _group(sketch: Sketch, primary: Part) -> Data:
    """A group by a linked entity, by a field, or by a part of the time."""
    entity = primary.known
    fields = [one for one in entity.fields if not one.internal]
    times: list[Data] = [{"time": bucket} for bucket in TIME_BUCKETS if entity.date_field]
    kinds: list[list[Data]] = [
        [{"entity": link.to} for link in entity.links],
        [{"field": one.name} for one in fields if one.type in ("category", "integer", "boolean")],
        *[[{"field": one.name} for one in fields if one.type == "category_list"]] * 2,
        *[times] * 8,
        [{"field": entity.name_field}] if entity.name_field else [],
    ]
    return {"target_role": primary.id, **sketch.pick(sketch.pick([kind for kind in kinds if kind]))}
