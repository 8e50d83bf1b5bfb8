"""The published questions, answered by the engine and by the oracle."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

__all__ = ["published_frames"]

FOLDER = Path(__file__).resolve().parent / "golden" / "published"


def published_frames() -> Mapping[str, dict[str, Any]]:
    """The frames of the published questions by their ids, as they were written.

    Examples
    --------
    >>> published_frames()["G1_06"]["question"]
    'show towns'
    """
    return {path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))}
