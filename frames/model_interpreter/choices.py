"""The words of a pack that a model may put into slots, and what each of them means."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from groundframe.frames.terms import TIME_BUCKETS
from groundframe.schema.model import Concept, Entity, EntityField, Pack

__all__ = ["Choices"]


@dataclass(frozen=True)
class Choices:
    """What the slots of a pack may hold: labels, which a small model copies, with what they stand for."""

    pack: Pack

    @cached_property
    def entities(self) -> tuple[str, ...]:
        """What can be asked for, near or counted."""
        return tuple(entity.name for entity in self.pack.entities if not entity.optional)

    @cached_property
    def area(self) -> Entity:
        """The entity of the areas that questions are about."""
        return next(one for one in self.pack.entities if "scope" in one.roles and not one.optional)

    @cached_property
    def conditions(self) -> dict[str, dict[str, dict[str, Any]]]:
        """By label, the condition for each entity that it can hold for."""
        found: dict[str, dict[str, dict[str, Any]]] = {}
        for concept in self.pack.concepts:
            found.setdefault(concept.label, {})[concept.entity] = {"concept": concept.name}
        said = {test for concept in self.pack.concepts for test in _said(concept)}
        for entity, field in self._fields():
            if not field.type.startswith("category") or field.values_from:
                continue
            operator = "contains" if field.type == "category_list" else "eq"
            words = [(one.label or one.value, one.value, frozenset((one.value,))) for one in field.values]
            words += [
                (name.replace("_", " "), name, frozenset(parts)) for name, parts in field.groups.items()
            ]
            for label, value, parts in words:
                if value in field.unknown_values or (entity.name, field.name, parts) in said:
                    continue
                made = {"field": field.name, "operator": operator, "value": value}
                found.setdefault(f"{self._name(entity, field)}: {label}", {})[entity.name] = made
        return found

    @cached_property
    def numbers(self) -> dict[str, dict[str, str]]:
        """By label, the numeric field of each entity that has it."""
        found: dict[str, dict[str, str]] = {}
        for entity, field in self._fields():
            if field.type in ("number", "integer"):
                found.setdefault(field.label, {})[entity.name] = field.name
        return found

    @cached_property
    def measures(self) -> dict[str, str]:
        """By label, the name of the measure."""
        return {measure.label: measure.name for measure in self.pack.measures}

    @cached_property
    def groups(self) -> dict[str, tuple[str, str]]:
        """By label, what rows may be divided by: a time, an area or a category."""
        found = {bucket: ("time", bucket) for bucket in TIME_BUCKETS}
        found |= {one.label: ("entity", one.name) for one in self.pack.entities if not one.optional}
        for entity, field in self._fields():
            if field.type == "category" and not field.values_from and entity.date_field:
                found.setdefault(field.label, ("field", field.name))
        return found

    @cached_property
    def periods(self) -> dict[str, dict[str, Any]]:
        """By label, the times of a named period."""
        found = {}
        for period in self.pack.periods:
            hours = [{"from": f"{one:%H:%M}", "to": f"{other:%H:%M}"} for one, other in period.hours]
            parts = {"hours": hours, "months": list(period.months), "weekdays": list(period.weekdays)}
            found[period.label] = {name: part for name, part in parts.items() if part}
        return found

    def count_of(self, entity: str) -> str:
        """The measure that counts features of an entity."""
        own = (one for one in self.pack.measures if one.entity == entity and one.where is None)
        return next((one.name for one in own if one.kind == "count"), "count")

    def _fields(self) -> Iterator[tuple[Entity, EntityField]]:
        for name in self.entities:
            entity = self.pack.entity(name)
            yield from ((entity, field) for field in entity.fields if not field.internal)

    def _name(self, entity: Entity, field: EntityField) -> str:
        """What a field is called: by itself where it is a common one, with its entity where it is not."""
        main = self.pack.entity(self.pack.measures[0].entity)
        common = any(one.name == field.name for one in main.fields)
        return field.label if common else f"{entity.label} {field.label}"


def _said(concept: Concept) -> Iterator[tuple[str, str, frozenset[str]]]:
    """The values of a field that mean no more than the concept does."""
    condition = concept.variant().condition
    for test in condition.any_of or (condition,):
        values = test.value if isinstance(test.value, list) else [test.value]
        alone = sum(one.field == test.field for one in condition.any_of) <= 1
        if test.field is not None and alone and all(isinstance(value, str) for value in values):
            yield concept.entity, test.field, frozenset(str(value) for value in values)
