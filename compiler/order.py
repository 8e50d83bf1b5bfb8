"""One order of constraints, so that the order in which a frame writes them changes no byte of its answer."""

from __future__ import annotations

from typing import Any

from groundframe.frames.model import AttributeConstraint, Frame, SpatialConstraint, TemporalConstraint

__all__ = ["in_order"]


def in_order(frame: Frame) -> Frame:
    """The frame with its constraints in the order of the targets and references they are about."""
    parts = [str(part.id or part.role) for group in (frame.targets, frame.references) for part in group]
    place = {name: number for number, name in enumerate(parts)}

    def between(one: SpatialConstraint) -> tuple[Any, ...]:
        ends = (place.get(name, len(place)) for name in (one.target_role, one.reference_role))
        return (*sorted(ends), one.model_dump_json())

    def about(one: AttributeConstraint | TemporalConstraint) -> tuple[Any, ...]:
        return place.get(str(one.target_role), len(place)), one.model_dump_json()

    ordered = {
        "spatial_constraints": tuple(sorted(frame.spatial_constraints, key=between)),
        "attribute_constraints": tuple(sorted(frame.attribute_constraints, key=about)),
        "temporal_constraints": tuple(sorted(frame.temporal_constraints, key=about)),
    }
    return frame.model_copy(update=ordered)
