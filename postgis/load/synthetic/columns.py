"""The one way of drawing columns of made-up values."""

from __future__ import annotations

import numpy as np

from groundframe.postgis.load.columns import Floats, Ints

__all__ = ["draw", "shuffled_share"]


def draw(weights: Floats, count: int, rng: np.random.Generator) -> Ints:
    """Numbers of weighted values, in random order.

    Systematic sampling: every value comes up as often as its weight says, rounded up or down. So nothing that
    is expected once is ever missing, which plain draws do not grant.
    """
    bounds = np.cumsum(weights)
    positions = (rng.permutation(count) + rng.random()) * (bounds[-1] / count)
    numbers: Ints = np.searchsorted(bounds[:-1], positions, side="right").astype(np.int64)
    return numbers


def shuffled_share(share: float, count: int, rng: np.random.Generator) -> Ints:
    """Random rows, as many as the share of `count`, and one at least when the share is not zero."""
    wanted = min(count, int(np.ceil(share * count)))
    return rng.permutation(count)[:wanted].astype(np.int64) if wanted else np.empty(0, dtype=np.int64)
