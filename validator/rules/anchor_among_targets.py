"""An anchor listed among the targets."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context, as_reference
from groundframe.validator.findings import Add, Drop, Edit, Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Move targets of role anchor to the references."""
    for number, target in enumerate(context.frame.targets):
        if target.role == "anchor":
            path = f"/targets/{number}"
            before = target.model_dump(mode="json", exclude_defaults=True)
            message = "An anchor belongs among the references; it was moved there."
            yield Edit(path, before, None, message, (Drop(path), Add("/references", as_reference(target))))


RULE = Rule(
    id="anchor_among_targets",
    name="an anchor listed as a target",
    rationale="An anchor is a fixed place; it means the same among the references, where it belongs.",
    phase=Phase.STRUCTURE,
    safety="safe",
    check=check,
)
