"""How the first rows of two results differ."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundframe.differences.values import differences, shown
from groundframe.golden.file import Result

__all__ = ["row_changes"]


def row_changes(before: Result, after: Result) -> Iterator[str]:
    r"""The columns and rows that came, went or changed; rows are told apart by their key.

    Examples
    --------
    >>> old = Result(digest="1", counts={}, columns=["key", "n"], head=[["a", 3], ["b", 2]])
    >>> new = Result(digest="2", counts={}, columns=["key", "n"], head=[["a", 4], ["c", 3]])
    >>> print("\n".join(row_changes(old, new)))
    row "a": n 3 → 4
    row "b" is no more among the first 2
    row "c" is new among the first 2
    """
    yield from (f"columns{line}" for line in differences(before.columns, after.columns))
    width = _width(before, after)
    old, new = (_rows(result, width) for result in (before, after))
    kept = [key for key in old if key in new]
    for key in kept:
        parts = [
            f"{name.partition(' [')[0]} {shown(value)} → {shown(new[key][name])}"
            for name, value in old[key].items()
            if name in new[key] and shown(value) != shown(new[key][name])
        ]
        if parts:
            yield f"row {_called(key, new[key])}: {', '.join(parts)}"
    for key in old:
        if key not in new:
            yield f"row {_called(key, old[key])} is no more among the first {len(before.head)}"
    for key in new:
        if key not in old:
            yield f"row {_called(key, new[key])} is new among the first {len(after.head)}"
    order = [key for key in new if key in old]
    if order != kept and "rank" not in after.columns:
        yield f"the order of the first rows: {', '.join(kept)} → {', '.join(order)}"


def _width(*results: Result) -> int:
    """How many of the first columns tell the rows apart; 0 where there is a key."""
    if all("key" in result.columns for result in results):
        return 0
    return next(
        (
            width
            for width in range(1, max(len(result.columns) for result in results))
            if all(len(_rows(result, width)) == len(result.head) for result in results)
        ),
        -1,
    )


def _rows(result: Result, width: int) -> dict[str, Mapping[str, Any]]:
    """The rows by what tells them apart: their key, the first so many columns, or else their place."""
    rows: list[Mapping[str, Any]] = [dict(zip(result.columns, row, strict=False)) for row in result.head]
    if width < 0:
        return {str(place): row for place, row in enumerate(rows, start=1)}
    names = result.columns[:width] or ["key"]
    return {", ".join(shown(row.get(name)) for name in names): row for row in rows}


def _called(key: str, row: Mapping[str, Any]) -> str:
    return f"{key} ({row['name']})" if row.get("name") else key
