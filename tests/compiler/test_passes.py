"""Every pass does what its cases say, again and again the same, and changes no result."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest
import shapely
import yaml

from groundframe.compiler.lowering import NEUTRAL, Traits
from groundframe.compiler.measures import Measured
from groundframe.compiler.ops import (
    Aggregate,
    Attach,
    Bound,
    Complete,
    Count,
    Flip,
    GroupKey,
    Join,
    Nearest,
    Op,
    Rank,
    Scan,
    Semi,
    Show,
    Together,
    Where,
)
from groundframe.compiler.passes import PASSES, Pass
from groundframe.compiler.physical import Physical
from groundframe.compiler.predicates import (
    FALSE,
    TRUE,
    And,
    Compare,
    Equals,
    IsUnknown,
    KeyIn,
    LinkIn,
    LinkPresent,
    Located,
    NearAny,
    Not,
    PartIn,
    Possible,
    Predicate,
    Stored,
)
from groundframe.compiler.relations import LinksFrom, LinksTo, Listed, Relation, WithinDistance
from groundframe.postgis.rewrites import POSTGIS
from groundframe.schema.packs import load_pack

CASES = Path(__file__).parents[1] / "cases" / "passes"
BY_NAME: dict[str, Pass] = {change.__name__: change for change in PASSES}

SCANS: dict[str, Op] = {
    "schools": Scan("School", ("point",), 26986),
    "crashes": Scan("Crash", ("point",), 26986, dated=True),
    "towns": Scan("Town", ("polygon",), 26986),
    **{
        f"by {one} and {other}": Scan("Crash", ("point",), 26986, True, f"narrow_crash_by_{one}_{other}")
        for one, other in [("weekday", "hour"), ("year", "month"), ("year", "hour")]
    },
}
PACK = load_pack("massachusetts")
# A dataset of 1,000 schools and 100,000 crashes, 1,000 of them fatal, with 200 crashes near each school.
PHYSICAL = Physical.of(
    PACK,
    {
        "entities": {
            "School": {"rows": 1_000, "sources": ["a"], "counts": {"geom": {"true": 1_000}}},
            "Crash": {
                "rows": 100_000,
                "sources": ["b"],
                "counted_links": ["town"],
                "counted_flags": ["is_fatal_crash_by_severity"],
                "summed": True,
                "grouped": True,
                "counts": {
                    "is_fatal_crash_by_severity": {"true": 1_000, "false": 99_000},
                    "year_part": {"2018": 20_000, "2019": 40_000, "2020": 40_000},
                    "junction_type_code": {"2": 5_000},
                },
            },
        },
        "pairs": {
            "near_school_crash": {
                "between": ["School", "Crash"],
                "within_m": 500.0,
                "rows": 200_000,
                "counted": True,
            }
        },
    },
)
FATAL = Equals("severity", ("Fatal injury",), ("Unknown",))
STORED = Stored("is_fatal_crash_by_severity", FATAL)
SLOW = Compare("speed_limit", "lt", 30.0)
CROSSING = Equals("junction_type", ("T-intersection",))
SOME, PRIVATE = KeyIn(("a", "b")), Equals("type", ("Private",))
PREDICATES: dict[str, Predicate] = {
    "some": SOME,
    "private": PRIVATE,
    "some and private": And((SOME, PRIVATE)),
    "anything": TRUE,
    "town is some": LinkIn("town", SOME.keys),
    "town is not some": Not(LinkIn("town", SOME.keys)),
    "has town": LinkPresent("town"),
    "located": Located(),
    "fatal": FATAL,
    "stored fatal": STORED,
    "fatal and some": And((FATAL, SOME)),
    "stored fatal and some": And((STORED, SOME)),
    "unknown fatal": IsUnknown(FATAL),
    "from 2019": Compare("date", "gte", date(2019, 1, 1)),
    "from May 2019": Compare("date", "gte", date(2019, 5, 1)),
    "of 2019 and 2020": PartIn("date", "year", (2019, 2020)),
    "unknown stored fatal": IsUnknown(STORED),
    "school within 300": NearAny("School", 300.0),
    "fatal near school": And((NearAny("School", 300.0), STORED)),
    "no school within 300": Not(NearAny("School", 300.0)),
    "slow": SLOW,
    "possibly slow": Possible(SLOW),
    "unknown slow": IsUnknown(SLOW),
    "stored fatal and slow": And((STORED, SLOW)),
    "stored fatal and possibly slow": And((STORED, Possible(SLOW))),
    "unknown of stored fatal and slow": IsUnknown(And((STORED, SLOW))),
    "of 2 crossings": CROSSING,
    "unknown of 2 crossings": IsUnknown(CROSSING),
    "unknown of 2019 and 2020": IsUnknown(PartIn("date", "year", (2019, 2020))),
    "unknown from May 2019": IsUnknown(Compare("date", "gte", date(2019, 5, 1))),
    "nothing": FALSE,
}


def relation(words: str) -> Relation:
    match words.split():
        case ["near", metres]:
            return WithinDistance(float(metres))
        case ["listed", metres, left]:
            return Listed(float(metres), "near_school_crash", left)  # type: ignore[arg-type]
        case ["of", link]:
            return LinksFrom(link)
    return LinksTo(words)


def op(given: Any) -> Op:
    """An operation from the shorthand of the cases."""
    if isinstance(given, str):
        return SCANS[given]
    ((kind, content),) = given.items()
    match kind:
        case "where":
            return Where(op(content["input"]), PREDICATES[content["predicate"]])
        case "semi":
            rest = {name: content[name] for name in ("negate", "drive") if name in content}
            return Semi(op(content["input"]), op(content["pairs"]), **rest)
        case "join":
            left, right, *relations = content
            return Join(op(left), op(right), tuple(map(relation, relations)), distinct=False)
        case "nearest":
            return Nearest(op(content[0]), op(content[1]), content[2])
        case "flip":
            return Flip(op(content))
        case "number":
            known = PREDICATES[content["known"]] if "known" in content else None
            by, stored = tuple(content.get("by", ())), content.get("stored")
            return Count(op(content["of"]), by, role=content.get("for", ""), stored=stored, known=known)
        case "together":
            return Together(tuple(map(op, content)))
        case "count":
            named = content["by"]
            key = GroupKey("key", "key") if named == "key" else GroupKey("key", "link", named)
            counted = "right" if "join" in content["input"] else "left"
            pairs = op(content["input"])
            return Aggregate(pairs, (key,), (Measured("n", "count"),), counted)  # type: ignore[arg-type]
        case "grouped":
            fields = {"hour": "time_of_day", "weekday": "date", "year": "date"}
            keys = tuple(GroupKey(part, part, fields[part]) for part in content["by"])
            return Aggregate(op(content["of"]), keys, (Measured("n", "count"),))
        case "attach":
            return Attach(op(content["input"]), (), (counts(content),))
        case "rank":
            bound = Bound(*content["bound"]) if "bound" in content else None
            return Rank(
                op({"attach": content["attach"]}), content["by"], "highest", content.get("top"), bound=bound
            )
        case "complete":
            return Complete(op({"rank": content["rank"]}), (), (counts(content),))
        case "show":
            return Show(op(content), ("key",), ranked=True)
    raise AssertionError(kind)


def counts(content: Any) -> Op:
    key = (GroupKey("key", "key"),)
    measures = tuple(Measured(name, "count") for name in content["names"])
    counted = op(content["count"])
    if isinstance(counted, Aggregate):
        return counted
    return Aggregate(counted, key, measures, "right")


def cases() -> list[Any]:
    return [
        pytest.param(path.stem, case, id=f"{path.stem}: {case['title']}")
        for path in sorted(CASES.glob("*.yaml"))
        for case in yaml.safe_load(path.read_text())
    ]


@pytest.mark.parametrize(("name", "case"), cases())
def test_case(name: str, case: dict[str, Any]) -> None:
    before, after = op(case["before"]), op(case["after"])
    change = BY_NAME[name]
    if name == "aggregate_before_join" and isinstance(after, Aggregate) and not isinstance(after.input, Join):
        # Grouped without pairs, the counted features are the only side there is.
        after = Aggregate(after.input, after.keys, after.measures)
    assert change(before, PHYSICAL) == after
    assert change(after, PHYSICAL) == after
    if name not in ("count_once", "rank_before_measuring"):
        assert change(before, PHYSICAL).output == before.output


def test_every_pass_has_cases_that_change_something() -> None:
    assert {path.stem for path in CASES.glob("*.yaml")} == set(BY_NAME)
    for path in CASES.glob("*.yaml"):
        content = yaml.safe_load(path.read_text())
        assert any(case["before"] != case["after"] for case in content)
        assert any(case["before"] == case["after"] for case in content) or path.stem == "drop_redundant"


# Frames over a random world: all relations, negation, supports, chains and keys, by seed.


def rows(dice: random.Random) -> dict[str, dict[str, dict[str, Any]]]:
    def spot() -> shapely.Point | None:
        return None if dice.random() < 0.1 else shapely.Point(dice.randrange(400), dice.randrange(400))

    def town() -> str | None:
        return dice.choice(["t:0", "t:1", "t:2", None])

    severities = ["Fatal injury", "Non-fatal injury", "Property damage only (none injured)", "Unknown", None]
    made: dict[str, dict[str, dict[str, Any]]] = {
        "Town": {
            f"t:{n}": {
                "geometry": shapely.box(n * 100, 0, n * 100 + 100, 400),
                "name": f"Town {n}",
                "population": n or None,
            }
            for n in range(3)
        },
        "Road": {
            f"r:{n}": {
                "geometry": shapely.LineString([(n * 90, dice.randrange(400)), (n * 90 + 80, 200)]),
                "sidewalk": dice.choice(["none", "both", "Unknown", None]),
                "town_key": town(),
            }
            for n in range(4)
        },
        "School": {
            f"s:{n:02}": {
                "geometry": spot(),
                "type": dice.choice(["Private", "Charter", "Unknown", None]),
                "town_key": town(),
            }
            for n in range(15)
        },
        "Crash": {
            f"c:{n:03}": {
                "geometry": spot(),
                "severity": dice.choice(severities),
                "town_key": town(),
                "road_key": dice.choice(["r:0", "r:1", "r:2", None]),
                "persons_killed": dice.choice([0, 0, 1, 2, None]),
            }
            for n in range(60)
        },
    }
    return made


FIELDS: dict[str, tuple[str, list[Any]]] = {
    "School": ("type", ["Private", "Charter", "Unknown"]),
    "Crash": ("severity", ["Fatal injury", "Unknown"]),
    "Road": ("sidewalk", ["none", "Unknown"]),
    "Town": ("population", [1, 2]),
}


def a_frame(dice: random.Random) -> dict[str, Any]:
    """A random checked frame."""
    targets: list[dict[str, Any]] = [
        {"entity": dice.choice(sorted(FIELDS)), "role": "primary", "id": "primary"}
    ]
    spatial: list[dict[str, Any]] = []
    for number in range(dice.randrange(1, 4)):
        role = dice.choice(["filter", "filter", "support", "scope"])
        entity = "Town" if role == "scope" else dice.choice(["School", "Crash", "Road"])
        name = f"{role}_{number}"
        keys = dice.choice([None, ["t:0"], ["t:1", "t:2"]]) if role == "scope" else None
        parents = [target for target in targets if target["role"] != "scope"]
        # What hangs from "none" cannot be counted.
        negated = role == "support" and any(item["negate"] for item in spatial)
        parent = targets[0] if negated else dice.choice(parents)
        target = {"entity": entity, "role": role, "id": name, "keys": keys}
        targets.append(target)
        spatial.extend(constraints(dice, target, parent))
    attributes = []
    for target in targets:
        if dice.random() < 0.5:
            field, values = FIELDS[str(target["entity"])]
            attributes.append(
                {
                    "target_role": target["id"],
                    "field": field,
                    "operator": dice.choice(["eq", "ne"]),
                    "value": dice.choice(values),
                    "negate": dice.random() < 0.3,
                }
            )
    frame: dict[str, Any] = {
        "targets": targets,
        "spatial_constraints": spatial,
        "attribute_constraints": attributes,
        "measures": measures(targets),
    }
    if frame["measures"] and dice.random() < 0.6:
        frame["ranking"] = {
            "metric": frame["measures"][0]["name"],
            "target_role": "primary",
            "order": dice.choice(["highest", "lowest"]),
            "top_n": dice.choice([2, 5, None]),
            "include_ties": dice.random() < 0.3,
        }
    return frame


def constraints(dice: random.Random, target: dict[str, Any], parent: dict[str, Any]) -> list[dict[str, Any]]:
    ends = [target["id"], parent["id"]]
    negate = target["role"] == "filter" and dice.random() < 0.3
    entities = (target["entity"], parent["entity"])
    choices = [("within_distance", {"distance_m": dice.choice([20, 60, 120])}, dice.sample(ends, 2))]
    if target["role"] != "scope":
        choices.append(("nearest_to", {"k": dice.choice([1, 3])}, dice.sample(ends, 2)))
    if entities == ("Crash", "Road"):
        choices.append(("on", {}, ends))
    if entities == ("Road", "Crash"):
        choices.append(("on", {}, ends[::-1]))
    if entities[0] == "Town" and entities[1] != "Town":
        choices = [("within", {}, ends[::-1])]
    elif entities[1] == "Town":
        choices.append(("within", {}, ends))
    relation, more, (of, to) = dice.choice(choices)
    made = {"relation": relation, "target_role": of, "reference_role": to, "negate": negate, **more}
    return [made]


def measures(targets: list[dict[str, Any]]) -> list[dict[str, Any]]:
    found = []
    for target in targets:
        if target["role"] == "support":
            name = target["id"]
            found.append({"measure": "count", "target_role": name, "name": f"n_{name}"})
            if target["entity"] == "Crash":
                found.append(
                    {
                        "measure": "mean",
                        "field": "persons_killed",
                        "target_role": name,
                        "name": f"mean_{name}",
                    }
                )
    return found


VARIANTS: list[tuple[str, tuple[Pass, ...], Traits]] = [
    *((name, (change,), NEUTRAL) for name, change in BY_NAME.items()),
    ("all passes", PASSES, NEUTRAL),
    *(
        (f"rewrite {name}", PASSES, Traits("postgis", {name: made}))
        for name, made in POSTGIS.rewrites.items()
    ),
    ("PostGIS without passes", (), POSTGIS),
    ("PostGIS", PASSES, POSTGIS),
]


@pytest.mark.parametrize("seed", range(5))
def test_no_pass_and_no_rewrite_changes_a_result(make_world: Callable[[str], Any], seed: int) -> None:
    dice = random.Random(seed)
    made = make_world("gf_passes")
    made.fill(rows(dice))
    answered = 0
    while answered < 3:
        frame = a_frame(dice)
        plain = made.ask(frame, passes=(), traits=NEUTRAL)
        if not plain.rows:
            continue
        answered += 1
        for name, passes, traits in VARIANTS:
            other = made.ask(frame, passes=passes, traits=traits)
            assert other.rows == plain.rows, (name, frame)
            assert other.tally == plain.tally, (name, frame)
