"""Whatever a frame says, one of three outcomes, quickly; what is checked keeps the contract."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from groundframe.errors import FrameError
from groundframe.frames.model import Frame
from groundframe.frames.names import NameIndex
from groundframe.frames.reading import read_frame
from groundframe.schema.model import Pack
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Checked, NeedsChoice, Rejected

PUBLISHED = {
    path.stem: json.loads(path.read_text(encoding="utf-8"))
    for path in sorted((Path(__file__).resolve().parents[2] / "eval" / "golden" / "published").glob("*.json"))
}
WORDS = st.sampled_from(
    ["Crash", "crashes", "School", "Town", "Road", "Place", "primary", "support", "scope", "filter",
     "anchor", "Boston",
     "Redford", "severity", "fatal", "crash_date", "2024", "eq", "between", "near", "on", "within",
     "500 ft", "crash_count",
     "count", "mean", "", " ", "'; drop table crash; --", "%_", "\u017f", "İ", "🚲", "x" * 200, "rush hour",
     "midnight", "none", "since 2020", "last 5 years", "before March", "2020 to 2022", "Q3 2024",
     "7-9 am and 4-6 pm",
     "winter 2023", "2025-02-31", "500m of schools", "the city", "fatal or injury"]
)  # fmt: skip
SCALARS = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | WORDS
QUIET = [HealthCheck.too_slow, HealthCheck.function_scoped_fixture, HealthCheck.filter_too_much]


def assert_keeps_the_contract(frame: Frame, pack: Pack) -> None:
    """What docs/checked_frames.md promises, as far as it can be seen without a database."""
    entities = {entity.name: entity for entity in pack.entities}
    parts: list[Any] = [*frame.targets, *frame.references]
    ids = [part.id for part in parts]
    assert None not in ids
    assert len(set(ids)) == len(ids)
    assert [target.role for target in frame.targets].count("primary") == 1
    assert all(
        target.entity in entities and target.role in entities[target.entity].roles for target in frame.targets
    )
    for reference in frame.references:
        assert [reference.keys, reference.coordinates, reference.area].count(None) == 2
    for target in frame.targets:
        assert (target.keys is None) == (not target.names) or target.keys == tuple(
            sorted(set(target.keys or ()))
        )
    on_targets: list[Any] = [
        *frame.spatial_constraints,
        *frame.attribute_constraints,
        *frame.temporal_constraints,
    ]
    on_targets += [*frame.measures, *frame.group_by]
    mentioned = [one.target_role for one in on_targets]
    mentioned += [one.reference_role for one in frame.spatial_constraints]
    assert set(mentioned) <= set(ids)
    constants = {part.id for part in frame.references} | {
        part.id for part in frame.targets if part.role == "scope"
    }
    varying = {part.id for part in frame.targets} - constants
    edges = {frozenset((one.target_role, one.reference_role)) for one in frame.spatial_constraints}
    assert len({edge for edge in edges if edge <= varying}) == len(varying) - 1
    assert all(any(constant in edge for edge in edges) for constant in constants)
    for spatial in frame.spatial_constraints:
        assert (spatial.distance_m is not None) == (spatial.relation == "within_distance")
        assert spatial.distance_m is None or isinstance(spatial.distance_m, float)
        assert (spatial.k is not None) == (spatial.relation == "nearest_to")
    for temporal in frame.temporal_constraints:
        assert temporal.last is None
    counted = {measure.target_role for measure in frame.measures}
    assert all(target.id in counted for target in frame.targets if target.role == "support")
    named = [measure.name for measure in frame.measures]
    assert len(set(named)) == len(named)
    assert frame.ranking is None or frame.ranking.metric in named
    assert all(having.measure in named for having in frame.having)


def check(document: Any, pack: Pack, names: NameIndex) -> Checked | NeedsChoice | Rejected | None:
    """Read and validate, hold the outcome to its promises; None when the document is no frame."""
    try:
        frame = read_frame(document)
    except FrameError:
        return None
    before = frame.model_dump_json()
    start = time.perf_counter()
    outcome = validate(frame, pack, names)
    assert time.perf_counter() - start < 5
    assert frame.model_dump_json() == before
    assert outcome == validate(frame, pack, names)
    if isinstance(outcome, Rejected):
        assert outcome.issues
        assert all(issue.path == "" or issue.path.startswith("/") for issue in outcome.issues)
    elif isinstance(outcome, NeedsChoice):
        assert all(choice.candidates for choice in outcome.choices)
    else:
        assert_keeps_the_contract(outcome.frame, pack)
        again = validate(outcome.frame, pack, names)
        assert isinstance(again, Checked)
        assert (again.frame, again.repairs, again.normalised) == (outcome.frame, (), ())
        reread = read_frame(outcome.frame.model_dump_json(by_alias=True))
        assert reread == outcome.frame
    return outcome


@pytest.mark.parametrize("name", PUBLISHED)
def test_published_frames(name: str, pack: Pack, names: NameIndex) -> None:
    outcome = check(PUBLISHED[name], pack, names)
    assert isinstance(outcome, Checked)
    # The two that say "near" without a distance get the default, on record; nothing else is repaired.
    assert {record.path.rpartition("/")[2] for record in outcome.repairs} <= {"distance_m"}


def places(value: Any, path: tuple[str | int, ...] = ()) -> list[tuple[str | int, ...]]:
    """The path of every value in a document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [path, *(place for key, part in items for place in places(part, (*path, key)))]


@st.composite
def mutated(draw: st.DrawFn) -> Any:
    """A published frame with one to three of its parts changed, dropped or doubled."""
    document = json.loads(json.dumps(PUBLISHED[draw(st.sampled_from(sorted(PUBLISHED)))]))
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from([place for place in places(document) if place] or [("targets",)]))
        if not document:
            break
        holder = document
        for step in path[:-1]:
            holder = holder[step]
        value = holder[path[-1]]
        match draw(st.sampled_from(["replace", "drop", "double", "typo", "case"])):
            case "replace":
                holder[path[-1]] = draw(SCALARS | st.lists(SCALARS, max_size=3))
            case "drop":
                del holder[path[-1]]
            case "double" if isinstance(holder, list):
                holder.append(value)
            case "typo" if isinstance(value, str) and value:
                at = draw(st.integers(0, len(value) - 1))
                holder[path[-1]] = (
                    value[:at] + draw(st.sampled_from(["", "x", value[at] * 2])) + value[at + 1 :]
                )
            case "case" if isinstance(value, str):
                holder[path[-1]] = value.swapcase()
    return document


@settings(max_examples=400, deadline=None, suppress_health_check=QUIET)
@given(document=mutated())
def test_mutated_frames(document: Any, request: pytest.FixtureRequest) -> None:
    check(document, request.getfixturevalue("pack"), request.getfixturevalue("names"))


@st.composite
def jumbled(draw: st.DrawFn) -> Any:
    """A frame of the right shape whose every word is drawn from the vocabulary or is hostile."""
    role = st.sampled_from(["primary", "support", "scope", "filter", "anchor", "a", "b"])
    some = st.lists(WORDS.filter(bool), max_size=2)
    target = st.fixed_dictionaries(
        {"entity": WORDS.filter(bool), "role": role}, optional={"id": role, "names": some, "keys": some}
    )
    condition = st.fixed_dictionaries(
        {"target_role": role},
        optional={"field": WORDS.filter(bool), "operator": WORDS.filter(bool),
        "value": SCALARS | st.lists(SCALARS, max_size=3),
                  "concept": WORDS.filter(bool), "negate": st.booleans()},
    )  # fmt: skip
    spatial = st.fixed_dictionaries(
        {"relation": WORDS.filter(bool), "target_role": role, "reference_role": role},
        optional={
            "distance_m": st.floats(-10, 1e13) | WORDS,
            "k": st.integers(-1, 20_000),
            "negate": st.booleans(),
        },
    )
    span = st.fixed_dictionaries({"from": WORDS, "to": WORDS | st.integers(0, 24)})
    last = st.fixed_dictionaries({"count": st.integers(), "unit": st.sampled_from(["year", "days", "x"])})
    temporal = st.fixed_dictionaries(
        {"target_role": role},
        optional={"from": WORDS, "to": WORDS, "years": st.lists(st.integers() | WORDS, max_size=2),
                  "hours": WORDS | st.lists(span, max_size=3),
                  "months": st.lists(WORDS | st.integers(), max_size=2), "weekdays": st.lists(WORDS,
                  max_size=2),
                  "last": WORDS | last},
    )  # fmt: skip
    measure = st.fixed_dictionaries(
        {"measure": WORDS.filter(bool)},
        optional={"target_role": role, "field": WORDS.filter(bool), "name": role},
    )
    return draw(
        st.fixed_dictionaries(
            {"targets": st.lists(target, max_size=4)},
            optional={
                "references": st.lists(st.fixed_dictionaries({}, optional={"entity": WORDS.filter(bool),
                "names": some, "town": WORDS}), max_size=2),
                "spatial_constraints": st.lists(spatial, max_size=4),
                "attribute_constraints": st.lists(condition, max_size=3),
                "temporal_constraints": st.lists(temporal, max_size=2),
                "measures": st.lists(measure, max_size=2),
                "having": st.lists(st.fixed_dictionaries({"measure": WORDS.filter(bool),
                "operator": WORDS.filter(bool), "value": WORDS}), max_size=1),
                "ranking": st.fixed_dictionaries({"metric": WORDS.filter(bool)},
                optional={"target_role": role, "top_n": st.integers()}),
            },
        )
    )  # fmt: skip


@settings(max_examples=400, deadline=None, suppress_health_check=QUIET)
@given(document=jumbled())
def test_jumbled_frames(document: Any, request: pytest.FixtureRequest) -> None:
    outcome = check(document, request.getfixturevalue("pack"), request.getfixturevalue("names"))
    assume(outcome is not None)


def test_as_many_parts_as_are_allowed(pack: Pack, names: NameIndex) -> None:
    """The largest frames take no more than seconds."""
    conditions = [
        {"target_role": "primary", "field": "x" * 200, "operator": "y" * 200, "value": ["z" * 200] * 400}
    ] * 10
    targets = [{"entity": "Town", "role": "scope", "names": [f"{n:03}{'q' * 190}" for n in range(499)]}]
    document = {
        "targets": [{"entity": "Crash", "role": "primary"}, *targets],
        "attribute_constraints": conditions,
    }
    start = time.perf_counter()
    assert isinstance(check(document, pack, names), Rejected)
    assert time.perf_counter() - start < 10


LONG = (
    "a " * 100, "to " * 66, "- " * 100, "the the " * 25, "9 9 " * 50, " " * 199 + "x", "500 m of " * 22,
    "and " * 50, "after a and before " * 10, "2020 - " * 28, "between 2020 and " * 11,
    "one hundred and " * 12, "7am-9am and " * 16, "winter 2023-" * 16, "1" * 200, ", " * 100,
)  # fmt: skip
"""Texts of the allowed length that make a pattern look at every way to part them."""


@pytest.mark.parametrize("text", [text[:200] for text in LONG])
def test_long_texts_in_every_place(text: str, pack: Pack, names: NameIndex) -> None:
    """As many of them as are allowed, wherever a text may stand; docs/validation.md has the slowest."""
    primary = {"entity": "Crash", "role": "primary"}
    when: dict[str, Any] = {"target_role": "primary", "from": text, "to": text, "last": text, "hours": text}
    when |= {"years": [text] * 4, "months": [text] * 4, "weekdays": [text] * 4}
    test = {"target_role": "primary", "field": "severity", "operator": "eq", "value": [text] * 40}
    speed = {"target_role": "primary", "field": "speed_limit", "operator": "between", "value": text}
    word = {"target_role": text, "field": text, "operator": text, "value": text}
    town = {"entity": "Town", "role": "scope", "names": [f"{text[:190]}{n}" for n in range(400)]}
    documents: list[dict[str, Any]] = [
        {"targets": [primary], "temporal_constraints": [when] * 100},
        {"targets": [primary], "attribute_constraints": [test] * 50 + [speed] * 50},
        {"targets": [{"entity": text, "role": text}] * 90, "attribute_constraints": [word] * 90},
        {"targets": [primary, town], "references": [{"names": [f"{text[:190]}{n}"]} for n in range(90)]},
    ]
    for document in documents:
        start = time.perf_counter()
        assert isinstance(validate(read_frame(document), pack, names), Rejected)
        assert time.perf_counter() - start < 10
