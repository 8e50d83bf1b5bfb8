"""The record in the words that stand above and below a table.

Counts always say what they count (DESIGN §7.12), and nothing that was left out stays unsaid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from groundframe.formats.result import Record

__all__ = ["footer", "headline", "number", "warnings"]


def warnings(record: Record) -> list[str]:
    """What must be read before the numbers; first of all that they are invented, or not comparable."""
    return list(record["warnings"])


def headline(record: Record) -> str:
    """What the rows are and how many of how many are shown."""
    counts = record["counts"]
    of = counts["true_total"] if record["grouped"] else counts["matched"]
    returned = counts["returned"]
    return f"{number(returned)}{f' of {number(of)}' if of != returned else ''} {record['rows']}"


def footer(record: Record) -> list[str]:
    """What the numbers count, what was left out and why, by which rules, and where it comes from."""
    parts = (
        _counted(record),
        _split(record),
        _left_out(record),
        record["rules"]["in_words"],
        record["notes"],
    )
    return [*chain(*parts, _repairs(record), _sources(record), record["notices"])]


def number(value: Any) -> str:
    """A count for people, with thousands separated."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def _counted(record: Record) -> Iterator[str]:
    for item in record["counted"]:
        yield f"{item['label']}: {item['definition']}."


def _split(record: Record) -> Iterator[str]:
    for split in record["counts"]["split"]:
        parts = ", ".join(f"{number(count)} {label}" for label, count in split["values"].items())
        yield f"{number(sum(split['values'].values()))} {split['of']} by {split['by']}: {parts or 'none'}."


def _left_out(record: Record) -> Iterator[str]:
    counts, targets = record["counts"], record["targets"]

    def _of(target: str, features: int) -> str:
        return f"{number(features)} {targets[target]} ({target})"

    if counts["truncated"]:
        shown, total = number(counts["returned"]), number(counts["true_total"])
        yield f"Truncated: the first {shown} of {total} rows."
    if counts["ties_at_cut"]:
        yield "The cut falls inside a tie: more rows have the same value as the last one shown."
    for target, features in counts["not_mapped"].items():
        if features:
            yield f"Not mapped: {_of(target, features)} have no coordinates to measure from."
    for target, features in counts["unknown_left_out"].items():
        if features:
            yield f"Unknown: {_of(target, features)} left out, as a value that was asked for is not known."
    for target, features in counts["midnight"].items():
        if features:
            yield (
                f"Midnight: {_of(target, features)} are at exactly 00:00, "
                "which some reports write for an unknown time."
            )


def _repairs(record: Record) -> Iterator[str]:
    for repair in record["repairs"]:
        yield f"Repaired: {repair['message']}"


def _sources(record: Record) -> Iterator[str]:
    for source in {source["source"]: source for source in record["sources"]}.values():
        coverage: Mapping[str, Any] = source["coverage"] or {}
        period = " to ".join(str(coverage[end]) for end in ("first", "last") if coverage.get(end))
        said = ", ".join(
            str(part) for part in (coverage.get("area"), period, coverage.get("completeness")) if part
        )
        yield f"Source: {source['title']}" + (f" ({said})" if said else "")
