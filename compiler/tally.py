"""What is counted beside the rows: who took part, who could not be mapped, of whom too little is known."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import time
from typing import Literal

from groundframe.compiler.build import Builder, nodes_below, paths, placed, where
from groundframe.compiler.ops import Count, CutTies, Flip, Having, Nearest, Op, Rank, Semi, Where
from groundframe.compiler.predicates import FALSE, TRUE, Equals, Located, Not, Predicate, both, either
from groundframe.compiler.tree import Edge, Node
from groundframe.compiler.types import Groups
from groundframe.schema.model import Entity

__all__ = ["TallyItem", "tally_items"]

Kind = Literal["part", "not_mapped", "unknown", "rows", "ties"]


@dataclass(frozen=True, slots=True)
class TallyItem:
    """One count: of what, of which target, and the operation that counts."""

    kind: Kind
    role: str
    op: Count | CutTies

    @property
    def of_none(self) -> bool:
        """Whether there cannot be any of the features that it counts."""
        op = self.op.input if isinstance(self.op, Count) else None
        while isinstance(op, Semi | Where):
            if isinstance(op, Where) and op.predicate == FALSE:
                return True
            op = op.input
        return False


def tally_items(builder: Builder, rows: Op) -> tuple[TallyItem, ...]:
    """The counts that go with the rows, in the order of the tree (DESIGN §7.8, §7.9, §7.12)."""
    root = builder.root
    found = [TallyItem("part", root.id, _part(root, builder.features(root)))]
    found.extend(_left_out(builder, root, ()))
    seen = {root.id}
    for path in paths(root):
        node = path[-1].child
        if node.id in seen or node.role not in ("support", "filter"):
            continue
        seen.add(node.id)
        if all(edge.exists is not None for edge in path):
            part = builder.related(builder.features(node), path)
            found.append(TallyItem("part", node.id, _part(node, part)))
        found.extend(_left_out(builder, node, path))
    compared = rows.input if isinstance(rows, Rank) and not rows.include_ties else rows
    if _needs_rows(compared):
        found.append(TallyItem("rows", root.id, Count(compared)))
    return (*found, *_ties(builder))


def _part(node: Node, features: Op) -> Count:
    entity = node.features()
    by = ("source", entity.split_field) if entity.split_field else ("source",)
    return Count(features, by, _midnight(entity) if node.hours else None, node.id)


def _midnight(entity: Entity) -> Predicate | None:
    return Equals(entity.time_field, (time(0),)) if entity.time_field else None


def _left_out(builder: Builder, node: Node, path: tuple[Edge, ...]) -> list[TallyItem]:
    found = []
    unmapped = _unmapped(builder, node, path)
    if unmapped is not None:
        found.append(TallyItem("not_mapped", node.id, Count(unmapped, role=node.id)))
    if node.own != TRUE:
        unknown = builder.features(node, "unknown")
        if path:
            bond = path[-1].exists or path[-1].none
            chosen = bond is not None and bond.chooses_child
            among = builder.features(node, "possible") if chosen else None
            unknown = builder.related(unknown, path, but_for=True, among=among)
        found.append(TallyItem("unknown", node.id, Count(unknown, role=node.id)))
    return found


def _unmapped(builder: Builder, node: Node, path: tuple[Edge, ...]) -> Op | None:
    """Features that only a missing geometry leaves out; None where no geometry is asked of them."""
    above = path[-1].bonds if path else ()
    below = [bond for edge in node.edges if edge.restricts or node is builder.root for bond in edge.bonds]
    geometric = any(bond.geometric for bond in (*above, *below))
    unplaced = [Not(placed(edge.none)) for edge in node.edges if edge.none is not None and edge.none.links]
    if not geometric and not unplaced:
        return None

    found = where(builder.scan(node.features()), both(builder.given(node), Not(Located()), node.own))
    missed: list[Predicate] = []
    for edge in node.edges:
        if not edge.restricts:
            continue
        if edge.exists is not None and not edge.exists.geometric:
            pairs = builder.bonded(edge, edge.exists, found, builder.operand(edge.child))
            found = Semi(found, pairs)
        if edge.none is not None and not edge.none.geometric:
            missed.append(Not(placed(edge.none)))
            pairs = builder.bonded(edge, edge.none, found, builder.operand(edge.child))
            found = Semi(found, pairs, negate=True)
    if not geometric:
        found = where(found, either(*missed))
    if path and not any(bond.geometric for bond in above):
        found = builder.related(found, path, but_for=True)
    return found


def _needs_rows(rows: Op) -> bool:
    """Whether the number of rows differs from that of the features that take part."""
    groups = isinstance(rows.output, Groups) and rows.output.features is None
    return groups or isinstance(rows, Rank | Having)


def _ties(builder: Builder) -> list[TallyItem]:
    """For every choice of nearest features, those for whose sake it is made and whose cut is a tie."""
    found: dict[TallyItem, None] = {}
    for node in nodes_below(builder.root):
        for edge in node.edges:
            for bond in edge.bonds:
                if bond.near is None:
                    continue
                parents = builder.candidates(node) if bond.chooses_parent else builder.features(node)
                pairs = builder.bonded(edge, bond, parents, builder.operand(edge.child))
                nearest = pairs.pairs if isinstance(pairs, Flip) else pairs
                if isinstance(nearest, Nearest):
                    found[TallyItem("ties", node.id, CutTies(nearest))] = None
    return list(found)
