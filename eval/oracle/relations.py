"""Which features are related: every pair looked at (DESIGN §3, §7.1)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.eval.oracle.world import Feature, Nearby, to_millimetre
from groundframe.frames.model import SpatialConstraint
from groundframe.schema.model import Link, Pack

__all__ = ["Neighbour", "Pairs", "nearest_pairs", "needs_geometry", "pairs_of"]

Pairs = set[tuple[str, str]]
"""Keys of a target feature and a reference feature that are related."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A target feature among the nearest of a reference feature."""

    target: str
    reference: str
    distance_m: float


def pairs_of(
    pack: Pack, constraint: SpatialConstraint, targets: Sequence[Feature], references: Sequence[Feature]
) -> Pairs:
    """The pairs for which a constraint other than ``nearest_to`` holds; a feature is no partner of itself."""
    if not targets or not references:
        return set()
    link = _link(pack, constraint, targets[0].entity, references[0].entity)
    if link is None:
        found = _by_geometry(constraint, targets, references)
    elif constraint.relation == "contains":
        found = {(other, key) for key, other in _by_link(link, references, targets)}
    else:
        found = _by_link(link, targets, references)
    same = targets[0].entity == references[0].entity
    return {(target, reference) for target, reference in found if not (same and target == reference)}


def needs_geometry(pack: Pack, constraint: SpatialConstraint, target: str, reference: str) -> bool:
    """Whether rows without coordinates drop out of the constraint (DESIGN §7.9)."""
    return _link(pack, constraint, target, reference) is None


def nearest_pairs(
    k: int,
    targets: Sequence[Feature],
    references: Sequence[Feature],
    allowed: Callable[[str, str], bool],
) -> tuple[list[Neighbour], int]:
    """The k nearest targets of each reference, with how many more are level with a k-th one."""
    chosen: list[Neighbour] = []
    level: set[str] = set()
    located = [feature for feature in targets if feature.geometry is not None]
    for reference in references:
        if reference.geometry is None:
            continue
        candidates = sorted(
            (to_millimetre(shapely.distance(feature.geometry, reference.geometry)), feature.key)
            for feature in located
            if (feature.entity, feature.key) != (reference.entity, reference.key)
            and allowed(feature.key, reference.key)
        )
        chosen += [Neighbour(key, reference.key, far) for far, key in candidates[:k]]
        if len(candidates) > k:
            level.update(key for far, key in candidates[k:] if far == candidates[k - 1][0])
    return chosen, len(level - {one.target for one in chosen})


def _link(pack: Pack, constraint: SpatialConstraint, target: str, reference: str) -> Link | None:
    """The link that a relation between two entities means, if one joins them that way."""
    if target not in _names(pack) or reference not in _names(pack):
        return None
    if constraint.relation == "on":
        links = [link for link in pack.entity(target).links_to(reference) if link.rule == "nearest"]
    elif constraint.relation == "within":
        links = list(pack.entity(target).links_to(reference))
    elif constraint.relation == "contains":
        links = list(pack.entity(reference).links_to(target))
    else:
        links = []
    return links[0] if links else None


def _names(pack: Pack) -> set[str]:
    return {entity.name for entity in pack.entities}


def _by_link(link: Link, here: Iterable[Feature], there: Iterable[Feature]) -> Pairs:
    reached = {feature.key for feature in there}
    pairs = ((feature.key, feature.links[link.name]) for feature in here)
    return {(key, other) for key, other in pairs if other is not None and other in reached}


def _by_geometry(
    constraint: SpatialConstraint, targets: Sequence[Feature], references: Sequence[Feature]
) -> Pairs:
    near = Nearby(references)
    distance = float(constraint.distance_m or 0.0)
    holds = PREDICATES[constraint.relation]
    return {
        (target.key, reference.key)
        for target in targets
        if target.geometry is not None
        for _, reference in near.around(target.geometry, distance)
        if holds(target.geometry, reference.geometry)
    }


PREDICATES: Mapping[str, Callable[[BaseGeometry | None, BaseGeometry | None], bool]] = {
    "within_distance": lambda _target, _reference: True,
    "intersects": lambda target, reference: bool(shapely.intersects(target, reference)),
    "within": lambda target, reference: bool(shapely.covered_by(target, reference)),
    "contains": lambda target, reference: bool(shapely.covers(target, reference)),
}
