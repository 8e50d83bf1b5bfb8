"""What an answer leaves out, counted per target (DESIGN §7.8, §7.9; docs/checked_frames.md)."""

from __future__ import annotations

from groundframe.eval.oracle.evaluation import Evaluation
from groundframe.eval.oracle.tree import Edge, Node

__all__ = ["not_mapped", "unknown_left_out"]


def not_mapped(found: Evaluation) -> dict[str, int]:
    """Per target, features without a place that meet all but what asks for one."""
    counts: dict[str, int] = {}
    for name, node in _varying(found).items():
        above = [edge for _, edge in _from_above(found, node) if found.is_geometric(edge)]
        keys = {feature.key for feature in found.base[name] if feature.geometry is None}
        asked = set(keys) if above else set()
        for edge in node.edges:
            if edge.restricts or (node is found.root and found.is_geometric(edge)):
                unplaced = found.unplaced(node, edge)
                asked |= unplaced
                if edge.restricts and not found.is_geometric(edge):
                    keys &= found.held(node, edge) | unplaced
        counts[name] = sum(found.own[name][key] is True for key in keys & asked)
    return counts


def unknown_left_out(found: Evaluation) -> dict[str, int]:
    """Per target, features that meet the spatial conditions and whose own conditions are unknown."""
    return {
        name: len(_reached(found, node, {key for key in found.fits[name] if found.own[name][key] is None}))
        for name, node in _varying(found).items()
    }


def _reached(found: Evaluation, node: Node, keys: set[str]) -> set[str]:
    """Those of the keys that are related to a parent that takes part or, but for this, would."""
    below = [feature for feature in found.base[node.id] if feature.key in keys]
    for parent, edge in _from_above(found, node):
        fit = {feature.key for feature in found.meets[parent.id]}
        if edge.restricts:
            others = found.fitting(parent, (one for one in found.restricting(parent) if one is not edge))
            fit = {key for key in others if found.own[parent.id][key] is True}
        fit = _reached(found, parent, fit)
        pairs = found.related(parent, edge, negated=not edge.parts(negated=False), below=below)
        keys = keys & {there for here, there in pairs if here in fit}
    return keys


def _varying(found: Evaluation) -> dict[str, Node]:
    return {name: node for name, node in found.nodes.items() if not node.is_constant}


def _from_above(found: Evaluation, node: Node) -> list[tuple[Node, Edge]]:
    return [(parent, edge) for parent in found.nodes.values() for edge in parent.edges if edge.child is node]
