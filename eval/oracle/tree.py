"""The targets of a checked frame as a tree whose root is the primary (docs/checked_frames.md, 3 and 4)."""

from __future__ import annotations

from dataclasses import dataclass, field

from groundframe.eval.oracle.checked import given
from groundframe.frames.model import Frame, Reference, SpatialConstraint, Target

__all__ = ["Edge", "Node", "tree_of"]


@dataclass(eq=False, slots=True)
class Node:
    """One target or reference and what hangs from it."""

    what: Target | Reference
    edges: list[Edge] = field(default_factory=list)

    @property
    def id(self) -> str:
        """The name by which constraints refer to it."""
        return given(self.what.id)

    @property
    def is_constant(self) -> bool:
        """Scopes and references may hang from several targets."""
        return isinstance(self.what, Reference) or self.what.role == "scope"


@dataclass(eq=False, slots=True)
class Edge:
    """A child and the constraints that tie it to its parent, all for one and the same pair of features.

    What is negated between the two is an edge of its own: no feature of the child is related so.
    """

    parent: Node
    child: Node
    constraints: tuple[SpatialConstraint, ...]
    negate: bool

    @property
    def restricts(self) -> bool:
        """Whether it removes features of the parent; what is only counted never does."""
        return self.child.what.role != "support"

    @property
    def chooses(self) -> bool:
        """Whether the parent's features are to be the nearest of something."""
        return any(
            one.relation == "nearest_to" and one.target_role == self.parent.id for one in self.constraints
        )


def tree_of(frame: Frame) -> dict[str, Node]:
    """The nodes by id, the primary first."""
    everything: tuple[Target | Reference, ...] = (*frame.targets, *frame.references)
    nodes = {given(what.id): Node(what) for what in everything}
    root = next(node for node in nodes.values() if node.what.role == "primary")
    placed = {root.id}
    queue = [root]
    # First what varies, outwards from the primary; then the constants, each wherever a constraint names it;
    # then what hangs from a constant.
    for through_constants in (False, True):
        while queue:
            parent = queue.pop(0)
            for child in nodes.values():
                if child.id in placed:
                    hangs = (
                        through_constants
                        and parent.what.role == "scope"
                        and isinstance(child.what, Reference)
                    )
                else:
                    hangs = through_constants or not child.is_constant
                if hangs:
                    _hang(frame, parent, child, placed, queue)
        parents = [node for node in nodes.values() if node.id in placed]
        constants = [node for node in nodes.values() if node.is_constant and node.id not in placed]
        queue = []
        for parent in parents:
            for child in constants:
                _hang(frame, parent, child, placed, queue)
    return {root.id: root, **nodes}


def _hang(frame: Frame, parent: Node, child: Node, placed: set[str], queue: list[Node]) -> None:
    ends = {parent.id, child.id}
    between = tuple(one for one in frame.spatial_constraints if {one.target_role, one.reference_role} == ends)
    for negate in (False, True):
        constraints = tuple(one for one in between if one.negate == negate)
        if constraints:
            parent.edges.append(Edge(parent, child, constraints, negate))
    if between and child.id not in placed:
        placed.add(child.id)
        queue.append(child)
