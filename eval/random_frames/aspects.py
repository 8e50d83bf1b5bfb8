"""What a frame and its answer put to the test, by name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from groundframe.eval.oracle import Evaluation, OracleAnswer
from groundframe.eval.random_frames.aspects_found import distances, outcomes
from groundframe.eval.random_frames.sketch import Data
from groundframe.frames.model import Frame
from groundframe.frames.terms import AGGREGATES, RELATIONS, TIME_BUCKETS
from groundframe.schema.predicate import OPERATORS

__all__ = ["ASPECTS", "Case", "aspects_of"]

ASPECTS: Mapping[str, tuple[str, ...]] = {
    "targets": (
        *("support", "filter", "scope", "anchor with keys", "anchor at a position", "anchor area"),
        *("target with keys", "several filters of one target", "several supports"),
        *("below a filter", "below a support", "pair of one entity"),
    ),
    "relations": (
        *RELATIONS,
        *(f"not {relation}" for relation in RELATIONS if relation != "nearest_to"),
        *("within by link", "within by shape", "contains by link", "contains by shape"),
        *("chosen as nearest", "chosen as nearest of several", "nearest of each"),
        *("several relations of one pair", "related and not related"),
    ),
    "distances": ("features at the distance", "features 0.4 mm beyond", "features 0.6 mm beyond"),
    "conditions": (
        *OPERATORS,
        *("not a test", "any_of", "not any_of", "concept", "not concept", "several of one filter"),
    ),
    "time": (
        *("from", "to", "last", "years", "months", "weekdays"),
        *("hours", "hours past midnight", "hours until 24:00", "several spans of hours"),
        *("hours past midnight on weekdays", "condition on a support", "condition on a filter"),
    ),
    "numbers": (
        *AGGREGATES,
        *("count of the pack", "sum of the pack", "weighted_count of the pack"),
        *("of the primary", "of a support", "of what hangs deeper", "several measures"),
        *("group by entity", "group by field", "group by list"),
        *(f"group by {bucket}" for bucket in TIME_BUCKETS),
        *("two groups", "having", "highest", "lowest", "first few", "all ranked", "with ties"),
    ),
    "outcomes": (
        *("unknown left out", "not mapped", "row without a place", "tie at the cut", "tie among the nearest"),
        *("site without a match", "no known value", "group of the unknown", "group of none"),
        *("at 00:00", "on a border", "several sources", "some rows cut"),
    ),
}
"""Names of aspects by group."""


@dataclass(frozen=True, slots=True)
class Case:
    """A frame as drawn and as checked, and what the oracle found."""

    drawn: Data
    frame: Frame
    found: Evaluation
    expected: OracleAnswer


def aspects_of(case: Case) -> set[tuple[str, str]]:
    """Group and name of every aspect of a case."""
    parts = {
        "targets": _targets(case),
        "relations": _relations(case),
        "distances": distances(case.found),
        "conditions": _conditions(case.frame),
        "time": _time(case),
        "numbers": _numbers(case),
        "outcomes": outcomes(case.found, case.expected),
    }
    return {(group, name) for group, names in parts.items() for name in names}


def _targets(case: Case) -> Iterator[str]:
    nodes = case.found.nodes
    for target in case.frame.targets:
        if target.role != "primary":
            yield target.role
        if target.keys is not None and target.role != "scope":
            yield "target with keys"
    for reference in case.frame.references:
        kinds = {"with keys": reference.keys, "at a position": reference.coordinates, "area": reference.area}
        yield from (f"anchor {kind}" for kind, given in kinds.items() if given is not None)
    for node in nodes.values():
        children = {edge.child.id: edge.child for edge in node.edges}.values()
        for role, name in (("filter", "several filters of one target"), ("support", "several supports")):
            if sum(child.what.role == role for child in children) > 1:
                yield name
        if children and node.what.role in ("filter", "support"):
            yield f"below a {node.what.role}"
        if any(child.what.entity == node.what.entity for child in children):
            yield "pair of one entity"


def _relations(case: Case) -> Iterator[str]:
    for constraint in case.frame.spatial_constraints:
        yield f"{'not ' if constraint.negate else ''}{constraint.relation}"
    for node in case.found.nodes.values():
        for edge in node.edges:
            for constraint in edge.constraints:
                if constraint.relation in ("within", "contains"):
                    way = "shape" if case.found.is_geometric(edge) else "link"
                    yield f"{constraint.relation} by {way}"
                if constraint.relation == "nearest_to":
                    yield "chosen as nearest" if edge.chooses else "nearest of each"
            if len(edge.constraints) > 1:
                yield "several relations of one pair"
            if not edge.negate and any(one.child is edge.child and one.negate for one in node.edges):
                yield "related and not related"
        if sum(edge.chooses for edge in node.edges) > 1:
            yield "chosen as nearest of several"


def _conditions(frame: Frame) -> Iterator[str]:
    roles = {target.id: target.role for target in frame.targets}
    parts = (part for one in frame.attribute_constraints for part in (one, *one.any_of))
    for part in parts:
        kind = "any_of" if part.any_of else "concept" if part.concept else "a test"
        if part.negate or kind != "a test":
            yield f"{'not ' if part.negate else ''}{kind}"
        if part.operator is not None:
            yield part.operator
    asked = [one.target_role for one in frame.attribute_constraints]
    asked += [one.target_role for one in frame.temporal_constraints]
    if any(asked.count(name) > 1 and roles.get(name) == "filter" for name in asked):
        yield "several of one filter"


def _time(case: Case) -> Iterator[str]:
    if any("last" in one for one in case.drawn.get("temporal_constraints", ())):
        yield "last"
    roles = {target.id: target.role for target in case.frame.targets}
    for when in case.frame.temporal_constraints:
        said = when.model_dump(by_alias=True, exclude_defaults=True)
        yield from ("from", "to", "years", "months", "weekdays", "hours") & said.keys()
        if roles[when.target_role] != "primary":
            yield f"condition on a {roles[when.target_role]}"
        spans = when.spans()
        if len(spans) > 1:
            yield "several spans of hours"
        for span in spans:
            if span.to == "24:00":
                yield "hours until 24:00"
            elif str(span.from_) > str(span.to):
                yield "hours past midnight"
                if when.weekdays:
                    yield "hours past midnight on weekdays"


def _numbers(case: Case) -> Iterator[str]:
    frame, found, pack = case.frame, case.found, case.found.pack
    kinds = {measure.name: measure.kind for measure in pack.measures}
    direct = {edge.child.id for edge in found.root.edges}
    for item in frame.measures:
        own = item.measure in kinds
        yield f"{kinds[item.measure]} of the pack" if own else item.measure
        of = "the primary" if item.target_role == found.root.id else "a support"
        yield f"of {of}"
        if item.target_role not in (found.root.id, *direct):
            yield "of what hangs deeper"
    if len(frame.measures) > 1:
        yield "several measures"
    for group in frame.group_by:
        kind = "entity" if group.entity else group.time
        if group.field is not None:
            field = pack.entity(found.root.what.entity).field(group.field)
            kind = "list" if field.type == "category_list" else "field"
        yield f"group by {kind}"
    if len(frame.group_by) > 1:
        yield "two groups"
    if frame.having:
        yield "having"
    if frame.ranking is not None:
        yield frame.ranking.order
        yield "all ranked" if frame.ranking.top_n is None else "first few"
        if frame.ranking.include_ties:
            yield "with ties"
