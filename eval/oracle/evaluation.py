"""Which features of each target meet what the frame asks, from the leaves of the tree to the primary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import shapely
from pyproj import Transformer
from shapely.geometry.base import BaseGeometry

from groundframe.eval.oracle.checked import given
from groundframe.eval.oracle.conditions import meets_attribute, meets_temporal
from groundframe.eval.oracle.kleene import Truth, all_of
from groundframe.eval.oracle.relations import Neighbour, Pairs, link_of, nearest_pairs, pairs_of
from groundframe.eval.oracle.tree import Edge, Node, tree_of
from groundframe.eval.oracle.world import Feature, World
from groundframe.frames.model import Frame, Reference, SpatialConstraint

__all__ = ["Evaluation"]

GRID_M = 1 / 1024
"""Places and areas lie on the grid that rows lie on."""


class Evaluation:
    """A frame evaluated over a world.

    Attributes
    ----------
    base : dict
        Per target, the features it is about: all of its entity, or those with its keys.
    own : dict
        Per target and feature key, whether the feature's own conditions hold.
    fits : dict
        Per target, keys of the features for which the restricting relations hold (before ``nearest_to``),
        whatever their own conditions.
    meets : dict
        Per target, the features that meet everything asked of them and of what hangs from them.
    neighbours : list
        For a primary that is the nearest of something: which, of what, how far.
    level : set
        Keys of the primary level with the last of the k nearest and left out.
    """

    def __init__(self, world: World, frame: Frame) -> None:
        self.world, self.frame, self.pack = world, frame, world.pack
        self.nodes = tree_of(frame)
        self.root = next(iter(self.nodes.values()))
        self.base: dict[str, list[Feature]] = {name: self._base(node) for name, node in self.nodes.items()}
        self.own: dict[str, dict[str, Truth]] = {
            name: {feature.key: self._own(name, feature) for feature in features}
            for name, features in self.base.items()
        }
        self.fits: dict[str, set[str]] = {}
        self.meets: dict[str, list[Feature]] = {}
        self.neighbours: list[Neighbour] = []
        self.level: set[str] = set()
        self._settle(self.root)

    def related(
        self, parent: Node, edge: Edge, *, negated: bool = False, below: Sequence[Feature] | None = None
    ) -> Pairs:
        """Pairs of a parent's feature and one of the child's (those that meet all, if none are given)."""
        above = self.base[parent.id]
        below = self.meets[edge.child.id] if below is None else below
        found: Pairs | None = None
        for constraint in edge.parts(negated=negated):
            downwards = constraint.target_role == parent.id
            if constraint.relation == "nearest_to":
                candidates = self._known_to_fit(parent, self.fits[parent.id]) if downwards else below
                chosen, _ = nearest_pairs(given(constraint.k), candidates, below if downwards else above)
                pairs = {(one.target, one.reference) for one in chosen}
            elif downwards:
                pairs = pairs_of(self.pack, constraint, above, below)
            else:
                pairs = pairs_of(self.pack, constraint, below, above)
            pairs = pairs if downwards else {(here, there) for there, here in pairs}
            found = pairs if found is None else found & pairs
        if parent.what.entity == edge.child.what.entity and edge.child.what.role != "scope":
            return {(here, there) for here, there in found or () if here != there}
        return found or set()

    def held(self, node: Node, edge: Edge) -> set[str]:
        """Keys of the node's features for which the edge holds."""
        keys = {feature.key for feature in self.base[node.id]}
        if edge.parts(negated=False):
            keys &= {key for key, _ in self.related(node, edge)}
        if edge.parts(negated=True):
            keys -= {key for key, _ in self.related(node, edge, negated=True)} | self.unplaced(node, edge)
        return keys

    def fitting(self, node: Node, edges: Iterable[Edge]) -> set[str]:
        """Keys of the node's features for which all of these edges hold."""
        keys = {feature.key for feature in self.base[node.id]}
        if node is self.root:
            keys -= self._anchors()
            for edge in node.edges:
                # Where its place is unknown, nothing near it can be counted; 0 would be false.
                if not edge.restricts and self.is_geometric(edge):
                    keys -= self.unplaced(node, edge)
        return keys.intersection(*(self.held(node, edge) for edge in edges))

    def unplaced(self, node: Node, edge: Edge) -> set[str]:
        """Keys of the node's features of which the edge cannot tell, because their place is unknown."""
        nowhere = [feature for feature in self.base[node.id] if feature.geometry is None]
        if self.is_geometric(edge):
            return {feature.key for feature in nowhere}
        links = [link_of(self.pack, one.relation, *self._ends(one)) for one in edge.parts(negated=True)]
        return {
            one.key for one in nowhere for link in links if link is not None and not one.links.get(link.name)
        }

    def is_geometric(self, edge: Edge) -> bool:
        """Whether one of the edge's constraints needs geometry."""
        return any(link_of(self.pack, one.relation, *self._ends(one)) is None for one in edge.constraints)

    def restricting(self, node: Node) -> Iterable[Edge]:
        """The edges that remove features of the node."""
        return (edge for edge in node.edges if edge.restricts)

    def _base(self, node: Node) -> list[Feature]:
        what = node.what
        if isinstance(what, Reference) and what.keys is None:
            return [Feature(what.entity, "", "", self._geometry(what), {})]
        features = self.world.features[what.entity].values()
        return [feature for feature in features if what.keys is None or feature.key in what.keys]

    def _geometry(self, reference: Reference) -> BaseGeometry:
        to_metres = Transformer.from_pipeline(self.pack.pipeline)
        place = reference.coordinates
        geometry: BaseGeometry = (
            shapely.geometry.shape(given(reference.area).model_dump())
            if place is None
            else shapely.Point(place.longitude, place.latitude)
        )
        plane = shapely.transform(geometry, lambda points: np.column_stack(to_metres.transform(*points.T)))
        return shapely.set_precision(plane, GRID_M)

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
        restricting = list(self.restricting(node))
        # Filters and scope first, the nearest of what is left last (DESIGN §3).
        self.fits[node.id] = self.fitting(node, [edge for edge in restricting if not _has_nearest(edge)])
        nearest = [self.held(node, edge) for edge in restricting if _has_nearest(edge)]
        self.meets[node.id] = self._known_to_fit(node, self.fits[node.id].intersection(*nearest))
        if node is self.root:
            for edge in restricting:
                self._neighbours(edge)

    def _anchors(self) -> set[str]:
        """Keys of anchors of the primary's own entity, which are left out of the results."""
        entity = self.root.what.entity
        references = [one for one in self.frame.references if one.entity == entity]
        return {key for one in references for key in one.keys or ()}

    def _known_to_fit(self, node: Node, fits: set[str]) -> list[Feature]:
        own = self.own[node.id]
        return [feature for feature in self.base[node.id] if feature.key in fits and own[feature.key] is True]

    def _neighbours(self, edge: Edge) -> None:
        """Keep how far the primary is from what it is nearest to, and what is level with the last."""
        candidates, below = self._known_to_fit(self.root, self.fits[self.root.id]), self.meets[edge.child.id]
        for constraint in edge.parts(negated=False):
            if constraint.relation == "nearest_to" and constraint.target_role == self.root.id:
                chosen, level = nearest_pairs(given(constraint.k), candidates, below)
                self.neighbours += chosen
                self.level |= level

    def _ends(self, constraint: SpatialConstraint) -> tuple[str, str]:
        target, reference = self.nodes[constraint.target_role], self.nodes[constraint.reference_role]
        return target.what.entity, reference.what.entity


def _has_nearest(edge: Edge) -> bool:
    return any(one.relation == "nearest_to" for one in edge.constraints)
