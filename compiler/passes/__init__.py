"""Rewrites of a plan: pure functions that change how long it takes and never what it means.

A pass takes an operation and returns the rewritten one. They are applied in the order of `PASSES`.
"""

from __future__ import annotations

from collections.abc import Callable

from groundframe.compiler.ops import Op

__all__ = ["PASSES", "Pass"]

Pass = Callable[[Op], Op]

PASSES: tuple[Pass, ...] = ()
