"""The choices that make a drawn frame: written down, made again, and made simpler."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from random import Random
from typing import Any

__all__ = ["Pick", "Recorder", "replay", "simplest"]

Pick = Callable[[Sequence[Any]], Any]
"""Picks one of several; the first is the simplest."""

Made = tuple[int, ...]
ATTEMPTS = 400


class Recorder:
    """Picks at random.

    Attributes
    ----------
    made : list of int
        The position of every pick.
    """

    def __init__(self, dice: Random) -> None:
        self._dice = dice
        self.made: list[int] = []

    def __call__(self, options: Sequence[Any]) -> Any:
        self.made.append(self._dice.randrange(len(options)))
        return options[self.made[-1]]


def replay(made: Sequence[int]) -> Pick:
    """Make these choices again, and the first one where they end.

    Examples
    --------
    >>> pick = replay([1, 5])
    >>> [pick("abc") for _ in range(3)]
    ['b', 'c', 'a']
    """
    left = iter(made)
    return lambda options: options[min(next(left, 0), len(options) - 1)]


def simplest(made: Sequence[int], fails: Callable[[Made], bool], attempts: int = ATTEMPTS) -> Made:
    """Fewer and earlier choices with which something still fails.

    Parameters
    ----------
    fails : callable
        Whether it fails with these choices.
    attempts : int
        How often it is tried at most.

    Examples
    --------
    >>> simplest([7, 3, 9, 4, 1], lambda made: 4 in made)
    (4,)
    """
    best: Made = tuple(made)
    size = len(best)
    while size:
        position = 0
        while position < len(best):
            for simpler in _simpler(best, position, size):
                if attempts == 0:
                    return best
                attempts -= 1
                if fails(simpler):
                    best = simpler
                    break
            else:
                position += size
        size //= 2
    return best


def _simpler(made: Made, position: int, size: int) -> Iterator[Made]:
    """The choices without some of them, with the first instead, or with an earlier one."""
    before, some, after = made[:position], made[position : position + size], made[position + size :]
    yield before + after
    if any(some):
        yield before + (0,) * len(some) + after
    if size == 1 and some[0] > 1:
        yield (*before, some[0] // 2, *after)
        yield (*before, some[0] - 1, *after)
