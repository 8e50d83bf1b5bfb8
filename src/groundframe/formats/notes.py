"""The record in the words that stand above and below a table.

Counts always say what they count (DESIGN §7.12), and nothing that was left out stays unsaid.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundframe.formats.result import Record

__all__ = ["footer", "headline", "number", "warnings"]


def warnings(record: Record) -> list[str]:
    """What must be read before the numbers; first of all that they are invented, or not comparable."""
    return list(record.get("warnings", ()))


def headline(record: Record) -> str:
    """What the rows are and how many of how many are shown."""
    counts = record["counts"]
    returned, total = counts["returned"], counts.get("total", counts["matched"])
    what = record["rows"] if returned == 1 else record["rows_plural"]
    if returned == total:
        return f"{number(returned)} {what}"
    return f"{number(returned)} of {number(total)} {record['rows_plural']}"


def footer(record: Record) -> list[str]:
    """What the numbers count, what was left out and why, and by which rules."""
    return [*_counts(record), *_counted(record), *_split(record), *_rules(record), *_sources(record)]


def number(value: Any) -> str:
    """A count for people, with thousands separated."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def _counts(record: Record) -> Iterator[str]:
    counts = record["counts"]
    if counts.get("truncated"):
        yield (
            f"Only the first {number(counts['returned'])} of {number(counts['total'])} rows are here; "
            "written to a file, all of them are."
        )
    if counts.get("ties_at_cut"):
        tied = counts["ties_at_cut"]
        yield (
            f"The cut falls inside a tie: {number(tied)} more {'row has' if tied == 1 else 'rows have'} "
            "the same value as the last one shown."
        )
    for role, left_out in counts.get("not_mapped", {}).items():
        if left_out:
            yield f"Not mapped: {number(left_out)} ({role}) without coordinates could not be measured."
    for role, left_out in counts.get("unknown_left_out", {}).items():
        if left_out:
            yield f"Unknown: {number(left_out)} ({role}) left out because a value asked for is not known."
    if counts.get("midnight"):
        many = number(counts["midnight"])
        yield f"{many} at exactly 00:00, which some reports write when the time is not known."


def _counted(record: Record) -> Iterator[str]:
    for item in record.get("counted", ()):
        yield f"{item['label']}: {item['counts']}."


def _split(record: Record) -> Iterator[str]:
    for split in record.get("split", ()):
        parts = ", ".join(f"{label} {number(count)}" for label, count in split["values"].items())
        yield f"By {split['field']}: {parts}."


def _rules(record: Record) -> Iterator[str]:
    for rule in record.get("rules", ()):
        yield f"Rule: {rule}" if isinstance(rule, str) else f"Rule: {rule['text']}"


def _sources(record: Record) -> Iterator[str]:
    for source in record.get("sources", ()):
        coverage: Mapping[str, Any] = source.get("coverage", {})
        period = " to ".join(str(coverage[end]) for end in ("first", "last") if coverage.get(end))
        said = ", ".join(
            str(part) for part in (coverage.get("area"), period, coverage.get("completeness")) if part
        )
        yield f"Source: {source['title']}" + (f" ({said})" if said else "")
