"""Which features of each target meet what the frame asks, from the leaves of the tree to the primary."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from pyproj import Transformer
from shapely.geometry.base import BaseGeometry

from groundframe.eval.oracle.checked import given
from groundframe.eval.oracle.conditions import meets_attribute, meets_temporal
from groundframe.eval.oracle.kleene import Truth, all_of
from groundframe.eval.oracle.relations import Neighbour, Pairs, nearest_pairs, needs_geometry, pairs_of
from groundframe.eval.oracle.tree import Edge, Node, tree_of
from groundframe.eval.oracle.world import Feature, World
from groundframe.frames.model import Frame, Reference, SpatialConstraint

__all__ = ["Evaluation"]


class Evaluation:
    """A frame evaluated over a world.

    Attributes
    ----------
    own : dict
        Per target and feature key, whether the feature's own conditions hold.
    fits : dict
        Per target, keys of the features for which the restricting relations hold (before ``nearest_to``),
        whatever their own conditions.
    meets : dict
        Per target, the features that meet everything asked of them and of what hangs from them.
    neighbours : list
        For a primary that is the nearest of something: which, of what, how far.
    ties : int
        Features level with the last of the k nearest and left out, over the whole frame.
    """

    def __init__(self, world: World, frame: Frame) -> None:
        self.world, self.frame, self.pack = world, frame, world.pack
        self.nodes = tree_of(frame)
        self.root = next(iter(self.nodes.values()))
        self.base: dict[str, list[Feature]] = {name: self._base(node) for name, node in self.nodes.items()}
        self.own: dict[str, dict[str, Truth]] = {
            name: {feature.key: self._own(name, feature) for feature in self.base[name]}
            for name in self.nodes
        }
        self.fits: dict[str, set[str]] = {}
        self.meets: dict[str, list[Feature]] = {}
        self.neighbours: list[Neighbour] = []
        self.ties = 0
        self._settle(self.root)

    def related(self, parent: Node, edge: Edge, *, negated: bool = False) -> Pairs:
        """Pairs of a parent's feature and a child's feature that meets everything asked of it."""
        parts = edge.parts(negated=negated)
        plain = [one for one in parts if one.relation != "nearest_to"]
        pairs = self._all_hold(parent, edge, plain)
        for constraint in parts:
            if constraint.relation == "nearest_to":
                found = self._nearest(parent, edge, constraint, pairs if plain else None)
                pairs = found if not plain else pairs & found
        return pairs

    def without_geometry(self, parent: Node, edge: Edge) -> bool:
        """Whether the edge leaves out rows without coordinates."""
        return any(needs_geometry(self.pack, one, *self._entities(one)) for one in edge.constraints)

    def _base(self, node: Node) -> list[Feature]:
        what = node.what
        if isinstance(what, Reference) and what.keys is None:
            return [Feature(what.entity, "", "", self._geometry(what), {})]
        features = self.world.features[what.entity].values()
        return [feature for feature in features if what.keys is None or feature.key in what.keys]

    def _geometry(self, reference: Reference) -> BaseGeometry:
        to_metres = Transformer.from_pipeline(self.pack.pipeline)
        if reference.coordinates is not None:
            place = reference.coordinates
            return shapely.Point(to_metres.transform(place.longitude, place.latitude))
        area = shapely.geometry.shape(given(reference.area).model_dump())
        return shapely.transform(area, lambda points: np.column_stack(to_metres.transform(*points.T)))

    def _own(self, name: str, feature: Feature) -> Truth:
        tests = [
            meets_attribute(self.pack, feature, one)
            for one in self.frame.attribute_constraints
            if one.target_role == name
        ]
        times = [
            meets_temporal(self.pack, feature, one)
            for one in self.frame.temporal_constraints
            if one.target_role == name
        ]
        return all_of(tests + times)

    def _settle(self, node: Node) -> None:
        for edge in node.edges:
            if edge.child.id not in self.meets:
                self._settle(edge.child)
        fits = {feature.key for feature in self.base[node.id]}
        restricting = [edge for edge in node.edges if edge.restricts]
        # Filters and scope first, the nearest of what is left last (DESIGN §3).
        for edge in restricting:
            if not _has_nearest(edge):
                fits &= self._held(node, edge)
        self.fits[node.id] = fits
        nearest = [self._held(node, edge) for edge in restricting if _has_nearest(edge)]
        self.meets[node.id] = self._known_to_fit(node, fits.intersection(*nearest))
        anchors = {
            (child.entity, child.key)
            for edge in restricting
            if isinstance(edge.child.what, Reference)
            for child in self.base[edge.child.id]
        }
        if node is self.root:
            # An anchor is left out of results of its own entity.
            self.meets[node.id] = [one for one in self.meets[node.id] if (one.entity, one.key) not in anchors]

    def _known_to_fit(self, node: Node, fits: set[str]) -> list[Feature]:
        own = self.own[node.id]
        return [feature for feature in self.base[node.id] if feature.key in fits and own[feature.key] is True]

    def _held(self, node: Node, edge: Edge) -> set[str]:
        """Keys of the node's features for which the edge holds."""
        keys = {feature.key for feature in self.base[node.id]}
        if edge.parts(negated=False):
            keys &= {key for key, _ in self.related(node, edge)}
        if edge.parts(negated=True):
            keys -= {key for key, _ in self.related(node, edge, negated=True)}
            if self.without_geometry(node, edge):
                keys &= {feature.key for feature in self.base[node.id] if feature.geometry is not None}
        return keys

    def _all_hold(self, parent: Node, edge: Edge, constraints: Sequence[SpatialConstraint]) -> Pairs:
        """Pairs (parent, child) for which all of the constraints hold; without one, none."""
        found: Pairs | None = None
        above, below = self.base[parent.id], self.meets[edge.child.id]
        for constraint in constraints:
            if constraint.target_role == parent.id:
                pairs = pairs_of(self.pack, constraint, above, below)
            else:
                pairs = {(here, there) for there, here in pairs_of(self.pack, constraint, below, above)}
            found = pairs if found is None else found & pairs
        return found or set()

    def _nearest(self, parent: Node, edge: Edge, constraint: SpatialConstraint, among: Pairs | None) -> Pairs:
        k = given(constraint.k)
        if constraint.target_role == parent.id:
            above, below = self._known_to_fit(parent, self.fits[parent.id]), self.meets[edge.child.id]
            chosen, level = nearest_pairs(
                k, above, below, lambda one, of: among is None or (one, of) in among
            )
            self.neighbours += chosen if parent is self.root and not constraint.negate else []
            self.ties += level
            return {(one.target, one.reference) for one in chosen}
        above, below = self.base[parent.id], self.meets[edge.child.id]
        chosen, _ = nearest_pairs(k, below, above, lambda one, of: among is None or (of, one) in among)
        return {(one.reference, one.target) for one in chosen}

    def _entities(self, constraint: SpatialConstraint) -> tuple[str, str]:
        target, reference = self.nodes[constraint.target_role], self.nodes[constraint.reference_role]
        return target.what.entity, reference.what.entity


def _has_nearest(edge: Edge) -> bool:
    return any(one.relation == "nearest_to" for one in edge.constraints)
