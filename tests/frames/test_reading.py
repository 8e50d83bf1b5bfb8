"""Reading frames: whatever comes in, a frame or an error that says what is wrong and where."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from groundframe.errors import FrameError, Issue
from groundframe.frames.model import Frame
from groundframe.frames.reading import LIMITS, read_frame

CRASHES: dict[str, Any] = {"targets": [{"entity": "Crash", "role": "primary"}]}


def issues(source: str | bytes | Path | Mapping[str, Any]) -> dict[str, str]:
    with pytest.raises(FrameError) as caught:
        read_frame(source)
    return {issue.path: issue.code for issue in caught.value.issues}


def message(source: str | bytes | Path | Mapping[str, Any]) -> str:
    with pytest.raises(FrameError) as caught:
        read_frame(source)
    return str(caught.value)


def test_every_source(tmp_path: Path) -> None:
    text = json.dumps(CRASHES)
    path = tmp_path / "frame.json"
    path.write_text(text, encoding="utf-8")
    wanted = Frame.model_validate(CRASHES)
    for source in (text, text.encode(), b"\xef\xbb\xbf" + text.encode(), path, CRASHES):
        assert read_frame(source) == wanted


@pytest.mark.shared_data
def test_published_example(shared_data: Path) -> None:
    frame = read_frame(shared_data.parent / "bench" / "published_example.json")
    assert frame.ranking is not None
    assert frame.ranking.top_n == 5


def test_published_relations() -> None:
    published = {"relation": "snap_match", "target_role": "support", "reference_role": "primary"}
    frame = read_frame(CRASHES | {"relations": [published, {**published, "relation": "on"}]})
    assert [one.relation for one in frame.spatial_constraints] == ["snap_match", "on"]
    typed = {"type": "snap_match", "target_role": "support", "reference_role": "primary"}
    assert read_frame(CRASHES | {"relations": [typed]}).spatial_constraints == frame.spatial_constraints[:1]
    mixed = {
        "spatial_constraints": [published],
        "relations": [{"relation": "snap_match", "target_role": "support"}],
    }
    assert issues(CRASHES | mixed) == {"/relations/0/reference_role": "missing_key"}
    assert issues({"relations": 5}) == {"/relations": "wrong_type"}


@pytest.mark.parametrize(
    ("source", "code"),
    [("", "empty"), (" \n ", "empty"), ("{", "not_json"), ('{"targets": [}', "not_json"), ("[]",
     "not_an_object"),
     ("null", "not_an_object"), ("5", "not_an_object"), (b"\xff\xfe{", "not_utf8"), ("\ud800", "not_unicode"),
     ("[" * 100_000, "too_deep"), ('{"a":' * 33 + "1" + "}" * 33, "too_deep"), ("x" * 1_000_001, "too_large"),
     ({"a": {1}}, "not_json"), (Path("/nowhere/at/all.json"), "unreadable"), (Path("a\0b"), "unreadable")],
)  # fmt: skip
def test_no_document(source: str | bytes | Path, code: str) -> None:
    assert issues(source) == {"": code}


def test_place_of_a_syntax_error() -> None:
    assert "line 2, column 14" in message('{\n "targets": [}')


def test_limits() -> None:
    deepest = '{"notes":' + "[" * 31 + "]" * 31 + "}"
    assert "too_deep" not in issues(deepest).values()
    assert "1 MB" in message(json.dumps({"question": "x" * 10_000_000}))
    assert issues({"attribute_constraints": [{}] * 101})[""] == "too_many"
    assert issues({"attribute_constraints": [{"any_of": [{}] * 60}, {"any_of": [{}] * 60}]})[""] == "too_many"
    target = {"entity": "School", "role": "filter", "names": ["x"] * 300}
    assert issues({"targets": [target, target]}) == {"": "too_many"}
    ring = [[-72 + number / 1e6, 42] for number in range(10_001)]
    area = {"type": "Polygon", "coordinates": [ring]}
    assert issues(CRASHES | {"references": [{"area": area}]}) == {"/references/0/area": "too_many"}
    assert issues(CRASHES | {"question": "x" * 1001}) == {"/question": "too_long"}
    assert issues({"targets": [{"entity": "x" * 201, "role": "a"}]}) == {"/targets/0/entity": "too_long"}
    values = {"field": "a", "value": ["x"] * 501}
    assert issues({"attribute_constraints": [values]}) == {"/attribute_constraints/0/value": "too_long"}
    assert issues({str(number): 1 for number in range(10_001)}) == {"": "too_many"}


def test_a_million_corners_are_refused_by_size() -> None:
    ring = [[-72.0, 42.0]] * 1_000_000
    area = {"type": "Polygon", "coordinates": [ring]}
    assert issues(CRASHES | {"references": [{"area": area}]}) == {"": "too_large"}


def test_doubled_keys_everywhere() -> None:
    text = '{"targets": [{"entity": "Crash", "role": "a", "role": "b"}], "notes": "a", "notes": "b"}'
    assert issues(text) == {"/targets/0/role": "doubled_key", "/notes": "doubled_key"}


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity", "1e999", "1" * 5000])
def test_numbers_that_are_none(number: str) -> None:
    text = '{"ranking": {"metric": "crash_count", "top_n": ' + number + "}}"
    assert issues(text) == {"/ranking/top_n": "not_a_number"}


def test_text_that_no_database_stores() -> None:
    wanted = {"/question": "not_unicode", "/notes": "not_unicode"}
    assert issues('{"question": "\\u0000", "notes": "\\ud800"}') == wanted


def test_every_issue_at_once_in_words() -> None:
    frame = {
        "targts": [],
        "targets": [{"entity": "Crash", "role": "primary", "names": {"town": "Boston"}}, {"entity": 5}],
        "spatial_constraints": [
            {"relation": "near", "target_role": "a", "reference_role": "b", "distance_m": True}
        ],
        "attribute_constraints": [{"value": [[1]], "feild": "x"}],
        "ranking": {"metric": "crash_count", "top_n": [5]},
        "references": [{"coordinates": {"longitude": 500, "latitude": None}}],
    }
    with pytest.raises(FrameError) as caught:
        read_frame(frame)
    sentences = {issue.path: issue.sentence().partition(": ")[2] for issue in caught.value.issues}
    belongs = "belongs here, and this is"
    assert sentences == {
        "/targts": "A frame has no key 'targts' here. Did you mean 'targets'?",
        "/targets/0/names": "A list belongs here, and this is an object. Put it in [ ].",
        "/targets/1/entity": "Text belongs here, and this is 5.",
        "/targets/1/role": "'role' is missing. Add it.",
        "/spatial_constraints/0/distance_m": f"A number, or a text with a unit, {belongs} true.",
        "/attribute_constraints/0/value/0": f"True or false or a number or text {belongs} a list.",
        "/attribute_constraints/0/feild": "A frame has no key 'feild' here. Did you mean 'field'?",
        "/ranking/top_n": f"A number or text {belongs} a list.",
        "/references/0/coordinates/longitude": "This is at most 180, and 500 is not.",
        "/references/0/coordinates/latitude": "A number belongs here, and this is null.",
    }


@pytest.mark.parametrize(("key", "known"), [("lat", "latitude"), ("lon", "longitude")])
def test_nearest_key_deep_inside(key: str, known: str) -> None:
    coordinates = {"longitude": -72, "latitude": 42, key: 1}
    assert f"Did you mean '{known}'?" in message({"references": [{"coordinates": coordinates}]})


def test_pointers_are_escaped() -> None:
    assert issues({"a/b~c": 1}) == {"/a~1b~0c": "unknown_key"}


def test_whole_numbers_as_decimals() -> None:
    frame = read_frame('{"ranking": {"metric": "crash_count", "top_n": 5.0}}')
    assert frame.ranking is not None
    assert frame.ranking.top_n == 5


def test_many_issues_are_cut() -> None:
    assert len(issues({f"key{number}": 1 for number in range(5000)})) == LIMITS["issues"]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=12), inner, max_size=4),
    max_leaves=20,
)
PARTS = sorted(Frame.model_fields)
KEYS = sorted(
    {name for part in Frame.model_json_schema()["$defs"].values() for name in part["properties"]}
    | {"from", "relations"}
)
SHAPED = st.dictionaries(
    st.sampled_from(PARTS) | st.text(max_size=8),
    JSON | st.lists(st.dictionaries(st.sampled_from(KEYS), JSON, max_size=5), max_size=3),
    max_size=5,
)


@settings(max_examples=300, deadline=None)
@given(st.one_of(SHAPED, st.dictionaries(st.text(max_size=8), JSON, max_size=4)))
def test_any_mapping_is_read_or_refused(source: dict[str, Any]) -> None:
    found: tuple[Issue, ...] = ()
    try:
        assert isinstance(read_frame(source), Frame)
    except FrameError as error:
        found = error.issues or (Issue("none", "", ""),)
    assert all(issue.message for issue in found)


@settings(max_examples=300, deadline=None)
@given(st.one_of(st.text(), st.binary()))
@example('{"a":1' + " " * 1000)
@example('"' + '\\"' * 400_000)
@example("\\" * 900_000)
@example('{"' * 300_000)
def test_any_text_is_read_or_refused_quickly(source: str | bytes) -> None:
    start = time.perf_counter()
    with pytest.raises(FrameError):
        read_frame(source)
    assert time.perf_counter() - start < 5
