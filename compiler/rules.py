"""What an answer must state about how it came about: distances, definitions, the plane it was measured on."""

from __future__ import annotations

from typing import Any

from groundframe.compiler.build import nodes_below
from groundframe.compiler.measures import pack_measure
from groundframe.compiler.relations import TOLERANCE_M, WithinDistance, is_link
from groundframe.compiler.rows import Rows
from groundframe.compiler.tree import Bond, Edge, Node
from groundframe.frames.model import AttributeConstraint, Frame
from groundframe.schema.model import Pack

__all__ = ["frame_rules"]


def frame_rules(frame: Frame, root: Node, rows: Rows, pack: Pack) -> dict[str, Any]:
    """The rules as JSON-ready data."""
    relations = [_relation(edge, bond, negate) for edge, bond, negate in _bonds(root)]
    concepts = [
        _concept(name, part, pack)
        for constraint in frame.attribute_constraints
        for name, part in _concepts(constraint, constraint.target_role or "primary")
    ]
    measures = []
    for item in frame.measures:
        counted = item.target_role or root.id
        node = next(request.node for request in rows.requests if request.node.id == counted)
        known = pack_measure(item, node.features(), pack)
        entity = node.features()
        if known is not None:
            label, definition = known.label, known.definition
        elif item.field is None:
            label, definition = entity.plural, f"distinct {entity.plural}"
        else:
            label = f"{item.measure} of {entity.field(item.field).label}"
            definition = f"{label}, where it is known"
        measures.append(
            {
                "name": item.name or item.measure,
                "of": counted,
                "label": label,
                "unit": known.unit if known else "",
                "definition": definition,
            }
        )
    return {
        "srid": pack.srid,
        "tolerance_m": TOLERANCE_M,
        "targets": {node.id: node.entity.name for node in nodes_below(root) if node.entity is not None},
        "relations": relations,
        "concepts": concepts,
        "measures": measures,
    }


def _bonds(node: Node) -> list[tuple[Edge, Bond, bool]]:
    found: list[tuple[Edge, Bond, bool]] = []
    for edge in node.edges:
        found.extend((edge, bond, bond is edge.none) for bond in edge.bonds)
        found.extend(_bonds(edge.child))
    return found


def _relation(edge: Edge, bond: Bond, negate: bool) -> dict[str, Any]:
    rule: dict[str, Any] = {"between": [edge.parent.id, edge.child.id]}
    for relation in bond.relations:
        if isinstance(relation, WithinDistance):
            rule["distance_m"] = relation.metres
        elif is_link(relation):
            rule["link"] = getattr(relation, "link")  # noqa: B009
        else:
            rule["geometry"] = type(relation).__name__.lower()
    if bond.near is not None:
        rule["nearest"] = bond.near.k
    if negate:
        rule["negate"] = True
    if edge.child.role == "support":
        rule["counted"] = True
    return rule


def _concepts(constraint: AttributeConstraint, target: str) -> list[tuple[str, AttributeConstraint]]:
    own = [(target, constraint)] if constraint.concept is not None else []
    return own + [found for part in constraint.any_of for found in _concepts(part, target)]


def _concept(target: str, constraint: AttributeConstraint, pack: Pack) -> dict[str, Any]:
    concept = pack.concept(constraint.concept or "")
    variant = constraint.variant or concept.default
    return {
        "target": target,
        "concept": concept.name,
        "label": concept.label,
        "variant": variant,
        "definition": concept.variant(variant).definition,
    }
