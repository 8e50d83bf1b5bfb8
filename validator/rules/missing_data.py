"""Questions about layers, fields and periods that the dataset does not hold."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.dates import iso_day
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Entity, EntityField
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
    """Fields that none of the loaded sources provides."""
    for path, entity, fields in _tested(context):
        if entity.name in missing or entity.derived is not None:
            continue
        if fields and not any(_provided(context, names, entity, entity.field(name)) for name in fields):
            what = " or ".join(f"'{name}'" for name in fields)
            message = f"Field missing: no loaded source of {entity.plural} provides {what}."
            yield Issue(
                "missing_field_data", path, message, action="Load a source that does, or ask without it."
            )


def _tested(context: Context) -> Iterator[tuple[str, Entity, tuple[str, ...]]]:
    """Where fields are used, of which entity, and the fields, of which one is enough to say something."""
    for path, condition, part_id in context.conditions():
        entity, tested = context.entity_of(part_id), context.field(condition, part_id)
        if entity is not None and tested is not None:
            yield f"{path}/field", entity, (tested.name,)
        concept = next((one for one in context.pack.concepts if one.name == condition.concept), None)
        variant = condition.variant or (concept.default if concept else "")
        if (
            entity is not None
            and concept is not None
            and concept.entity == entity.name
            and variant in concept.variants
        ):
            yield f"{path}/concept", entity, concept.variants[variant].condition.fields()
    for number, request in enumerate(context.frame.measures):
        measure = next((one for one in context.pack.measures if one.name == request.measure), None)
        entity = context.entity_of(request.target_role)
        if entity is None or (measure is not None and measure.entity != entity.name):
            continue
        names = (measure.field, measure.weight_field) if measure else (request.field,)
        used = tuple(name for name in names if name and any(field.name == name for field in entity.fields))
        tests = measure.where.fields() if measure is not None and measure.where else ()
        yield f"/measures/{number}", entity, (*used, *tests)


def _provided(context: Context, names: NameIndex, entity: Entity, field: EntityField) -> bool:
    """Whether a loaded source says something about the field, or about the one it is carried from."""
    places = [(entity.name, field.name)]
    if field.carries is not None:
        places.append((entity.link(field.carries.link).to, field.carries.field))
    return field.values_from == "sources" or any(
        names.sources(owner) & set(context.pack.providers(owner, name)) for owner, name in places
    )


def _periods(context: Context, names: NameIndex) -> Iterator[Finding]:
    """Periods of which the dataset has no day at all."""
    for constraint in context.frame.temporal_constraints:
        entity = context.entity_of(constraint.target_role)
        if entity is None or entity.date_field is None:
            continue
        years = [year for year in constraint.years if isinstance(year, int)]
        bounds = (f"{min(years):04}-01-01", f"{max(years):04}-12-31") if years else (None, None)
        firsts = [day for text in (constraint.from_, bounds[0]) if (day := iso_day(text))]
        lasts = [day for text in (constraint.to, bounds[1]) if (day := iso_day(text))]
        newest, oldest = names.newest_date(entity.name), names.oldest_date(entity.name)
        if newest is not None and firsts and max(firsts) > newest:
            where = f"begins after the newest {entity.label} of this dataset ({newest})"
        elif oldest is not None and lasts and min(lasts) < oldest:
            where = f"ends before the oldest {entity.label} of this dataset ({oldest})"
        else:
            continue
        yield Note(f"The period asked for {where}, so nothing is known of it.")


RULE = Rule(
    id="missing_data",
    name="a layer, field or period that the dataset does not hold",
    rationale="An empty answer would read as 'there are none', when nothing is known.",
    phase=Phase.MEANING,
    safety=None,
    check=check,
)
