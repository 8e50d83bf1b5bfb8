"""Compiling: a checked frame in, a plan out."""

from __future__ import annotations

from collections.abc import Sequence

from groundframe.compiler.build import Builder
from groundframe.compiler.checks import check_graph
from groundframe.compiler.graph import build_graph
from groundframe.compiler.ops import Count, CutTies, Op, Show, Together
from groundframe.compiler.order import in_order
from groundframe.compiler.passes import PASSES, Pass
from groundframe.compiler.physical import Physical
from groundframe.compiler.plan import Plan
from groundframe.compiler.rows import build_rows
from groundframe.compiler.rules import frame_rules
from groundframe.compiler.tally import TallyItem, tally_items
from groundframe.compiler.tree import frame_tree
from groundframe.compiler.types import Features, Groups, Scalar
from groundframe.errors import PlanError
from groundframe.frames.model import Frame
from groundframe.schema.model import Pack

__all__ = ["compile_frame"]


def compile_frame(
    frame: Frame, pack: Pack, physical: Physical | None = None, *, passes: Sequence[Pass] = PASSES
) -> Plan:
    """Compile a checked frame.

    Parameters
    ----------
    frame : Frame
        What the validator returned, see docs/checked_frames.md.
    physical : Physical, optional
        What the dataset holds so that answers come quickly; the result is the same without it.
    passes : sequence of callable, optional
        Rewrites to apply, each to every operation of the plan, one after the other. The result is the same
        without any.

    Raises
    ------
    PlanError
        When the frame is not a checked one.
    UnsupportedError
        When it asks for something that is not done.
    """
    frame = in_order(frame)
    try:
        root = frame_tree(frame, pack)
        builder = Builder(root, pack)
        rows = build_rows(frame, builder)
        items = tally_items(builder, rows.shown)
    except (KeyError, ValueError) as error:
        raise PlanError(f"The frame is not a checked one: {error}.", "Validate it first.") from error

    output, *counts = _improved((rows.output, *(item.op for item in items)), passes, physical)
    if not isinstance(output, Show):
        raise PlanError("A pass has changed what is shown.")
    tally = []
    for item, counted in zip(items, counts, strict=True):
        if not isinstance(counted, Count | CutTies):
            raise PlanError("A pass has changed what is counted.")
        tally.append(TallyItem(item.kind, item.role, counted))
    rules = frame_rules(frame, root, rows, pack)
    plan = Plan(frame, pack, output, rows.columns, rows.geometry, rules, tuple(tally), physical)
    asked = dict.fromkeys((output, *counts))
    check_graph(build_graph(asked), (Features, Groups, Scalar), len(asked))
    return plan


def _improved(ops: tuple[Op, ...], passes: Sequence[Pass], physical: Physical | None) -> tuple[Op, ...]:
    """The operations after all passes; what they have in common is gone through once."""
    together: Op = Together(ops)
    for change in passes:
        together = change(together, physical)
    if not isinstance(together, Together):
        raise PlanError("A pass has put together what is apart.")
    return together.parts
