"""The digest of a record itself, by which a later change is noticed."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

__all__ = ["RECORD_VERSION", "SEAL", "TIMINGS", "as_read", "seal_of"]

RECORD_VERSION = 1
SEAL = "record_digest"
TIMINGS = "timings"


def seal_of(record: Mapping[str, Any]) -> str:
    """SHA-256 of what a record says, whatever order, spacing and spelling of numbers it is written in.

    Examples
    --------
    >>> one = {"a": 5.0, "b": [1], "timings": {"execute_s": 0.1}}
    >>> seal_of(one) == seal_of({"b": [1], "a": 5, "record_digest": "..."})
    True
    """
    content = {name: as_read(part) for name, part in record.items() if name not in (SEAL, TIMINGS)}
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return hashlib.sha256(text.encode()).hexdigest()


def as_read(value: Any) -> Any:
    """The value with 5.0 as 5, which other programs do not tell apart: as a reader of the record has it."""
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < 2**53 else value
    if isinstance(value, dict):
        return {name: as_read(part) for name, part in value.items()}
    return [as_read(part) for part in value] if isinstance(value, list | tuple) else value
