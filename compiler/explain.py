"""Explaining a plan: in words, as JSON, as a drawing."""

from __future__ import annotations

import json
from collections.abc import Mapping

from groundframe.compiler.ops import (
    Aggregate,
    Attach,
    Complete,
    Compose,
    Constant,
    Count,
    CutTies,
    Flip,
    Having,
    Join,
    JoinGroups,
    Keep,
    Nearest,
    Op,
    Rank,
    Scan,
    Semi,
    Show,
    Where,
)
from groundframe.compiler.phrases import describe, measure_words, relation_words
from groundframe.compiler.plan import Plan
from groundframe.compiler.types import Features, OpType, Pairs

__all__ = ["as_dot", "as_json", "in_words", "steps"]


def in_words(plan: Plan, counts: Mapping[str, int] | None = None) -> str:
    """The plan as numbered steps.

    Parameters
    ----------
    counts : mapping of str to int, optional
        How many rows leave each node, which is written behind its step.
    """
    lines = []
    for name, step in steps(plan).items():
        rows = "" if counts is None else f"  [{counts[name]:,}]"
        lines.append(f"{name:>4}  {step}{rows}")
    return "\n".join(lines)


def steps(plan: Plan) -> dict[str, str]:
    """Every node of the plan in words."""
    return {name: _step(data["op"], data["inputs"], plan) for name, data in plan.dag.nodes(data=True)}


def as_json(plan: Plan) -> str:
    """The plan as JSON text."""
    return json.dumps(plan.as_dict(), ensure_ascii=False, indent=2)


def as_dot(plan: Plan) -> str:
    """The plan as a drawing in Graphviz's language."""
    lines = ["digraph plan {", "  rankdir=BT;", '  node [shape=box, fontname="sans-serif"];']
    words = steps(plan)
    for name, data in plan.dag.nodes(data=True):
        label = f"{name}: {words[name]}\n{data['op'].output}"
        lines.append(f"  {name} [label={json.dumps(label, ensure_ascii=False)}];")
    for name, data in plan.dag.nodes(data=True):
        # Every input in order: a drawing shows both ends of schools near schools.
        lines.extend(f"  {item} -> {name};" for item in data["inputs"])
    return "\n".join([*lines, "}"])


def _step(op: Op, inputs: tuple[str, ...], plan: Plan) -> str:
    match op:
        case Scan(grouped=grouped):
            return f"all {_plural(op.output, plan)}{', as counted at load' if grouped else ''}"
        case Constant():
            return f"a {'place' if op.geometry == 'point' else 'area'} on the map"
        case Where(predicate=predicate):
            return (
                f"{_plural(op.output, plan)} of {inputs[0]} where {describe(predicate, plan.pack, op.output)}"
            )
        case Join(relations=relations):
            words = " and ".join(relation_words(item) for item in relations)
            apart = ", itself left out" if op.distinct else ""
            return f"pairs of {inputs[0]} and {inputs[1]}: the first {words} the second{apart}"
        case Nearest():
            words = "".join(f", and {relation_words(item)} it" for item in op.relations)
            return f"the {op.k} of {inputs[0]} nearest to each of {inputs[1]}{words}"
        case Flip():
            return f"pairs of {inputs[0]} the other way round"
        case Keep():
            return f"pairs of {inputs[0]} whose first is in {inputs[1]}"
        case Compose():
            return f"pairs over the common middle of {inputs[0]} and {inputs[1]}"
        case Semi():
            which = "in no pair" if op.negate else "in any pair"
            return f"{_plural(op.output, plan)} of {inputs[0]} that are {which} of {inputs[1]}"
        case Aggregate():
            keys = ", ".join(key.name for key in op.keys)
            words = ", ".join(measure_words(item) for item in op.measures) or "nothing measured"
            return f"{inputs[0]} by {keys}: {words}"
        case Attach():
            own = [measure_words(item) for item in op.own]
            return f"each of {inputs[0]} with {', '.join([*own, *inputs[1:]])}; nothing counts 0"
        case Complete():
            own = [measure_words(item) for item in op.own]
            more = ", ".join([*own, *inputs[1:]])
            return f"rows of {inputs[0]} with {more}, for these alone; nothing counts 0"
        case JoinGroups():
            return f"groups of {inputs[0]} with the measures of {', '.join(inputs[1:])}"
        case Having():
            return f"rows of {inputs[0]} where " + " and ".join(
                f"{name} {operator} {value:g}" for name, operator, value in op.conditions
            )
        case Rank():
            cut = (
                "" if op.top_n is None else f", the first {op.top_n}{' with ties' if op.include_ties else ''}"
            )
            stored = "" if op.bound is None else "; by the counts stored at load"
            some = "" if op.bound is None or op.bound.exact else ", the highest of these first"
            return f"{inputs[0]} by {op.by}, {op.order} first, then key{cut}{stored}{some}"
        case Show():
            return f"show {inputs[0]}: {', '.join(op.columns)}"
        case Count() | CutTies():
            return f"count {inputs[0]}"
    return f"{type(op).__name__} of {', '.join(inputs)}"


def _plural(kind: OpType, plan: Plan) -> str:
    if isinstance(kind, Pairs):
        return "pairs"
    return plan.pack.entity(kind.entity).plural if isinstance(kind, Features) else "rows"
