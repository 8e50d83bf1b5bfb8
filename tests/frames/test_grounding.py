"""A frame that says something else than the question is found out, whoever wrote it."""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from groundframe.eval.published import published_frames
from groundframe.eval.repairs.ground import Ground, synthetic_ground
from groundframe.frames.grounding import Grounding
from groundframe.frames.model import Frame
from groundframe.frames.reading import read_frame
from groundframe.schema.packs import load_pack
from groundframe.validator.outcomes import Checked

Document = dict[str, Any]


@pytest.fixture(scope="module")
def ground() -> Ground:
    return synthetic_ground(load_pack("massachusetts"))


@pytest.fixture(scope="module")
def grounding(ground: Ground) -> Grounding:
    return Grounding(ground.pack, ground.names)


def _checked(ground: Ground, document: Document) -> Frame:
    outcome = ground.check(document)
    assert isinstance(outcome, Checked), outcome
    return outcome.frame


def test_published_frames_say_what_their_questions_say(ground: Ground, grounding: Grounding) -> None:
    for name, document in published_frames().items():
        frame = read_frame(document)
        assert grounding.check(document["question"], frame) == (), name
        assert grounding.check(document["question"], _checked(ground, document)) == (), name


def _drop(key: str) -> Callable[[Document], Iterator[Document]]:
    def change(document: Document) -> Iterator[Document]:
        for number in range(len(document.get(key, ()))):
            changed = copy.deepcopy(document)
            del changed[key][number]
            yield changed

    return change


def _scopes(document: Document) -> Iterator[Document]:
    for number, target in enumerate(document["targets"]):
        if target["role"] == "scope":
            changed = copy.deepcopy(document)
            changed["targets"][number]["names"][0] = "Boston"
            yield changed


def _distances(document: Document) -> Iterator[Document]:
    for number, one in enumerate(document.get("spatial_constraints", ())):
        if "distance_m" in one:
            for change in ({"distance_m": one["distance_m"] * 2}, {"negate": True}):
                changed = copy.deepcopy(document)
                changed["spatial_constraints"][number] |= change
                yield changed


def _operators(document: Document) -> Iterator[Document]:
    for number, one in enumerate(document.get("attribute_constraints", ())):
        other = {"gt": "lt", "eq": "ne"}.get(one.get("operator", ""))
        changed = copy.deepcopy(document)
        changed["attribute_constraints"][number] |= {"operator": other} if other else {"negate": True}
        yield changed


def _ranking(document: Document) -> Iterator[Document]:
    if "ranking" in document:
        for change in ({"order": "lowest"}, {"top_n": 7}):
            yield copy.deepcopy(document) | {"ranking": document["ranking"] | change}
        yield {key: value for key, value in document.items() if key != "ranking"}


def _inventions(document: Document) -> Iterator[Document]:
    rain = {"target_role": "primary", "field": "weather", "operator": "contains", "value": "Rain"}
    if document["targets"][0]["entity"] == "Crash":
        yield document | {"attribute_constraints": [*document.get("attribute_constraints", ()), rain]}
    late = {"target_role": "primary", "years": [2024]}
    yield document | {"temporal_constraints": [*document.get("temporal_constraints", ()), late]}


CHANGES = {
    "conditions": _drop("attribute_constraints"),
    "times": _drop("temporal_constraints"),
    "scopes": _scopes,
    "distances": _distances,
    "operators": _operators,
    "ranking": _ranking,
    "inventions": _inventions,
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_changed_frames_are_found_out(
    change: Callable[[Document], Iterator[Document]], grounding: Grounding
) -> None:
    tried = 0
    for name, document in published_frames().items():
        for changed in change(document):
            tried += 1
            assert grounding.check(document["question"], read_frame(changed)), (name, changed)
    assert tried > 5


def test_spans_and_pointers(grounding: Grounding) -> None:
    question = "fatal crashes in Quincy"
    frame = read_frame(
        {
            "targets": [{"entity": "Crash", "role": "primary"}],
            "temporal_constraints": [{"target_role": "primary", "years": [2020]}],
        }
    )
    found = grounding.check(question, frame)
    assert [(one.kind, question[one.start : one.end]) for one in found if one.kind == "missing"] == [
        ("missing", "fatal crashes"),
        ("missing", "Quincy"),
    ]
    assert [one.path for one in found if one.kind == "invented"] == ["/temporal_constraints/0"]
    assert found[0].issue().code == "missing_in_frame"


def test_names_that_the_validator_put_right_are_grounded(ground: Ground, grounding: Grounding) -> None:
    document = {
        "targets": [
            {"entity": "Crash", "role": "primary"},
            {"entity": "Town", "role": "scope", "names": ["Quincey"]},
        ]
    }
    checked = _checked(ground, document)
    renamed = {"Quincy": "Quincey"}
    assert grounding.check("crashes in Quincey", checked, renamed) == ()
