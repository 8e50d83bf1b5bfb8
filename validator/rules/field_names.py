"""Fields in other words, and concepts written as fields."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import AttributeConstraint
from groundframe.schema.model import Entity
from groundframe.validator.context import Context, ask_word
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule, edit
from groundframe.validator.vocabulary import FACTS


def check(context: Context) -> Iterator[Finding]:
    """Replace field names by the pack's."""
    for path, condition, part_id in context.conditions():
        entity = context.entity_of(part_id)
        if condition.field is None or entity is None:
            continue
        concept = context.words.concepts.match(condition.field)
        if (
            concept
            and concept.basis != "fuzzy"
            and context.words.fields(entity).match(condition.field) is None
        ):
            yield from _as_concept(path, condition, concept.word)
        else:
            yield from _field(context, f"{path}/field", condition.field, entity)
    for number, measure in enumerate(context.frame.measures):
        entity = context.entity_of(measure.target_role)
        if measure.field is not None and entity is not None:
            yield from _field(context, f"/measures/{number}/field", measure.field, entity)
    for number, group in enumerate(context.frame.group_by):
        entity = context.entity_of(group.target_role)
        if group.field is not None and entity is not None:
            yield from _field(context, f"/group_by/{number}/field", group.field, entity)


def _field(context: Context, path: str, name: str, entity: Entity) -> Iterator[Finding]:
    lexicon = context.words.fields(entity)
    match = lexicon.match(name)
    if match is None and (offered := lexicon.rivals(name)):
        yield from ask_word(context, path, name, offered, "field")
    elif match is None:
        elsewhere = [
            other.name
            for other in context.pack.entities
            if other is not entity
            and (found := context.words.fields(other).match(name))
            and found.basis != "fuzzy"
        ]
        nearest = lexicon.nearest(name)
        allowed = () if nearest else lexicon.canonical
        action = f"It is a field of {', '.join(elsewhere)}; add that as a target." if elsewhere else ""
        yield Issue("unknown_field", path, f"{entity.one} has no field '{name}'.", allowed, nearest, action)
    elif match.basis == "declared":
        yield edit(path, name, match.word, f"'{name}' means the field '{match.word}'.", safety="declared")
    elif match.basis != "exact":
        yield edit(
            path, name, match.word, f"'{name}' is read as the field '{match.word}'.", score=match.score
        )


def _as_concept(path: str, condition: AttributeConstraint, concept: str) -> Iterator[Finding]:
    fact = FACTS.match(str(condition.value)) if condition.value is not None else None
    if condition.operator not in ("eq", "ne") or (condition.value is not None and fact is None):
        message = f"'{condition.field}' is a concept, which holds or does not hold."
        action = f'Write {{"concept": "{concept}"}}, with "negate": true for its opposite.'
        yield Issue("concept_as_field", f"{path}/field", message, action=action)
        return
    denied = (fact is not None and fact.word == "false", condition.operator == "ne")
    negate = condition.negate ^ denied[0] ^ denied[1]
    after = {"field": None, "operator": None, "value": None, "concept": concept, "negate": negate}
    puts = tuple(Put(f"{path}/{name}", value) for name, value in after.items())
    yield Edit(
        f"{path}/field", condition.field, {"concept": concept, "negate": negate}, "It is a concept.", puts
    )


RULE = Rule(
    id="field_names",
    name="a field in other words",
    rationale=(
        "Published names, labels and synonyms are declared by the pack; a misspelling beyond doubt "
        "means one field."
    ),
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
