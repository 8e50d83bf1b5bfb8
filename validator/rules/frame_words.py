"""The frame's own small vocabularies in other words: order, outputs, time buckets, units of a period."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.frames.model import Last
from groundframe.validator.context import Context, match_word
from groundframe.validator.findings import Finding, Phase, Rule
from groundframe.validator.vocabulary import ORDERS, OUTPUTS, TIME_BUCKETS, UNITS


def check(context: Context) -> Iterator[Finding]:
    """Replace the words of ranking order, outputs, time buckets and periods by the canonical ones."""
    frame = context.frame
    if frame.ranking:
        yield from match_word(
            context, "/ranking/order", frame.ranking.order, ORDERS, "order", "unknown_order"
        )
    for number, output in enumerate(frame.outputs):
        yield from match_word(context, f"/outputs/{number}", output, OUTPUTS, "output", "unknown_output")
    for number, group in enumerate(frame.group_by):
        if group.time is not None:
            yield from match_word(
                context,
                f"/group_by/{number}/time",
                group.time,
                TIME_BUCKETS,
                "time bucket",
                "unknown_time_bucket",
            )
    for number, constraint in enumerate(frame.temporal_constraints):
        if isinstance(constraint.last, Last):
            path = f"/temporal_constraints/{number}/last/unit"
            yield from match_word(context, path, constraint.last.unit, UNITS, "unit of time", "unknown_unit")


RULE = Rule(
    id="frame_words",
    name="a word of the frame in other words",
    rationale="Each of these vocabularies is small and closed; a declared synonym means one entry.",
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
