"""Relations written with the parts of another, or the wrong way round."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import SpatialConstraint
from groundframe.schema.model import Link
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule, edit
from groundframe.validator.geometry import container_rank, is_constant, link_between


def check(context: Context) -> Iterator[Finding]:
    """Give each relation its parts and direction; fill in the default distance and count."""
    for number, constraint in enumerate(context.frame.spatial_constraints):
        path = f"/spatial_constraints/{number}"
        if context.part(constraint.target_role) is None or context.part(constraint.reference_role) is None:
            continue
        if constraint.target_role == constraint.reference_role:
            message = f"'{constraint.target_role}' is related to itself."
            yield Issue(
                "self_relation", path, message, action="Name two targets; give the second its own id."
            )
            continue
        yield from _parts(context, path, constraint)
        yield from _direction(context, path, constraint)


def _parts(context: Context, path: str, constraint: SpatialConstraint) -> Iterator[Finding]:
    relation, distance = constraint.relation, constraint.distance_m
    if relation == "within_distance" and distance is None:
        near = context.pack.defaults.near_m
        yield edit(f"{path}/distance_m", None, near, f"Near without a distance is {near:g} m.")
    if relation in ("within", "on", "intersects", "contains") and distance is not None:
        link = _nearest_link(context, constraint)
        if relation == "on" and link is not None and distance == link.max_distance_m:
            yield edit(
                f"{path}/distance_m",
                distance,
                None,
                "It is the distance of the link itself.",
                safety="declared",
            )
        elif relation in ("within", "on"):
            message = f"'{relation}' has no distance; with one it is 'within_distance'."
            yield edit(f"{path}/relation", relation, "within_distance", message)
        else:
            message = f"'{relation}' has no distance."
            yield Issue(
                "stray_distance",
                f"{path}/distance_m",
                message,
                action="Leave it out, or write 'within_distance'.",
            )
    if relation == "nearest_to":
        if distance is not None:
            message = "'nearest_to' has no distance."
            action = "Leave it out, or add a second constraint 'within_distance'."
            yield Issue("stray_distance", f"{path}/distance_m", message, action=action)
        if constraint.k is None:
            yield edit(f"{path}/k", None, 1, "Nearest without a number is the one nearest.")
        elif isinstance(constraint.k, int) and not 1 <= constraint.k <= 10_000:
            message = f"'k' is 1 to 10,000, and this is {constraint.k}."
            yield Issue("k_range", f"{path}/k", message, action="Say how many of the nearest are wanted.")
        if constraint.negate:
            action = "Use 'within_distance' with 'negate' to ask for what is not near."
            yield Issue("negated_nearest", f"{path}/negate", "'nearest_to' cannot be negated.", action=action)
    elif constraint.k is not None:
        yield Issue(
            "stray_k",
            f"{path}/k",
            "Only 'nearest_to' has 'k'.",
            action="Leave it out, or write 'nearest_to'.",
        )


def _nearest_link(context: Context, constraint: SpatialConstraint) -> Link | None:
    link = link_between(context, constraint.target_role, constraint.reference_role, "nearest")
    return link or link_between(context, constraint.reference_role, constraint.target_role, "nearest")


def _direction(context: Context, path: str, constraint: SpatialConstraint) -> Iterator[Finding]:
    """Turn round what is only possible the other way; a fixed place comes second where both are."""
    target, reference = constraint.target_role, constraint.reference_role
    ranks = container_rank(context, target), container_rank(context, reference)
    turn = ""
    if constraint.relation in ("within_distance", "intersects"):
        if is_constant(context, target) and not is_constant(context, reference):
            message = "It is the same both ways; the fixed place comes second."
            puts = (Put(f"{path}/target_role", reference), Put(f"{path}/reference_role", target))
            yield Edit(f"{path}/target_role", target, reference, message, puts, "declared")
        return
    if constraint.relation == "on" and constraint.distance_m is None:
        there = link_between(context, target, reference, "nearest")
        back = link_between(context, reference, target, "nearest")
        turn = "on" if back is not None and there is None else ""
    elif constraint.relation == "within" and constraint.distance_m is None and ranks[0] == 2 > ranks[1]:
        turn = "within"
    elif constraint.relation == "contains" and ranks[0] < 2 == ranks[1]:
        turn = "contains"
    if turn:
        message = f"'{target}' cannot be '{turn}' of '{reference}', only the other way; the two were swapped."
        puts = (Put(f"{path}/target_role", reference), Put(f"{path}/reference_role", target))
        yield Edit(f"{path}/target_role", target, reference, message, puts)


RULE = Rule(
    id="relation_shape",
    name="a relation with the parts of another, or the wrong way round",
    rationale=(
        "A distance says within_distance; near has the pack's default; a town lies in no school, a "
        "school in a town."
    ),
    phase=Phase.MEANING,
    safety="safe",
    check=check,
)
