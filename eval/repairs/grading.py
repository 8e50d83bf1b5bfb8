"""What became of a mutant, held against the original's checked frame."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice, product
from time import thread_time
from typing import Any

from groundframe.errors import FrameError
from groundframe.eval.repairs.ground import Ground
from groundframe.eval.repairs.mutation import Mutant
from groundframe.eval.repairs.originals import Original
from groundframe.frames.model import Frame
from groundframe.validator.outcomes import Checked, Choice, NeedsChoice, Outcome, Rejected

__all__ = ["GRADES", "Graded", "grade", "meaning"]

GRADES = ("restored", "unaffected", "asked", "asked_in_vain", "rejected", "wrong", "guessed", "other")
"""``restored``: the original's checked frame, on record; ``unaffected``: the same without a further record.
``asked``: a choice that leads to the original; ``asked_in_vain``: only to others. ``rejected``: with its
issues. ``wrong``: another checked frame. ``guessed``: the original, though another meaning was as near.
``other``: the new word is one for something else; nothing is wrong with it, and no share counts it."""

ROUNDS, COMBINATIONS = 4, 8


@dataclass(frozen=True, slots=True)
class Graded:
    """A mutant with its grade, what the validator said, and the milliseconds of processor time it took."""

    mutant: Mutant
    grade: str
    said: str
    milliseconds: float


def grade(ground: Ground, mutant: Mutant, original: Original) -> Graded:
    """Validate a mutant and hold the outcome against the original."""
    start = thread_time()
    outcome = ground.check(mutant.frame)
    milliseconds = 1000 * (thread_time() - start)
    return Graded(mutant, _grade(ground, mutant, original, outcome), _said(outcome), milliseconds)


def _grade(ground: Ground, mutant: Mutant, original: Original, outcome: Outcome | FrameError) -> str:
    truth = meaning(original.truth)
    if mutant.change.clash == "other" and not (
        isinstance(outcome, Checked) and meaning(outcome.frame) == truth
    ):
        return "other"
    if isinstance(outcome, Checked):
        if meaning(outcome.frame) != truth:
            return "wrong"
        if mutant.change.clash == "as_near":
            return "guessed"
        records = len(outcome.repairs) + len(outcome.normalised)
        return "restored" if records > original.records else "unaffected"
    if isinstance(outcome, NeedsChoice):
        return "asked" if _leads_to(ground, mutant.frame, outcome, original.truth) else "asked_in_vain"
    return "rejected"


def _leads_to(ground: Ground, frame: Mapping[str, Any], asked: NeedsChoice, truth: Frame) -> bool:
    """Whether choosing what the original says, round after round, ends at the original."""
    wanted, known = meaning(truth), truth.model_dump_json()
    rounds: list[tuple[dict[str, str], Outcome | FrameError]] = [({}, asked)]
    for _ in range(ROUNDS):
        answered = [
            {**chosen, **dict(zip((choice.id for choice in outcome.choices), keys, strict=True))}
            for chosen, outcome in rounds
            if isinstance(outcome, NeedsChoice)
            for keys in islice(
                product(*(_fitting(choice, known) for choice in outcome.choices)), COMBINATIONS
            )
        ]
        rounds = [(chosen, ground.check(frame, chosen)) for chosen in answered]
        if any(isinstance(outcome, Checked) and meaning(outcome.frame) == wanted for _, outcome in rounds):
            return True
    return False


def _fitting(choice: Choice, known: str) -> list[str]:
    """The candidates that the original has."""
    words = ((candidate.key, (candidate.key, candidate.name)) for candidate in choice.candidates)
    return [key for key, two in words if any(json.dumps(word, ensure_ascii=False) in known for word in two)]


def meaning(frame: Frame) -> str:
    """A checked frame as text that is the same for the same meaning.

    Ids, the order of parts and constraints, and names beside keys do not matter; a scope and an anchor of the
    same features mean the same, but for an anchor of the primary's own entity, which the results leave out. A
    symmetric relation reads both ways, and one value is a list of one.
    """
    data = frame.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    own = next((target["entity"] for target in data["targets"] if target["role"] == "primary"), "")
    ids: dict[str, str] = {}
    described = []
    for part in (*data.pop("targets"), *data.pop("references", ())):
        name = part.pop("id")
        part.pop("names", None)
        if part.get("role", "anchor") in ("scope", "anchor") and part.get("entity") != own:
            part["role"] = "place"
        described.append((json.dumps(part, sort_keys=True), name))
    for number, (_, name) in enumerate(sorted(described, key=lambda item: item[0])):
        ids[name] = f"part {number}"
    data = {name: _plain(value, ids) for name, value in data.items() if name not in ("question", "notes")}
    for name in ("spatial_constraints", "attribute_constraints", "temporal_constraints", "having"):
        data[name] = sorted(json.dumps(one, sort_keys=True) for one in data.get(name, ()))
    return json.dumps([sorted(text for text, _ in described), data], sort_keys=True)


def _plain(value: Any, ids: Mapping[str, str]) -> Any:
    if isinstance(value, dict):
        ends = ("target_role", "reference_role")
        plain = {name: ids.get(one, one) if name in ends else _plain(one, ids) for name, one in value.items()}
        return _one_way(plain) if "relation" in plain else _listed(plain) if "operator" in plain else plain
    if isinstance(value, list):
        return [_plain(one, ids) for one in value]
    return round(value, 5) if isinstance(value, float) else value


def _one_way(relation: dict[str, Any]) -> dict[str, Any]:
    ends = relation["target_role"], relation["reference_role"]
    if relation["relation"] in ("within_distance", "intersects") and ends[0] > ends[1]:
        return {**relation, "target_role": ends[1], "reference_role": ends[0]}
    if relation["relation"] == "contains":
        return {**relation, "relation": "within", "target_role": ends[1], "reference_role": ends[0]}
    return relation


def _listed(test: dict[str, Any]) -> dict[str, Any]:
    operator, value = test["operator"], test.get("value")
    if operator in ("in", "not_in") and isinstance(value, list):
        return {**test, "value": sorted(value, key=str)}
    listed = {"eq": "in", "ne": "not_in"}
    return {**test, "operator": listed[operator], "value": [value]} if operator in listed else test


def _said(outcome: Outcome | FrameError) -> str:
    """What a reader of the report needs to see of an outcome."""
    if isinstance(outcome, FrameError | Rejected):
        return " | ".join(issue.sentence() for issue in outcome.issues[:3])
    if isinstance(outcome, NeedsChoice):
        return " | ".join(
            f"{one.text} {[candidate.name for candidate in one.candidates[:5]]}" for one in outcome.choices
        )
    records = (*outcome.repairs, *outcome.normalised)
    return " | ".join(
        f"{one.path}: {one.message}" for one in records if one.safety != "declared" or one.before is not None
    )
