"""Relations, scope, anchors and negation (DESIGN §7.1, 7.2, 7.4), on values worked out by hand."""

from __future__ import annotations

from typing import Any

import pytest
import shapely

from groundframe.errors import PlanError


def target(entity: str, role: str, keys: list[str] | None = None, name: str | None = None) -> dict[str, Any]:
    return {"entity": entity, "role": role, "id": name or role, "keys": keys}


def rule(relation: str, of: str, to: str, **more: Any) -> dict[str, Any]:
    return {"relation": relation, "target_role": of, "reference_role": to, **more}


def near(of: str, to: str, metres: float, **more: Any) -> dict[str, Any]:
    return rule("within_distance", of, to, distance_m=metres, **more)


def square(lon: float, lat: float, size: float) -> dict[str, Any]:
    ring = [[lon, lat], [lon + size, lat], [lon + size, lat + size], [lon, lat + size], [lon, lat]]
    return {"type": "Polygon", "coordinates": [ring]}


def test_scope_is_the_link_and_keeps_unlocated_rows(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [target("Crash", "primary"), target("Town", "scope", ["t:a"])],
            "spatial_constraints": [rule("within", "primary", "scope")],
        }
    )
    # c:10 lies on the border and belongs to A only; c:09 has no place but a stated town.
    assert answer.keys == ["c:01", "c:02", "c:03", "c:04", "c:09", "c:10"]
    assert answer.by_key("geometry")["c:09"] is None
    assert answer.by_key("town")["c:09"] == "Alton"
    assert answer.tally.matched == answer.tally.true_total == answer.tally.returned == 6
    assert answer.tally.not_mapped == {}
    assert answer.tally.sources == {"primary": {"c": 6}}
    assert answer.tally.split == {
        "primary": {"fatal": 2, "injury": 2, "property damage only": 2, "unknown": 0}
    }


@pytest.mark.parametrize(("metres", "found"), [(99.999, []), (99.9996, ["s:1"]), (100.0, ["s:1"])])
def test_distance_is_inclusive_to_half_a_millimetre(world: Any, metres: float, found: list[str]) -> None:
    answer = world.ask(
        {
            "targets": [target("School", "primary", ["s:1"]), target("Crash", "filter", ["c:01"])],
            "spatial_constraints": [near("primary", "filter", metres)],
        }
    )
    assert shapely.distance(world.place("School", "s:1"), world.place("Crash", "c:01")) == 100.0
    assert answer.keys == found


def test_a_feature_comes_once_however_many_partners(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [target("School", "primary"), target("Crash", "filter")],
            "spatial_constraints": [near("primary", "filter", 250)],
        }
    )
    assert answer.keys == ["s:1", "s:2", "s:3"]
    assert answer.tally.sources["filter"] == {"c": 7}  # c:01 to c:06, and c:10
    # What has no place is near nothing, and said to be: s:5, c:09, c:11.
    assert answer.tally.not_mapped == {"primary": 1, "filter": 2}


def test_all_conditions_of_a_filter_hold_for_one_feature(world: Any) -> None:
    frame = {
        "targets": [target("School", "primary"), target("Crash", "filter")],
        "spatial_constraints": [near("primary", "filter", 250)],
        "attribute_constraints": [
            {"target_role": "filter", "field": "severity", "operator": "eq", "value": "Fatal injury"},
            {
                "target_role": "filter",
                "field": "first_harmful_event",
                "operator": "eq",
                "value": "Collision with cyclist",
            },
        ],
    }
    # Near s:1 one crash is fatal and another is with a cyclist.
    assert world.ask(frame).keys == []
    frame["attribute_constraints"].pop()
    assert world.ask(frame).keys == ["s:1"]


def test_several_constraints_hold_for_one_pair(world: Any) -> None:
    frame = {
        "targets": [target("Crash", "primary"), target("Road", "filter")],
        "spatial_constraints": [near("primary", "filter", 150)],
    }
    # c:10 is 0 m from the end of r:2, c:04 is 141 m from it.
    assert world.ask(frame).keys == ["c:01", "c:02", "c:03", "c:04", "c:05", "c:06", "c:07", "c:10"]
    frame["spatial_constraints"].append(rule("on", "primary", "filter"))
    assert world.ask(frame).keys == ["c:01", "c:02", "c:05", "c:07"]


def test_none_of_the_pairs(world: Any) -> None:
    frame = {
        "targets": [target("Town", "primary"), target("Crash", "filter")],
        "spatial_constraints": [rule("within", "filter", "primary", negate=True)],
        "attribute_constraints": [
            {"target_role": "filter", "field": "severity", "operator": "eq", "value": "Fatal injury"}
        ],
    }
    answer = world.ask(frame)
    assert answer.keys == ["t:c"]
    # c:05 and c:06 in B have an unknown severity, but B has a fatal crash already; "would take part but for
    # this edge" counts them.
    assert answer.tally.unknown_left_out == {"filter": 2}
    frame["attribute_constraints"][0]["value"] = "Property damage only (none injured)"
    assert world.ask(frame).keys == ["t:b", "t:c"]


def test_what_has_no_place_is_neither_near_nor_far(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [target("Crash", "primary"), target("School", "filter")],
            "spatial_constraints": [near("primary", "filter", 250, negate=True)],
        }
    )
    assert answer.keys == ["c:07", "c:08"]
    assert answer.tally.not_mapped == {"primary": 2, "filter": 1}


def test_not_in_a_town_needs_a_known_place(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [target("Crash", "primary"), target("Town", "scope", ["t:a"])],
            "spatial_constraints": [rule("within", "primary", "scope", negate=True)],
        }
    )
    # c:11 has neither town nor place: it may lie in A.
    assert answer.keys == ["c:05", "c:06", "c:07", "c:08"]
    assert answer.tally.not_mapped == {"primary": 1}


def test_positive_and_negated_constraints_between_the_same_two(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [target("School", "primary"), target("Crash", "filter")],
            "spatial_constraints": [
                near("primary", "filter", 120),
                near("primary", "filter", 50, negate=True),
            ],
        }
    )
    assert answer.keys == ["s:1", "s:2"]  # c:05 lies on s:3
    # c:01, c:02, c:04 and c:10; c:06 is near s:3 only, which does not take part.
    assert answer.tally.sources["filter"] == {"c": 4}


def test_schools_near_schools_leave_themselves_out(world: Any) -> None:
    frame = {
        "targets": [target("School", "primary"), target("School", "filter")],
        "spatial_constraints": [near("primary", "filter", 200)],
    }
    assert world.ask(frame).keys == ["s:2", "s:3"]
    frame["spatial_constraints"] = [near("primary", "filter", 200, negate=True)]
    assert world.ask(frame).keys == ["s:1", "s:4"]


def test_an_anchor_is_left_out_of_results_of_its_entity(world: Any) -> None:
    anchor = {"entity": "School", "role": "anchor", "id": "anchor", "keys": ["s:2", "s:3"]}
    answer = world.ask(
        {
            "targets": [target("School", "primary")],
            "references": [anchor],
            "spatial_constraints": [near("primary", "anchor", 400)],
        }
    )
    assert answer.keys == ["s:1"]  # s:2 and s:3 are near each other, and both are anchors


def test_chain_of_filters(world: Any) -> None:
    frame = {
        "targets": [
            target("Town", "primary"),
            target("School", "filter"),
            target("Crash", "filter", name="crashes"),
        ],
        "spatial_constraints": [rule("contains", "primary", "filter"), near("crashes", "filter", 150)],
        "attribute_constraints": [
            {"target_role": "crashes", "field": "severity", "operator": "eq", "value": "Unknown"}
        ],
    }
    answer = world.ask(frame)
    assert answer.keys == ["t:b"]  # c:05 and c:06 at s:3
    assert answer.tally.sources == {"primary": {"t": 1}, "filter": {"s": 1}, "crashes": {"c": 2}}
    frame["spatial_constraints"][1]["negate"] = True
    answer = world.ask(frame)
    # s:1, s:2 and s:4 have no such crash nearby; s:3 has.
    assert answer.keys == ["t:a", "t:c"]
    assert answer.tally.not_mapped == {"filter": 1, "crashes": 0}


def test_on_a_road_is_the_link(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [target("Crash", "primary"), target("Road", "filter")],
            "spatial_constraints": [rule("on", "primary", "filter")],
            "attribute_constraints": [
                {"target_role": "filter", "field": "sidewalk", "operator": "eq", "value": "none"}
            ],
        }
    )
    # c:10 ends at no road by its link, though it touches r:2.
    assert answer.keys == ["c:01", "c:02"]
    assert answer.column("road") == ["High Street", "High Street"]
    roads = world.ask(
        {
            "targets": [target("Road", "primary"), target("Crash", "filter", ["c:07"])],
            "spatial_constraints": [rule("on", "filter", "primary")],
        }
    )
    assert roads.keys == ["r:2"]


@pytest.mark.parametrize(
    ("relation", "found"), [("intersects", ["r:1", "r:2"]), ("within", ["r:1"]), ("contains", [])]
)
def test_relations_without_a_link_go_by_geometry(world: Any, relation: str, found: list[str]) -> None:
    plane = shapely.box(0, 0, 1000, 1000)
    answer = world.ask(
        {
            "targets": [target("Road", "primary")],
            "references": [{"role": "anchor", "id": "anchor", "area": world.area(plane)}],
            "spatial_constraints": [rule(relation, "primary", "anchor")],
        }
    )
    assert answer.keys == found
    assert answer.plan.rules["relations"] == [
        {"between": ["primary", "anchor"], "geometry": {"contains": "contains"}.get(relation, relation)}
    ]


def test_area_and_coordinates_are_measured_on_the_plane(world: Any) -> None:
    def ask(**constraint: Any) -> list[str]:
        x, y = world.degrees(500.0, 500.0)
        place = {"longitude": x, "latitude": y}
        keys: list[str] = world.ask(
            {
                "targets": [target("School", "primary")],
                "references": [{"role": "anchor", "id": "anchor", "coordinates": place}],
                "spatial_constraints": [rule("within_distance", "primary", "anchor", **constraint)],
            }
        ).keys
        return keys

    assert ask(distance_m=399.99) == ["s:1"]
    assert ask(distance_m=400) == ["s:1", "s:2"]
    assert ask(distance_m=400, negate=True) == ["s:3", "s:4"]


def test_a_scope_may_hold_for_several_targets(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [
                target("School", "primary"),
                target("Crash", "filter"),
                target("Town", "scope", ["t:b"]),
            ],
            "spatial_constraints": [
                near("primary", "filter", 250),
                rule("within", "primary", "scope"),
                rule("within", "filter", "scope"),
            ],
        }
    )
    assert answer.keys == ["s:3"]
    assert answer.tally.sources["filter"] == {"c": 2}  # c:05, c:06; c:10 is A's


def test_scope_with_conditions_of_its_own(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [target("School", "primary"), target("Town", "scope")],
            "spatial_constraints": [rule("within", "primary", "scope")],
            "attribute_constraints": [
                {"target_role": "scope", "field": "population", "operator": "gte", "value": 3000}
            ],
        }
    )
    assert answer.keys == ["s:3"]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"spatial_constraints": []}, "Not connected to the primary: filter"),
        ({"spatial_constraints": [rule("on", "primary", "filter")]}, "cannot be 'on' 'filter'"),
        ({"targets": [target("School", "filter")]}, "one primary, not 0"),
        ({"spatial_constraints": [near("primary", "nobody", 5)]}, "names 'nobody'"),
        ({"references": [{"role": "anchor", "names": ["One"]}]}, "not resolved"),
    ],
)
def test_what_is_no_checked_frame(world: Any, change: dict[str, Any], words: str) -> None:
    frame = {
        "targets": [target("School", "primary"), target("Crash", "filter")],
        "spatial_constraints": [near("primary", "filter", 5)],
        **change,
    }
    with pytest.raises(PlanError, match=words):
        world.ask(frame)


@pytest.mark.parametrize(
    ("constraint", "words"),
    [
        (rule("on", "primary", "other"), "cannot be 'on'"),
        (rule("nearest_to", "primary", "other"), "0 nearest"),
        (rule("touches", "primary", "other"), "cannot be 'touches'"),
    ],
)
def test_relations_that_mean_nothing(world: Any, constraint: dict[str, Any], words: str) -> None:
    with pytest.raises(PlanError, match=words):
        world.ask(
            {
                "targets": [target("School", "primary"), target("BusStop", "filter", name="other")],
                "spatial_constraints": [constraint],
            }
        )


def test_two_ways_between_the_same_targets_are_no_tree(world: Any) -> None:
    with pytest.raises(PlanError, match="by more than one way"):
        world.ask(
            {
                "targets": [
                    target("School", "primary"),
                    target("Crash", "filter"),
                    target("Road", "filter", name="roads"),
                ],
                "spatial_constraints": [
                    near("primary", "filter", 5),
                    near("primary", "roads", 5),
                    near("filter", "roads", 5),
                ],
            }
        )


def test_a_filter_may_hang_from_a_scope(world: Any) -> None:
    """Schools in towns that have a fatal crash."""
    answer = world.ask(
        {
            "targets": [target("School", "primary"), target("Town", "scope"), target("Crash", "filter")],
            "spatial_constraints": [
                rule("within", "primary", "scope"),
                rule("within", "filter", "scope"),
            ],
            "attribute_constraints": [
                {"target_role": "filter", "field": "persons_killed", "operator": "gte", "value": 2}
            ],
        }
    )
    assert answer.keys == ["s:1", "s:2", "s:5"]


def test_a_scope_of_the_primary_s_entity_keeps_it(world: Any) -> None:
    answer = world.ask(
        {
            "targets": [target("Town", "primary"), target("Town", "scope", ["t:a"])],
            "spatial_constraints": [rule("within", "primary", "scope")],
        }
    )
    assert answer.keys == ["t:a"]
