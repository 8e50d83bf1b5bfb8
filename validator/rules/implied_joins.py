"""Targets and references that no constraint ties to the others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.model import Reference, Target
from groundframe.validator.context import Context
from groundframe.validator.findings import Add, Edit, Finding, Phase, Rule
from groundframe.validator.geometry import is_area, is_constant, links_between


def check(context: Context) -> Iterator[Finding]:
    """Write out the constraints that a frame only implies."""
    primary = context.primary()
    if primary is None or primary.id is None or context.entity(primary.entity) is None:
        return
    for group in _loose_groups(context, primary):
        yield from _join_by_link(context, primary, group)
    mentioned = {
        role for one in context.frame.spatial_constraints for role in (one.target_role, one.reference_role)
    }
    for _, part in context.parts():
        if part.id is not None and part.id not in mentioned and is_constant(context, part.id):
            yield _restrict(context, primary.id, part)


def _loose_groups(context: Context, primary: Target) -> list[list[Target]]:
    """Targets other than scopes that no chain of constraints ties to the primary, in connected groups."""
    groups = {str(target.id): {str(target.id)} for target in context.frame.targets if target.role != "scope"}
    for constraint in context.frame.spatial_constraints:
        ends = constraint.target_role, constraint.reference_role
        if ends[0] in groups and ends[1] in groups and groups[ends[0]] is not groups[ends[1]]:
            joined = groups[ends[0]] | groups[ends[1]]
            groups |= dict.fromkeys(joined, joined)
    loose: list[list[Target]] = []
    for target in context.frame.targets:
        group = groups.get(str(target.id), set())
        if group and primary.id not in group and all(target not in other for other in loose):
            loose.append([one for one in context.frame.targets if one.id in group])
    return loose


def _join_by_link(context: Context, primary: Target, group: list[Target]) -> Iterator[Finding]:
    """Tie a group to the primary by one link: of what is counted, else of what is restricted."""
    entities = {target.id: context.entity(target.entity) for target in group}
    home = context.entity(primary.entity)
    if home is None or any(entity is None for entity in entities.values()):
        return
    references = {one.reference_role for one in context.frame.spatial_constraints}
    linked = {t.id: links_between(entity, home) for t in group if (entity := entities[t.id]) is not None}
    able = [target for target in group if linked[target.id]]
    best = [t for t in able if t.role == "support"] or [t for t in able if t.id not in references] or able
    if len(best) == 1 and len(linked[best[0].id]) == 1:
        link, forward = linked[best[0].id][0]
        ends = (best[0].id, primary.id) if forward else (primary.id, best[0].id)
        relation = "within" if link.rule == "covering" else "on"
        added = {"relation": relation, "target_role": ends[0], "reference_role": ends[1]}
        message = f"'{best[0].id}' and '{primary.id}' are joined by the link '{link.name}'."
        yield Edit(
            "/spatial_constraints/-", None, added, message, (Add("/spatial_constraints", added),), "declared"
        )
        return
    named = " and ".join(f"'{target.id}'" for target in group)
    path = next(path for path, part in context.parts() if part is group[0])
    ways = tuple(f"{t.id} by '{link.name}'" for t in best for link, _ in linked[t.id])
    if ways:
        message = f"Nothing says how {named} and '{primary.id}' belong together, and there are several ways."
        yield Issue("no_path", path, message, ways, action="Add a spatial constraint between them.")
    else:
        message = f"Nothing says how {named} and '{primary.id}' belong together, and no link joins them."
        action = "Add a spatial constraint: within_distance with a distance, intersects or nearest_to."
        yield Issue("no_path", path, message, action=action)


def _restrict(context: Context, primary_id: str, part: Target | Reference) -> Edit:
    """The constraint by which a scope or an anchor restricts the primary."""
    added: dict[str, Any] = {"relation": "within", "target_role": primary_id, "reference_role": part.id}
    message = f"'{part.id}' restricts '{primary_id}' to what lies within it."
    if not is_area(context, str(part.id)):
        near = context.pack.defaults.near_m
        added |= {"relation": "within_distance", "distance_m": near}
        message = (
            f"'{part.id}' restricts '{primary_id}' to what is near; without a distance that is {near:g} m."
        )
        return Edit("/spatial_constraints/-", None, added, message, (Add("/spatial_constraints", added),))
    return Edit(
        "/spatial_constraints/-", None, added, message, (Add("/spatial_constraints", added),), "declared"
    )


RULE = Rule(
    id="implied_joins",
    name="a target that nothing connects",
    rationale=(
        "Scopes and anchors restrict the primary, other targets join it by the pack's one link (DESIGN §3)."
    ),
    phase=Phase.MEANING,
    safety="safe",
    check=check,
)
