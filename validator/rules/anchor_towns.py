"""The town that tells an anchor from its namesakes, in other words."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context
from groundframe.validator.findings import Fill, Finding, Phase, Put, Rule
from groundframe.validator.places import Within, area_of, resolve_name
from groundframe.validator.sites import Site


def check(context: Context) -> Iterator[Finding]:
    """Replace the town of a reference by its name in the dataset."""
    if context.names is None:
        return
    for number, reference in enumerate(context.frame.references):
        area = area_of(context, reference.entity)
        if reference.town and area is not None:
            path = f"/references/{number}/town"
            for finding in resolve_name(context, path, reference.town, area, Within()):
                yield Fill((Put(path, finding.names[0]),)) if isinstance(finding, Site) else finding


RULE = Rule(
    id="anchor_towns",
    name="the town of an anchor in other words",
    rationale="A town that is not known cannot tell namesakes apart, and must not be left out silently.",
    phase=Phase.PLACES,
    safety="safe",
    check=check,
)
