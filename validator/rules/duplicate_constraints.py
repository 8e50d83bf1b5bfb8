"""The same constraint twice."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context
from groundframe.validator.findings import Drop, Edit, Finding, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Leave out a constraint that repeats an earlier one."""
    for name in ("spatial_constraints", "attribute_constraints", "temporal_constraints", "having"):
        seen: list[object] = []
        for number, constraint in enumerate(getattr(context.frame, name)):
            path = f"/{name}/{number}"
            if constraint in seen:
                before = constraint.model_dump(mode="json", by_alias=True, exclude_defaults=True)
                yield Edit(
                    path, before, None, "It repeats an earlier constraint; it was left out.", (Drop(path),)
                )
            seen.append(constraint)


RULE = Rule(
    id="duplicate_constraints",
    name="the same constraint twice",
    rationale="Saying a condition twice says no more than saying it once.",
    phase=Phase.MEANING,
    safety="safe",
    check=check,
)
