"""What an engine can do better than the neutral form."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

__all__ = ["NEUTRAL", "Traits"]


@dataclass(frozen=True, slots=True)
class Traits:
    """An engine's optional rewrites; without any it gets the neutral forms, which every engine does right.

    Parameters
    ----------
    rewrites : mapping
        By name of a step of lowering, a function that is called with the lowering and the step's arguments
        before the neutral one, and gives None to leave a case to it. Steps: ``anti`` and ``semi`` (features
        without and with a partner), ``few_keys`` (features of a small set of keys), ``group`` (measures
        beside a feature), ``nearest`` (the choice of nearest features).
    """

    engine: str
    rewrites: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


NEUTRAL = Traits("neutral")
