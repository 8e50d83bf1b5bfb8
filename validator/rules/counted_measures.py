"""What ranking and having refer to, written out as measures with a target and a name."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.model import GroupBy, Target
from groundframe.validator.context import Context
from groundframe.validator.findings import Add, Edit, Finding, Phase, Put, Rule, edit
from groundframe.validator.vocabulary import AGGREGATES, NUMERIC

NAME_LENGTH = 200


def check(context: Context) -> Iterator[Finding]:
    """Give every measure its target and name; add those that ranking and having only mention."""
    frame = context.frame
    taken = [measure.name for measure in frame.measures if measure.name]
    for name in sorted({name for name in taken if taken.count(name) > 1}):
        yield Issue(
            "doubled_name", "/measures", f"Two measures are named '{name}'.", action="Give each its own name."
        )
    for number, measure in enumerate(frame.measures):
        if measure.name in _columns(context):
            message = f"'{measure.name}' is a column of the answer already."
            yield Issue(
                "taken_name", f"/measures/{number}/name", message, action="Give the measure another name."
            )
    given = set(taken)
    names = {name: name for name in taken}
    owners: dict[str, set[str]] = {}
    taken += sorted(_columns(context))
    for number, measure in enumerate(frame.measures):
        path = f"/measures/{number}"
        target_id = measure.target_role
        if target_id is None:
            target_id = yield from _target(context, path, measure.measure, measure.field)
            if target_id is None:
                continue
            yield edit(
                f"{path}/target_role", None, target_id, f"It is about '{target_id}'.", safety="declared"
            )
        yield from _fits(context, path, measure.measure, measure.field, target_id)
        owners.setdefault(measure.measure, set()).add(target_id)
        if measure.name is None:
            name = _free("_".join(part for part in (measure.measure, measure.field) if part), taken)
            yield edit(f"{path}/name", None, name, f"It is called '{name}'.", safety="declared")
            names.setdefault(measure.measure, name)
        else:
            names.setdefault(measure.measure, measure.name)
    mentions = [(f"/having/{number}/measure", having.measure) for number, having in enumerate(frame.having)]
    if frame.ranking:
        mentions.insert(0, ("/ranking/metric", frame.ranking.metric))
    primary = context.primary()
    if frame.group_by and primary is not None and not frame.measures and not mentions:
        whole = (m for m in context.pack.measures if m.entity == primary.entity)
        plain = next((m.name for m in whole if m.kind == "count" and m.where is None), "count")
        entry = {"measure": plain, "target_role": primary.id, "field": None, "name": _free(plain, taken)}
        message = "Groups are counted where nothing else is asked of them."
        yield Edit("/measures/-", None, entry, message, (Add("/measures", entry),), "declared")
    for path, mention in mentions:
        if mention not in given and len(owners.get(mention, ())) > 1:
            which = " and ".join(f"'{one}'" for one in sorted(owners[mention]))
            message = f"'{mention}' is asked of {which}, and nothing says which is meant."
            action = "Give each a 'name' in 'measures', and mention that."
            yield Issue("ambiguous_role", path, message, action=action)
        elif mention in names:
            if names[mention] != mention:
                yield edit(
                    path, mention, names[mention], f"It is the measure '{names[mention]}'.", safety="declared"
                )
        else:
            added = yield from _added(context, path, mention, taken)
            if added is not None:
                names[mention] = added


def _added(
    context: Context, path: str, mention: str, taken: list[str]
) -> Generator[Finding, None, str | None]:
    """Add the measure that is mentioned; the name it got, None when it cannot be."""
    entry: dict[str, Any] = {"measure": mention, "target_role": None, "field": None}
    if not _is_measure(context, mention):
        primary = context.primary()
        entity = context.entity(primary.entity) if primary else None
        if entity is None or primary is None or all(field.name != mention for field in entity.fields):
            return None  # already reported as unknown
        entry = {"measure": "max", "target_role": primary.id, "field": mention}
    else:
        target_id = yield from _target(context, path, mention, None)
        if target_id is None:
            return None
        entry["target_role"] = target_id
        problems = list(_fits(context, path, mention, None, target_id))
        yield from problems
        if problems:
            return None
    name = entry["name"] = _free("_".join(filter(None, (entry["measure"], entry["field"]))), taken)
    message = f"'{mention}' is {entry['measure']} of '{entry['target_role']}'."
    operations = (Add("/measures", entry), Put(path, name))
    yield Edit("/measures/-", None, entry, message, operations, "declared")
    return name


def _is_measure(context: Context, name: str) -> bool:
    return name in AGGREGATES.canonical or any(measure.name == name for measure in context.pack.measures)


def _target(
    context: Context, path: str, measure: str, field: str | None
) -> Generator[Finding, None, str | None]:
    """The one target that a measure can be about; None, with an issue, when there are none or more."""
    if not _is_measure(context, measure):
        return None
    owner = next((one.entity for one in context.pack.measures if one.name == measure), None)
    possible = [target for target in context.frame.targets if owner is None or target.entity == owner]
    if field is not None:
        possible = [
            t for t in possible if (e := context.entity(t.entity)) and any(f.name == field for f in e.fields)
        ]
    for role in ("support", "filter", "primary"):
        found = [target for target in possible if target.role == role]
        if len(found) == 1 and (role != "filter" or owner is not None):
            yield from _counted(context, path, measure, field, found[0])
            return found[0].id
        if len(found) > 1 and role != "filter":
            message = f"'{measure}' can be about several targets."
            yield Issue(
                "ambiguous_role",
                path,
                message,
                tuple(str(t.id) for t in found),
                action="Give it in 'measures'.",
            )
            return None
    what = f"a {context.pack.entity(owner).label}" if owner else "anything"
    message = f"Nothing is counted: no target is {what} with the role 'support'."
    yield Issue("nothing_counted", path, message, action="Add the entity that is counted as 'support'.")
    return None


def _counted(
    context: Context, path: str, measure: str, field: str | None, target: Target
) -> Iterator[Finding]:
    """A filter that is counted is a support; counting single features of the primary says nothing."""
    if target.role == "filter":
        where = next(p for p, part in context.parts() if part.id == target.id)
        message = f"'{target.id}' is counted by '{measure}', which makes it a support."
        yield edit(f"{where}/role", "filter", "support", message)
    counts = measure == "count" or any(
        one.name == measure and one.kind != "sum" for one in context.pack.measures
    )
    if target.role == "primary" and counts and field is None and not context.frame.group_by:
        message = f"Nothing is counted: each '{target.id}' is one {measure} of itself."
        yield Issue(
            "nothing_counted",
            path,
            message,
            action="Add the entity that is counted as 'support', or 'group_by'.",
        )


def _fits(context: Context, path: str, measure: str, field: str | None, target_id: str) -> Iterator[Finding]:
    """Whether the target has the measure or the numeric field."""
    entity = context.entity_of(target_id)
    if entity is None or not _is_measure(context, measure):
        return
    owner = next((one.entity for one in context.pack.measures if one.name == measure), None)
    if owner is not None and field is not None:
        yield Issue(
            "stray_field", f"{path}/field", f"The measure '{measure}' has no field.", action="Leave it out."
        )
    elif owner is not None and owner != entity.name:
        counted = context.pack.entity(owner).plural
        message = f"'{measure}' is a measure of {counted}, and '{target_id}' is a {entity.label}."
        action = f"Name a target of {counted}, or another measure."
        yield Issue("measure_entity", path, message, action=action)
    elif owner is None and measure == "count" and field is not None:
        yield Issue("stray_field", f"{path}/field", "'count' has no field.", action="Leave it out.")
    elif owner is None and measure != "count":
        numeric = tuple(one.name for one in entity.fields if one.type in NUMERIC and not one.internal)
        if field is None:
            yield Issue(
                "missing_field", path, f"'{measure}' needs the field of '{target_id}' to take it of.", numeric
            )
        elif field not in numeric and any(one.name == field for one in entity.fields):
            yield Issue(
                "unsupported_field", f"{path}/field", f"'{measure}' of '{field}' is not supported.", numeric
            )


def _columns(context: Context) -> frozenset[str]:
    """Names that columns of the answer have beside its measures."""
    own = {"rank", "key", "distance"}
    if context.frame.group_by:
        return frozenset(own.union(*(_group_columns(context, group) for group in context.frame.group_by)))
    primary = context.primary()
    entity = context.entity(primary.entity) if primary else None
    if entity is not None:
        fields = {field.name for field in entity.fields}
        own |= fields | {f"{name}_basis" for name in fields} | {link.name for link in entity.links}
    return frozenset(own)


def _group_columns(context: Context, group: GroupBy) -> set[str]:
    """The columns that a grouping gives: a linked feature has its key beside its name."""
    entity = context.entity_of(group.target_role)
    if entity is None or group.entity is None:
        return {name for name in (group.field, group.time) if name is not None}
    return {column for link in entity.links_to(group.entity) for column in (link.name, f"{link.name}_key")}


def _free(name: str, taken: list[str]) -> str:
    """The name, with a number where it is taken; taken from now on."""
    free, number = name[:NAME_LENGTH], 1
    while free in taken:
        number += 1
        free = f"{name[: NAME_LENGTH - 5]}_{number}"
    taken.append(free)
    return free


RULE = Rule(
    id="counted_measures",
    name="a measure that is only mentioned, or counts nothing",
    rationale=(
        "The published frames name the measure in the ranking; what it counts is the one target that "
        "it can be about."
    ),
    phase=Phase.MEANING,
    safety="safe",
    check=check,
)
