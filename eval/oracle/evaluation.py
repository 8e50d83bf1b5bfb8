"""Which features of each target meet what the frame asks, from the leaves of the tree to the primary."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
import shapely
from pyproj import Transformer
from shapely.geometry.base import BaseGeometry

from groundframe.eval.oracle.checked import counted, given
from groundframe.eval.oracle.conditions import meets_attribute, meets_temporal
from groundframe.eval.oracle.feature import Feature
from groundframe.eval.oracle.kleene import Truth, all_of
from groundframe.eval.oracle.relations import Pairs, link_of, nearest_pairs, pairs_of
from groundframe.eval.oracle.tree import Edge, Node, tree_of
from groundframe.eval.oracle.world import World
from groundframe.frames.model import Frame, Reference, SpatialConstraint
from groundframe.schema.model import Link

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
    meets : dict
        Per target, the features that meet everything asked of them and of what hangs from them.
    distances : dict
        For a primary that is the nearest of something: metres, by key.
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
        self.meets: dict[str, list[Feature]] = {}
        self.distances: dict[str, float] = {}
        self._known: dict[Edge, Pairs] = {}
        self._settle(self.root)

    def candidates(self, node: Node, *, possible: bool = False, but: Node | None = None) -> set[str]:
        """Keys of what ``nearest_to`` chooses among: all conditions hold but the choice itself (DESIGN §3).

        Their own conditions are true, or not false where the possible ones are asked for; what ties them to
        the child `but` is left aside.
        """
        edges = [edge for edge in node.edges if edge.restricts and not edge.chooses and edge.child is not but]
        fits = self._fits(node, edges)
        return {
            key for key in fits if self.own[node.id][key] or (possible and self.own[node.id][key] is None)
        }

    def related(
        self, edge: Edge, below: Sequence[Feature] | None = None, among: set[str] | None = None
    ) -> Pairs:
        """Pairs of a parent's feature and one of the child's (those that meet all, if none are given).

        `among` are the keys of the parent's features from which the nearest are chosen.
        """
        if below is None and among is None:
            if edge not in self._known:
                self._known[edge] = self._related(edge, self.meets[edge.child.id], None)
            return self._known[edge]
        return self._related(edge, self.meets[edge.child.id] if below is None else below, among)

    def _related(self, edge: Edge, below: Sequence[Feature], among: set[str] | None) -> Pairs:
        above = self.base[edge.parent.id]
        found: Pairs | None = None
        for constraint in edge.constraints:
            downwards = constraint.target_role == edge.parent.id
            if constraint.relation == "nearest_to":
                candidates = self._chosen_from(edge.parent, among) if downwards else below
                chosen, _ = nearest_pairs(counted(constraint.k), candidates, below if downwards else above)
                pairs = {(one.target, one.reference) for one in chosen}
            elif downwards:
                pairs = pairs_of(self.pack, constraint, above, below)
            else:
                pairs = pairs_of(self.pack, constraint, below, above)
            pairs = pairs if downwards else {(here, there) for there, here in pairs}
            found = pairs if found is None else found & pairs
        if edge.parent.what.entity == edge.child.what.entity and edge.child.what.role != "scope":
            return {(here, there) for here, there in found or () if here != there}
        return found or set()

    def _chosen_from(self, node: Node, among: set[str] | None) -> list[Feature]:
        keys = self.candidates(node) if among is None else among
        return [feature for feature in self.base[node.id] if feature.key in keys]

    def held(self, edge: Edge, among: set[str] | None = None) -> set[str]:
        """Keys of the parent's features for which the edge holds."""
        related = {key for key, _ in self.related(edge, among=among)}
        if not edge.negate:
            return related
        return {one.key for one in self.base[edge.parent.id]} - related - self.unplaced(edge)

    def unplaced(self, edge: Edge) -> set[str]:
        """Keys of the parent's features of which the edge cannot tell, because their place is unknown."""
        nowhere = [feature for feature in self.base[edge.parent.id] if feature.geometry is None]
        if not self.is_geometric(edge):
            links = self._links(edge) if edge.negate else set()
            nowhere = [one for one in nowhere if any(one.links[link] is None for link in links)]
        return {feature.key for feature in nowhere}

    def is_geometric(self, edge: Edge) -> bool:
        """Whether one of the edge's constraints needs geometry."""
        return any(self._link(constraint) is None for constraint in edge.constraints)

    def _links(self, edge: Edge) -> set[str]:
        """The links of the parent that the edge goes by."""
        found = ((constraint, self._link(constraint)) for constraint in edge.constraints)
        return {
            link.name
            for constraint, link in found
            if link is not None
            and (constraint.target_role == edge.parent.id) != (constraint.relation == "contains")
        }

    def _link(self, constraint: SpatialConstraint) -> Link | None:
        target, reference = self.nodes[constraint.target_role], self.nodes[constraint.reference_role]
        return link_of(self.pack, constraint.relation, target.what.entity, reference.what.entity)

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
        candidates = self.candidates(node)
        choices = [edge for edge in node.edges if edge.restricts and edge.chooses]
        keys = candidates.intersection(*(self.held(edge, candidates) for edge in choices))
        self.meets[node.id] = [feature for feature in self.base[node.id] if feature.key in keys]
        for edge in choices if node is self.root else ():
            if not edge.negate:
                self._measure(edge, [feature for feature in self.base[node.id] if feature.key in candidates])

    def _fits(self, node: Node, edges: Iterable[Edge]) -> set[str]:
        """Keys of the node's features for which these edges hold and that may be in the answer at all."""
        keys = {feature.key for feature in self.base[node.id]}
        if node is self.root:
            keys -= self.anchors()
            for edge in node.edges:
                # Where its place is unknown, nothing near it can be counted; 0 would be false.
                if not edge.restricts and self.is_geometric(edge):
                    keys -= self.unplaced(edge)
        return keys.intersection(*(self.held(edge) for edge in edges))

    def anchors(self) -> set[str]:
        """Keys of anchors of the primary's own entity, which are left out of the results."""
        entity = self.root.what.entity
        references = [one for one in self.frame.references if one.entity == entity]
        return {key for one in references for key in one.keys or ()}

    def _measure(self, edge: Edge, candidates: Sequence[Feature]) -> None:
        """Keep how far the primary is from what it is nearest to."""
        k = next(counted(one.k) for one in edge.constraints if one.relation == "nearest_to")
        related = self.related(edge)
        chosen, _ = nearest_pairs(k, candidates, self.meets[edge.child.id])
        for one in chosen:
            if (one.target, one.reference) in related:
                known = self.distances.get(one.target, one.distance_m)
                self.distances[one.target] = min(known, one.distance_m)
