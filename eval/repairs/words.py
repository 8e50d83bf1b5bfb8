"""The words of a frame: where each stands, what it means, and which other words could stand there."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from rapidfuzz import process
from rapidfuzz.distance import OSA

from groundframe.eval.repairs.ground import Ground
from groundframe.eval.repairs.paths import CONSTRAINTS, Data, Path, conditions, parts, resolve
from groundframe.frames.likeness import digits
from groundframe.frames.terms import PLACE
from groundframe.schema.model import GAZETTEER, Entity, EntityField
from groundframe.schema.vocabulary import fold, fold_name
from groundframe.validator import vocabulary as words
from groundframe.validator.vocabulary import vocabulary

__all__ = ["Site", "Sites", "folded", "value_words"]

EQUALITY = ("eq", "ne", "in", "not_in")
Known = Mapping[str, str]
"""Folded words, each with what it means."""


def folded(text: str) -> str:
    """A word of the vocabulary as it is compared."""
    return fold(text.replace("_", " "))


@dataclass(frozen=True, eq=False)
class Site:
    """One word of a frame.

    ``entity`` is the entity it belongs to, where it matters; ``known`` are the words that may stand there.
    """

    kind: str
    path: Path
    text: str
    known: Known
    fold: Callable[[str], str] = folded
    entity: Entity | None = None
    field: EntityField | None = None

    @property
    def meaning(self) -> str | None:
        """What the word means, None where it is not known."""
        return self.known.get(self.fold(self.text))

    @property
    def alternatives(self) -> list[str]:
        """Other words of the same meaning."""
        own = self.fold(self.text)
        return [word for word, meaning in self.known.items() if meaning == self.meaning and word != own]

    def clash(self, text: str) -> str:
        """Whether another text says something else (``other``), or is as near to that (``as_near``).

        Nearness is counted as the validator does, in edits.
        """
        key = self.fold(text)
        if key in self.known:
            return "" if self.known[key] == self.meaning else "other"
        numbers = digits(key)
        rivals: list[int] = []
        own: list[int] = []
        for word, edits, _ in process.extract(
            key, list(self.known), scorer=OSA.distance, score_cutoff=4, limit=None
        ):
            if digits(word) == numbers:
                (own if self.known[word] == self.meaning else rivals).append(int(edits))
        return "as_near" if rivals and min(rivals) <= min(own, default=99) else ""


def value_words(field: EntityField) -> dict[str, str]:
    """The words for a category's values and groups, each with the values it means, one per line."""
    known: dict[str, str] = {}
    unknown = field.unknown_values[:1]
    for pick in (lambda v: (v.value, v.label, *v.aliases), lambda v: v.synonyms):
        for value in field.values:
            meaning = unknown[0] if value.value in field.unknown_values else value.value
            for word in pick(value):
                if word:
                    known.setdefault(fold(word), meaning)
    for name, members in field.groups.items():
        for word in (name, *field.group_synonyms.get(name, ())):
            known.setdefault(fold(word), "\n".join(members))
    return known


class Sites:
    """Finds the words of frames over one ground."""

    def __init__(self, ground: Ground) -> None:
        self.pack = ground.pack
        self.names = ground.names
        self.vocabulary = vocabulary(ground.pack)
        self._names: dict[str, Known] = {}

    @cached_property
    def measures(self) -> Known:
        """The words for measures of the pack and aggregates."""
        return {**words.AGGREGATES.words, **self.vocabulary.measures.words}

    def entity(self, frame: Data, mention: str | None) -> Entity | None:
        """The entity of the target that a constraint means."""
        part = resolve(frame, mention)
        match = self.vocabulary.entities.match(part.get("entity", "")) if part else None
        return self.pack.entity(match.word) if match and match.basis != "fuzzy" else None

    def field(self, entity: Entity | None, name: object) -> EntityField | None:
        """The field of an entity that a frame names."""
        match = self.vocabulary.fields(entity).match(name) if entity and isinstance(name, str) else None
        return entity.field(match.word) if entity and match and match.basis != "fuzzy" else None

    def of(self, frame: Data) -> Iterator[Site]:
        """Every word of a frame."""
        yield from self._parts(frame)
        yield from self._conditions(frame)
        yield from self._constraints(frame)
        yield from self._numbers(frame)

    def _parts(self, frame: Data) -> Iterator[Site]:
        for path, part in parts(frame):
            target = path[0] == "targets"
            lexicon = self.vocabulary.entities if target else self.vocabulary.anchors
            if "entity" in part:
                yield Site("entity", (*path, "entity"), part["entity"], lexicon.words)
            if target:
                yield Site("role", (*path, "role"), part["role"], words.ROLES.words)
            for number, name in enumerate(part.get("names", ())):
                known = self.place_words(part.get("entity", PLACE), name)
                yield Site("place", (*path, "names", number), name, known, self.fold_name)

    def _conditions(self, frame: Data) -> Iterator[Site]:
        for path, condition, role in conditions(frame):
            entity = self.entity(frame, role)
            if entity is None:
                continue
            field = self.field(entity, condition.get("field"))
            if "concept" in condition:
                known = self.vocabulary.concepts.words
                yield Site("concept", (*path, "concept"), condition["concept"], known, entity=entity)
            if field is None:
                continue
            known = self.vocabulary.fields(entity).words
            yield Site("field", (*path, "field"), condition["field"], known, entity=entity, field=field)
            if "operator" in condition:
                site = (*path, "operator")
                yield Site(
                    "operator", site, condition["operator"], words.OPERATORS.words, entity=entity, field=field
                )
            yield from self._values(path, condition, entity, field)

    def _values(self, path: Path, condition: Data, entity: Entity, field: EntityField) -> Iterator[Site]:
        value = condition.get("value")
        listed = list(enumerate(value)) if isinstance(value, list) else [(None, value)]
        for number, one in listed:
            where = (*path, "value") if number is None else (*path, "value", number)
            if not isinstance(one, str):
                continue
            if field.type.startswith("category"):
                yield Site("value", where, one, value_words(field), fold, entity, field)
            elif field.name == entity.name_field and condition.get("operator") in EQUALITY:
                known = self.place_words(entity.name, one)
                yield Site("place", where, one, known, self.fold_name, entity, field)

    def _constraints(self, frame: Data) -> Iterator[Site]:
        ids = {
            folded(str(part.get("id", part.get("role", "anchor")))): str(number)
            for number, (_, part) in enumerate(parts(frame))
        }
        for name in (*CONSTRAINTS, "measures", "group_by"):
            for number, constraint in enumerate(frame.get(name, ())):
                for end in ("target_role", "reference_role"):
                    if end in constraint:
                        yield Site("mention", (name, number, end), constraint[end], ids)
        for number, constraint in enumerate(frame.get("spatial_constraints", ())):
            path = ("spatial_constraints", number, "relation")
            yield Site("relation", path, constraint["relation"], words.RELATIONS.words)
        for number, constraint in enumerate(frame.get("temporal_constraints", ())):
            for place, day in enumerate(constraint.get("weekdays", ())):
                yield Site(
                    "weekday", ("temporal_constraints", number, "weekdays", place), day, words.WEEKDAYS.words
                )

    def _numbers(self, frame: Data) -> Iterator[Site]:
        own = {measure.get("name") for measure in frame.get("measures", ())}
        for number, measure in enumerate(frame.get("measures", ())):
            yield Site("measure", ("measures", number, "measure"), measure["measure"], self.measures)
        ranking = frame.get("ranking")
        if ranking and ranking["metric"] not in own:
            yield Site("measure", ("ranking", "metric"), ranking["metric"], self.measures)
        if ranking and "order" in ranking:
            yield Site("word", ("ranking", "order"), ranking["order"], words.ORDERS.words)
        for number, group in enumerate(frame.get("group_by", ())):
            if "time" in group:
                yield Site("word", ("group_by", number, "time"), group["time"], words.TIME_BUCKETS.words)

    def fold_name(self, text: str) -> str:
        """A name as it is compared."""
        return fold_name(text, self.pack)

    def place_words(self, entity: str, name: str) -> Known:
        """The names among which one is looked up: of the entity, or of the kinds of place down to its own."""
        match = self.vocabulary.anchors.match(entity)
        if match is None or match.word != PLACE:
            return self.names_of(match.word if match else entity)
        known: dict[str, str] = {}
        for kind in self.pack.place_kinds():
            known |= {word: meaning for word, meaning in self.names_of(kind).items() if word not in known}
            if self.fold_name(name) in known:
                break
        return known

    def names_of(self, entity: str) -> Known:
        """The names of an entity or of the gazetteer, with their declared aliases."""
        if entity not in self._names:
            gazetteer = [(place.name, *place.aliases) for place in self.pack.gazetteer]
            groups = (
                gazetteer if entity == GAZETTEER else [(name,) for name in self.names.distinct_names(entity)]
            )
            known = {self.fold_name(word): self.fold_name(group[0]) for group in groups for word in group}
            for same in self.pack.name_aliases.get(entity, ()):
                keys = [self.fold_name(name) for name in same]
                held = [key for key in keys if key in known]
                if len(held) == 1:
                    known |= dict.fromkeys(keys, held[0])
            self._names[entity] = known
        return self._names[entity]
