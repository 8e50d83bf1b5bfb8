"""Slots: what a model may fill in, what that means, and the examples it is shown."""

from __future__ import annotations

import json
from typing import Any, cast

import jsonschema
import pytest
from rapidfuzz import fuzz

from groundframe.api import validate
from groundframe.eval import published
from groundframe.eval.questions.sets import SETS, read_set
from groundframe.frames.model_interpreter.filling import SlotsError
from groundframe.frames.model_interpreter.prompt import ALIKE, CORE, Prompt, examples_of
from groundframe.frames.model_interpreter.slots import SlotForm
from groundframe.frames.names import NameIndex
from groundframe.schema.packs import load_pack
from groundframe.validator.outcomes import Checked

PACK = load_pack("massachusetts")
FORM = SlotForm(PACK)
BANK = examples_of(PACK)


def frame(slots: dict[str, Any]) -> dict[str, Any]:
    """The frame as JSON has it, without what is only named."""
    found: dict[str, Any] = FORM.frame(slots).model_dump(mode="json", by_alias=True, exclude_defaults=True)
    return found


def strict(schema: Any) -> None:
    """Fail unless every object requires all its keys and takes no others."""
    if isinstance(schema, dict):
        if "properties" in schema:
            assert schema["required"] == list(schema["properties"])
            assert schema["additionalProperties"] is False
        assert not {"default", "allOf", "minLength", "maxLength", "if"} & schema.keys()
        for name, part in schema.items():
            for one in part.values() if name in ("properties", "$defs") else [part]:
                strict(one)
    elif isinstance(schema, list):
        for part in schema:
            strict(part)


@pytest.mark.parametrize("form", ["slots", "frame"])
def test_schemas_are_strict(form: Any) -> None:
    schema = Prompt(FORM, form, every=True).schema
    jsonschema.Draft202012Validator.check_schema(schema)
    strict(schema)


def test_lists_of_a_small_model_have_an_end() -> None:
    lists = [one for one in FORM.schema(every=False)["properties"].values() if one["type"] == "array"]
    assert len(lists) == 7
    assert all(0 < one["maxItems"] < 30 for one in lists)


@pytest.mark.parametrize(("question", "slots"), BANK)
def test_an_example_keeps_the_schema_and_is_a_valid_frame(question: str, slots: dict[str, Any]) -> None:
    jsonschema.validate(slots, FORM.schema(every=False))
    if "unsupported" in slots:
        assert list(slots) == ["unsupported"]
        return
    outcome = validate(FORM.frame(slots, question), pack=PACK)
    assert isinstance(outcome, Checked), outcome
    # Nearness without a distance is the one thing that an example leaves to the validator.
    assert {repair.rule for repair in outcome.repairs} <= {"relation_shape"}


def test_no_example_is_like_a_question_of_an_evaluation() -> None:
    asked = [entry.question for name in SETS for entry in read_set(name, "all")]
    asked += [str(one["question"]) for one in published.published_frames().values()]
    assert len(asked) > 500
    alike = [
        (example, round(score))
        for example, _ in BANK
        if (score := max(fuzz.token_set_ratio(one.casefold(), example.casefold()) for one in asked)) >= 90
    ]
    assert alike == []


def test_examples_are_those_most_like_the_question_and_the_question_comes_last() -> None:
    prompt = Prompt(FORM, "slots", every=False)
    messages = prompt.messages("4 schools in Chicopee by crashes within 350 m from 1pm to 3pm")
    assert [one["role"] for one in messages] == ["system", *["user", "assistant"] * (CORE + ALIKE), "user"]
    assert messages[-3]["content"] == "4 schools in Gardner by crashes within 350 m from 2pm to 4pm"
    # The beginning is the same for all, so that a server need not read it again.
    same = 1 + 2 * CORE
    assert messages[:same] == prompt.messages("crashes")[:same]


def test_what_a_question_says_about_when_is_shown_by_an_example() -> None:
    prompt = Prompt(FORM, "slots", every=False)
    asked = "schools in Leominster without a crosswalk"
    replies = [one["content"] for one in prompt.messages(asked)[1 + 2 * CORE :]]
    assert not any("hour_from" in one for one in replies)
    replies = [one["content"] for one in prompt.messages(f"{asked} 2pm to 5pm")[1 + 2 * CORE :]]
    assert any("hour_from" in one for one in replies)


def test_prompts_hold_no_name_of_the_data() -> None:
    said = Prompt(FORM, "slots", every=True).system + Prompt(FORM, "frame", every=True).system
    assert not [place.name for place in PACK.gazetteer if place.name in said]


def test_counted_things_are_near_what_is_asked_for() -> None:
    slots = {"asked_for": "School", "counted": "Crash", "distance": "500 m", "order": "lowest", "top_n": 3}
    made = frame({**slots, "conditions": ["sidewalk: none"]})
    assert made["spatial_constraints"][0] == {
        "relation": "within_distance",
        "target_role": "support",
        "reference_role": "primary",
        "distance_m": 500.0,
    }
    assert made["attribute_constraints"][0]["target_role"] == "support"
    assert made["ranking"] == {"metric": "crash_count", "order": "lowest", "top_n": 3}


def test_a_third_thing_is_near_what_is_counted_in_areas() -> None:
    slots = {"asked_for": "Town", "counted": "Crash", "other": "School", "how": "near", "distance": "0.5 km"}
    made = frame({**slots, "order": "highest", "top_n": 4})
    (near,) = made["spatial_constraints"]
    assert (near["target_role"], near["reference_role"], near["distance_m"]) == ("support", "filter", 500.0)


def test_without_is_a_negated_filter() -> None:
    made = frame({"asked_for": "School", "other": "Crosswalk", "how": "without", "distance": "100 m"})
    assert made["spatial_constraints"][0]["negate"] is True
    assert [one["role"] for one in made["targets"]] == ["primary", "filter"]


def test_a_number_that_the_crash_carries_needs_no_road_and_a_condition_is_the_roads() -> None:
    slots = {"asked_for": "Crash", "other": "Road", "how": "on"}
    made = frame({**slots, "number_of": "speed limit", "number_is": "over", "number": 40})
    assert [one["entity"] for one in made["targets"]] == ["Crash"]
    made = frame({**slots, "conditions": ["sidewalk: none", "fatal crash"]})
    assert [one["entity"] for one in made["targets"]] == ["Crash", "Road"]
    assert [one["target_role"] for one in made["attribute_constraints"]] == ["primary", "filter"]


def test_a_street_by_name_is_all_of_its_segments_and_a_site_is_itself() -> None:
    made = frame({"asked_for": "Crash", "other": "Road", "how": "on", "named": ["Birch Lane"]})
    condition = {"target_role": "filter", "field": "name", "operator": "eq", "value": "Birch Lane"}
    assert made["attribute_constraints"] == [condition]
    made = frame(
        {"asked_for": "Crash", "other": "School", "how": "near", "named": ["Oak School", "Elm School"]}
    )
    assert made["targets"][1]["names"] == ["Oak School", "Elm School"]


@pytest.mark.parametrize(
    ("question", "near"),
    [
        ("schools in Lowell 90 m from crosswalks", "primary"),
        ("schools 90 m from crosswalks in Lowell", "filter"),
    ],
)
def test_an_area_behind_a_distance_is_that_of_the_things_there(question: str, near: str) -> None:
    slots = {"asked_for": "School", "in": ["Lowell"], "other": "Crosswalk", "how": "near", "distance": "90m"}
    made = FORM.frame(slots, question)
    placed = [one.target_role for one in made.spatial_constraints if one.relation == "within"]
    assert placed == ([] if near == "primary" else ["filter"])


def test_what_is_asked_about_may_be_in_whatever_bears_the_name() -> None:
    class Names:
        def distinct_names(self, entity: str, field: str = "") -> list[str]:
            return {"Town": ["Lowell"], "Road": ["Birch Lane"]}.get(entity, [])

    form = SlotForm(PACK, cast("NameIndex", Names()))
    place = next(one.name for one in PACK.gazetteer)
    made = form.frame({"asked_for": "Crash", "in": ["lowell", "Birch Ln", place, "Nowhere"]})
    assert [(one.entity, one.role, one.names) for one in made.targets] == [
        ("Crash", "primary", ()),
        ("Town", "scope", ("lowell", "Nowhere")),
        ("Road", "filter", ()),
    ]
    assert [one.names for one in made.references] == [(place,)]
    assert made.attribute_constraints[0].value == "Birch Ln"


def test_two_values_of_a_field_are_either_and_two_fields_are_both() -> None:
    conditions = ["road surface: Ice", "road surface: Snow", "light: dark"]
    made = frame({"asked_for": "Crash", "conditions": conditions})["attribute_constraints"]
    assert [(one["operator"], one["value"]) for one in made] == [("in", ["Ice", "Snow"]), ("eq", "dark")]


def test_a_corner_is_two_streets_with_their_town() -> None:
    made = frame({"asked_for": "Crash", "near": "the corner of A St and B Rd, Salem"})
    assert made["references"][0] == {
        "entity": "Intersection",
        "id": "anchor",
        "names": ["A St", "B Rd"],
        "town": "Salem",
    }


def test_what_says_nothing_is_left_out() -> None:
    made = frame({"asked_for": "Crash", "in": ["unknown"], "near": "None", "group_by": "crash"})
    assert [one["entity"] for one in made["targets"]] == ["Crash"]
    assert not made.keys() & {"references", "group_by", "measures"}


def test_times_of_words_and_numbers() -> None:
    made = frame({"asked_for": "Crash", "period": "night", "last": "3 years", "weekdays": ["sat"]})
    (when,) = made["temporal_constraints"]
    assert when["hours"] == [{"from": "20:00", "to": "06:00"}]
    assert (when["last"], when["weekdays"]) == ("last 3 years", ["sat"])


@pytest.mark.parametrize(
    ("slots", "path"),
    [
        ({}, "/asked_for"),
        ({"asked_for": "Crash", "near": "X", "near_distance": "soon"}, "/near_distance"),
        ({"asked_for": "School", "conditions": ["fatal crash"]}, "/conditions"),
        ({"asked_for": "School", "years": [2020]}, "/years"),
        ({"asked_for": "Crash", "named": ["X"]}, "/named"),
        ({"asked_for": "School", "number_of": "speed limit", "number": 30}, "/number_of"),
    ],
)
def test_slots_that_do_not_fit_are_issues(slots: dict[str, Any], path: str) -> None:
    with pytest.raises(SlotsError) as caught:
        FORM.frame(slots)
    assert [issue.path for issue in caught.value.issues] == [path]


def test_the_bank_is_of_the_size_that_was_meant() -> None:
    assert 40 <= len(BANK) <= 80
    assert len({question for question, _ in BANK}) == len(BANK)
    assert len(json.dumps(BANK)) < 30_000
