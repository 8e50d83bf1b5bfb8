"""The tree of a checked frame: its targets and references, hung by their constraints from the primary."""

from __future__ import annotations

from dataclasses import dataclass, field

from groundframe.compiler.conditions import attribute, temporal
from groundframe.compiler.ops import Constant, Side
from groundframe.compiler.places import area_constant, point_constant
from groundframe.compiler.predicates import TRUE, Predicate, both
from groundframe.compiler.relations import (
    Contains,
    Intersects,
    LinksFrom,
    LinksTo,
    Relation,
    Within,
    WithinDistance,
    inverse,
    is_link,
)
from groundframe.compiler.unsupported import unsupported
from groundframe.errors import PlanError
from groundframe.frames.model import Frame, Reference, SpatialConstraint, Target
from groundframe.schema.model import Entity, Pack

__all__ = ["Bond", "Edge", "Near", "Node", "frame_tree"]


@dataclass(frozen=True, slots=True)
class Near:
    """The features on `side` of the pair are the `k` nearest of each one on the other."""

    k: int
    side: Side


@dataclass(frozen=True, slots=True)
class Bond:
    """What holds together for one pair of parent (left) and child (right)."""

    relations: tuple[Relation, ...] = ()
    near: Near | None = None

    @property
    def geometric(self) -> bool:
        """Whether a feature without geometry cannot meet it."""
        return self.near is not None or not all(map(is_link, self.relations))

    @property
    def chooses_parent(self) -> bool:
        """Whether the parent's features are to be the nearest of the child's."""
        return self.near is not None and self.near.side == "left"

    @property
    def chooses_child(self) -> bool:
        """Whether the child's features are to be the nearest of the parent's."""
        return self.near is not None and self.near.side == "right"

    @property
    def links(self) -> tuple[str, ...]:
        """Links of the parent that it goes by."""
        return tuple(item.link for item in self.relations if isinstance(item, LinksTo))


@dataclass(slots=True)
class Node:
    """A target or a reference.

    Attributes
    ----------
    own : Predicate
        Its attribute and temporal conditions.
    hours : bool
        Whether hours of the day are among them.
    edges : list of Edge
        To the nodes further from the root, in the frame's order.
    """

    id: str
    role: str
    entity: Entity | None
    constant: Constant | None = None
    keys: tuple[str, ...] | None = None
    own: Predicate = TRUE
    hours: bool = False
    edges: list[Edge] = field(default_factory=list)

    def features(self) -> Entity:
        """Its entity.

        Raises
        ------
        PlanError
            When it is a constant geometry.
        """
        if self.entity is None:
            raise PlanError(f"'{self.id}' is a place, which has no features.")
        return self.entity


@dataclass(slots=True)
class Edge:
    """The constraints between a node and one further from the root.

    `exists` holds for some feature of the child, `none` for no one. An edge to a support restricts nothing.
    """

    parent: Node
    child: Node
    exists: Bond | None = None
    none: Bond | None = None

    @property
    def restricts(self) -> bool:
        """Whether it removes features of the parent."""
        return self.child.role != "support"

    @property
    def bonds(self) -> tuple[Bond, ...]:
        """What holds for some feature of the child, then what for no one, as far as they are asked for."""
        return tuple(bond for bond in (self.exists, self.none) if bond is not None)

    @property
    def geometric(self) -> bool:
        """Whether it needs the parent's geometry."""
        return any(bond.geometric for bond in self.bonds)


def frame_tree(frame: Frame, pack: Pack) -> Node:
    """The root of the tree: the primary with everything that hangs from it.

    Raises
    ------
    PlanError
        When the frame does not keep the rules of a checked frame.
    """
    nodes: dict[str, Node] = {}
    for target in frame.targets:
        nodes[target.id or target.role] = _target(target, pack)
    for reference in frame.references:
        nodes[reference.id or reference.role] = _reference(reference, pack)
    for constraint in frame.attribute_constraints:
        node = _named(nodes, constraint.target_role or "primary")
        node.own = both(node.own, attribute(constraint, node.features(), pack))
    for when in frame.temporal_constraints:
        node = _named(nodes, when.target_role or "primary")
        node.own = both(node.own, temporal(when, node.features()))
        node.hours = node.hours or when.hours is not None
    primaries = [node for node in nodes.values() if node.role == "primary"]
    if len(primaries) != 1:
        raise PlanError(f"A checked frame has one primary, not {len(primaries)}.")
    _hang(primaries[0], nodes, frame.spatial_constraints)
    return primaries[0]


def _target(target: Target, pack: Pack) -> Node:
    entity = pack.entity(target.entity)
    if target.names and target.keys is None:
        raise PlanError(f"The names of '{target.id or target.role}' are not resolved.")
    return Node(target.id or target.role, target.role, entity, keys=target.keys)


def _reference(reference: Reference, pack: Pack) -> Node:
    name = reference.id or reference.role
    if reference.area is not None:
        return Node(name, "anchor", None, area_constant(reference.area, pack))
    if reference.coordinates is not None:
        return Node(name, "anchor", None, point_constant(reference.coordinates, pack))
    if reference.keys is None:
        raise PlanError(f"The place of '{name}' is not resolved.")
    return Node(name, "anchor", pack.entity(reference.entity), keys=reference.keys)


def _named(nodes: dict[str, Node], name: str) -> Node:
    if name not in nodes:
        raise PlanError(f"A constraint names '{name}', which is no target and no reference.")
    return nodes[name]


def _hang(root: Node, nodes: dict[str, Node], constraints: tuple[SpatialConstraint, ...]) -> None:
    """Turn constraints into edges that lead away from the root.

    Scopes and anchors are constants and may hang from several; targets are reached through them only where
    there is no other way.
    """
    between: dict[tuple[str, str], list[SpatialConstraint]] = {}
    for constraint in constraints:
        target, reference = (
            _named(nodes, constraint.target_role).id,
            _named(nodes, constraint.reference_role).id,
        )
        ends = (target, reference) if (reference, target) not in between else (reference, target)
        between.setdefault(ends, []).append(constraint)
    constants = {name for name, node in nodes.items() if node.role in ("scope", "anchor")}
    reached = [root.id]
    unused = dict(between)

    def grow(through_constants: bool) -> None:
        for name in reached:
            if name in constants and not through_constants:
                continue
            for ends in list(unused):
                if name not in ends:
                    continue
                other = ends[1] if ends[0] == name else ends[0]
                if other in reached and other not in constants:
                    raise PlanError(f"'{other}' and '{name}' hang together by more than one way.")
                nodes[name].edges.append(_edge(nodes[name], nodes[other], unused.pop(ends)))
                if other not in reached:
                    reached.append(other)

    grow(through_constants=False)
    grow(through_constants=True)
    missing = sorted(set(nodes) - set(reached))
    if missing or unused:
        raise PlanError(f"Not connected to the primary: {', '.join(missing) or unused}.")


def _edge(parent: Node, child: Node, constraints: list[SpatialConstraint]) -> Edge:
    kept = _bond(parent, child, [item for item in constraints if not item.negate])
    excluded = _bond(parent, child, [item for item in constraints if item.negate])
    return Edge(parent, child, kept, excluded)


def _bond(parent: Node, child: Node, constraints: list[SpatialConstraint]) -> Bond | None:
    if not constraints:
        return None
    relations: dict[Relation, None] = {}
    near: Near | None = None
    for constraint in constraints:
        towards = constraint.reference_role == child.id
        if constraint.relation == "nearest_to":
            near = _nearer(near, Near(int(constraint.k or 0), "left" if towards else "right"))
            continue
        target, reference = (parent, child) if towards else (child, parent)
        found = _relation(constraint, target, reference)
        relations[found if towards else inverse(found)] = None
    return Bond(tuple(relations), near)


def _nearer(first: Near | None, second: Near) -> Near:
    """Both at once: who is among the two nearest is among the three nearest."""
    if first is None:
        return second
    if first.side != second.side:
        raise unsupported("/spatial_constraints", "Being the nearest of each other cannot be asked.")
    return min(first, second, key=lambda near: near.k)


def _relation(constraint: SpatialConstraint, target: Node, reference: Node) -> Relation:
    """The relation with the constraint's target on the left."""
    match constraint.relation:
        case "within_distance" if isinstance(constraint.distance_m, int | float):
            return WithinDistance(float(constraint.distance_m))
        case "intersects":
            return Intersects()
        case "within":
            link = _link(target, reference, "covering")
            return LinksTo(link) if link else Within()
        case "contains":
            link = _link(reference, target, "covering")
            return LinksFrom(link) if link else Contains()
        case "on":
            link = _link(target, reference, "nearest")
            if link:
                return LinksTo(link)
    raise PlanError(f"'{target.id}' cannot be '{constraint.relation}' '{reference.id}'.")


def _link(source: Node, to: Node, rule: str) -> str | None:
    """The link between them, by preference one of that rule."""
    if source.entity is None or to.entity is None:
        return None
    links = source.entity.links_to(to.entity.name)
    preferred = [link for link in links if link.rule == rule] or list(links)
    return preferred[0].name if preferred else None
