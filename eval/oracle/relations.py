"""Which features are related: every pair looked at (DESIGN §3, §7.1; docs/checked_frames.md)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.eval.oracle.feature import Feature
from groundframe.eval.oracle.nearby import close_pairs, geometries_of
from groundframe.frames.model import SpatialConstraint
from groundframe.schema.model import Link, Pack

__all__ = ["Neighbour", "Pairs", "link_of", "nearest_pairs", "pairs_of"]

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
    """The pairs for which a constraint other than ``nearest_to`` holds."""
    if not targets or not references:
        return set()
    link = link_of(pack, constraint.relation, targets[0].entity, references[0].entity)
    if link is None:
        return _by_geometry(constraint, targets, references)
    if constraint.relation == "contains":
        return {(other, key) for key, other in _by_link(link, references, targets)}
    return _by_link(link, targets, references)


def nearest_pairs(
    k: int, targets: Sequence[Feature], references: Sequence[Feature]
) -> tuple[list[Neighbour], bool]:
    """The k nearest targets of each reference, and whether one left out is level with a k-th one."""
    chosen: list[Neighbour] = []
    tied = False
    located = [feature for feature in targets if feature.geometry is not None]
    geometries = geometries_of(located)
    for reference in (one for one in references if one.geometry is not None):
        millimetres = np.floor(1000 * shapely.distance(geometries, reference.geometry) + 0.5)
        # The k first and one more, and all that are level with it; the feature itself may be among them.
        last = np.sort(millimetres)[: k + 2].max(initial=0.0)
        candidates = sorted(
            (float(millimetres[number]), located[number].key)
            for number in np.flatnonzero(millimetres <= last).tolist()
            if located[number].entity != reference.entity or located[number].key != reference.key
        )
        chosen += [Neighbour(key, reference.key, far / 1000) for far, key in candidates[:k]]
        tied |= len(candidates) > k and candidates[k][0] == candidates[k - 1][0]
    return chosen, tied


def link_of(pack: Pack, relation: str, target: str, reference: str) -> Link | None:
    """The link that a relation between two entities means, None where geometry decides."""
    entities = {entity.name: entity for entity in pack.entities}
    if target not in entities or reference not in entities:
        return None
    match relation:
        case "on":
            links, first = entities[target].links_to(reference), "nearest"
        case "within":
            links, first = entities[target].links_to(reference), "covering"
        case "contains":
            links, first = entities[reference].links_to(target), "covering"
        case _:
            return None
    return min(links, key=lambda link: link.rule != first, default=None)


def _by_link(link: Link, here: Iterable[Feature], there: Iterable[Feature]) -> Pairs:
    reached = {feature.key for feature in there}
    pairs = ((feature.key, feature.links[link.name]) for feature in here)
    return {(key, other) for key, other in pairs if other is not None and other in reached}


def _by_geometry(
    constraint: SpatialConstraint, targets: Sequence[Feature], references: Sequence[Feature]
) -> Pairs:
    holds = PREDICATES[constraint.relation]
    return {
        (target.key, reference.key)
        for target, reference, _ in close_pairs(targets, references, float(constraint.distance_m or 0.0))
        if holds(target.geometry, reference.geometry)
    }


PREDICATES: Mapping[str, Callable[[BaseGeometry | None, BaseGeometry | None], bool]] = {
    "within_distance": lambda _target, _reference: True,
    "intersects": lambda target, reference: bool(shapely.intersects(target, reference)),
    "within": lambda target, reference: bool(shapely.covered_by(target, reference)),
    "contains": lambda target, reference: bool(shapely.covers(target, reference)),
}
