"""Reading records: whatever comes in, a record or one error that says what is wrong."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import groundframe as gf
from groundframe.audit.reading import RECORD, read_record
from groundframe.audit.sealing import seal_of

ROOT = Path(__file__).resolve().parents[2]
SCHOOLS = ROOT / "examples" / "boston_schools.json"
Data = dict[str, Any]


@pytest.fixture(scope="module")
def record(demo_url: str) -> Data:
    with gf.connect(demo_url) as gis:
        audit: Data = json.loads(json.dumps(gis.run(SCHOOLS).audit()))
    return audit


def refusal(source: Any) -> tuple[str, str]:
    """Code and sentence of the one error."""
    with pytest.raises(gf.RecordError) as caught:
        read_record(source)
    (issue,) = caught.value.issues
    assert "\n" not in str(caught.value)
    return issue.code, str(caught.value)


def sealed(record: Data) -> Data:
    return {**record, "record_digest": seal_of(record)}


def spoilt(value: Any) -> Any:
    """Another value of the same type."""
    match value:
        case bool():
            return not value
        case int() | float():
            return value + 1
        case str():
            return f"{value}x"
        case list():
            return [*value, 1]
        case dict():
            return {**value, "more": 1}
    return "something"


def test_every_change_is_noticed(record: Data) -> None:
    assert read_record(record)["digest"] == record["digest"]
    for name in record.keys() - {"timings", "record_version"}:
        assert refusal({**record, name: spoilt(record[name])})[0] == "changed", name
        assert refusal({key: part for key, part in record.items() if key != name})[0] in (
            "changed",
            "damaged",
        ), name
    changed = json.loads(json.dumps(record))
    changed["counts"]["sources"]["primary"] = {}
    assert refusal(changed)[1] == (
        "The record was changed after it was written. Take the file as it was written, or make a new one "
        "with 'groundframe run FRAME --record FILE'."
    )


def test_another_spelling_is_no_change(record: Data) -> None:
    """Order, indentation, and the spelling of numbers are left to the programs that a record passes."""
    text = json.dumps(record, sort_keys=True, indent=4).replace("500.0,", "500,")
    assert "500.0," in json.dumps(record)
    assert read_record(text) == read_record(record)
    later = {**record, "timings": {**record["timings"], "written": "2030-01-01T00:00:00+00:00"}}
    assert read_record(later)["digest"] == record["digest"]


@pytest.mark.parametrize(
    ("source", "code", "said"),
    [
        (b"", "empty", "The record is empty. A record is what 'groundframe run FRAME --record FILE' writes."),
        (b"{", "not_json", "The record is not JSON: "),
        (b"[1]", "not_an_object", "A record is a JSON object, and this is a list."),
        (b"\xff\xfe{}", "not_utf8", "The record is not UTF-8 text"),
        (b'{"a": 1, "a": 2}', "doubled_key", "/a: The key 'a' is given twice."),
        (b'{"a": NaN}', "not_a_number", "/a: NaN is not a number that a record can hold."),
        (b'{"a": ' + b"[" * 200 + b"]" * 200 + b"}", "too_deep", "The record is nested 201 levels deep"),
        (SCHOOLS, "no_record", "This is no audit record: it has no 'record_version'."),
        (ROOT / "docs" / "record.schema.json", "no_record", "This is no audit record"),
        (Path("/nowhere.json"), "unreadable", "/nowhere.json cannot be read (No such file or directory)."),
        (ROOT, "unreadable", "cannot be read (Is a directory)."),
        ({"record_version": 2}, "other_version", "The record is of version 2; this program reads version 1."),
        ({"record_version": "x" * 99}, "other_version", 'The record is of version "xxxxxxxxxxxxxxxxxxx;'),
        ({"record_version": True}, "other_version", "The record is of version true;"),
        ({"record_version": 1}, "damaged", "/question: The record is damaged: field required."),
    ],
    ids=str,
)
def test_what_is_no_record(source: Any, code: str, said: str) -> None:
    found, sentence = refusal(source)
    assert found == code
    assert said in sentence


def test_too_large(tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    with path.open("wb") as file:
        file.truncate(RECORD.bytes + 10)
    assert refusal(path) == (
        "too_large",
        f"The record '{path}' is 64.0 MB large; the limit is 64 MB. Is this the right file?",
    )


@pytest.mark.parametrize(
    ("spoil", "place"),
    [
        (lambda one: one["plan"]["nodes"][2].pop("type"), "/plan/nodes/2/type"),
        (lambda one: one.update(row_limit=-1), "/row_limit"),
        (lambda one: one.update(row_limit=2**64), "/row_limit"),
        (lambda one: one.update(choices={"/targets/0": 5}), "/choices/~1targets~10"),
        (lambda one: one["frame"].update(targets=[{"entity": "Crash"}]), "/frame/targets/0/role"),
        (lambda one: one["result"].update(rows=["abc"]), "/result/rows/0"),
        (lambda one: one.update(digest=one["digest"].upper()), "/digest"),
        (lambda one: one["sql"].update(other="SELECT 1"), "/sql/other"),
        (
            lambda one: one["frame"].update(spatial_constraints=one["frame"]["spatial_constraints"] * 101),
            "/frame/spatial_constraints",
        ),
        (
            lambda one: one["frame"].update(
                references=[{"area": {"type": "Polygon", "coordinates": [[[0, 0]] * 10_001]}}]
            ),
            "/frame/references/0/area",
        ),
    ],
)
def test_a_sealed_record_of_another_shape(record: Data, spoil: Callable[[Data], Any], place: str) -> None:
    changed = json.loads(json.dumps(record))
    spoil(changed)
    assert refusal(sealed(changed))[1].startswith(f"{place}: ")
