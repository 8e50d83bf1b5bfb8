"""A frame with one of its constraints taken away, to see whether the constraint mattered."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

__all__ = ["removals"]

Data = dict[str, Any]
CONDITIONS = ("attribute_constraints", "temporal_constraints")
TIES = ("target_role", "reference_role")


def removals(frame: Mapping[str, Any]) -> Iterator[tuple[str, Data]]:
    """Every frame with one thing less, with what was taken away.

    A scope, filter or anchor goes together with all that names it; of several names each goes alone, and so
    does each condition and each relation.

    Examples
    --------
    >>> frame = {
    ...     "targets": [
    ...         {"entity": "Crash", "role": "primary"},
    ...         {"entity": "Town", "role": "scope", "names": ["Quincy"]},
    ...     ]
    ... }
    >>> [what for what, _ in removals(frame)]
    ['scope']
    """
    for part in ("targets", "references"):
        for position, target in enumerate(frame.get(part, ())):
            role = target.get("role", "anchor")
            if role not in ("primary", "support"):
                name = target.get("id", role)
                yield name, _without_target(frame, part, position, name)
            for number, one in enumerate(target.get("names", ()) if len(target.get("names", ())) > 1 else ()):
                fewer = {**target, "names": [*target["names"][:number], *target["names"][number + 1 :]]}
                yield (
                    f"name {one}",
                    {**frame, part: [*frame[part][:position], fewer, *frame[part][position + 1 :]]},
                )
    for part in (*CONDITIONS, "spatial_constraints"):
        for position in range(len(frame.get(part, ()))):
            yield f"{part} {position}", _without(frame, part, position)


def _without(frame: Mapping[str, Any], part: str, position: int) -> Data:
    return {**frame, part: [*frame[part][:position], *frame[part][position + 1 :]]}


def _without_target(frame: Mapping[str, Any], part: str, position: int, name: str) -> Data:
    less = _without(frame, part, position)
    for constraints in (*CONDITIONS, "spatial_constraints"):
        kept = [one for one in less.get(constraints, ()) if name not in (one.get(tie) for tie in TIES)]
        less[constraints] = kept
    return less
