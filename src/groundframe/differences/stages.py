"""How two runs of a frame differ in their repairs, their plans and their statements, a line for each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from groundframe.differences.values import aligned, differences, shown
from groundframe.formats.sql import squeezed

__all__ = ["plan_differences", "repair_differences", "text_differences"]

Parts = Sequence[Mapping[str, Any]]


def repair_differences(before: Parts, after: Parts) -> Iterator[str]:
    """Repairs that are gone, new, or another; how they are worded does not count."""
    old, new = ([_without(repair, "message") for repair in part] for part in (before, after))
    for was, now in aligned(old, new, lambda repair: (repair.get("rule"), repair.get("path"))):
        if now is None and was is not None:
            yield f"gone: {_repair(old[was])}"
        elif was is None and now is not None:
            yield f"new: {_repair(new[now])}"
        elif was is not None and now is not None and old[was] != new[now]:
            yield f"changed: {_repair(old[was])}; now {_repair(new[now])}"


def _repair(repair: Mapping[str, Any]) -> str:
    values = " → ".join(shown(repair.get(name)) for name in ("before", "after"))
    return f"{repair.get('rule')} at {repair.get('path') or 'the frame'}, {values}"


def plan_differences(before: Parts, after: Parts) -> Iterator[str]:
    """Nodes that are gone, added, changed, or take other inputs.

    Nodes are told apart by what they do: their numbers change when one is put in before them. A node may
    have its ``step`` in words.
    """
    old, new = ([_without(node, "id", "step", "inputs") for node in part] for part in (before, after))
    became: dict[str, str] = {}
    pairs: list[tuple[int, int]] = []
    for was, now in aligned(old, new, lambda node: node.get("op")):
        if now is None and was is not None:
            yield f"{_node(before[was])} gone: {_step(before[was], old[was])}"
        elif was is None and now is not None:
            yield f"{_node(after[now])} added: {_step(after[now], new[now])}"
        elif was is not None and now is not None:
            became[before[was]["id"]] = after[now]["id"]
            pairs.append((was, now))
            for line in differences(old[was], new[now]):
                yield f"{_node(after[now])} changed: {line}"
    for was, now in pairs:
        given = [became.get(name, f"the {name} that is gone") for name in before[was].get("inputs", ())]
        taken = list(after[now].get("inputs", ()))
        if given != taken:
            yield f"{_node(after[now])} takes {', '.join(taken)} instead of {', '.join(given)}"


def _node(node: Mapping[str, Any]) -> str:
    return f"{node['id']} {node.get('op')}"


def _step(node: Mapping[str, Any], own: Mapping[str, Any]) -> str:
    return str(node["step"]) if "step" in node else shown(_without(own, "op"))


def text_differences(before: str, after: str) -> Iterator[str]:
    """Lines of a text that are gone and that are new, each with its number; the layout does not count."""
    if squeezed(before) == squeezed(after):
        return
    old, new = before.splitlines(), after.splitlines()
    for kind, first, last, start, end in SequenceMatcher(None, old, new, False).get_opcodes():
        if kind != "equal":
            yield from (f"line {place + 1}: - {old[place].strip()}" for place in range(first, last))
            yield from (f"line {place + 1}: + {new[place].strip()}" for place in range(start, end))


def _without(part: Mapping[str, Any], *names: str) -> dict[str, Any]:
    return {name: value for name, value in part.items() if name not in names}
