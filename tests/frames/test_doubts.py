"""Frames that hold all that is said, and may yet mean something else, are not answered."""

from __future__ import annotations

import pytest

from groundframe.asking import interpreted
from groundframe.eval.repairs.ground import Ground, synthetic_ground
from groundframe.schema.packs import load_pack


@pytest.fixture(scope="module")
def ground() -> Ground:
    return synthetic_ground(load_pack("massachusetts"))


@pytest.mark.parametrize(
    ("question", "doubted"),
    [
        ("crashes in Boston or on Route 9", "or"),
        ("pedestrian or night crashes in Quincy", "or"),
        ("crashes in Quincy in 2022 or involving a deer", "or"),
        ("schools in Quincy or within 1 mile of Harvard Square", "or"),
        ("crashes with 2 or more killed or 3 hurt", "or"),
        ("crashes where at least 1 person died or 3 were hurt", "or"),
        ("fatal crashes or crashes at night in Quincy", "or"),
        ("fatal crashes in Quincy on weekends or at night", "or"),
        ("crashes in rush hour or at night in Quincy", "or"),
        ("ped crashes, rather bike crashes in Boston", "rather"),
        ("crashes in Boston except on weekends and at night", "and"),
        ("crashes from Boston to Quincy", "to"),
        ("crashes within 300 m of Quincy High School", "Quincy High School"),
        ("crashes near the quincy middle school in 2023", "quincy middle school"),
        ("bus stops within 200 m of Quincy Elementary", "Quincy Elementary"),
        ("crashes near Quincy Bus Stop", "Quincy Bus Stop"),
        ("compare Quincy High School and Boston High School", "Quincy High School"),
        ("crashes on 3rd in Quincy", "3rd"),
        ("crashes on 2nd St in Quincy", "2nd St"),
        ("fatal crashes in Boston and injury crashes in Quincy", "injury crashes"),
        ("crashes by town order by count desc limit 5", "limit"),
        ("was anyone hit by a car on wet roads in Quincy", "car"),
        ("how many people got rear ended in Quincy", "people"),
        ("crashes at Main St and Elm St in Quincy (the one by Adams Avenue)", "Adams Avenue"),
        ("trees near schools in Boston", "trees"),
        ("foggy days in Quincy in 2023", "foggy"),
        ("parked cars in Boston at night", "parked cars"),
        ("intersections in Boston with the most pedestrians", "pedestrians"),
        ("how many cyclists were there in Quincy", "cyclists"),
        ("rear end crashes at over 50 mph in Quincy", "50 mph"),
        ("when was the crosswalk near schools in Boston", "when"),
    ],
)
def test_doubtful(question: str, doubted: str, ground: Ground) -> None:
    found = interpreted(question, "lexical", ground.pack, ground.names)
    assert found.frame is None
    assert doubted in [span.text for span in found.leftovers]


@pytest.mark.parametrize(
    "question",
    [
        "crashes in Boston or Quincy",
        "fog, Boston, 5 to 8 am",
        "deer hits in Quincy",
        "rollovers in Boston",
        "boston peds since 2019",
        "intersections in Boston with the most pedestrians hit",
        "worst intersections for cyclists in Boston",
        "crashes on 40 mph roads in Quincy",
        "crashes near a Quincy high school",
        "crashes within 300 m of Quincy high schools",
        "worst Quincy high school for bike crashes",
        "a list of every single Quincy high school",
        "which Quincy middle school has the most crashes",
        "Quincy high school with the most crashes within 500 m",
        "crashes near Quincy bus stop",
        "towns in Worcester County or Hampden County under 15,000 residents",
        "fatal or injury crashes in Boston",
        "pedestrian crashes or cyclist crashes in Boston",
        "crashes that are neither fatal nor injury in Boston",
        "crashes on wet or icy roads in Boston",
        "towns with 5 or more crashes",
        "crashes before 7 am or after 7 pm in Boston",
        "fatal pedestrian crashes in Quincy",
        "fatal crashes involving cyclists in Quincy",
        "crashes not at night in Boston and Quincy",
        "crashes within 100 feet of a crosswalk and on a wet road in Boston",
        "crashes within 100 feet of a crosswalk and 200 feet of a school in Boston",
        "crashes in Quincy, actually just the fatal ones",
        "schools with no bus stop within 200 m and at least 10 pedestrian crashes within 500 m",
        "crashes in 2019-2021 in Boston",
        "compare pedestrian crashes in Quincy and Boston",
        "compare fatal crashes in 2019 and 2023 in Boston",
        "people killed in crashes in Boston in 2022",
    ],
)
def test_plain(question: str, ground: Ground) -> None:
    assert interpreted(question, "lexical", ground.pack, ground.names).frame is not None


def test_a_street_of_several_towns_is_asked_back(ground: Ground) -> None:
    found = interpreted("crashes on Main Street", "lexical", ground.pack, ground.names)
    assert found.frame is None
    assert [offer.startswith("crashes on Main Street in ") for offer in found.offers] == [True] * 3 + [False]
    assert found.offers[-1] == "crashes on Main Street, statewide"
    for plain in (found.offers[0], "crashes on Main Street, statewide", "crashes on Route 9"):
        assert interpreted(plain, "lexical", ground.pack, ground.names).frame is not None


@pytest.mark.parametrize("word", ["house", "block", "country", "sheet", "trunk", "showing", "court"])
def test_a_word_of_its_own_is_no_slip(word: str, ground: Ground) -> None:
    found = interpreted(f"crashes with a {word} in Quincy", "lexical", ground.pack, ground.names)
    assert found.frame is None
    assert not found.corrections


@pytest.mark.parametrize(
    "question",
    [
        "how many people were injured or killed in Quincy in 2022",
        "how many people were killed or injured in Boston",
        "crashes in 2021-2019 in Boston",
        "crashes and fatal crashes by town",
        "compare fatal crashes in 2019 and 2023 by weekday in Boston",
        "people seriously injured in Boston in 2022",
    ],
)
def test_what_a_frame_would_lose_is_asked_back(question: str, ground: Ground) -> None:
    found = interpreted(question, "lexical", ground.pack, ground.names)
    assert found.frame is None
    assert found.offers


def test_a_street_of_another_area_is_asked_back_with_the_areas_that_have_it(ground: Ground) -> None:
    areas: dict[str, set[str]] = {}
    for road in ground.names.features("Road", ground.names.distinct_names("Road")):
        areas.setdefault(road.name, set()).add(road.town)
    street, (home,) = next(
        (name, towns) for name, towns in sorted(areas.items()) if len(towns) == 1 and "" not in towns
    )
    away = next(name for name in ground.names.distinct_names("Town") if name != home)
    for asked in (
        f"crashes on {street} in {{}}",
        f"how many fatal crashes on {street}, {{}} since 2020",
        f"speed limit on {street} in {{}}",
        f"crashes within 500 m of {street} in {{}}",
    ):
        found = interpreted(asked.format(away), "lexical", ground.pack, ground.names)
        assert found.frame is None
        assert f"{away} has no street of the name '{street}'; {home} has one." in [
            span.meaning for span in found.leftovers
        ]
        assert found.offers[0] == asked.format(home)
        assert interpreted(asked.format(home), "lexical", ground.pack, ground.names).frame is not None
    # So is a road by its number alone.
    numbered = next(name for name in sorted(areas) if name.split()[-1].isdecimal())
    without = next(name for name in ground.names.distinct_names("Town") if name not in areas[numbered])
    found = interpreted(
        f"crashes on {numbered.split()[-1]} in {without}", "lexical", ground.pack, ground.names
    )
    assert found.frame is None
    assert found.offers
    # A distance reaches over the border.
    beside = f"crashes in {away} within 500 m of {street}"
    assert interpreted(beside, "lexical", ground.pack, ground.names).frame is not None


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ("when do most crashes happen in Boston", "at which hour do most crashes happen in Boston"),
        ("worst time to drive in Boston", "worst month of the year to drive in Boston"),
        ("where in Quincy are bikes hit most often", "which intersections have the most in Quincy bikes hit"),
        ("crashes by season in Boston", "crashes by month of the year in Boston"),
    ],
)
def test_where_and_when_are_asked_back(question: str, offered: str, ground: Ground) -> None:
    found = interpreted(question, "lexical", ground.pack, ground.names)
    assert found.frame is None
    assert offered in found.offers
