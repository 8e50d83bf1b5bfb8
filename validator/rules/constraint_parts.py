"""Constraints that name a target by its role, its entity, or not at all."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit
from groundframe.validator.fitting import Fits, able, fits_condition, has_dates
from groundframe.validator.vocabulary import ROLES


def check(context: Context) -> Iterator[Finding]:
    """Replace every mention of a role by the id of the one target or reference that has it."""
    frame = context.frame
    for number, spatial in enumerate(frame.spatial_constraints):
        path = f"/spatial_constraints/{number}"
        yield from _resolved(context, f"{path}/target_role", spatial.target_role)
        yield from _resolved(context, f"{path}/reference_role", spatial.reference_role)
    for path, condition, inherited in context.conditions():
        if condition.target_role is None and path.count("/") > 2:
            continue  # a part of an any_of takes it from the whole; the rule condition_shape writes it out
        fits = fits_condition(context, condition)
        yield from _resolved(context, f"{path}/target_role", condition.target_role or inherited, fits)
    for number, temporal in enumerate(frame.temporal_constraints):
        path = f"/temporal_constraints/{number}/target_role"
        yield from _resolved(context, path, temporal.target_role, has_dates)
    for number, group in enumerate(frame.group_by):
        yield from _resolved(context, f"/group_by/{number}/target_role", group.target_role)
    for number, measure in enumerate(frame.measures):
        if measure.target_role is not None:
            yield from _resolved(context, f"/measures/{number}/target_role", measure.target_role)
    if frame.ranking:
        yield from _resolved(context, "/ranking/target_role", frame.ranking.target_role)


def _resolved(context: Context, path: str, name: str | None, fits: Fits | None = None) -> Iterator[Finding]:
    ids = tuple(part.id or "" for _, part in context.parts())
    if name is None:
        possible = [one.id or "" for one in context.frame.targets]
        if len(possible) > 1 and fits is not None:
            possible = able(context, fits)
        if len(possible) == 1:
            yield edit(path, None, possible[0], "There is only one target it can be about.")
        else:
            yield Issue("missing_role", path, "It is not said which target this is about.", ids)
        return
    if name in ids:
        return
    role, entity = ROLES.match(name), context.words.entities.match(name)
    of_role = [part.id for _, part in context.parts() if role and part.role == role.word]
    of_entity = [
        part.id
        for _, part in context.parts()
        if entity and (found := context.words.entities.match(part.entity)) and found.word == entity.word
    ]
    for matching, what, safety in ((of_role, "role", "declared"), (of_entity, "entity", "safe")):
        if len(matching) == 1:
            message = f"'{name}' is the {what} of '{matching[0]}'."
            yield edit(
                path, name, matching[0], message, safety="declared" if safety == "declared" else "safe"
            )
            return
        if len(matching) > 1:
            message = f"Several targets have the {what} '{name}'."
            action = "Give the targets ids and name one of them."
            yield Issue("ambiguous_role", path, message, tuple(str(one) for one in matching), action=action)
            return
    message = f"No target or reference has the role or id '{name}'."
    yield Issue(
        "undeclared_role", path, message, ids, action="Declare it among the targets, or name one that is."
    )


RULE = Rule(
    id="constraint_parts",
    name="a constraint that names no declared target",
    rationale="A role or entity that one target has names that target; anything else would be a guess.",
    phase=Phase.STRUCTURE,
    safety="safe",
    check=check,
)
