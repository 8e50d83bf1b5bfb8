"""What an answer leaves out, counted per target (DESIGN §7.8, §7.9; docs/checked_frames.md)."""

from __future__ import annotations

from collections import Counter
from datetime import time

from groundframe.eval.oracle.checked import counted
from groundframe.eval.oracle.evaluation import Evaluation
from groundframe.eval.oracle.measures import split_of
from groundframe.eval.oracle.relations import nearest_pairs
from groundframe.eval.oracle.result import Part
from groundframe.eval.oracle.tree import Edge, Node

__all__ = ["nearest_tied", "not_mapped", "taking_part", "unknown_left_out"]


def not_mapped(found: Evaluation) -> dict[str, int]:
    """Per target, features without a place that meet all but what asks for one."""
    counts: dict[str, int] = {}
    for name, node in _varying(found).items():
        above = _from_above(found, node)
        keys = {feature.key for feature in found.base[name] if feature.geometry is None}
        if node is found.root:
            keys -= found.anchors()
        asked = set(keys) if any(map(found.is_geometric, above)) else set()
        for edge in node.edges:
            if edge.restricts or node is found.root:
                asked |= found.unplaced(edge)
            if edge.restricts and not found.is_geometric(edge):
                keys &= found.held(edge) | found.unplaced(edge)
        keys = {key for key in keys & asked if found.own[name][key] is True}
        if not any(map(found.is_geometric, above)):
            keys = _reached(found, node, keys)
        counts[name] = len(keys)
    return counts


def unknown_left_out(found: Evaluation) -> dict[str, int]:
    """Per target, features that meet the spatial conditions and whose own conditions are unknown."""
    counts: dict[str, int] = {}
    for name, node in _varying(found).items():
        among = found.candidates(node, possible=True)
        choices = [edge for edge in node.edges if edge.restricts and edge.chooses]
        possible = among.intersection(*(found.held(edge, among) for edge in choices))
        unknown = {key for key in possible if found.own[name][key] is None}
        counts[name] = len(_reached(found, node, unknown, possible))
    return counts


def taking_part(found: Evaluation) -> dict[str, Part]:
    """Per target that is related to what the answer is about, the features that take part, counted."""
    return {
        name: _part(found, node, _taking_part(found, node))
        for name, node in _varying(found).items()
        if _is_related(found, node)
    }


def nearest_tied(found: Evaluation) -> bool:
    """Whether what was left out of the k nearest of anything is as near as the last of them."""
    for edge in (edge for node in found.nodes.values() for edge in node.edges):
        for constraint in edge.constraints:
            if constraint.relation == "nearest_to":
                above, below = found.meets[edge.parent.id], found.meets[edge.child.id]
                if edge.chooses:
                    keys = found.candidates(edge.parent)
                    targets, references = (
                        [one for one in found.base[edge.parent.id] if one.key in keys],
                        below,
                    )
                else:
                    targets, references = below, above
                if nearest_pairs(counted(constraint.k), targets, references)[1]:
                    return True
    return False


def _is_related(found: Evaluation, node: Node) -> bool:
    """Whether it, and all on the way to it, are related by more than what must not be."""
    above = _from_above(found, node)
    return node is found.root or (
        any(not edge.negate for edge in above) and _is_related(found, above[0].parent)
    )


def _taking_part(found: Evaluation, node: Node) -> set[str]:
    """Keys of what meets everything and is related to what takes part nearer to the root."""
    keys = {feature.key for feature in found.meets[node.id]}
    edge = next(iter(_from_above(found, node)), None)
    if edge is None:
        return keys
    parents = _taking_part(found, edge.parent)
    return keys & {there for here, there in found.related(edge) if here in parents}


def _part(found: Evaluation, node: Node, keys: set[str]) -> Part:
    features = [feature for feature in found.base[node.id] if feature.key in keys]
    when = [
        one
        for one in found.frame.temporal_constraints
        if one.target_role == node.id and one.hours is not None
    ]
    clock = found.pack.entity(node.what.entity).time_field
    midnight = sum(feature.values.get(clock or "") == time(0) for feature in features) if when else None
    return Part(Counter(feature.source for feature in features), split_of(found.pack, features), midnight)


def _reached(found: Evaluation, node: Node, keys: set[str], rivals: set[str] | None = None) -> set[str]:
    """Those of the keys that are related to a parent that takes part or, but for this, would.

    `rivals` are what a nearest one is chosen among.
    """
    edge = next(iter(_from_above(found, node)), None)
    if edge is None:
        return keys
    among = found.candidates(edge.parent, but=node)
    choices = [one for one in edge.parent.edges if one.restricts and one.chooses and one.child is not node]
    parents = among.intersection(*(found.held(one, among) for one in choices))
    parents = _reached(found, edge.parent, parents)
    below = [feature for feature in found.base[node.id] if feature.key in (rivals or keys)]
    return keys & {there for here, there in found.related(edge, below, among) if here in parents}


def _varying(found: Evaluation) -> dict[str, Node]:
    return {name: node for name, node in found.nodes.items() if not node.is_constant}


def _from_above(found: Evaluation, node: Node) -> list[Edge]:
    """The edges to a node, what is related before what is not."""
    return [edge for parent in found.nodes.values() for edge in parent.edges if edge.child is node]
