"""Relations that two entities cannot have."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.terms import PLACE
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.geometry import container_rank, is_area, link_between


def check(context: Context) -> Iterator[Finding]:
    """Report `within` of what has no inside, `on` without a link, and points that should intersect points."""
    for number, constraint in enumerate(context.frame.spatial_constraints):
        target, reference = constraint.target_role, constraint.reference_role
        if context.part(target) is None or context.part(reference) is None:
            continue
        if any(_is_unknown(context, name) for name in (target, reference)):
            continue
        path = f"/spatial_constraints/{number}/relation"
        inner, outer = (reference, target) if constraint.relation == "contains" else (target, reference)
        match constraint.relation:
            case "within" | "contains":
                impossible = (
                    not is_area(context, outer) and link_between(context, inner, outer, "covering") is None
                )
            case "on":
                impossible = link_between(context, target, reference, "nearest") is None
            case "intersects":
                impossible = container_rank(context, target) == container_rank(context, reference) == 0
            case _:
                continue
        if impossible:
            message = f"'{target}' cannot be '{constraint.relation}' of '{reference}'."
            yield Issue("impossible_relation", path, message, possible(context, target, reference))


def _is_unknown(context: Context, name: str) -> bool:
    part = context.part(name)
    return part is not None and part.entity != PLACE and context.entity(part.entity) is None


def possible(context: Context, target: str, reference: str) -> tuple[str, ...]:
    """The relations that the first can have to the second."""
    ways = ["within_distance"]
    if is_area(context, reference):
        ways.append("within")
    if is_area(context, target):
        ways.append("contains")
    if container_rank(context, target) or container_rank(context, reference):
        ways.append("intersects")
    if link_between(context, target, reference, "nearest"):
        ways.append("on")
    return (*ways, "nearest_to")


RULE = Rule(
    id="possible_relations",
    name="a relation that the two cannot have",
    rationale=(
        "Nothing lies within a point, and only what the pack links can be 'on' another; the answer "
        "would be empty."
    ),
    phase=Phase.MEANING,
    safety=None,
    check=check,
)
