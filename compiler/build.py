"""From the tree of a checked frame to operations, step by step as the frame reads; passes make it quick."""

from __future__ import annotations

from typing import Literal

from groundframe.compiler.ops import Compose, Flip, Join, Keep, Nearest, Op, Scan, Semi, Where
from groundframe.compiler.predicates import (
    TRUE,
    IsUnknown,
    KeyIn,
    Located,
    Not,
    Placed,
    Possible,
    Predicate,
    both,
)
from groundframe.compiler.relations import inverse
from groundframe.compiler.tree import Bond, Edge, Node
from groundframe.compiler.unsupported import unsupported
from groundframe.errors import PlanError
from groundframe.schema.model import Entity, Pack

__all__ = ["Builder"]

Mode = Literal["true", "possible", "unknown"]
"""What a node's own conditions are asked to be."""


class Builder:
    """Makes the feature sets and pairs of one tree.

    Parameters
    ----------
    root : Node
        The primary.
    """

    def __init__(self, root: Node, pack: Pack) -> None:
        self.root = root
        self.pack = pack
        self._made: dict[tuple[str, Mode, int], Op] = {}
        self._anchors = tuple(
            sorted(
                {
                    key
                    for node in nodes_below(root)
                    if node.role == "anchor" and node.entity == root.entity and node.keys is not None
                    for key in node.keys
                }
            )
        )

    def scan(self, entity: Entity) -> Scan:
        """All features of an entity."""
        return Scan(entity.name, entity.geometry, self.pack.srid, entity.date_field is not None)

    def operand(self, node: Node) -> Op:
        """The features of a node that meet everything asked of it, or its constant geometry."""
        return node.constant if node.constant is not None else self.features(node)

    def features(self, node: Node, mode: Mode = "true", without: Edge | None = None) -> Op:
        """The features of a node by its own conditions and its restricting edges.

        Parameters
        ----------
        mode : {'true', 'possible', 'unknown'}
            Whether its own conditions are true, not false, or unknown.
        without : Edge, optional
            An edge that is left aside.
        """
        name = (node.id, mode, id(without))
        if name not in self._made:
            self._made[name] = self._features(node, mode, without)
        return self._made[name]

    def _features(self, node: Node, mode: Mode, without: Edge | None) -> Op:
        found = self.candidates(node, mode, without)
        for edge in node.edges:
            if edge is without or not edge.restricts:
                continue
            for bond, negate in ((edge.exists, False), (edge.none, True)):
                if bond is not None and bond.chooses_parent:
                    # The candidates, not what another such edge has left of them: the order must not matter.
                    candidates = self.candidates(node, "possible" if mode == "unknown" else mode, without)
                    pairs = self.bonded(edge, bond, candidates, self.operand(edge.child))
                    found = Semi(found, pairs, negate)
        return found

    def candidates(self, node: Node, mode: Mode = "true", without: Edge | None = None) -> Op:
        """What nearest_to chooses among: all conditions of the node but those that choose it as nearest."""
        found = where(self.scan(node.features()), self.given(node))
        if node is self.root and any(not edge.restricts and edge.geometric for edge in node.edges):
            # Whether anything is near it is not known, and a 0 would be false.
            found = where(found, Located())
        for edge in node.edges:
            if edge.restricts and edge is not without:
                found = self._restrict(found, edge)
        own: Predicate = {"true": node.own, "possible": Possible(node.own), "unknown": IsUnknown(node.own)}[
            mode
        ]
        return where(found, TRUE if node.own == TRUE and mode != "unknown" else own)

    def given(self, node: Node) -> Predicate:
        """The keys that a node was given, without those of anchors where it is the primary."""
        parts: list[Predicate] = []
        if node.keys is not None:
            parts.append(KeyIn(node.keys))
        if node is self.root and self._anchors:
            parts.append(Not(KeyIn(self._anchors)))
        return both(*parts)

    def _restrict(self, found: Op, edge: Edge) -> Op:
        if edge.exists is not None and not edge.exists.chooses_parent:
            found = Semi(found, self.bonded(edge, edge.exists, found, self.operand(edge.child)))
        if edge.none is not None:
            found = where(found, placed(edge.none))
            if not edge.none.chooses_parent:
                pairs = self.bonded(edge, edge.none, found, self.operand(edge.child))
                found = Semi(found, pairs, negate=True)
        return found

    def bonded(self, edge: Edge, bond: Bond, parent: Op, child: Op) -> Op:
        """The pairs of parent and child features that a bond holds together."""
        alike = edge.parent.entity == edge.child.entity
        if bond.near is None:
            return Join(parent, child, bond.relations, alike and edge.child.role != "scope")
        if bond.near.side == "left":
            return Nearest(parent, child, bond.near.k, bond.relations, alike)
        if edge.child.constant is not None:
            raise unsupported(
                "/spatial_constraints", f"'{edge.child.id}' is a place, not the nearest of any."
            )
        relations = tuple(inverse(relation) for relation in bond.relations)
        return Flip(Nearest(child, parent, bond.near.k, relations, alike))

    def path(self, edges: tuple[Edge, ...]) -> Op:
        """The pairs of the root with the features at the end of a path of edges."""
        found: Op | None = None
        for edge in edges:
            if edge.exists is None:
                raise unsupported(
                    "/measures",
                    f"'{edge.child.id}' is what there must be none of, so nothing can be counted through it.",
                )
            parents = self.features(edge.parent)
            if edge.exists.chooses_parent:
                candidates = self.candidates(edge.parent)
                step: Op = Keep(self.bonded(edge, edge.exists, candidates, self.operand(edge.child)), parents)
            else:
                step = self.bonded(edge, edge.exists, parents, self.operand(edge.child))
            found = step if found is None else Compose(found, step)
        if found is None:
            raise PlanError("The primary is not related to itself.")
        return found

    def related(
        self, child: Op, path: tuple[Edge, ...], *, but_for: bool = False, among: Op | None = None
    ) -> Op:
        """Those features of the path's end that are related to a parent that takes part.

        Parameters
        ----------
        but_for : bool
            A parent that would take part but for the path is enough.
        among : Op, optional
            The features that a nearest one is chosen from, by default the same.
        """
        *above, edge = path
        bond = edge.exists or edge.none
        if bond is None:
            raise PlanError(f"Nothing relates '{edge.child.id}' to '{edge.parent.id}'.")
        # What is related meets the positive side of the edge anyway; only a choice of the nearest has to be
        # made among those that do.
        chosen = any(bond.chooses_parent for other in edge.parent.edges for bond in other.bonds)
        chosen = chosen or (bool(above) and any(bond.chooses_child for bond in above[-1].bonds))
        without = edge if but_for or (edge.none is None and not chosen) else None
        parents = self.features(edge.parent, without=without)
        if above:
            parents = self.related(parents, tuple(above), but_for=but_for)
        if bond.chooses_parent:
            candidates = self.candidates(edge.parent, without=edge if but_for else None)
            pairs: Op = Keep(self.bonded(edge, bond, candidates, child), parents)
        else:
            pairs = self.bonded(edge, bond, parents, among or child)
        return Semi(child, flip(pairs))


def nodes_below(node: Node) -> list[Node]:
    """The node and all that hang from it, as often as they do."""
    return [node, *(below for edge in node.edges for below in nodes_below(edge.child))]


def paths(node: Node, above: tuple[Edge, ...] = ()) -> list[tuple[Edge, ...]]:
    """The paths of edges from the root to every node below it, parents first."""
    found: list[tuple[Edge, ...]] = []
    for edge in node.edges:
        found.append((*above, edge))
        found.extend(paths(edge.child, (*above, edge)))
    return found


def where(features: Op, predicate: Predicate) -> Op:
    """The features for which the predicate is true."""
    return features if predicate == TRUE else Where(features, predicate)


def flip(pairs: Op) -> Op:
    """The pairs with their sides exchanged, as simple as it gets."""
    if isinstance(pairs, Flip):
        return pairs.pairs
    if isinstance(pairs, Join):
        return Join(pairs.right, pairs.left, tuple(map(inverse, pairs.relations)), pairs.distinct)
    return Flip(pairs)


def placed(bond: Bond) -> Predicate:
    """What must be known of a feature's place before "none" can be said."""
    if bond.geometric:
        return Located()
    return both(*(Placed(link) for link in bond.links))
