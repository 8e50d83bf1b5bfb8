"""The tally of an answer, read from its statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from groundframe.compiler.measures import split_label
from groundframe.compiler.ops import Count
from groundframe.compiler.plan import Plan

__all__ = ["CountRow", "Tally", "make_tally"]

Counts = Mapping[str, Mapping[str, int]]
CountRow = tuple[Any, ...]
"""Kind, role, source, value of the split field, whether the test is true, and how many."""


@dataclass(frozen=True, slots=True)
class Tally:
    """What is counted beside the rows; targets go by their id.

    Parameters
    ----------
    matched : int
        Primary features that meet everything, before any cut.
    compared : int
        Rows before a ranking's cut; of groups with their ties kept, those after it.
    true_total : int
        Rows of the whole answer, without the row limit.
    returned : int
        Rows that are handed out.
    not_mapped : mapping of str to int
        Features that only their missing geometry has left out.
    unknown_left_out : mapping of str to int
        Features whose place fits, but whose other conditions are unknown.
    ties_at_cut : bool
        Whether something that was cut off is equal to the last that was kept.
    midnight : mapping of str to int
        Where hours are asked: features at exactly 00:00, which are kept.
    split : mapping of str to mapping of str to int
        Features that took part, by the label of the entity's split field.
    sources : mapping of str to mapping of str to int
        Features that took part, by source.
    """

    matched: int
    compared: int
    true_total: int
    returned: int
    not_mapped: Mapping[str, int]
    unknown_left_out: Mapping[str, int]
    ties_at_cut: bool
    midnight: Mapping[str, int]
    split: Counts
    sources: Counts

    @property
    def truncated(self) -> bool:
        """Whether the row limit has cut the answer."""
        return self.returned < self.true_total

    def as_dict(self) -> dict[str, Any]:
        """The tally as JSON-ready data."""
        return {
            "matched": self.matched,
            "true_total": self.true_total,
            "returned": self.returned,
            "truncated": self.truncated,
            "not_mapped": dict(self.not_mapped),
            "unknown_left_out": dict(self.unknown_left_out),
            "ties_at_cut": self.ties_at_cut,
            "midnight": dict(self.midnight),
            "split": {role: dict(counts) for role, counts in self.split.items()},
            "sources": {role: dict(counts) for role, counts in self.sources.items()},
        }


def make_tally(
    plan: Plan,
    found: Iterable[CountRow],
    *,
    tied: bool,
    row_limit: int | None,
    rows: int | None = None,
) -> Tally:
    """The tally from the rows (kind, role, source, split, test, n) of its statement.

    Parameters
    ----------
    rows : int, optional
        How many rows there are, where that is known without the statement.
    """
    numbers: dict[str, dict[str, int]] = {}
    midnight: dict[str, int] = {}
    split: dict[str, dict[str, int]] = {}
    sources: dict[str, dict[str, int]] = {}
    for item in plan.tally:
        numbers.setdefault(item.kind, {}).setdefault(item.role, 0)
        if item.kind == "part":
            sources[item.role] = {}
            field = _split_field(plan, item.role)
            if field is not None:
                labels = (split_label(field, value.value) for value in field.values)
                split[item.role] = dict.fromkeys((*labels, split_label(field, None)), 0)
            if isinstance(item.op, Count) and item.op.test is not None:
                midnight[item.role] = 0
    for kind, role, source, value, test, n in found:
        numbers[kind][role] += n
        if kind == "part":
            sources[role][source] = sources[role].get(source, 0) + n
            field = _split_field(plan, role)
            if field is not None:
                label = split_label(field, value)
                split[role][label] = split[role].get(label, 0) + n
            if test:
                midnight[role] += n
    if rows is not None:
        numbers["rows"] = dict.fromkeys(numbers["rows"], rows)
    ((primary, matched),) = list(numbers["part"].items())[:1]
    total = numbers.get("rows", {}).get(primary, matched)
    compared, rank = total, plan.ranking
    if rank is not None and rank.include_ties and not (plan.frame.group_by or plan.frame.having):
        compared = matched
    if rank is not None and rank.top_n is not None and not rank.include_ties:
        total = min(total, rank.top_n)
    return Tally(
        matched=matched,
        compared=compared,
        true_total=total,
        returned=total if row_limit is None else min(total, row_limit),
        not_mapped=numbers.get("not_mapped", {}),
        unknown_left_out=numbers.get("unknown", {}),
        ties_at_cut=tied or any(numbers.get("ties", {}).values()),
        midnight=midnight,
        split=split,
        sources={role: dict(sorted(counts.items())) for role, counts in sources.items()},
    )


def _split_field(plan: Plan, role: str) -> Any:
    entity = plan.pack.entity(plan.rules["targets"][role])
    return None if entity.split_field is None else entity.field(entity.split_field)
