"""Kleene's three-valued logic: True, False and None for unknown."""

from __future__ import annotations

from collections.abc import Iterable

__all__ = ["Truth", "all_of", "any_of", "opposite"]

Truth = bool | None


def all_of(parts: Iterable[Truth]) -> Truth:
    """Conjunction; of nothing it is True.

    Examples
    --------
    >>> all_of([True, None]), all_of([None, False])
    (None, False)
    """
    values = list(parts)
    if False in values:
        return False
    return None if None in values else True


def any_of(parts: Iterable[Truth]) -> Truth:
    """Disjunction; of nothing it is False.

    Examples
    --------
    >>> any_of([False, None]), any_of([None, True])
    (None, True)
    """
    return opposite(all_of(opposite(part) for part in parts))


def opposite(part: Truth) -> Truth:
    """Negation; of unknown it is unknown."""
    return None if part is None else not part
