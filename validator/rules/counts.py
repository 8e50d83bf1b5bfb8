"""Whole numbers written as text."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import Last
from groundframe.frames.quantities import QuantityError, parse_number
from groundframe.schema.vocabulary import fold
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit

ALL = frozenset(("all", "every", "everything", "unlimited", "no limit", "null", "none"))


def check(context: Context) -> Iterator[Finding]:
    """Write out how many are wanted: the first, the nearest, the last."""
    frame = context.frame
    if frame.ranking is not None:
        top = frame.ranking.top_n
        if isinstance(top, str) and fold(top) in ALL:
            yield edit("/ranking/top_n", top, None, f"'{top}' is no limit.", safety="declared")
        else:
            yield from _counted("/ranking/top_n", top)
    for number, spatial in enumerate(frame.spatial_constraints):
        yield from _counted(f"/spatial_constraints/{number}/k", spatial.k)
    for number, temporal in enumerate(frame.temporal_constraints):
        if isinstance(temporal.last, Last):
            yield from _counted(f"/temporal_constraints/{number}/last/count", temporal.last.count)


def _counted(path: str, given: int | float | str | None) -> Iterator[Finding]:
    if given is None or isinstance(given, int):
        return
    try:
        value = parse_number(given) if isinstance(given, str) else given
    except QuantityError as error:
        yield Issue("not_a_count", path, f"{error}.", action="Write a whole number.")
        return
    if value != int(value):
        yield Issue("not_a_count", path, f"{value:g} is not a whole number.", action="Write a whole number.")
        return
    yield edit(path, given, int(value), f"'{given}' is {value:g}." if isinstance(given, str) else "A count.")


RULE = Rule(
    id="counts",
    name="a count as text",
    rationale="A whole number in quotes, in words or with a decimal point of nought can only mean itself.",
    phase=Phase.STRUCTURE,
    safety="safe",
    check=check,
)
