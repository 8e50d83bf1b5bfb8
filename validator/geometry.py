"""What can lie in, on or near what: entities by geometry and link."""

from __future__ import annotations

from groundframe.frames.model import Reference
from groundframe.schema.model import Entity, Link
from groundframe.validator.context import Context

__all__ = ["container_rank", "is_area", "is_constant", "link_between", "links_between"]


def is_constant(context: Context, part_id: str) -> bool:
    """Whether it is a fixed place: a scope or a reference."""
    part = context.part(part_id)
    return isinstance(part, Reference) or (part is not None and part.role == "scope")


def is_area(context: Context, part_id: str) -> bool:
    """Whether the target or reference is made of polygons."""
    part = context.part(part_id)
    if isinstance(part, Reference) and part.area is not None:
        return True
    entity = context.entity_of(part_id)
    return entity is not None and "polygon" in entity.geometry


def container_rank(context: Context, part_id: str) -> int:
    """Points lie in lines, and both in polygons: 0, 1, 2 by geometry."""
    if is_area(context, part_id):
        return 2
    entity = context.entity_of(part_id)
    return 1 if entity is not None and "line" in entity.geometry else 0


def link_between(context: Context, part_id: str, other_id: str, rule: str) -> Link | None:
    """The link of that rule from the first to the second."""
    one, other = context.entity_of(part_id), context.entity_of(other_id)
    if one is None or other is None:
        return None
    return next((link for link in one.links_to(other.name) if link.rule == rule), None)


def links_between(one: Entity, other: Entity) -> tuple[tuple[Link, bool], ...]:
    """Every link that joins the two; True when it leads from the first to the second."""
    there = tuple((link, True) for link in one.links_to(other.name))
    back = tuple((link, False) for link in other.links_to(one.name))
    return (*there, *back)
