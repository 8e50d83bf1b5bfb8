"""Targets that repeat what another target carries."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.frames.model import AttributeConstraint, SpatialConstraint, Target
from groundframe.schema.model import Entity
from groundframe.validator.context import Context
from groundframe.validator.findings import Drop, Edit, Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Leave out a filter whose every condition is asked of the primary's own, carried fields as well."""
    primary = context.primary()
    home = context.entity(primary.entity) if primary else None
    if primary is None or home is None:
        return
    for number, target in enumerate(context.frame.targets):
        entity = context.entity(target.entity)
        if target.role != "filter" or target.names or target.keys is not None or entity is None:
            continue
        edges = [
            (f"/spatial_constraints/{at}", one)
            for at, one in enumerate(context.frame.spatial_constraints)
            if target.id in (one.target_role, one.reference_role)
        ]
        if _is_used(context, target) or not all(_is_link(one, primary, target) for _, one in edges):
            continue
        own = [
            one for one in enumerate(context.frame.attribute_constraints) if one[1].target_role == target.id
        ]
        carried = _carried(home, entity)
        asked = [one for one in context.frame.attribute_constraints if one.target_role == primary.id]
        if own:
            needless = all(_is_repeated(one, carried, asked) for _, one in own)
        else:
            needless = not edges and any(one.field in carried.values() for one in asked)
        if needless:
            path = f"/targets/{number}"
            before = target.model_dump(mode="json", exclude_defaults=True)
            message = f"'{target.id}' only repeats what is asked of '{primary.id}' itself; it was left out."
            drops = [Drop(path), *(Drop(where) for where, _ in edges)]
            drops += [Drop(f"/attribute_constraints/{at}") for at, _ in own]
            yield Edit(path, before, None, message, tuple(drops))


def _is_used(context: Context, target: Target) -> bool:
    """Whether anything but conditions and relations is about it."""
    frame = context.frame
    mentions = [one.target_role for one in frame.temporal_constraints]
    mentions += [one.target_role for one in frame.group_by]
    counted = [one.target_role for one in frame.measures]
    return target.id in mentions or target.id in counted


def _is_link(one: SpatialConstraint, primary: Target, target: Target) -> bool:
    """Whether it is no more than the link by which the primary carries the fields."""
    ends = one.target_role, one.reference_role
    return one.relation == "on" and not one.negate and ends == (primary.id, target.id)


def _carried(home: Entity, entity: Entity) -> dict[str, str]:
    """The fields of the entity that the other carries, and what it calls them."""
    links = {link.name for link in home.links_to(entity.name)}
    return {
        field.carries.field: field.name
        for field in home.fields
        if field.carries and field.carries.link in links
    }


def _is_repeated(one: AttributeConstraint, carried: dict[str, str], asked: list[AttributeConstraint]) -> bool:
    name = carried.get(one.field or "")
    return name is not None and any(
        (name, one.operator, one.value, one.negate)
        == (other.field, other.operator, other.value, other.negate)
        for other in asked
    )


RULE = Rule(
    id="needless_targets",
    name="a target that repeats what another carries",
    rationale=(
        "Some features carry attributes of what they are linked to; asking both says the same twice, and "
        "would ask for a link besides."
    ),
    phase=Phase.MEANING,
    safety="safe",
    check=check,
)
