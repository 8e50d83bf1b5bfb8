"""The plan as a graph: nodes in a stable topological order, and JSON-ready data of it."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from datetime import date, time
from typing import TYPE_CHECKING, Any

import networkx as nx

from groundframe.compiler.ops import Op

__all__ = ["Graph", "as_data", "build_graph", "node_ids"]

if TYPE_CHECKING:
    Graph = nx.DiGraph[str]
else:  # networkx itself is not generic at run time
    Graph = nx.DiGraph


def build_graph(outputs: Iterable[Op]) -> Graph:
    """The graph of all operations that the outputs need; equal operations are one node.

    Nodes are named ``n1``, ``n2``, … with inputs before what uses them; they carry ``op`` and the ordered
    ``inputs``.
    """
    graph: Graph = nx.DiGraph()
    names: dict[Op, str] = {}

    def add(op: Op) -> str:
        if op not in names:
            inputs = tuple(add(item) for item in op.inputs)
            name = names[op] = f"n{len(names) + 1}"
            graph.add_node(name, op=op, inputs=inputs)
            graph.add_edges_from((item, name) for item in inputs)
        return names[op]

    for output in outputs:
        add(output)
    return graph


def node_ids(graph: Graph) -> dict[Op, str]:
    """The name of every operation in the graph."""
    return {data["op"]: name for name, data in graph.nodes(data=True)}


def as_data(graph: Graph) -> list[dict[str, Any]]:
    """The nodes as JSON-ready data, in order."""
    return [
        {
            "id": name,
            "op": type(data["op"]).__name__,
            "type": str(data["op"].output),
            "inputs": list(data["inputs"]),
            **_parameters(data["op"]),
        }
        for name, data in graph.nodes(data=True)
    ]


def _parameters(op: Op) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for field in fields(op):
        value = getattr(op, field.name)
        taken = value[:1] if isinstance(value, tuple) else (value,)
        if not any(isinstance(item, Op) for item in taken) and value != ():
            found[field.name] = _plain(value)
    return found


def _plain(value: Any) -> Any:
    if is_dataclass(value) and not isinstance(value, type):
        content = {field.name: _plain(getattr(value, field.name)) for field in fields(value)}
        return {"is": type(value).__name__, **{name: part for name, part in content.items() if part != []}}
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    if isinstance(value, bytes):
        # A shape of ten thousand vertices does not help a reader; the frame has it.
        return f"sha256:{hashlib.sha256(value).hexdigest()}"
    return value.isoformat() if isinstance(value, date | time) else value
