"""Constraints that do not lead to the primary, or lead there in two ways."""

from __future__ import annotations

from collections.abc import Iterator

import networkx as nx

from groundframe.errors import Issue
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.geometry import is_constant


def check(context: Context) -> Iterator[Finding]:
    """See that the targets form a tree from the primary, and that every fixed place hangs from it."""
    primary = context.primary()
    if primary is None:
        return
    graph: nx.Graph[str] = nx.Graph()
    graph.add_nodes_from(str(part.id) for _, part in context.parts())
    for constraint in context.frame.spatial_constraints:
        if constraint.target_role in graph and constraint.reference_role in graph:
            graph.add_edge(constraint.target_role, constraint.reference_role)
    varying = graph.subgraph([node for node in graph if not is_constant(context, node)])
    if primary.id not in varying:
        return  # two parts have its id, which is reported
    for cycle in nx.cycle_basis(varying, str(primary.id)):
        if len(cycle) > 2:
            message = f"{' and '.join(sorted(cycle))} are tied to each other in a circle."
            action = "Leave one of the constraints out, or use a second target with its own id."
            yield Issue("cycle", "/spatial_constraints", message, action=action)
    reached = nx.node_connected_component(graph, str(primary.id))
    for path, part in context.parts():
        if part.id not in reached and is_constant(context, str(part.id)):
            message = f"'{part.id}' is not tied to '{primary.id}' by any constraint."
            yield Issue("no_path", path, message, action="Add a spatial constraint, or leave it out.")


RULE = Rule(
    id="join_tree",
    name="constraints in a circle, or that lead nowhere",
    rationale="Each target restricts or is counted for exactly one other, on the way to what is returned.",
    phase=Phase.MEANING,
    safety=None,
    check=check,
)
