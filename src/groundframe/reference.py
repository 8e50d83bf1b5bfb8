"""The reference page of a schema pack: everything that a frame can ask about, as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from groundframe.schema.model import Concept, Entity, EntityField, Measure, Pack, Period

__all__ = ["reference_page"]


def reference_page(pack: Pack) -> str:
    """The page for a pack.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> print(reference_page(load_pack("massachusetts")).splitlines()[0])
    # Massachusetts transportation safety
    """
    return "\n".join(_lines(pack)) + "\n"


def _lines(pack: Pack) -> Iterator[str]:
    yield f"# {pack.title}"
    yield ""
    yield (
        f"Schema pack `{pack.name}` {pack.version}. Everything is measured in metres on EPSG:{pack.srid}; "
        f"dates and times are local ({pack.timezone}). "
        f'"Near" without a distance is {pack.defaults.near_m:g} m.'
    )
    for notice in pack.notices:
        yield from ("", notice)
    for entity in pack.entities:
        yield from _entity(pack, entity)
    yield from _section("Concepts", "named conditions", map(_concept, pack.concepts))
    yield from _section("Measures", "what can be counted and ranked by", map(_measure, pack.measures))
    yield from _section("Periods", "words for parts of the day and the year", map(_period, pack.periods))
    places = [
        f"- {place.name} ({place.kind}{', ' if place.town else ''}{place.town})" for place in pack.gazetteer
    ]
    yield from _section("Places", "anchors that need no geocoder", places)
    yield from _sources(pack)


def _entity(pack: Pack, entity: Entity) -> Iterator[str]:
    yield from ("", f"## {entity.name}", "")
    yield (
        f"{entity.description} Also called: {_words(entity.synonyms)}."
        if entity.synonyms
        else entity.description
    )
    facts = [f"Geometry: {', '.join(entity.geometry)}", f"roles: {', '.join(entity.roles)}"]
    if entity.optional:
        facts.append("not in every dataset")
    yield from ("", "; ".join(facts) + ".")
    links = [
        f"`{link.name}` ({pack.entity(link.to).label}: {_rule(link.rule, link.max_distance_m)})"
        for link in entity.links
    ]
    if links:
        yield from ("", f"Linked at load: {', '.join(links)}.")
    yield from ("", "| field | type | meaning | also written |", "| --- | --- | --- | --- |")
    for field in entity.fields:
        if not field.internal:
            yield _row(
                f"`{field.name}`", _type(field), field.description or field.label, _words(field.aliases)
            )
    for field in entity.fields:
        if field.values and not field.internal and field.values_from != "sources":
            yield from _values(entity, field)


def _values(entity: Entity, field: EntityField) -> Iterator[str]:
    if field.values_from:
        yield from ("", f"Values of `{field.name}`: those of `{field.values_from}`.")
        return
    yield from ("", f"Values of `{field.name}`:", "")
    for value in field.values:
        also = _words((*value.aliases, *value.synonyms))
        unknown = " (means unknown)" if value.value in field.unknown_values else ""
        yield f"- {value.value}{unknown}" + (f": {also}" if also else "")
    for name, members in field.groups.items():
        also = _words(field.group_synonyms.get(name, ()))
        yield f"- *{name}*" + (f" ({also})" if also else "") + f" means any of: {'; '.join(members)}"


def _concept(concept: Concept) -> str:
    variants = "; ".join(
        f"`{name}`{' (default)' if name == concept.default else ''}: {variant.definition}"
        for name, variant in concept.variants.items()
    )
    return f"- `{concept.name}` of {concept.entity}: {variants}"


def _measure(measure: Measure) -> str:
    return f"- `{measure.name}` of {measure.entity}, in {measure.unit}: {measure.definition}"


def _period(period: Period) -> str:
    hours = ", ".join(f"{start:%H:%M} to {end:%H:%M}" for start, end in period.hours)
    months = ", ".join(map(str, period.months))
    parts = [hours, f"months {months}" if months else "", ", ".join(period.weekdays)]
    return f"- {period.label}: {'; '.join(part for part in parts if part)}"


def _sources(pack: Pack) -> Iterator[str]:
    if not pack.sources:
        return
    yield from (
        "",
        "## Sources",
        "",
        "| source | of | area | period | completeness |",
        "| --- | --- | --- | --- | --- |",
    )
    for source in pack.sources:
        coverage = source.coverage
        period = " to ".join(str(end) for end in (coverage.first, coverage.last) if end)
        yield _row(
            f"`{source.name}`: {source.title}", source.entity, coverage.area, period, coverage.completeness
        )


def _section(title: str, meaning: str, items: Iterable[str]) -> Iterator[str]:
    found = list(items)
    if found:
        yield from ("", f"## {title}", "", f"{meaning[0].upper()}{meaning[1:]}.", "", *found)


def _type(field: EntityField) -> str:
    return f"{field.type.replace('_', ' ')}, {field.unit}" if field.unit else field.type.replace("_", " ")


def _rule(rule: str, reach: float | None) -> str:
    return (
        f"nearest within {reach:g} m" if rule == "nearest" and reach is not None else "the one that covers it"
    )


def _words(words: Iterable[str]) -> str:
    return ", ".join(words)


def _row(*cells: str) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"
