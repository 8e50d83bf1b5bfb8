"""The rules that every graph keeps, whoever built it."""

from __future__ import annotations

import networkx as nx

from groundframe.compiler.graph import Graph
from groundframe.compiler.ops import Op
from groundframe.compiler.types import Features, Groups, OpType, Pairs, Region, Scalar
from groundframe.errors import PlanError

__all__ = ["check_graph"]


def check_graph(graph: Graph, outputs: tuple[type, ...] = (Features, Groups), wanted: int = 1) -> str:
    """Check a graph and return the name of its first output node.

    Parameters
    ----------
    graph : networkx.DiGraph
        Nodes with ``op`` and ``inputs``.
    outputs : tuple of type
        What an output may be.
    wanted : int
        How many outputs there are.

    Raises
    ------
    PlanError
        When a node is missing or unused, the graph has a cycle, types or SRIDs do not agree, or there are
        not as many outputs as wanted, all of an allowed type.
    """
    for name, data in graph.nodes(data=True):
        if not isinstance(data.get("op"), Op):
            raise PlanError(f"Node {name} is named as an input and does not exist.")
    srids: set[int] = set()
    for name, data in graph.nodes(data=True):
        _check_inputs(graph, name, data["op"], data["inputs"])
        srids.update(_srids(data["op"].output))
    if not nx.is_directed_acyclic_graph(graph):
        raise PlanError("The plan runs in a circle.")
    ends = [name for name in graph if graph.out_degree(name) == 0]
    if len(ends) != wanted:
        many = "one output" if wanted == 1 else f"{wanted} outputs"
        raise PlanError(f"A plan has {many}, not {len(ends)} ({', '.join(ends)}).")
    for name in ends:
        if not isinstance(graph.nodes[name]["op"].output, outputs):
            raise PlanError(f"{graph.nodes[name]['op'].output} is no output of a plan.")
    if len(srids) > 1:
        raise PlanError(f"A plan measures in one SRID, not in {', '.join(map(str, sorted(srids)))}.")
    return ends[0]


def _check_inputs(graph: Graph, name: str, op: Op, inputs: tuple[str, ...]) -> None:
    for wanted, given in zip(op.inputs, inputs, strict=True):
        found = graph.nodes[given].get("op") if given in graph else None
        if found is None:
            raise PlanError(f"Node {name} takes {given}, which does not exist.")
        if found.output != wanted.output:
            raise PlanError(f"Node {name} takes {wanted.output}, and {given} gives {found.output}.")
    if set(inputs) != set(graph.predecessors(name)):
        raise PlanError(f"The edges into {name} are not its inputs.")


def _srids(kind: OpType) -> set[int]:
    match kind:
        case Features() | Region():
            return {kind.srid}
        case Pairs():
            return {kind.left.srid, kind.right.srid}
        case Groups():
            return {kind.features.srid} if kind.features is not None else set()
        case Scalar():
            return set()
