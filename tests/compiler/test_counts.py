"""Measures, rankings and groups (DESIGN §7.2, 7.3, 7.5, 7.6, 7.9, 7.12), on values worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest

from groundframe.errors import PlanError, UnsupportedError

SCHOOLS = [
    {"entity": "School", "role": "primary", "id": "primary"},
    {"entity": "Crash", "role": "support", "id": "support"},
]
NEAR = {
    "relation": "within_distance",
    "target_role": "support",
    "reference_role": "primary",
    "distance_m": 250,
}
TOWNS = [
    {"entity": "Town", "role": "primary", "id": "primary"},
    {"entity": "Crash", "role": "support", "id": "support"},
]
IN = {"relation": "within", "target_role": "support", "reference_role": "primary"}
CRASHES = [{"entity": "Crash", "role": "primary", "id": "primary"}]


def measure(measure: str, role: str = "support", **more: Any) -> dict[str, Any]:
    return {"measure": measure, "target_role": role, "name": measure, **more}


def ranked(
    by: str = "crash_count", order: str = "highest", top_n: int | None = 20, **more: Any
) -> dict[str, Any]:
    return {"metric": by, "target_role": "primary", "order": order, "top_n": top_n, **more}


def schools(**more: Any) -> dict[str, Any]:
    return {
        "targets": SCHOOLS,
        "spatial_constraints": [NEAR],
        "measures": [measure("crash_count")],
        "ranking": ranked(),
        **more,
    }


def towns(**more: Any) -> dict[str, Any]:
    return {"targets": TOWNS, "spatial_constraints": [IN], "measures": [measure("crash_count")], **more}


# Within 250 m: s:1 c:01 c:02 c:03; s:2 c:03 c:04 c:05 c:06 c:10; s:3 c:04 c:05 c:06 c:10; s:4 none.
def test_zero_stays_and_ties_go_by_key(world: Any) -> None:
    answer = world.ask(schools())
    assert [(row["rank"], row["key"], row["crash_count"]) for row in answer.rows] == [
        (1, "s:2", 5),
        (2, "s:3", 4),
        (3, "s:1", 3),
        (4, "s:4", 0),
    ]
    # s:5 has no place: a 0 would be false.
    assert answer.tally.not_mapped == {"primary": 1, "support": 2}
    assert (answer.tally.matched, answer.tally.ties_at_cut) == (4, False)
    lowest = world.ask(schools(ranking=ranked(order="lowest", top_n=1)))
    assert lowest.keys == ["s:4"]
    assert lowest.tally.true_total == 1
    assert lowest.tally.matched == 4


def test_every_count_comes_with_its_split(world: Any) -> None:
    answer = world.ask(schools())
    splits = [column for column in answer.plan.columns if column.kind == "split"]
    assert [column.name for column in splits] == [
        "severity_fatal",
        "severity_injury",
        "severity_property_damage_only",
        "severity_unknown",
    ]
    assert {column.unit for column in splits} == {"crashes"}
    found = {row["key"]: tuple(row[column.name] for column in splits) for row in answer.rows}
    assert found == {"s:1": (1, 1, 1, 0), "s:2": (0, 1, 2, 2), "s:3": (0, 1, 1, 2), "s:4": (0, 0, 0, 0)}
    # Distinct crashes that took part, of which some are near two schools.
    assert answer.tally.split == {
        "support": {"fatal": 1, "injury": 2, "property damage only": 2, "unknown": 2}
    }
    assert answer.tally.sources == {"primary": {"s": 4}, "support": {"c": 7}}


def test_measures_of_the_pack(world: Any) -> None:
    names = ["fatal_crash_count", "epdo", "persons_killed"]
    answer = world.ask(schools(measures=[measure(name) for name in ["crash_count", *names]]))
    found = {row["key"]: tuple(row[name] for name in names) for row in answer.rows}
    # epdo: fatal and injury 21, damage 1, unknown 0; killed where known.
    assert found == {"s:1": (1, 43, 2), "s:2": (0, 23, 1), "s:3": (0, 22, 1), "s:4": (0, 0, 0)}
    units = {column.name: column.unit for column in answer.plan.columns}
    assert units["epdo"] == "equivalent property-damage-only crashes"
    assert answer.plan.rules["measures"][2]["definition"].startswith("fatal and injury crashes count 21")


@pytest.mark.parametrize(
    ("top_n", "keys", "tied"),
    [(1, ["s:1"], True), (2, ["s:1", "s:2"], True), (3, ["s:1", "s:2", "s:3"], False), (9, None, False)],
)
def test_a_cut_inside_a_tie_is_said(world: Any, top_n: int, keys: list[str] | None, tied: bool) -> None:
    # Fatal or unlocated crashes aside, within 120 m: one crash each near s:1, s:2, s:3, none near s:4.
    frame = schools(
        spatial_constraints=[{**NEAR, "distance_m": 100}],
        attribute_constraints=[
            {
                "target_role": "support",
                "field": "first_harmful_event",
                "operator": "eq",
                "value": "Collision with pedestrian",
            },
            {"target_role": "support", "field": "severity", "operator": "ne", "value": "Unknown"},
        ],
        ranking=ranked(top_n=top_n),
    )
    answer = world.ask(frame)
    assert [row["crash_count"] for row in answer.rows] == [1, 1, 1, 0][:top_n]
    assert answer.keys == (keys or ["s:1", "s:2", "s:3", "s:4"])
    assert answer.tally.ties_at_cut is tied
    assert answer.tally.true_total == min(top_n, 4)
    frame["ranking"]["include_ties"] = True
    answer = world.ask(frame)
    assert answer.keys == (["s:1", "s:2", "s:3"] if top_n < 4 else ["s:1", "s:2", "s:3", "s:4"])
    assert answer.tally.ties_at_cut is False
    assert answer.tally.true_total == len(answer.rows)


def test_unlocated_primaries_stay_in_a_ranking_by_link(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [
                {"entity": "Crash", "role": "primary", "id": "primary"},
                {"entity": "Town", "role": "support", "id": "support"},
            ],
            "spatial_constraints": [
                {"relation": "within", "target_role": "primary", "reference_role": "support"}
            ],
            "measures": [measure("sum", field="population", name="people")],
            "ranking": ranked("people", top_n=None),
        }
    )
    people = answer.by_key("people")
    assert (people["c:09"], people["c:11"], people["c:08"]) == (1000, 0, 3000)
    assert answer.by_key("geometry")["c:09"] is None
    assert answer.tally.not_mapped == {}


def test_totals_over_towns_are_the_distinct_crashes(world: Any) -> None:
    by_town = world.ask(towns(ranking=ranked(top_n=None)))
    assert [(row["key"], row["crash_count"]) for row in by_town.rows] == [("t:a", 6), ("t:b", 4), ("t:c", 0)]
    grouped = world.ask(
        {
            "targets": CRASHES,
            "measures": [measure("crash_count", "primary")],
            "group_by": [{"target_role": "primary", "entity": "Town"}],
        }
    )
    assert [(row["town_key"], row["town"], row["crash_count"]) for row in grouped.rows] == [
        ("t:a", "Alton", 6),
        ("t:b", "Bree", 4),
        (None, "(no town)", 1),
    ]
    assert sum(grouped.column("crash_count")) == grouped.tally.matched == 11
    assert grouped.plan.geometry
    assert [row["geometry"] is None for row in grouped.rows] == [False, False, True]


def test_counts_over_a_path(world: Any) -> None:
    frame = {
        "targets": [
            {"entity": "Town", "role": "primary", "id": "primary"},
            {"entity": "School", "role": "filter", "id": "filter"},
            {"entity": "Crash", "role": "support", "id": "support"},
        ],
        "spatial_constraints": [
            {"relation": "contains", "target_role": "primary", "reference_role": "filter"},
            {**NEAR, "reference_role": "filter"},
        ],
        "measures": [measure("crash_count"), measure("persons_killed")],
        "ranking": ranked(),
    }
    answer = world.ask(frame)
    # A sum is not inflated by the second school: 2 in c:01 and 1 in c:06.
    assert answer.by_key("persons_killed") == {"t:a": 3, "t:b": 1, "t:c": 0}
    # c:03 is near both schools of A, and counts once: c:01 to c:06 and c:10; B's only school has four.
    assert [(row["key"], row["crash_count"]) for row in answer.rows] == [("t:a", 7), ("t:b", 4), ("t:c", 0)]
    assert sum(answer.column("severity_unknown")) == 4


def test_support_with_a_filter_of_its_own(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [*TOWNS, {"entity": "School", "role": "filter", "id": "filter"}],
            "spatial_constraints": [IN, {**NEAR, "reference_role": "filter"}],
            "measures": [measure("crash_count")],
            "ranking": ranked(),
        }
    )
    # Near any school: c:01, 02, 03, 04, 10 in A and 05, 06 in B. No town is removed.
    assert [(row["key"], row["crash_count"]) for row in answer.rows] == [("t:a", 5), ("t:b", 2), ("t:c", 0)]
    # c:09 is in A and has no place; c:11 is in no town.
    assert answer.tally.not_mapped == {"support": 1, "filter": 1}


def test_two_supports_are_counted_apart(world: Any) -> None:
    second = {"entity": "School", "role": "support", "id": "support_2"}
    within = {"relation": "within", "target_role": "support_2", "reference_role": "primary"}
    answer = world.ask(
        {
            "targets": [*TOWNS, second],
            "spatial_constraints": [IN, within],
            "measures": [measure("crash_count"), measure("count", "support_2", name="schools")],
            "having": [{"measure": "schools", "operator": "gte", "value": 1}],
        }
    )
    found = [(row["key"], row["crash_count"], row["schools"]) for row in answer.rows]
    assert found == [("t:a", 6, 3), ("t:b", 4, 1), ("t:c", 0, 1)]
    assert answer.column("schools") == [3, 1, 1]


@pytest.mark.parametrize(
    ("operator", "value", "keys"),
    [
        ("gte", 4, ["t:a", "t:b"]),
        ("gt", 4, ["t:a"]),
        ("lt", 1, ["t:c"]),
        ("lte", 4, ["t:b", "t:c"]),
        ("eq", 4, ["t:b"]),
        ("ne", 4, ["t:a", "t:c"]),
    ],
)
def test_having(world: Any, operator: str, value: float, keys: list[str]) -> None:
    answer = world.ask(towns(having=[{"measure": "crash_count", "operator": operator, "value": value}]))
    assert answer.keys == keys
    assert answer.tally.true_total == len(keys)
    assert answer.tally.matched == 3


def test_aggregates_of_a_field(world: Any) -> None:
    names = ["sum", "mean", "min", "max", "median"]
    measures = [measure(name, field="persons_killed", name=f"killed_{name}") for name in names]
    answer = world.ask(towns(measures=measures, ranking=ranked("killed_mean")))
    found = {row["key"]: tuple(row[f"killed_{name}"] for name in names) for row in answer.rows}
    # Known in A: 2, 0, 0; in B: 1, 1. Nothing is known of C, so it is last.
    assert found == {
        "t:a": (2, 2 / 3, 0, 2, 0.0),
        "t:b": (2, 1.0, 1, 1, 1.0),
        "t:c": (0, None, None, None, None),
    }
    assert answer.keys == ["t:b", "t:a", "t:c"]
    lowest = world.ask(towns(measures=measures, ranking=ranked("killed_mean", "lowest")))
    assert lowest.keys == ["t:a", "t:b", "t:c"]


def test_ranking_by_an_own_field(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [{"entity": "Town", "role": "primary", "id": "primary"}],
            "measures": [measure("max", "primary", field="population", name="people")],
            "ranking": ranked("people"),
        }
    )
    assert [(row["key"], row["people"]) for row in answer.rows] == [
        ("t:b", 3000),
        ("t:a", 1000),
        ("t:c", None),
    ]


def grouped(**by: Any) -> dict[str, Any]:
    return {
        "targets": CRASHES,
        "measures": [measure("crash_count", "primary"), measure("persons_killed", "primary")],
        "group_by": [{"target_role": "primary", **by}],
    }


@pytest.mark.parametrize(
    ("by", "found"),
    [
        ({"time": "year"}, [(2023, 3), (2024, 7), (None, 1)]),
        (
            {"time": "quarter"},
            [("2023-Q1", 2), ("2023-Q4", 1), ("2024-Q1", 3), ("2024-Q3", 4), (None, 1)],
        ),
        (
            {"time": "month"},
            [
                ("2023-01", 2),
                ("2023-12", 1),
                ("2024-01", 1),
                ("2024-02", 1),
                ("2024-03", 1),
                ("2024-07", 4),
                (None, 1),
            ],
        ),
        ({"time": "weekday"}, [("mon", 2), ("thu", 1), ("fri", 3), ("sat", 1), ("sun", 3), (None, 1)]),
        (
            {"time": "hour"},
            [(0, 1), (1, 1), (2, 1), (8, 1), (12, 1), (21, 1), (22, 1), (23, 3), (None, 1)],
        ),
        (
            {"field": "severity"},
            [
                ("Fatal injury", 3),
                ("Non-fatal injury", 3),
                ("Property damage only (none injured)", 3),
                ("Unknown", 2),
            ],
        ),
    ],
)
def test_groups(world: Any, by: dict[str, Any], found: list[tuple[Any, int]]) -> None:
    answer = world.ask(grouped(**by))
    name = next(iter(by.values()))
    assert [(row[name], row["crash_count"]) for row in answer.rows] == found
    assert sum(answer.column("crash_count")) == 11
    assert answer.tally.matched == 11
    assert answer.tally.true_total == len(found)
    assert sum(answer.column("persons_killed")) == 4
    assert {row["geometry"] for row in answer.rows} == {None}


def test_ranked_groups_with_several_keys(world: Any) -> None:
    answer = world.ask(
        {
            "targets": CRASHES,
            "measures": [measure("crash_count", "primary")],
            "group_by": [
                {"target_role": "primary", "entity": "Town"},
                {"target_role": "primary", "field": "severity"},
            ],
            "ranking": ranked(top_n=3),
        }
    )
    assert [(row["rank"], row["town"], row["severity"], row["crash_count"]) for row in answer.rows] == [
        (1, "Alton", "Fatal injury", 2),
        (2, "Alton", "Non-fatal injury", 2),
        (3, "Alton", "Property damage only (none injured)", 2),
    ]
    assert answer.tally.ties_at_cut is True  # B has two of unknown severity
    assert answer.tally.true_total == 3


def test_a_list_puts_a_feature_in_several_groups(make_world: Any) -> None:
    made = make_world("gf_lists")
    weather = [["Rain", "Snow"], ["Rain", "Rain"], ["Unknown", "Not reported"], None, []]
    made.fill({"Crash": {f"c:{n}": {"weather": values} for n, values in enumerate(weather)}})
    answer = made.ask(grouped(field="weather"))
    found = {row["weather"]: row["crash_count"] for row in answer.rows}
    # Twice the same counts once; all that means unknown is one group; an empty list is in none.
    assert found == {"Rain": 2, "Snow": 1, "Unknown": 2}


def test_groups_count_supports_once_per_group(world: Any) -> None:
    frame = {
        "targets": SCHOOLS,
        "spatial_constraints": [NEAR],
        "measures": [measure("crash_count"), measure("count", "primary", name="schools")],
        "group_by": [{"target_role": "primary", "field": "type"}],
    }
    answer = world.ask(frame)
    # Private: s:1 and s:3 (s:5 is not on the map), near c:01-06 and c:10 once each; s:4 has no type.
    found = {row["type"]: (row["schools"], row["crash_count"]) for row in answer.rows}
    assert found == {"Charter": (1, 5), "Private": (2, 7), "Unknown": (1, 0)}
    # By the crash's year: each crash once, however many schools it is near.
    frame["group_by"] = [{"target_role": "support", "time": "year"}]
    answer = world.ask(frame)
    found = {row["year"]: (row["schools"], row["crash_count"]) for row in answer.rows}
    assert found == {2023: (2, 3), 2024: (2, 4)}


def test_what_cannot_be_grouped_or_ranked(world: Any) -> None:
    with pytest.raises(UnsupportedError, match="not linked to School"):
        world.ask(grouped(entity="School"))
    with pytest.raises(PlanError, match="no measure 'nothing' to rank by"):
        world.ask(schools(ranking=ranked("nothing")))
    with pytest.raises(PlanError, match="no measure 'lengths' of Crash"):
        world.ask(schools(measures=[measure("lengths")]))


def test_what_is_not_done_is_said(world: Any) -> None:
    none = {"relation": "within", "target_role": "filter", "reference_role": "primary", "negate": True}
    frame = {
        "targets": [*TOWNS, {"entity": "School", "role": "filter", "id": "filter"}],
        "spatial_constraints": [none, {**NEAR, "reference_role": "filter"}],
        "measures": [measure("crash_count")],
    }
    with pytest.raises(UnsupportedError, match="'filter' is what there must be none of"):
        world.ask(frame)
    nearest = {"relation": "nearest_to", "target_role": "primary", "reference_role": "support", "k": 1}
    mutual = {"relation": "nearest_to", "target_role": "support", "reference_role": "primary", "k": 1}
    with pytest.raises(UnsupportedError, match="nearest of each other"):
        world.ask(schools(spatial_constraints=[nearest, mutual]))
    with pytest.raises(UnsupportedError, match="not by 'nobody'"):
        world.ask(schools(group_by=[{"target_role": "nobody", "field": "type"}]))
