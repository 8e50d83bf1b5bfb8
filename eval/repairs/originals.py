"""Frames whose right reading is known: published ones, examples, and others drawn from pack and names."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random

from groundframe.eval.published import published_frames
from groundframe.eval.repairs.ground import Ground
from groundframe.eval.repairs.paths import Data
from groundframe.frames.model import Frame
from groundframe.frames.terms import PLACE
from groundframe.schema.model import Entity, EntityField
from groundframe.validator.outcomes import Checked

__all__ = ["Original", "draw_original", "original", "written_originals"]

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
DISTANCES = (100.0, 200.0, 250.0, 500.0, 800.0, 1000.0, 2000.0)
WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
OPERATORS = {
    "category": ("eq", "eq", "ne", "in", "not_in"),
    "category_list": ("contains",),
    "number": ("gt", "gte", "lt", "lte", "between", "eq", "is_null", "not_null"),
    "integer": ("gt", "gte", "lt", "lte", "between", "eq"),
    "boolean": ("eq",),
}


@dataclass(frozen=True, slots=True)
class Original:
    """A frame, the checked frame that it means, and how many records went into that."""

    source: str
    frame: Data
    truth: Frame
    records: int


def original(ground: Ground, source: str, frame: Data) -> Original | None:
    """The original, None when anything in the frame had to be put right, asked or refused."""
    outcome = ground.check(frame)
    if not isinstance(outcome, Checked) or any(repair.before is not None for repair in outcome.repairs):
        return None
    return Original(source, frame, outcome.frame, len(outcome.repairs) + len(outcome.normalised))


def written_originals(ground: Ground) -> list[Original]:
    """The published frames, and the examples where they are at hand."""
    frames = [(f"published {name}", frame) for name, frame in published_frames().items()]
    frames += [
        (f"example {path.stem}", json.loads(path.read_text(encoding="utf-8")))
        for path in sorted(EXAMPLES.glob("*.json"))
    ]
    return [found for source, frame in frames if (found := original(ground, source, frame))]


def draw_original(ground: Ground, rng: Random) -> Original:
    """A frame drawn over the entities, fields, values and places of the ground."""
    while True:
        if found := original(ground, "drawn", _Drawing(ground, rng).frame()):
            return found


class _Drawing:
    def __init__(self, ground: Ground, rng: Random) -> None:
        self.ground, self.rng, self.pack = ground, rng, ground.pack
        self.loaded = [entity for entity in ground.pack.entities if ground.names.has_rows(entity.name)]
        self.targets: list[Data] = []
        self.constraints: list[Data] = []

    def often(self, share: float) -> bool:
        return self.rng.random() < share

    def frame(self) -> Data:
        """A frame; whether it means anything is for the validator to say."""
        rng = self.rng
        primary = self._target("primary")
        counted = {measure.entity for measure in self.pack.measures}
        support = None
        if primary.name not in counted and self.often(0.6):
            support = self._target("support", counted)
            if not support.links_to(primary.name) or self.often(0.4):
                self._near("support", "primary")
        if self.often(0.25):
            self._target("filter")
            self._near("primary", "filter")
        references = []
        if self.often(0.6):
            scope = self._target("scope")
            names = self.ground.names.distinct_names(scope.name)
            self.targets[-1]["names"] = rng.sample(names, min(len(names), rng.choice([1, 1, 2])))
        elif self.often(0.5):
            references = [self._anchor()]
        varying = [("primary", primary), *([("support", support)] if support else [])]
        frame: Data = {
            "targets": self.targets,
            "references": references,
            "spatial_constraints": self.constraints,
            "attribute_constraints": [
                {"target_role": role, **one}
                for role, entity in varying
                for _ in range(rng.choice([0, 1, 1, 2]))
                for one in self._condition(entity)
            ],
            "temporal_constraints": [
                {"target_role": role, **self._when(entity)}
                for role, entity in varying
                if entity.date_field and self.often(0.5)
            ],
        }
        self._count(frame, primary, support)
        return {name: content for name, content in frame.items() if content}

    def _target(self, role: str, among: set[str] | None = None) -> Entity:
        able = [one for one in self.loaded if role in one.roles and (among is None or one.name in among)]
        entity = self.rng.choice(able)
        self.targets.append({"entity": entity.name, "role": role})
        return entity

    def _near(self, target: str, reference: str) -> None:
        ends = {"target_role": target, "reference_role": reference}
        self.constraints.append(
            {"relation": "within_distance", **ends, "distance_m": self.rng.choice(DISTANCES)}
        )

    def _anchor(self) -> Data:
        """A place of the gazetteer, or a named feature."""
        if self.pack.gazetteer and self.often(0.4):
            reference: Data = {"entity": PLACE, "names": [self.rng.choice(self.pack.gazetteer).name]}
        else:
            able = [
                one
                for one in self.loaded
                if "anchor" in one.roles and self.ground.names.distinct_names(one.name)
            ]
            entity = self.rng.choice(able)
            reference = {
                "entity": entity.name,
                "names": [self.rng.choice(self.ground.names.distinct_names(entity.name))],
            }
        if self.often(0.8):
            self._near("primary", "anchor")
        else:
            ends = {"target_role": "primary", "reference_role": "anchor"}
            self.constraints.append({"relation": "nearest_to", **ends, "k": self.rng.choice([1, 3, 5])})
        return {**reference, "role": "anchor"}

    def _condition(self, entity: Entity) -> Iterator[Data]:
        concepts = [concept for concept in self.pack.concepts if concept.entity == entity.name]
        fields = [
            one
            for one in entity.fields
            if one.type in OPERATORS and not one.internal and one.values_from is None
        ]
        if concepts and self.often(0.35):
            yield {
                "concept": self.rng.choice(concepts).name,
                **({"negate": True} if self.often(0.15) else {}),
            }
        elif entity.name_field and self.often(0.15):
            name = self.rng.choice(self.ground.names.distinct_names(entity.name) or ("",))
            yield {"field": entity.name_field, "operator": "eq", "value": name}
        elif fields:
            yield self._test(self.rng.choice(fields))

    def _test(self, field: EntityField) -> Data:
        operator = self.rng.choice(OPERATORS[field.type])
        test: Data = {"field": field.name, "operator": operator}
        if operator in ("is_null", "not_null"):
            return test
        if field.type == "boolean":
            return {**test, "value": self.often(0.5)}
        if field.type.startswith("category"):
            values = list(dict.fromkeys(self._known(field)))
            count = self.rng.choice([2, 3]) if operator in ("in", "not_in") else 1
            some = self.rng.sample(values, min(count, len(values)))
            return {**test, "value": some if operator in ("in", "not_in") else some[0]}
        low = int(field.minimum or 0) + 1
        high = int(field.maximum or low + 500)
        numbers = sorted(self.rng.sample(range(low, high), 2))
        return {**test, "value": numbers if operator == "between" else numbers[0]}

    def _known(self, field: EntityField) -> Iterator[str]:
        unknown = field.unknown_values
        return (value for value in field.canonical_values() if value not in unknown[1:])

    def _when(self, entity: Entity) -> Data:
        rng = self.rng
        newest = self.ground.names.newest_date(entity.name)
        year = newest.year if newest else 2020
        first = f"{year - rng.randrange(5)}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"
        parts: list[Data] = [
            {"from": first},
            {"to": first},
            {"from": first, "to": f"{year + 1}-{rng.randrange(1, 13):02}-{rng.randrange(1, 29):02}"},
            {"years": [year - rng.randrange(5)]},
            {"months": sorted(rng.sample(range(1, 13), 2))},
            {"weekdays": [rng.choice(WEEKDAYS)]},
        ]
        if entity.time_field:
            start, end = rng.sample(range(24), 2)
            parts += [{"hours": {"from": f"{start:02}:00", "to": f"{end or 24:02}:00"}}] * 3
        return rng.choice(parts)

    def _count(self, frame: Data, primary: Entity, support: Entity | None) -> None:
        rng = self.rng
        if support is not None:
            names = [measure.name for measure in self.pack.measures if measure.entity == support.name]
            ranking = {
                "metric": rng.choice(names),
                "target_role": "primary",
                "order": rng.choice(["highest", "lowest"]),
            }
            frame["ranking"] = {**ranking, "top_n": rng.choice([3, 5, 10, 20])}
        elif primary.date_field and self.often(0.3):
            names = [measure.name for measure in self.pack.measures if measure.entity == primary.name]
            if names:
                frame["measures"] = [{"measure": rng.choice(names), "target_role": "primary"}]
                frame["group_by"] = [
                    {"target_role": "primary", "time": rng.choice(["year", "month", "weekday"])}
                ]
