"""The record in the words that stand above and below a table.

Counts always say what they count (DESIGN §7.12), and nothing that was left out stays unsaid.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from itertools import chain
from typing import Any

from groundframe.formats.result import Record

__all__ = ["footer", "headline", "number", "number_of", "preface"]


def preface(record: Record) -> list[str]:
    """What must be read before the numbers: what they are worth, and what was put right."""
    repaired = dict.fromkeys(f"Repaired: {repair['message']}" for repair in record["repairs"])
    return [*record["warnings"], *repaired]


def headline(record: Record) -> str:
    """What the rows are and how many of how many are shown."""
    returned, of = record["counts"]["returned"], record["compared"]
    return f"{f'{number(returned)} of ' if of != returned else ''}{number_of(of, record['rows'])}"


def footer(record: Record) -> list[str]:
    """What the numbers count, what was left out and why, by which rules, and where it comes from."""
    parts = (
        _counted(record),
        _split(record),
        _left_out(record),
        record["rules"]["in_words"],
        record["notes"],
    )
    return [*chain(*parts, _sources(record), record["notices"])]


def number(value: Any) -> str:
    """A count for people, with thousands separated."""
    return f"{value:,}" if isinstance(value, int) else str(value)


def number_of(count: int, words: Mapping[str, str]) -> str:
    """So many of what is called by `words`, for one and for many.

    Examples
    --------
    >>> number_of(1, {"one": "town", "many": "towns"})
    '1 town'
    """
    return f"{number(count)} {words['one' if count == 1 else 'many']}"


def _apart(record: Record) -> dict[str, str]:
    """What is counted of targets that are of one kind, by which they are told apart."""
    counted = [item for item in record["counted"] if item.get("of") in record["targets"]]
    owners = {item["of"]: item["label"] for item in counted}
    kinds = Counter(record["targets"][owner]["many"] for owner in owners)
    return {owner: label for owner, label in owners.items() if kinds[record["targets"][owner]["many"]] > 1}


def _counted(record: Record) -> Iterator[str]:
    for item in record["counted"]:
        yield f"{item['label']}: {item['definition']}."


def _features(record: Record, target: str, count: int) -> str:
    """So many features of a target."""
    return number_of(count, record["targets"][target])


def _split(record: Record) -> Iterator[str]:
    apart = _apart(record)
    for split in record["counts"]["split"]:
        parts = ", ".join(f"{number(count)} {label}" for label, count in split["values"].items())
        whole = _features(record, split["target"], sum(split["values"].values()))
        of = f" ({apart[split['target']]})" if split["target"] in apart else ""
        yield f"{whole}{of} by {split['by']}: {parts or 'none'}."


_LEFT_OUT = {
    "not_mapped": "Not mapped: {} without coordinates to measure from.",
    "unknown_left_out": "Unknown: {} left out, as a value that was asked for is not known.",
    "midnight": "Midnight: {} at exactly 00:00, which some reports write for an unknown time.",
}


def _left_out(record: Record) -> Iterator[str]:
    counts = record["counts"]
    apart = _apart(record)
    if counts["truncated"]:
        shown, total = number(counts["returned"]), number(counts["true_total"])
        yield f"Truncated: the first {shown} of {total} rows."
    if counts["ties_at_cut"]:
        yield "The cut falls inside a tie: more rows have the same value as the last one shown."
    for kind, sentence in _LEFT_OUT.items():
        for target, count in counts[kind].items():
            if count:
                yield sentence.format(f"{_features(record, target, count)} ({apart.get(target, target)})")


def _sources(record: Record) -> Iterator[str]:
    for source in {source["source"]: source for source in record["sources"]}.values():
        coverage: Mapping[str, Any] = source["coverage"] or {}
        period = " to ".join(str(coverage[end]) for end in ("first", "last") if coverage.get(end))
        said = ", ".join(
            str(part) for part in (coverage.get("area"), period, coverage.get("completeness")) if part
        )
        yield f"Source: {source['title']}" + (f" ({said})" if said else "")
