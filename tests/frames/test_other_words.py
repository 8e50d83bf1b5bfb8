"""Questions in words of many people: each with what it asks, in the parts of a frame."""

from __future__ import annotations

from typing import Any

import pytest

from groundframe.eval.repairs.ground import Ground, synthetic_ground
from groundframe.frames.grounding import Grounding
from groundframe.frames.lexical.interpreter import LexicalInterpreter
from groundframe.schema.packs import load_pack

WEEKDAYS = ["mon", "tue", "wed", "thu", "fri"]


@pytest.fixture(scope="module")
def ground() -> Ground:
    return synthetic_ground(load_pack("massachusetts"))


def read(question: str, ground: Ground) -> dict[str, Any]:
    """The frame of a question that is understood, and grounded."""
    found = LexicalInterpreter(ground.pack, ground.names).interpret(question)
    assert found.frame is not None, (found.leftovers, found.reason)
    assert not Grounding(ground.pack, ground.names).check(question, found.frame)
    document: dict[str, Any] = found.frame.model_dump(
        mode="json", by_alias=True, exclude_none=True, exclude_defaults=True
    )
    return document


@pytest.mark.parametrize(
    ("said", "times"),
    [
        ("not on weekends", {"weekdays": WEEKDAYS}),
        ("(no sat/sun)", {"weekdays": WEEKDAYS}),
        ("outside of 7 to 9 am", {"hours": {"from": "09:00", "to": "07:00"}}),
        ("not in winter", {"months": [3, 4, 5, 6, 7, 8, 9, 10, 11]}),
        ("'21 thru '24", {"from": "2021-01-01", "to": "2024-12-31"}),
        ("in the years 2020 to 2023", {"from": "2020-01-01", "to": "2023-12-31"}),
        ("since the first of july 2019", {"from": "2019-07-01"}),
        ("up to and including 2019", {"to": "2019-12-31"}),
        ("2200-0400", {"hours": {"from": "22:00", "to": "04:00"}}),
        ("on Mondays, also on Fridays", {"weekdays": ["mon", "fri"]}),
        (
            "in the morning or evening",
            {"hours": [{"from": "06:00", "to": "12:00"}, {"from": "18:00", "to": "22:00"}]},
        ),
    ],
)
def test_times(said: str, times: dict[str, Any], ground: Ground) -> None:
    frame = read(f"crashes {said}", ground)
    found: dict[str, Any] = {}
    for one in frame["temporal_constraints"]:
        found |= {name: value for name, value in one.items() if name != "target_role"}
    assert found == times


@pytest.mark.parametrize("said", ["excluding 2020", "every year but 2020", "not in 2020", "except for 2020"])
def test_a_year_that_is_denied_leaves_the_others(said: str, ground: Ground) -> None:
    (times,) = read(f"crashes {said}", ground)["temporal_constraints"]
    assert 2020 not in times["years"]
    assert {2019, 2021} <= set(times["years"])


@pytest.mark.parametrize(
    ("question", "tests"),
    [
        ("roads not posted above 30", [("speed_limit", "lte", 30)]),
        ("roads that don't exceed 40 mph", [("speed_limit", "lte", 40)]),
        ("roads busier than 15,000 cars a day", [("aadt", "gt", 15000)]),
        ("busy roads (20k+ cars a day)", [("aadt", "gte", 20000)]),
        ("road segments less than 50 m in length", [("length", "lt", 50)]),
        ("crashes injuring at least 2", [("persons_injured", "gte", 2)]),
        ("crashes regardless of weather that injured more than 3", [("persons_injured", "gt", 3)]),
    ],
)
def test_bounds(question: str, tests: list[tuple[str, str, float]], ground: Ground) -> None:
    constraints = read(question, ground)["attribute_constraints"]
    assert [(one["field"], one["operator"], one["value"]) for one in constraints] == tests


def test_numbers_between_two_are_of_what_is_counted(ground: Ground) -> None:
    having = read("towns with between 10 and 20 fatal crashes", ground)["having"]
    assert [(one["operator"], one["value"]) for one in having] == [("gte", 10), ("lte", 20)]


@pytest.mark.parametrize(
    ("question", "primary", "groups"),
    [
        ("kinds of schools, how many of each", "School", ["type"]),
        ("types of schools by town", "School", ["type", "Town"]),
        ("crash severity by town", "Crash", ["severity", "Town"]),
        ("crashes by functional class", "Road", ["functional_class"]),
        ("miles of road by town", "Road", ["Town"]),
        ("crashes at the town level", "Crash", ["Town"]),
        ("weekday vs weekend crashes", "Crash", ["weekday"]),
        ("busiest hour for crashes", "Crash", ["hour"]),
        ("how many crashes in the rain and how many in snow", "Crash", ["weather"]),
        ("crashes in 2019, 2021 and 2023 each", "Crash", ["year"]),
    ],
)
def test_groups(question: str, primary: str, groups: list[str], ground: Ground) -> None:
    frame = read(question, ground)
    assert frame["targets"][0]["entity"] == primary
    found = [one.get("field") or one.get("time") or one["entity"] for one in frame["group_by"]]
    assert found == groups


@pytest.mark.parametrize(
    ("question", "metric", "top_n"),
    [
        ("where do the most people get killed? top three towns", "persons_killed", 3),
        ("which crash killed the most people", "persons_killed", 1),
        ("which 3 towns had the most people injured (people, not crashes)", "persons_injured", 3),
        ("bus stops: worst half dozen counting accidents within 75 meters", "crash_count", 6),
        ("rank schools on ped accidents 400m around em", "crash_count", None),
    ],
)
def test_rankings(question: str, metric: str, top_n: int | None, ground: Ground) -> None:
    ranking = read(question, ground)["ranking"]
    assert metric in ranking["metric"]
    assert ranking.get("top_n") == top_n


@pytest.mark.parametrize(
    ("question", "entities"),
    [
        ("every head-on from Quincy's 30+ mph roads", ["Crash", "Town"]),
        ("schools within 200 m of where a cyclist was hit", ["School", "Crash"]),
        ("the nearest fatal to Nubian Square", ["Crash"]),
        ("by town, crashes in 2022", ["Town", "Crash"]),
    ],
)
def test_things_that_only_a_condition_names(question: str, entities: list[str], ground: Ground) -> None:
    assert [one["entity"] for one in read(question, ground)["targets"]] == entities


def test_lists_of_conditions(ground: Ground) -> None:
    (either,) = read("car vs utility pole or car vs tree", ground)["attribute_constraints"]
    assert either["value"] == ["Collision with utility pole", "Collision with tree"]
    said = read("not a ped, not a bike, still fatal", ground)["attribute_constraints"]
    assert [(one["concept"], one.get("negate", False)) for one in said] == [
        ("pedestrian_crash", True),
        ("cyclist_crash", True),
        ("fatal_crash", False),
    ]


@pytest.mark.parametrize("lead", ["on file for the corner of", "by the corner of", "at the corner of"])
def test_a_corner_is_where_its_streets_meet(lead: str, ground: Ground) -> None:
    streets = [name for name in ground.names.distinct_names("Road") if name.endswith(" Street")][:2]
    references = read(f"crashes {lead} {' and '.join(streets)}", ground)["references"]
    assert [(one["entity"], one["names"]) for one in references] == [("Intersection", streets)]


@pytest.mark.parametrize(
    ("question", "concept"),
    [
        ("cyclists who got hit by cars in Lowell", "cyclist_crash"),
        ("critters that got hit by cars in Lowell", "animal_crash"),
        ("animals hit by cars in Lowell", "animal_crash"),
        ("how many pedestrians were hit by cars in Lowell", "pedestrian_crash"),
    ],
)
def test_what_strikes_is_no_condition(question: str, concept: str, ground: Ground) -> None:
    (said,) = read(question, ground)["attribute_constraints"]
    assert said["concept"] == concept
