"""Several scopes of one entity that each name a part of the area."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context
from groundframe.validator.findings import Drop, Edit, Finding, Phase, Put, Rule


def check(context: Context) -> Iterator[Finding]:
    """Join named scopes of one entity that no constraint mentions into one."""
    mentioned = {
        role for one in context.frame.spatial_constraints for role in (one.target_role, one.reference_role)
    } | {condition.target_role for condition in context.frame.attribute_constraints}
    first: dict[str, int] = {}
    names: dict[str, list[str]] = {}
    for number, target in enumerate(context.frame.targets):
        if target.role != "scope" or not target.names or target.keys is not None or target.id in mentioned:
            continue
        if target.entity not in first:
            first[target.entity], names[target.entity] = number, list(target.names)
            continue
        names[target.entity] += [name for name in target.names if name not in names[target.entity]]
        path, into = f"/targets/{number}", f"/targets/{first[target.entity]}/names"
        kept = context.frame.targets[first[target.entity]].id
        message = f"Nothing lies in two areas at once; '{target.id}' was joined to '{kept}'."
        before = target.model_dump(mode="json", exclude_defaults=True)
        yield Edit(path, before, None, message, (Put(into, list(names[target.entity])), Drop(path)))


RULE = Rule(
    id="split_scopes",
    name="one area given as several scopes",
    rationale=(
        "Different targets are combined with 'and', and no feature lies in two towns; names in one "
        "target are a union."
    ),
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
