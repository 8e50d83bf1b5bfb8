"""Which rows of two results came, went and changed, as far as their records tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from groundframe.differences.values import differences

__all__ = ["row_differences"]

_NAMED = 10


def row_differences(recorded: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[str]:
    """The differences between the rows of two audit records, in words."""
    before, after = _Rows(recorded), _Rows(now)
    came = [key for key in after.digests if key not in before.digests]
    gone = [key for key in before.digests if key not in after.digests]
    stayed = [key for key in before.digests if key in after.digests]
    changed = [key for key in stayed if before.digests[key] != after.digests[key]]
    yield from _listed("came", [after.named(key) for key in came])
    yield from _listed("went", [before.named(key) for key in gone])
    yield from _listed("changed", [_change(key, before, after) for key in changed])
    moved = _first_moved(stayed, [key for key in after.digests if key in before.digests])
    if moved is not None:
        yield f"the order is another, from {before.named(moved)} on"
    if before.beyond or after.beyond:
        yield f"only the first {max(len(before.digests), len(after.digests)):,} rows could be compared"


class _Rows:
    """The rows that a record names."""

    def __init__(self, record: Mapping[str, Any]) -> None:
        result = record["result"]
        pairs = [line.split(" ", 1) for line in result["rows"]]
        self.digests: dict[str, str] = {key: digest for digest, key in pairs}
        self.values: dict[str, dict[str, Any]] = dict(zip(self.digests, result["head"], strict=False))
        self.beyond = record["counts"]["returned"] > len(pairs)
        columns = record["plan"]["columns"]
        self._label = next((column["name"] for column in columns if column["kind"] == "label"), None)

    def named(self, key: str) -> str:
        """A row by its key, with the feature's name where it is known."""
        name = self.values.get(key, {}).get(self._label) if self._label else None
        return f"{key} ({name})" if name else key


def _change(key: str, before: _Rows, after: _Rows) -> str:
    """A row that changed, with what changed of it where both records have its values."""
    if key not in before.values or key not in after.values:
        return before.named(key)
    was, is_ = before.values[key], after.values[key]
    texts = [line.removeprefix("/") for line in differences(was, is_) if not line.startswith("/rank:")]
    return f"{before.named(key)}, {', '.join(texts) or 'geometry'}"


def _first_moved(before: Sequence[str], after: Sequence[str]) -> str | None:
    return next((one for one, other in zip(before, after, strict=True) if one != other), None)


def _listed(what: str, rows: Sequence[str]) -> Iterator[str]:
    yield from (f"{what}: {row}" for row in rows[:_NAMED])
    if len(rows) > _NAMED:
        yield f"{what}: {len(rows) - _NAMED:,} more"
