"""Names of a dataset with one typo each: read right, asked about, refused, or taken for another."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from random import Random
from typing import Any

from groundframe.eval.repairs.ground import Ground
from groundframe.eval.repairs.typos import typo
from groundframe.eval.repairs.words import Sites
from groundframe.schema.model import GAZETTEER
from groundframe.validator.outcomes import Checked, NeedsChoice

__all__ = ["NAME_GRADES", "MistypedName", "mistyped_names", "name_figures"]

NAME_GRADES = ("right", "asked", "asked_in_vain", "rejected", "wrong", "other")
"""``asked``: the right one is among the candidates; ``other``: the typo made the name of another feature."""


@dataclass(frozen=True, slots=True)
class MistypedName:
    """A name as typed, and what the validator made of it."""

    entity: str
    name: str
    typed: str
    grade: str
    read_as: tuple[str, ...]


def mistyped_names(ground: Ground, entities: Iterable[str] = (), seed: int = 1) -> Iterator[MistypedName]:
    """One typo in every name that only one feature bears, of the entities or of all that a place may be.

    Parameters
    ----------
    entities : iterable of str
        Canonical entity names.
    seed : int
        Of the typos; the same ground and seed give the same ones.
    """
    sites = Sites(ground)
    for entity in tuple(entities) or [kind for kind in ground.pack.place_kinds() if kind != GAZETTEER]:
        known = sites.names_of(entity)
        folded = Counter(sites.fold_name(name) for name in ground.names.distinct_names(entity))
        for name in ground.names.distinct_names(entity):
            features = ground.names.features(entity, [name])
            typed = typo(Random(f"{seed} {entity} {name}"), name)
            if len(features) > 1 or folded[sites.fold_name(name)] > 1 or typed is None:
                continue
            other = known.get(sites.fold_name(typed), sites.fold_name(name)) != sites.fold_name(name)
            yield _mistyped(ground, entity, name, typed, features[0].key, other=other)


def _mistyped(ground: Ground, entity: str, name: str, typed: str, key: str, *, other: bool) -> MistypedName:
    outcome = ground.check({"targets": [{"entity": entity, "role": "primary", "names": [typed]}]})
    if isinstance(outcome, Checked):
        target = outcome.frame.targets[0]
        grade = "right" if target.keys == (key,) else "other" if other else "wrong"
        return MistypedName(entity, name, typed, grade, target.names)
    if isinstance(outcome, NeedsChoice):
        candidates = [candidate for choice in outcome.choices for candidate in choice.candidates]
        grade = (
            "asked" if any(one.key == key for one in candidates) else "other" if other else "asked_in_vain"
        )
        return MistypedName(entity, name, typed, grade, tuple(one.name for one in candidates))
    return MistypedName(entity, name, typed, "rejected", ())


def name_figures(names: Iterable[MistypedName]) -> dict[str, dict[str, Any]]:
    """Counts and shares per entity; shares leave out what is another feature's name."""
    counts: dict[str, Counter[str]] = {}
    for one in names:
        counts.setdefault(one.entity, Counter())[one.grade] += 1
    figures: dict[str, dict[str, Any]] = {}
    for entity, grades in counts.items():
        n = grades.total() - grades["other"]
        shares = {
            grade: round(grades[grade] / n, 4) if n else 0.0 for grade in NAME_GRADES if grade != "other"
        }
        figures[entity] = {"n": n, **{grade: grades[grade] for grade in NAME_GRADES}, "shares": shares}
    return figures
