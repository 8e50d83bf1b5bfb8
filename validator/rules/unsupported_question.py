"""A frame that says itself that it cannot express the question."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Report a frame marked as not supported."""
    if not context.frame.supported:
        reason = f" ({context.frame.notes})" if context.frame.notes else ""
        message = f"The frame says that the question cannot be expressed{reason}."
        yield Issue(
            "unsupported_question", "/supported", message, action="Ask what `groundframe schema` lists."
        )


RULE = Rule(
    id="unsupported_question",
    name="a question outside what frames express",
    rationale=(
        "Whoever wrote the frame found no way to say it; answering the rest would answer another question."
    ),
    phase=Phase.STRUCTURE,
    safety=None,
    check=check,
)
