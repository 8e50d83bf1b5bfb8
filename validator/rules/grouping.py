"""Groups that cannot be made."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import GroupBy
from groundframe.frames.terms import TIME_BUCKETS
from groundframe.validator.context import Context, match_word
from groundframe.validator.findings import Finding, Phase, Rule

CLOCKS = ("hour",)


def check(context: Context) -> Iterator[Finding]:
    """See that rows are grouped by one thing that the primary has."""
    primary = context.primary()
    for number, group in enumerate(context.frame.group_by):
        path = f"/group_by/{number}"
        given = [name for name in ("field", "time", "entity") if getattr(group, name) is not None]
        if len(given) != 1:
            found = " and ".join(given) or "none"
            message = f"A group is by one of 'field', 'time' and 'entity'; this one has {found}."
            yield Issue("group_kind", path, message, action="Give exactly one of them.")
        elif (
            primary is not None
            and group.target_role != primary.id
            and context.part(group.target_role) is not None
        ):
            message = (
                f"Only what is returned, '{primary.id}', can be grouped; this groups '{group.target_role}'."
            )
            yield Issue("group_target", f"{path}/target_role", message, action="Make it the primary.")
        else:
            yield from _possible(context, path, group)


def _possible(context: Context, path: str, group: GroupBy) -> Iterator[Finding]:
    entity = context.entity_of(group.target_role)
    if entity is None:
        return
    if group.time in TIME_BUCKETS:
        needed = entity.time_field if group.time in CLOCKS else entity.date_field
        if needed is None:
            yield Issue(
                "no_date",
                f"{path}/time",
                f"{entity.one} has no {'time of day' if group.time in CLOCKS else 'date'}.",
                action="Group by something else.",
            )
    if group.entity is not None:
        match = context.words.entities.match(group.entity)
        yield from match_word(
            context, f"{path}/entity", group.entity, context.words.entities, "entity", "unknown_entity"
        )
        linked = tuple(dict.fromkeys(link.to for link in entity.links))
        if match is not None and match.word not in linked:
            yield Issue("no_link", f"{path}/entity", f"{entity.one} is linked to no {match.word}.", linked)


RULE = Rule(
    id="grouping",
    name="a group by several things, or by what there is not",
    rationale="Each row falls into one group, by something that it has.",
    phase=Phase.MEANING,
    safety="safe",
    check=check,
)
