"""The oracle against answers that were worked out by hand, on a world of two square towns."""

from __future__ import annotations

from datetime import date, time
from typing import Any

import pytest
import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.eval.oracle import OracleAnswer, World, answer
from groundframe.frames.model import Frame
from groundframe.schema.packs import load_pack

PACK = load_pack("massachusetts")
Row = dict[str, Any]


def row(key: str, geometry: BaseGeometry | tuple[float, float] | None = None, **values: Any) -> Row:
    placed = shapely.Point(geometry) if isinstance(geometry, tuple) else geometry
    return {"key": key, "source": values.pop("source", "massdot_portal"), "geometry": placed, **values}


def towns() -> list[Row]:
    """East and West share the border x = 1000; the key of East comes first."""
    return [
        row("t:1", shapely.box(1000, 0, 2000, 1000), name="East"),
        row("t:2", shapely.box(0, 0, 1000, 1000), name="West"),
    ]


def ask(rows: dict[str, list[Row]], **frame: Any) -> OracleAnswer:
    targets = [{"id": target.get("role"), **target} for target in frame.pop("targets")]
    return answer(World(PACK, rows), Frame.model_validate({"targets": targets, **frame}))


def keys(found: OracleAnswer) -> list[str | None]:
    return [one.key for one in found.rows]


def linked(rows: dict[str, list[Row]], entity: str, link: str) -> dict[str, str | None]:
    return {key: feature.links[link] for key, feature in World(PACK, rows).features[entity].items()}


CRASH = {"entity": "Crash", "role": "primary"}
SUPPORT = {"entity": "Crash", "role": "support"}
SCHOOL = {"entity": "School", "role": "primary"}
COUNT = {"measure": "crash_count", "target_role": "support", "name": "crash_count"}


def related(relation: str, target: str, reference: str, **more: Any) -> Row:
    return {"relation": relation, "target_role": target, "reference_role": reference, **more}


def is_(field: str, operator: str, value: Any = None, **more: Any) -> Row:
    return {"target_role": "primary", "field": field, "operator": operator, "value": value, **more}


def ranked(order: str = "highest", top_n: int | None = 20, **more: Any) -> Row:
    return {"metric": "crash_count", "order": order, "top_n": top_n, **more}


def test_each_feature_has_one_town() -> None:
    crashes = [
        row("c:border", (1000, 500)),
        row("c:east", (1500, 500), stated_town="West"),
        row("c:nowhere", (5000, 5000), stated_town="West"),
        row("c:stated", None, stated_town="WEST"),
        row("c:unknown", None),
    ]
    roads = [
        row("r:across", shapely.LineString([(600, 500), (1300, 500)])),
        row("r:border", shapely.LineString([(1000, 0), (1000, 100)])),
        row("r:even", shapely.LineString([(900, 1), (1100, 1)])),
    ]
    world: dict[str, list[Row]] = {"Town": towns(), "Crash": crashes, "Road": roads}
    assert linked(world, "Crash", "town") == {
        "c:border": "t:1", "c:east": "t:1", "c:nowhere": None, "c:stated": "t:2", "c:unknown": None,
    }  # fmt: skip
    assert linked(world, "Road", "town") == {"r:across": "t:2", "r:border": "t:1", "r:even": "t:1"}


def test_a_crash_is_on_the_nearest_road_within_reach_and_a_stated_street_wins() -> None:
    roads = [
        row("r:1", shapely.LineString([(0, 0), (100, 0)]), name="Main Street"),
        row("r:2", shapely.LineString([(0, 20), (100, 20)]), name="Elm Street"),
        row("r:3", shapely.LineString([(0, 0), (100, 0)]), name="Main Street"),
    ]
    crashes = [
        row("c:far", (50, -15.25)),
        row("c:reach", (50, -15)),
        row("c:stated", (50, 9), stated_street="ELM ST"),
        row("c:tie", (50, 10)),
        row("c:unmatched", (50, 9), stated_street="Oak Street"),
    ]
    assert linked({"Road": roads, "Crash": crashes}, "Crash", "road") == {
        "c:far": None, "c:reach": "r:1", "c:stated": "r:2", "c:tie": "r:1", "c:unmatched": "r:1",
    }  # fmt: skip


def test_a_reported_value_comes_before_the_road_s() -> None:
    roads = [row("r:1", shapely.LineString([(0, 0), (100, 0)]), speed_limit=30.0, sidewalk="none")]
    crashes = [
        row("c:off", (50, 500)),
        row("c:reported", (50, 0), speed_limit=45.0, sidewalk="both"),
        row("c:silent", (50, 0), sidewalk="Unknown"),
    ]
    world = {"Road": roads, "Crash": crashes}
    assert keys(ask(world, targets=[CRASH], attribute_constraints=[is_("sidewalk", "eq", "none")])) == [
        "c:silent"
    ]
    assert keys(ask(world, targets=[CRASH], attribute_constraints=[is_("speed_limit", "gt", 30)])) == [
        "c:reported"
    ]
    assert ask(
        world, targets=[CRASH], attribute_constraints=[is_("speed_limit", "gt", 30)]
    ).unknown_left_out == {"primary": 1}


@pytest.mark.parametrize(
    ("condition", "expected", "unknown"),
    [
        (is_("severity", "eq", "Fatal injury"), ["c:1"], 2),
        (is_("severity", "ne", "Fatal injury"), ["c:2"], 2),
        (is_("severity", "eq", "Unknown"), ["c:3", "c:4"], 0),
        (is_("severity", "ne", "Unknown"), ["c:1", "c:2"], 0),
        (is_("severity", "in", ["Fatal injury", "Unknown"]), ["c:1", "c:3", "c:4"], 0),
        (is_("severity", "not_in", ["Fatal injury"]), ["c:2"], 2),
        (is_("severity", "is_null"), ["c:4"], 0),
        (is_("persons_injured", "between", [1, 3]), ["c:1", "c:2"], 1),
        (is_("persons_injured", "lt", 3), ["c:1", "c:3"], 1),
        (is_("crash_number", "contains", "b_1"), ["c:3"], 1),
        (is_("weather", "contains", "Rain"), ["c:1"], 2),
        (is_("weather", "contains", "Rain", negate=True), ["c:2"], 2),
    ],
)
def test_conditions_are_kleene_s(condition: Row, expected: list[str], unknown: int) -> None:
    crashes = [
        row(
            "c:1", severity="Fatal injury", persons_injured=1, crash_number="ab1", weather=("Cloudy", "Rain")
        ),
        row("c:2", severity="Non-fatal injury", persons_injured=3, crash_number="abb1", weather=()),
        row("c:3", severity="Unknown", persons_injured=0, crash_number="AB_1", weather=("Cloudy", "Unknown")),
        row("c:4"),
    ]
    found = ask({"Crash": crashes}, targets=[CRASH], attribute_constraints=[condition])
    assert keys(found) == expected
    assert found.unknown_left_out == {"primary": unknown}


def test_several_conditions_and_any_of() -> None:
    crashes = [
        row("c:1", severity="Fatal injury", light="Dusk"),
        row("c:2", severity="Fatal injury"),
        row("c:3", light="Dusk"),
    ]
    both = [is_("severity", "eq", "Fatal injury"), is_("light", "eq", "Dusk")]
    found = ask({"Crash": crashes}, targets=[CRASH], attribute_constraints=both)
    assert (keys(found), found.unknown_left_out) == (["c:1"], {"primary": 2})
    either = {"target_role": "primary", "any_of": both}
    assert keys(ask({"Crash": crashes}, targets=[CRASH], attribute_constraints=[either])) == [
        "c:1",
        "c:2",
        "c:3",
    ]


def test_a_concept_skips_what_the_source_does_not_report() -> None:
    crashes = [
        row("c:1", source="cambridge_police", non_motorist_types=("Pedestrian",)),
        row("c:2", source="cambridge_police", non_motorist_types=()),
        row("c:3", source="cambridge_police"),
        row("c:4", non_motorist_types=(), most_harmful_events=("Collision with tree",)),
        row("c:5", non_motorist_types=()),
    ]
    concept = {"target_role": "primary", "concept": "pedestrian_crash"}
    found = ask({"Crash": crashes}, targets=[CRASH], attribute_constraints=[concept])
    assert (keys(found), found.unknown_left_out) == (["c:1"], {"primary": 2})
    found = ask({"Crash": crashes}, targets=[CRASH], attribute_constraints=[{**concept, "negate": True}])
    assert (keys(found), found.unknown_left_out) == (["c:2", "c:4"], {"primary": 2})
    fatal = {"target_role": "primary", "concept": "fatal_crash"}
    found = ask({"Crash": crashes}, targets=[CRASH], attribute_constraints=[fatal])
    assert (keys(found), found.unknown_left_out) == ([], {"primary": 5})


@pytest.mark.parametrize(
    ("when", "expected", "unknown"),
    [
        ({"from": "2024-01-06", "to": "2024-01-06"}, ["c:noon", "c:notime", "c:one"], 1),
        ({"hours": {"from": "12:00", "to": "13:00"}}, ["c:noday", "c:noon"], 1),
        ({"hours": {"from": "11:00", "to": "12:00"}}, [], 1),
        ({"hours": {"from": "22:00", "to": "02:00"}}, ["c:late", "c:one"], 1),
        # 01:00 on Saturday belongs to the night of Friday; 22:30 on Friday is that night.
        ({"hours": {"from": "22:00", "to": "02:00"}, "weekdays": ["fri"]}, ["c:late", "c:one"], 1),
        ({"hours": {"from": "22:00", "to": "02:00"}, "weekdays": ["sat"]}, [], 1),
        # The day itself stays the crash's own.
        ({"hours": {"from": "22:00", "to": "02:00"}, "from": "2024-01-06"}, ["c:one"], 1),
        ({"weekdays": ["sat"]}, ["c:noon", "c:notime", "c:one"], 1),
        ({"years": [2024], "months": [1]}, ["c:late", "c:noon", "c:notime", "c:one"], 1),
        ({"hours": {"from": "12:00", "to": "24:00"}}, ["c:late", "c:noday", "c:noon"], 1),
        (
            {"hours": [{"from": "12:00", "to": "13:00"}, {"from": "22:00", "to": "23:00"}]},
            ["c:late", "c:noday", "c:noon"],
            1,
        ),
        (
            {
                "hours": [{"from": "12:00", "to": "13:00"}, {"from": "22:00", "to": "02:00"}],
                "weekdays": ["fri"],
            },
            ["c:late", "c:one"],
            # Noon of an unknown day may be a Friday's; a Saturday without a time may be Friday's night.
            2,
        ),
    ],
)
def test_days_and_hours(when: Row, expected: list[str], unknown: int) -> None:
    saturday = date(2024, 1, 6)
    crashes = [
        row("c:late", date=date(2024, 1, 5), time_of_day=time(22, 30)),
        row("c:noday", time_of_day=time(12)),
        row("c:noon", date=saturday, time_of_day=time(12)),
        row("c:notime", date=saturday),
        row("c:one", date=saturday, time_of_day=time(1)),
    ]
    found = ask(
        {"Crash": crashes}, targets=[CRASH], temporal_constraints=[{"target_role": "primary", **when}]
    )
    assert keys(found) == expected
    assert found.unknown_left_out == {"primary": unknown}


def test_ranking_keeps_zeros_and_tells_ties() -> None:
    schools = [row(f"s:{n}", (100 * n, 0)) for n in (1, 2, 3)] + [row("s:4", None)]
    crashes = [row("c:1", (100, 10)), row("c:2", (200, 10)), row("c:3", None), row("c:4", (150, 0))]
    asked: Row = {
        "targets": [SCHOOL, SUPPORT],
        "spatial_constraints": [related("within_distance", "support", "primary", distance_m=50)],
        "measures": [COUNT],
    }
    world = {"School": schools, "Crash": crashes}
    found = ask(world, **asked, ranking=ranked())
    assert [(one.key, one.measures["crash_count"], one.rank) for one in found.rows] == [
        ("s:1", 2, 1), ("s:2", 2, 2), ("s:3", 0, 3),
    ]  # fmt: skip
    assert (found.matched, found.not_mapped) == (3, {"primary": 1, "support": 1})
    assert keys(ask(world, **asked, ranking=ranked("lowest", 1))) == ["s:3"]
    assert ask(world, **asked, ranking=ranked("highest", 1)).ties_at_cut
    assert keys(ask(world, **asked, ranking=ranked("highest", 1, include_ties=True))) == ["s:1", "s:2"]
    assert ask(world, **asked, ranking=ranked("highest", 2)).ties_at_cut is False


def test_distances_have_half_a_millimetre_of_tolerance() -> None:
    crashes = [row("c:1", (500 + 1 / 4096, 0)), row("c:2", (500 + 1 / 1024, 0))]
    schools = [row("s:1", (0, 0))]
    found = ask(
        {"Crash": crashes, "School": schools},
        targets=[CRASH],
        references=[{"entity": "School", "id": "anchor", "keys": ["s:1"]}],
        spatial_constraints=[related("within_distance", "primary", "anchor", distance_m=500)],
    )
    assert keys(found) == ["c:1"]


def test_negation_means_that_no_feature_meets_all_conditions() -> None:
    crashes = [row("c:1", (1500, 1), severity="Fatal injury"), row("c:2", (500, 1), severity="Unknown")]
    found = ask(
        {"Town": towns(), "Crash": crashes},
        targets=[{"entity": "Town", "role": "primary"}, {"entity": "Crash", "role": "filter"}],
        spatial_constraints=[related("within", "filter", "primary", negate=True)],
        attribute_constraints=[{**is_("severity", "eq", "Fatal injury"), "target_role": "filter"}],
    )
    assert keys(found) == ["t:2"]


def test_what_has_no_coordinates_is_not_far_away_either() -> None:
    crashes = [row("c:1", (500, 500)), row("c:2", None, stated_town="West")]
    found = ask(
        {"Crash": crashes, "School": [row("s:1", (0, 0))], "Town": towns()},
        targets=[CRASH, {"entity": "School", "role": "filter"}],
        spatial_constraints=[related("within_distance", "primary", "filter", distance_m=100, negate=True)],
    )
    assert (keys(found), found.not_mapped) == (["c:1"], {"primary": 1, "filter": 0})


def test_all_conditions_of_a_filter_hold_for_the_same_feature() -> None:
    roads = [
        row("r:1", shapely.LineString([(0, 0), (100, 0)]), sidewalk="none", speed_limit=20.0),
        row("r:2", shapely.LineString([(0, 50), (100, 50)]), sidewalk="both", speed_limit=40.0),
        row("r:3", shapely.LineString([(0, 500), (100, 500)]), sidewalk="none", speed_limit=40.0),
    ]
    found = ask(
        {"School": [row("s:1", (50, 25)), row("s:2", (50, 525))], "Road": roads},
        targets=[SCHOOL, {"entity": "Road", "role": "filter"}],
        spatial_constraints=[related("within_distance", "primary", "filter", distance_m=100)],
        attribute_constraints=[
            {**is_("sidewalk", "eq", "none"), "target_role": "filter"},
            {**is_("speed_limit", "gte", 30), "target_role": "filter"},
        ],
    )
    assert keys(found) == ["s:2"]


def test_a_filter_may_hang_from_what_is_counted_and_a_scope_from_the_filter() -> None:
    rows = {
        "Town": towns(),
        "Crash": [row("c:1", (990, 500)), row("c:2", (1010, 500)), row("c:3", (1900, 500))],
        "School": [row("s:1", (980, 500)), row("s:2", (1900, 500))],
    }
    found = ask(
        rows,
        targets=[
            {"entity": "Town", "role": "primary"},
            SUPPORT,
            {"entity": "School", "role": "filter"},
            {"entity": "Town", "role": "scope", "keys": ["t:2"]},
        ],
        spatial_constraints=[
            related("within", "support", "primary"),
            related("within_distance", "support", "filter", distance_m=50),
            related("within", "filter", "scope"),
        ],
        measures=[COUNT],
        ranking=ranked(),
    )
    # The school in West counts a crash on either side of the border; the school in East counts none.
    assert [(one.key, one.measures["crash_count"]) for one in found.rows] == [("t:1", 1), ("t:2", 1)]


def test_on_is_the_link_and_the_condition_tests_that_one_road() -> None:
    roads = [
        row("r:1", shapely.LineString([(0, 0), (100, 0)]), sidewalk="both"),
        row("r:2", shapely.LineString([(0, 5), (100, 5)]), sidewalk="none"),
    ]
    found = ask(
        {"Crash": [row("c:1", (50, 1)), row("c:2", (50, 4))], "Road": roads},
        targets=[CRASH, {"entity": "Road", "role": "filter"}],
        spatial_constraints=[related("on", "primary", "filter")],
        attribute_constraints=[{**is_("sidewalk", "eq", "none"), "target_role": "filter"}],
    )
    assert keys(found) == ["c:2"]


def test_the_nearest_are_chosen_among_what_meets_the_rest() -> None:
    schools = [
        row("s:1", (10, 0), type="Private"),
        row("s:2", (30, 0), type="Public Middle"),
        row("s:3", (0, 30), type="Public Middle"),
        row("s:4", (90, 0), type="Public Middle"),
    ]
    asked: Row = {
        "targets": [SCHOOL],
        "references": [{"entity": "School", "id": "anchor", "keys": ["s:1"]}],
        "attribute_constraints": [is_("type", "eq", "Public Middle")],
    }
    found = ask(
        {"School": schools}, **asked, spatial_constraints=[related("nearest_to", "primary", "anchor", k=2)]
    )
    assert [(one.key, one.distance_m) for one in found.rows] == [("s:2", 20.0), ("s:3", 31.623)]
    schools[0]["geometry"] = shapely.Point(0, 0)
    found = ask(
        {"School": schools}, **asked, spatial_constraints=[related("nearest_to", "primary", "anchor", k=1)]
    )
    assert (keys(found), found.ties_at_cut) == (["s:2"], True)


def test_an_anchor_is_left_out_of_its_own_results() -> None:
    schools = [row("s:1", (0, 0)), row("s:2", (50, 0))]
    found = ask(
        {"School": schools},
        targets=[SCHOOL],
        references=[{"entity": "School", "id": "anchor", "keys": ["s:1"]}],
        spatial_constraints=[related("within_distance", "primary", "anchor", distance_m=100)],
    )
    assert keys(found) == ["s:2"]


def test_coordinates_and_areas_are_projected() -> None:
    # The false origin of the state's system: 41 N 71.5 W is (200000, 750000).
    crashes = [row("c:1", (200000, 750000)), row("c:2", (200100, 750000)), row("c:3", (209000, 750000))]
    near = ask(
        {"Crash": crashes},
        targets=[CRASH],
        references=[{"id": "anchor", "coordinates": {"longitude": -71.5, "latitude": 41.0}}],
        spatial_constraints=[related("within_distance", "primary", "anchor", distance_m=100)],
    )
    assert keys(near) == ["c:1", "c:2"]
    ring = [[-71.6, 40.9], [-71.45, 40.9], [-71.45, 41.1], [-71.6, 41.1], [-71.6, 40.9]]
    inside = ask(
        {"Crash": crashes},
        targets=[CRASH],
        references=[{"id": "anchor", "area": {"type": "Polygon", "coordinates": [ring]}}],
        spatial_constraints=[related("within", "primary", "anchor")],
    )
    assert keys(inside) == ["c:1", "c:2"]


def test_measures_and_having() -> None:
    crashes = [
        row("c:1", (1500, 1), severity="Fatal injury", persons_injured=4),
        row("c:2", (1500, 2), severity="Property damage only (none injured)", persons_injured=1),
        row("c:3", (1500, 3), severity="Unknown"),
    ]
    wanted = [
        {"measure": "epdo", "name": "epdo", "target_role": "support"},
        {"measure": "persons_injured", "name": "injured", "target_role": "support"},
        {"measure": "mean", "field": "persons_injured", "name": "mean", "target_role": "support"},
        {"measure": "median", "field": "persons_injured", "name": "median", "target_role": "support"},
        {"measure": "unknown_severity_crash_count", "name": "unknown", "target_role": "support"},
    ]
    asked: Row = {
        "targets": [{"entity": "Town", "role": "primary"}, SUPPORT],
        "spatial_constraints": [related("within", "support", "primary")],
        "measures": wanted,
    }
    world = {"Town": towns(), "Crash": crashes}
    east, west = ask(world, **asked).rows
    assert east.measures == {"epdo": 22, "injured": 5, "mean": 2.5, "median": 2.5, "unknown": 1}
    assert west.measures == {"epdo": 0, "injured": 0, "mean": None, "median": None, "unknown": 0}
    assert east.split == {
        "support": {"Fatal injury": 1, "Property damage only (none injured)": 1, "Unknown": 1}
    }
    having = [{"measure": "epdo", "operator": "gt", "value": 21}]
    assert keys(ask(world, **asked, having=having)) == ["t:1"]
