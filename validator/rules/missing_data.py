"""Questions about layers, fields and periods that the dataset does not hold."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date

from groundframe.errors import Issue
from groundframe.frames.names import NameIndex
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Note, Phase, Rule


def check(context: Context) -> Iterator[Finding]:
    """Say which layer, field or period is missing, instead of an answer that is empty without a reason."""
    names = context.names
    if names is None:
        return
    missing: set[str] = set()
    for path, part in context.parts():
        entity = context.entity(part.entity)
        if entity is not None and entity.name not in missing and not names.has_rows(entity.name):
            missing.add(entity.name)
            message = f"Layer missing: {entity.name} has no rows in this dataset."
            yield Issue(
                "missing_layer",
                f"{path}/entity",
                message,
                action=f"Load {entity.plural}, or ask without them.",
            )
    yield from _fields(context, names, missing)
    yield from _periods(context, names)


def _fields(context: Context, names: NameIndex, missing: set[str]) -> Iterator[Finding]:
    """Fields that none of the loaded sources provides; a carried one may come from what it is carried for."""
    for path, condition, part_id in context.conditions():
        entity, tested = context.entity_of(part_id), context.field(condition, part_id)
        if entity is None or tested is None or entity.name in missing or tested.values_from == "sources":
            continue
        places = [(entity.name, tested.name)]
        if tested.carries is not None:
            places.append((entity.link(tested.carries.link).to, tested.carries.field))
        if not any(_provided(context, names, *place) for place in places):
            message = f"Field missing: no loaded source of {entity.plural} provides '{tested.name}'."
            yield Issue(
                "missing_field_data",
                f"{path}/field",
                message,
                action="Load a source that does, or ask without it.",
            )


def _provided(context: Context, names: NameIndex, entity: str, name: str) -> bool:
    return bool(names.sources(entity) & set(context.pack.providers(entity, name)))


def _periods(context: Context, names: NameIndex) -> Iterator[Finding]:
    for constraint in context.frame.temporal_constraints:
        entity = context.entity_of(constraint.target_role)
        if entity is None or entity.date_field is None:
            continue
        newest = names.newest_date(entity.name)
        first = _day(constraint.from_) or (date(min(constraint.years), 1, 1) if constraint.years else None)
        if newest is not None and first is not None and first > newest:
            yield Note(
                f"The period asked for begins after the newest {entity.label} of this dataset, which is of {newest}."
            )


def _day(text: str | None) -> date | None:
    try:
        return date.fromisoformat(text) if text else None
    except ValueError:
        return None


RULE = Rule(
    id="missing_data",
    name="a layer, field or period that the dataset does not hold",
    rationale="An empty answer would read as 'there are none', when nothing is known.",
    phase=Phase.MEANING,
    safety=None,
    check=check,
)
