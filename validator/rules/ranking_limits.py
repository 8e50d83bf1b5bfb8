"""Rankings of nothing, of the wrong target, or of too many."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.quantities import QuantityError, parse_number
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit

MOST = 10_000


def check(context: Context) -> Iterator[Finding]:
    """Rank the primary, first 1 to 10,000; compare measures with numbers."""
    ranking, primary = context.frame.ranking, context.primary()
    if ranking is not None:
        if (
            primary is not None
            and ranking.target_role != primary.id
            and context.part(ranking.target_role) is not None
        ):
            message = f"What is ranked is what is returned, '{primary.id}'."
            yield edit("/ranking/target_role", ranking.target_role, primary.id, message)
        if isinstance(ranking.top_n, int) and not 1 <= ranking.top_n <= MOST:
            message = f"A ranking shows the first 1 to {MOST:,}, and this asks for {ranking.top_n}."
            yield Issue("top_n_range", "/ranking/top_n", message, action="Write null for all.")
    for number, having in enumerate(context.frame.having):
        if isinstance(having.value, str):
            path = f"/having/{number}/value"
            try:
                value = parse_number(having.value)
            except QuantityError as error:
                message = f"{error}; a measure is compared with a number."
                yield Issue("not_a_number", path, message, action="Write a number.")
                continue
            yield edit(path, having.value, value, f"'{having.value}' is {value:g}.")


RULE = Rule(
    id="ranking_limits",
    name="a ranking of the wrong target or of too many",
    rationale="Only what is returned can be ranked; a ranking of none or of a million is a slip.",
    phase=Phase.MEANING,
    safety="safe",
    check=check,
)
