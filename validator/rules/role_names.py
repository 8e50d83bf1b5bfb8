"""Roles written in other words."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.validator.context import Context, match_word
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule, edit
from groundframe.validator.vocabulary import ROLES


def check(context: Context) -> Iterator[Finding]:
    """Give every target and reference one of the five roles; another role of a reference becomes its id."""
    for number, target in enumerate(context.frame.targets):
        yield from match_word(context, f"/targets/{number}/role", target.role, ROLES, "role", "unknown_role")
    for number, reference in enumerate(context.frame.references):
        path = f"/references/{number}"
        match = ROLES.match(reference.role)
        if match and match.word == "anchor":
            yield from match_word(context, f"{path}/role", reference.role, ROLES, "role", "unknown_role")
        elif reference.id is None:
            message = f"A reference is always an anchor; '{reference.role}' became its id."
            puts = (Put(f"{path}/role", "anchor"), Put(f"{path}/id", reference.role))
            yield Edit(f"{path}/role", reference.role, "anchor", message, puts)
        else:
            yield edit(f"{path}/role", reference.role, "anchor", "A reference is always an anchor.")


RULE = Rule(
    id="role_names",
    name="a role in other words",
    rationale=(
        "Roles have five names; a declared synonym or a misspelling beyond doubt can only mean one of them."
    ),
    phase=Phase.STRUCTURE,
    safety="safe",
    check=check,
)
