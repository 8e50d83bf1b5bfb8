"""Measures in other words."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.schema.vocabulary import fold
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit
from groundframe.validator.lexicon import Match
from groundframe.validator.vocabulary import AGGREGATES, UNSUPPORTED_MEASURES


def check(context: Context) -> Iterator[Finding]:
    """Replace the names of measures, and what ranking and having refer to, by the canonical ones."""
    frame = context.frame
    named = {measure.name for measure in frame.measures} - {None}
    everyone = {target.entity for target in frame.targets}
    # "count" beside a support is of that, not of crashes that only say which schools are meant.
    counted = {target.entity for target in frame.targets if target.role == "support"} or everyone
    asked: dict[str, set[str]] = {}
    for number, measure in enumerate(frame.measures):
        own = context.entity_of(measure.target_role) if measure.target_role else None
        entities = {own.name} if own else everyone
        has_field = measure.field is not None
        if measure.name is None and not has_field:
            asked.setdefault(measure.measure, entities)
        yield from _named(
            context, f"/measures/{number}/measure", measure.measure, entities, has_field=has_field
        )
    if frame.ranking and frame.ranking.metric not in named:
        metric = frame.ranking.metric
        among = counted if metric in AGGREGATES.canonical else everyone
        yield from _named(context, "/ranking/metric", metric, asked.get(metric, among))
    for number, having in enumerate(frame.having):
        if having.measure not in named:
            # What a measure of the frame is called means the same here: "count" of schools beside crashes.
            among = counted if having.measure in AGGREGATES.canonical else everyone
            among = asked.get(having.measure, among)
            yield from _named(context, f"/having/{number}/measure", having.measure, among)


def _named(
    context: Context, path: str, text: str, entities: set[str], *, has_field: bool = False
) -> Iterator[Finding]:
    match = _of_pack(context, text, entities) if not has_field else None
    match = match or AGGREGATES.match(text) or context.words.measures.match(text)
    if match is None and path == "/ranking/metric" and (found := _field(context, text)):
        match = found
    if match is None:
        yield _unknown(context, path, text)
    elif match.basis == "declared":
        yield edit(path, text, match.word, f"'{text}' means the measure '{match.word}'.", safety="declared")
    elif match.basis != "exact":
        yield edit(
            path, text, match.word, f"'{text}' is read as the measure '{match.word}'.", score=match.score
        )


def _of_pack(context: Context, text: str, entities: set[str]) -> Match | None:
    """The measure of the pack that the text means and some target's entity has."""
    match = context.words.measures.match(text)
    if match is None or match.basis == "fuzzy" or context.pack.measure(match.word).entity not in entities:
        return None
    return match


def _field(context: Context, text: str) -> Match | None:
    """A numeric field of the primary, by which its features can be ordered."""
    primary = context.primary()
    entity = context.entity(primary.entity) if primary else None
    match = context.words.fields(entity).match(text) if entity else None
    if entity is None or match is None or entity.field(match.word).type not in ("number", "integer"):
        return None
    return match


def _unknown(context: Context, path: str, text: str) -> Issue:
    if fold(text.replace("_", " ")).replace(" ", "_") in UNSUPPORTED_MEASURES:
        return Issue(
            "unsupported_measure", path, f"The measure '{text}' is not supported.", AGGREGATES.canonical
        )
    nearest = context.words.measures.nearest(text)
    allowed = () if nearest else (*context.words.measures.canonical, *AGGREGATES.canonical)
    return Issue("unknown_measure", path, f"There is no measure '{text}'.", allowed, nearest)


RULE = Rule(
    id="measure_names",
    name="a measure in other words",
    rationale="A measure's aliases and synonyms are declared by the pack.",
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
