"""How sure a share is, and whether two runs on the same questions differ."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import comb, sqrt
from statistics import quantiles

__all__ = ["mcnemar", "percentiles", "wilson"]

_Z = 1.959963984540054
"""Of the normal distribution, for an interval of 95 %."""


def wilson(hits: int, total: int) -> tuple[float, float]:
    """The 95 % interval of a share by Wilson's score; from 0 to 1 where nothing was asked.

    Examples
    --------
    >>> [round(end, 3) for end in wilson(8, 10)]
    [0.49, 0.943]
    >>> wilson(0, 0)
    (0.0, 1.0)
    """
    if total == 0:
        return 0.0, 1.0
    share, spread = hits / total, _Z**2 / total
    middle = (share + spread / 2) / (1 + spread)
    half = _Z * sqrt(share * (1 - share) / total + spread / (4 * total)) / (1 + spread)
    return max(0.0, middle - half), min(1.0, middle + half)


def mcnemar(own: Mapping[str, bool], other: Mapping[str, bool]) -> tuple[int, int, float]:
    """Of the questions of both runs: right only in the one, only in the other, and the exact two-sided p.

    Examples
    --------
    >>> mcnemar({"a": True, "b": True, "c": True}, {"a": False, "b": False, "c": True})
    (2, 0, 0.5)
    """
    both = own.keys() & other.keys()
    gained = sum(own[one] and not other[one] for one in both)
    lost = sum(other[one] and not own[one] for one in both)
    differing = gained + lost
    tail = sum(comb(differing, number) for number in range(min(gained, lost) + 1))
    return gained, lost, min(1.0, 2 * tail / 2**differing)


def percentiles(values: Sequence[float]) -> tuple[float, float]:
    """Median and 95th percentile; 0 where there is nothing.

    Examples
    --------
    >>> percentiles([1.0, 2.0, 3.0])[0]
    2.0
    """
    if len(values) < 2:
        return (values[0], values[0]) if values else (0.0, 0.0)
    cuts = quantiles(values, n=100, method="inclusive")
    return cuts[49], cuts[94]
