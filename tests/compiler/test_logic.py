"""Conditions in Kleene's logic (DESIGN §7.8): every operator on every type, true, false and unknown."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from groundframe.compiler.conditions import concept
from groundframe.compiler.predicates import Not
from groundframe.schema.model import Pack

PEDESTRIAN = "Collision with pedestrian"
ROWS: dict[str, dict[str, Any]] = {
    "c:0": {"first_harmful_event": PEDESTRIAN, "speed_limit": 30.0, "non_motorist_types": ["Pedestrian"]},
    "c:1": {"first_harmful_event": "Not reported", "speed_limit": 40.0, "non_motorist_types": []},
    "c:2": {"first_harmful_event": None, "speed_limit": None, "non_motorist_types": None},
    "c:3": {"first_harmful_event": "Jackknife", "speed_limit": 40.5, "non_motorist_types": ["Unknown"]},
    "c:4": {
        "first_harmful_event": "Unknown",
        "speed_limit": 55.0,
        "non_motorist_types": ["Cyclist", "Unknown"],
    },
    "c:5": {
        "first_harmful_event": "Collision with cyclist",
        "speed_limit": 25.0,
        "non_motorist_types": ["Cyclist", "Pedestrian", "Pedestrian"],
    },
}
NUMBERS = {key: {"persons_killed": n} for n, key in enumerate(ROWS)} | {"c:2": {"persons_killed": None}}
UNKNOWN_EVENTS = {"Unknown", "Not reported", "Reported but invalid"}


@pytest.fixture(scope="module")
def logic_world(make_world: Callable[..., Any], pack: Pack) -> Any:
    # Without sources in the pack every field counts as told.
    made = make_world("gf_logic", pack.model_copy(update={"sources": ()}))
    made.fill({"Crash": {key: {**row, **NUMBERS[key]} for key, row in ROWS.items()}})
    return made


Test = Callable[[Mapping[str, Any]], bool | None]


def event(test: Callable[[str], bool], *, unknown: bool | None = None) -> Test:
    """A test of the event; NULL and unknown values give `unknown`."""

    def answer(row: Mapping[str, Any]) -> bool | None:
        value = row["first_harmful_event"]
        return unknown if value is None or value in UNKNOWN_EVENTS else test(value)

    return answer


def speed(test: Callable[[float], bool]) -> Test:
    return lambda row: None if row["speed_limit"] is None else test(row["speed_limit"])


def listed(*wanted: str) -> Test:
    def answer(row: Mapping[str, Any]) -> bool | None:
        values = row["non_motorist_types"]
        if values is None:
            return None
        if any(value in values for value in wanted):
            return True
        return None if "Unknown" in values else False

    return answer


def negated(test: Test) -> Test:
    def answer(row: Mapping[str, Any]) -> bool | None:
        found = test(row)
        return None if found is None else not found

    return answer


def condition(field: str, operator: str, value: Any = None, **more: Any) -> dict[str, Any]:
    return {"field": field, "operator": operator, "value": value, **more}


E, S, L = "first_harmful_event", "speed_limit", "non_motorist_types"
KNOWN_TRUE = event(lambda _: True, unknown=False)
CASES: list[tuple[dict[str, Any], Test]] = [
    (condition(E, "eq", PEDESTRIAN), event(lambda value: value == PEDESTRIAN)),
    (condition(E, "eq", PEDESTRIAN, negate=True), event(lambda value: value != PEDESTRIAN)),
    (condition(E, "ne", PEDESTRIAN), event(lambda value: value != PEDESTRIAN)),
    (condition(E, "in", [PEDESTRIAN, "Jackknife"]), event(lambda value: value in (PEDESTRIAN, "Jackknife"))),
    (condition(E, "not_in", [PEDESTRIAN]), event(lambda value: value != PEDESTRIAN)),
    (condition(E, "eq", "Unknown"), event(lambda _: False, unknown=True)),
    (condition(E, "ne", "Unknown"), KNOWN_TRUE),
    (condition(E, "in", ["Jackknife", "Unknown"]), event(lambda value: value == "Jackknife", unknown=True)),
    (
        condition(E, "not_in", ["Jackknife", "Unknown"]),
        event(lambda value: value != "Jackknife", unknown=False),
    ),
    (condition(E, "is_null"), lambda row: row[E] is None),
    (condition(E, "not_null"), lambda row: row[E] is not None),
    (condition(E, "contains", "with C"), event(lambda value: "with c" in value.lower())),
    (condition(S, "eq", 40), speed(lambda value: value == 40)),
    (condition(S, "ne", 40), speed(lambda value: value != 40)),
    (condition(S, "lt", 40), speed(lambda value: value < 40)),
    (condition(S, "lte", 40), speed(lambda value: value <= 40)),
    (condition(S, "gt", 40), speed(lambda value: value > 40)),
    (condition(S, "gte", 40.5), speed(lambda value: value >= 40.5)),
    (condition(S, "between", [30, 40]), speed(lambda value: 30 <= value <= 40)),
    (condition(S, "between", [30, 40], negate=True), speed(lambda value: not 30 <= value <= 40)),
    (condition(S, "in", [25, 55]), speed(lambda value: value in (25, 55))),
    (condition(S, "is_null"), lambda row: row[S] is None),
    (condition(S, "is_null", negate=True), lambda row: row[S] is not None),
    (condition(L, "contains", "Pedestrian"), listed("Pedestrian")),
    (condition(L, "contains", "Pedestrian", negate=True), negated(listed("Pedestrian"))),
    (condition(L, "in", ["Pedestrian", "Skater"]), listed("Pedestrian", "Skater")),
    (condition(L, "not_in", ["Pedestrian"]), negated(listed("Pedestrian"))),
    (condition(L, "eq", "Unknown"), lambda row: row[L] is None or "Unknown" in row[L]),
    (condition("persons_killed", "gte", 2.5), lambda row: None if row["n"] is None else row["n"] >= 2.5),
    (
        {"any_of": [condition(E, "eq", PEDESTRIAN), condition(S, "gt", 50)]},
        lambda row: kleene_or(event(lambda value: value == PEDESTRIAN)(row), speed(lambda v: v > 50)(row)),
    ),
    (
        {"any_of": [condition(E, "eq", PEDESTRIAN), condition(S, "gt", 50)], "negate": True},
        lambda row: negated(
            lambda r: kleene_or(event(lambda value: value == PEDESTRIAN)(r), speed(lambda v: v > 50)(r))
        )(row),
    ),
    (
        {"concept": "pedestrian_crash"},
        lambda row: kleene_or(
            event(lambda value: value == PEDESTRIAN)(row), kleene_or(listed("Pedestrian")(row), None)
        ),
    ),
    (
        {"concept": "pedestrian_crash", "variant": "by_non_motorist", "negate": True},
        negated(listed("Pedestrian")),
    ),
]


def kleene_or(first: bool | None, second: bool | None) -> bool | None:
    if first or second:
        return True
    return None if first is None or second is None else False


@pytest.mark.parametrize(("given", "expected"), CASES, ids=[str(case[0])[:70] for case in CASES])
def test_condition(logic_world: Any, given: dict[str, Any], expected: Test) -> None:
    answer = logic_world.ask(
        {
            "targets": [{"entity": "Crash", "role": "primary", "id": "primary"}],
            "attribute_constraints": [{"target_role": "primary", **given}],
        }
    )
    found = {key: expected({**row, "n": NUMBERS[key]["persons_killed"]}) for key, row in ROWS.items()}
    assert answer.keys == [key for key, holds in found.items() if holds]
    assert answer.tally.unknown_left_out == {"primary": sum(holds is None for holds in found.values())}


def test_conditions_are_joined_by_and(logic_world: Any) -> None:
    """False wins over unknown: c:2 to c:4 are unknown in one part, c:3 and c:4 false in the other."""
    answer = logic_world.ask(
        {
            "targets": [{"entity": "Crash", "role": "primary", "id": "primary"}],
            "attribute_constraints": [
                {"target_role": "primary", **condition(L, "contains", "Pedestrian")},
                {"target_role": "primary", **condition(S, "lte", 30)},
            ],
        }
    )
    assert answer.keys == ["c:0", "c:5"]
    assert answer.tally.unknown_left_out == {"primary": 1}


def test_any_number_of_conditions_on_one_field(logic_world: Any) -> None:
    """Over 30 and under 50 keeps both bounds."""
    answer = logic_world.ask(
        {
            "targets": [{"entity": "Crash", "role": "primary", "id": "primary"}],
            "attribute_constraints": [
                {"target_role": "primary", **condition(S, "gt", 30)},
                {"target_role": "primary", **condition(S, "lt", 50)},
            ],
        }
    )
    assert answer.keys == ["c:1", "c:3"]


@pytest.mark.parametrize(
    ("text", "found"),
    [("%", ["s:1"]), ("_", ["s:2"]), ("\\", ["s:3"]), ("éCOLE", ["s:4"]), ("a%b", []), ("'; drop", ["s:5"])],
)
def test_text_has_no_wildcards(make_world: Callable[[str], Any], text: str, found: list[str]) -> None:
    made = make_world("gf_text")
    names = ["100% Street", "a_b", "a\\b", "École Élémentaire", "'; drop table crash; --", "plain ab"]
    made.fill({"School": {f"s:{n}": {"name": name} for n, name in enumerate(names, 1)}})
    frame = {
        "targets": [{"entity": "School", "role": "primary", "id": "primary"}],
        "attribute_constraints": [
            {"target_role": "primary", "field": "name", "operator": "contains", "value": text}
        ],
    }
    assert made.ask(frame).keys == found
    frame["attribute_constraints"] = [
        {"target_role": "primary", "field": "name", "operator": "eq", "value": "a_b"}
    ]
    assert made.ask(frame).keys == ["s:2"]


SOURCES = {
    "full": ("first_harmful_event", "non_motorist_types", "most_harmful_events"),
    "police": ("first_harmful_event", "date"),
    "bare": ("date",),
}


@pytest.fixture(scope="module")
def pack_of_three_sources(pack: Pack) -> Pack:
    """The pack with three sources of crashes, which tell different things."""
    like = next(source for source in pack.sources if source.entity == "Crash")
    made = tuple(
        like.model_copy(update={"name": name, "provides": provides}) for name, provides in SOURCES.items()
    )
    return pack.model_copy(update={"sources": made})


@pytest.mark.parametrize("negate", [False, True])
def test_concepts_skip_what_a_source_does_not_tell(
    make_world: Callable[..., Any], pack_of_three_sources: Pack, negate: bool
) -> None:
    made = make_world("gf_concepts", pack_of_three_sources)
    made.fill(
        {
            "Crash": {
                "full:1": {E: "Jackknife", L: ["Pedestrian"], "most_harmful_events": None},
                "full:2": {E: "Jackknife", L: [], "most_harmful_events": None},
                "full:3": {E: "Jackknife", L: [], "most_harmful_events": ["Jackknife"]},
                # Only the event is told, so it alone decides.
                "police:1": {E: PEDESTRIAN},
                "police:2": {E: "Jackknife"},
                "police:3": {E: None},
                # Nothing is told: unknown, whatever stands in the columns.
                "bare:1": {E: PEDESTRIAN},
            }
        }
    )
    answer = made.ask(
        {
            "targets": [{"entity": "Crash", "role": "primary", "id": "primary"}],
            "attribute_constraints": [
                {"target_role": "primary", "concept": "pedestrian_crash", "negate": negate}
            ],
        }
    )
    assert answer.keys == (["full:3", "police:2"] if negate else ["full:1", "police:1"])
    assert answer.tally.unknown_left_out == {"primary": 3}
    assert answer.plan.rules["concepts"][0]["variant"] == "any"
    assert "any non-motorist" in answer.plan.rules["concepts"][0]["definition"]


def test_concept_without_sources_in_the_pack_asks_every_field(pack: Pack) -> None:
    bare = pack.model_copy(update={"sources": ()})
    found = concept("pedestrian_crash", None, bare.entity("Crash"), bare)
    assert not isinstance(found, Not)
    assert "source" not in repr(found)
