"""The same anchor twice."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context
from groundframe.validator.findings import Drop, Edit, Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Leave out an anchor that repeats an earlier one, and that no constraint mentions."""
    mentioned = {
        role for one in context.frame.spatial_constraints for role in (one.target_role, one.reference_role)
    }
    seen: list[object] = []
    for number, reference in enumerate(context.frame.references):
        content = reference.model_copy(update={"id": None})
        if content in seen and reference.id not in mentioned:
            path = f"/references/{number}"
            before = reference.model_dump(mode="json", exclude_defaults=True)
            message = f"'{reference.id}' repeats an earlier anchor; it was left out."
            yield Edit(path, before, None, message, (Drop(path),))
        seen.append(content)


RULE = Rule(
    id="repeated_anchors",
    name="the same anchor twice",
    rationale=(
        "A repeated anchor would get the default distance and narrow what the first one says; it adds "
        "nothing to it."
    ),
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
