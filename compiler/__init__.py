"""From a checked frame to a typed graph of spatial operations, and from there to engine-neutral SQL."""

from __future__ import annotations

from groundframe.compiler.columns import Column
from groundframe.compiler.compile import compile_frame
from groundframe.compiler.passes import PASSES
from groundframe.compiler.plan import Plan

__all__ = ["PASSES", "Column", "Plan", "compile_frame"]
