"""What an answer leaves out, counted per target (DESIGN §7.8, §7.9)."""

from __future__ import annotations

from groundframe.eval.oracle.evaluation import Evaluation
from groundframe.eval.oracle.tree import Edge, Node

__all__ = ["not_mapped", "unknown_left_out"]


def not_mapped(found: Evaluation) -> dict[str, int]:
    """Per target, features without geometry that meet their own conditions and that a distance leaves out."""
    counts: dict[str, int] = {}
    for name, node in found.nodes.items():
        needing = [edge for edge in node.edges if edge.restricts and found.without_geometry(node, edge)]
        above = [
            (parent, edge) for parent, edge in _parents(found, node) if found.without_geometry(parent, edge)
        ]
        if not node.is_constant and (needing or above):
            counts[name] = sum(
                feature.geometry is None and found.own[name][feature.key] is True
                for feature in found.base[name]
            )
    return counts


def unknown_left_out(found: Evaluation) -> dict[str, int]:
    """Per target, features that meet the spatial conditions and whose own conditions are unknown."""
    return {
        name: sum(found.own[name][key] is None for key in found.fits[name])
        for name, node in found.nodes.items()
        if not node.is_constant
    }


def _parents(found: Evaluation, node: Node) -> list[tuple[Node, Edge]]:
    return [(parent, edge) for parent in found.nodes.values() for edge in parent.edges if edge.child is node]
