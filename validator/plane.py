"""Distances on the pack's projected plane, to tell candidates apart; degrees measure nothing."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

from groundframe.schema.model import Pack

__all__ = ["apart_m"]

Position = tuple[float | None, float | None]
"""Longitude and latitude; None where a feature has no geometry."""


def apart_m(pack: Pack, one: Position, other: Position) -> float:
    """Metres between two positions, infinite when one of them is unknown.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> round(apart_m(load_pack("massachusetts"), (-71.5, 42.0), (-71.5, 42.001)))
    111
    """
    if None in (*one, *other):
        return math.inf
    to_plane = _transformer(pack.pipeline)
    return math.dist(to_plane.transform(*one), to_plane.transform(*other))


@lru_cache(maxsize=8)
def _transformer(pipeline: str) -> Any:
    import pyproj  # takes longer to import than most frames to check, and few have names to tell apart

    return pyproj.Transformer.from_pipeline(pipeline)
