"""nearest_to: the k nearest of each reference feature, by millimetres, then key (DESIGN §3, §7.1, §7.6)."""

from __future__ import annotations

import math
import random
from collections.abc import Callable
from typing import Any

import pytest
import shapely

from groundframe.compiler.lowering import NEUTRAL, Traits
from groundframe.postgis.rewrites import POSTGIS

ENGINES = pytest.mark.parametrize("traits", [NEUTRAL, POSTGIS], ids=lambda traits: traits.engine)


def frame(k: int, *, keys: list[str] | None = None, **more: Any) -> dict[str, Any]:
    return {
        "targets": [{"entity": "BusStop", "role": "primary", "id": "primary"}],
        "references": [{"entity": "School", "role": "anchor", "id": "anchor", "keys": keys or ["s:1"]}],
        "spatial_constraints": [
            {"relation": "nearest_to", "target_role": "primary", "reference_role": "anchor", "k": k}
        ],
        **more,
    }


@pytest.fixture(scope="module")
def stops(make_world: Callable[[str], Any]) -> Any:
    made = make_world("gf_stops")
    at = shapely.Point
    made.fill(
        {
            "School": {
                "s:1": {"geometry": at(0, 0)},
                "s:2": {"geometry": at(1000, 0)},
                "s:3": {"geometry": None},
            },
            "BusStop": {
                # Two at the same distance, two in the same millimetre, one far off, one without a place.
                "b:z": {"geometry": at(0, 10), "street": "Elm"},
                "b:a": {"geometry": at(10, 0), "street": "Oak"},
                "b:c": {"geometry": at(0, -20), "street": "Elm"},
                "b:b": {"geometry": at(1 / 16, -20), "street": "Elm"},
                "b:d": {"geometry": at(900, 0), "street": None},
                "b:e": {"geometry": None, "street": "Elm"},
            },
        }
    )
    return made


@ENGINES
def test_equally_near_go_by_key_and_a_tie_at_the_cut_is_said(stops: Any, traits: Traits) -> None:
    one = stops.ask(frame(1), traits=traits)
    assert (one.keys, one.column("distance"), one.tally.ties_at_cut) == (["b:a"], [10.0], True)
    two = stops.ask(frame(2), traits=traits)
    assert (two.keys, two.tally.ties_at_cut) == (["b:a", "b:z"], False)
    # b:b is 20.0001 m away and b:c 20 m: the same millimetre, so b:b comes first.
    assert math.dist((0, 0), (1 / 16, -20)) > 20
    three = stops.ask(frame(3), traits=traits)
    assert (three.keys, three.tally.ties_at_cut) == (["b:a", "b:z", "b:b"], True)
    everything = stops.ask(frame(99), traits=traits)
    assert everything.keys == ["b:a", "b:z", "b:b", "b:c", "b:d"]
    assert everything.column("distance") == [10.0, 10.0, 20.0, 20.0, 900.0]
    assert everything.tally.ties_at_cut is False
    assert everything.tally.not_mapped == {"primary": 1}
    column = next(column for column in everything.plan.columns if column.kind == "distance")
    assert (column.name, column.unit) == ("distance", "m")


@ENGINES
def test_filters_come_before_the_choice(stops: Any, traits: Traits) -> None:
    elm = {"target_role": "primary", "field": "street", "operator": "eq", "value": "Elm"}
    answer = stops.ask(frame(2, attribute_constraints=[elm]), traits=traits)
    assert answer.keys == ["b:z", "b:b"]
    # b:d, whose street is not known, is too far off to have been chosen; from s:2 it is not.
    assert answer.tally.unknown_left_out == {"primary": 0}
    other = stops.ask(frame(1, keys=["s:2"], attribute_constraints=[elm]), traits=traits)
    assert other.tally.unknown_left_out == {"primary": 1}


@ENGINES
def test_union_over_the_references_with_the_smallest_distance(stops: Any, traits: Traits) -> None:
    answer = stops.ask(frame(2, keys=["s:1", "s:2", "s:3"]), traits=traits)
    # s:2's two nearest are b:d, 100 m off, and b:a, which s:1 has too.
    assert list(answer.by_key("distance").items()) == [("b:a", 10.0), ("b:z", 10.0), ("b:d", 100.0)]


@ENGINES
def test_nearest_of_each_row(stops: Any, traits: Traits) -> None:
    """Schools one of whose two nearest stops is on Oak; the street is a condition of the candidates."""
    constraint = {"relation": "nearest_to", "target_role": "filter", "reference_role": "primary", "k": 1}
    asked = {
        "targets": [
            {"entity": "School", "role": "primary", "id": "primary"},
            {"entity": "BusStop", "role": "filter", "id": "filter"},
        ],
        "spatial_constraints": [
            constraint,
            {
                "relation": "within_distance",
                "target_role": "filter",
                "reference_role": "primary",
                "distance_m": 50,
            },
        ],
    }
    answer = stops.ask(asked, traits=traits)
    assert answer.keys == ["s:1"]
    assert answer.tally.sources == {"primary": {"s": 1}, "filter": {"b": 1}}
    asked["spatial_constraints"] = [constraint]
    answer = stops.ask(asked, traits=traits)
    assert answer.keys == ["s:1", "s:2"]
    assert answer.tally.sources["filter"] == {"b": 2}
    asked["spatial_constraints"] = [{**constraint, "negate": True}]
    assert stops.ask(asked, traits=traits).keys == []


@ENGINES
def test_not_among_the_nearest(stops: Any, traits: Traits) -> None:
    asked = frame(2)
    asked["spatial_constraints"][0]["negate"] = True
    answer = stops.ask(asked, traits=traits)
    assert answer.keys == ["b:b", "b:c", "b:d"]


@ENGINES
def test_nearest_of_the_same_entity_leaves_itself_out(stops: Any, traits: Traits) -> None:
    asked = {
        "targets": [
            {"entity": "BusStop", "role": "primary", "id": "primary"},
            {"entity": "BusStop", "role": "filter", "id": "filter", "keys": ["b:b"]},
        ],
        "spatial_constraints": [
            {"relation": "nearest_to", "target_role": "primary", "reference_role": "filter", "k": 1}
        ],
    }
    answer = stops.ask(asked, traits=traits)
    assert list(answer.by_key("distance").items()) == [("b:c", 0.063)]  # 62.5 mm, half up


@ENGINES
def test_what_is_nearest_to_several_shows_the_smallest_distance(stops: Any, traits: Traits) -> None:
    asked = frame(99)
    asked["references"].append({"entity": "School", "role": "anchor", "id": "other", "keys": ["s:2"]})
    asked["spatial_constraints"].append(
        {"relation": "nearest_to", "target_role": "primary", "reference_role": "other", "k": 2}
    )
    expected = [("b:a", 10.0), ("b:d", 100.0)]
    assert list(stops.ask(asked, traits=traits).by_key("distance").items()) == expected
    asked["spatial_constraints"].reverse()
    assert list(stops.ask(asked, traits=traits).by_key("distance").items()) == expected


@ENGINES
def test_a_scope_is_not_its_own_nearest(world: Any, traits: Traits) -> None:
    asked = {
        "targets": [
            {"entity": "Town", "role": "primary", "id": "primary"},
            {"entity": "Town", "role": "scope", "id": "scope", "keys": ["t:a"]},
        ],
        "spatial_constraints": [
            {"relation": "nearest_to", "target_role": "primary", "reference_role": "scope", "k": 1}
        ],
    }
    assert world.ask(asked, traits=traits).keys == ["t:b"]


@ENGINES
def test_partners_of_the_nearest_are_those_of_what_was_chosen(stops: Any, traits: Traits) -> None:
    """The nearest of those with a stop within 1 m is not the nearest of all; its partner takes part."""
    asked = frame(1)
    asked["targets"].append({"entity": "BusStop", "role": "filter", "id": "filter"})
    asked["spatial_constraints"].append(
        {"relation": "within_distance", "target_role": "primary", "reference_role": "filter", "distance_m": 1}
    )
    answer = stops.ask(asked, traits=traits)
    assert answer.keys == ["b:b"]
    assert answer.tally.sources == {"primary": {"b": 1}, "filter": {"b": 1}}


@ENGINES
def test_partners_of_the_nearest_of_each(stops: Any, traits: Traits) -> None:
    """The stop nearest to each school of those with another within 1 m, and that other one."""
    asked = {
        "targets": [
            {"entity": "School", "role": "primary", "id": "primary"},
            {"entity": "BusStop", "role": "filter", "id": "filter"},
            {"entity": "BusStop", "role": "filter", "id": "filter_2"},
        ],
        "spatial_constraints": [
            {"relation": "nearest_to", "target_role": "filter", "reference_role": "primary", "k": 1},
            {
                "relation": "within_distance",
                "target_role": "filter",
                "reference_role": "filter_2",
                "distance_m": 1,
            },
        ],
    }
    answer = stops.ask(asked, traits=traits)
    assert answer.keys == ["s:1", "s:2"]
    assert answer.tally.sources == {"primary": {"s": 2}, "filter": {"b": 1}, "filter_2": {"b": 1}}


@ENGINES
def test_ranked_rows_keep_their_distance(stops: Any, traits: Traits) -> None:
    asked = frame(
        3,
        measures=[{"measure": "count", "target_role": "primary", "name": "n"}],
        ranking={"metric": "n", "target_role": "primary", "order": "highest", "top_n": 2},
    )
    answer = stops.ask(asked, traits=traits)
    assert list(answer.by_key("distance").items()) == [("b:a", 10.0), ("b:b", 20.0)]
    assert answer.column("rank") == [1, 2]


@ENGINES
def test_counts_over_the_chosen_pairs(stops: Any, traits: Traits) -> None:
    asked = {
        "targets": [
            {"entity": "School", "role": "primary", "id": "primary"},
            {"entity": "BusStop", "role": "support", "id": "support"},
        ],
        "spatial_constraints": [
            {"relation": "nearest_to", "target_role": "support", "reference_role": "primary", "k": 3},
            {
                "relation": "within_distance",
                "target_role": "support",
                "reference_role": "primary",
                "distance_m": 15,
            },
        ],
        "measures": [{"measure": "count", "target_role": "support", "name": "n"}],
    }
    assert stops.ask(asked, traits=traits).by_key("n") == {"s:1": 2, "s:2": 0}


@ENGINES
def test_against_brute_force_at_random_places(make_world: Callable[[str], Any], traits: Traits) -> None:
    made = make_world("gf_random")
    dice = random.Random(7)
    places = {f"b:{n:03}": shapely.Point(dice.randrange(60), dice.randrange(60)) for n in range(120)}
    schools = {f"s:{n}": shapely.Point(dice.randrange(60), dice.randrange(60)) for n in range(8)}
    made.fill(
        {
            "BusStop": {key: {"geometry": place} for key, place in places.items()},
            "School": {key: {"geometry": place} for key, place in schools.items()},
        }
    )
    for k in (1, 4, 11):
        smallest: dict[str, int] = {}
        tied = False
        for school in schools.values():
            near = sorted(
                (math.floor(shapely.distance(place, school) * 1000 + 0.5), key)
                for key, place in places.items()
            )
            tied = tied or near[k - 1][0] == near[k][0]
            for mm, key in near[:k]:
                smallest[key] = min(mm, smallest.get(key, mm))
        answer = made.ask(frame(k, keys=sorted(schools)), traits=traits)
        expected = sorted((mm, key) for key, mm in smallest.items())
        assert answer.keys == [key for _, key in expected]
        assert answer.column("distance") == [mm / 1000 for mm, _ in expected]
        assert answer.tally.ties_at_cut is tied
