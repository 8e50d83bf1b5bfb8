"""``groundframe run --record`` and ``groundframe replay``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from groundframe.audit.sealing import seal_of

FRAME = Path(__file__).resolve().parents[2] / "examples" / "boston_schools.json"


@pytest.fixture
def record(cli: Any, demo: str, tmp_path: Path) -> Path:
    path = tmp_path / "record.json"
    assert cli("run", FRAME, "--record", path).code == 0
    return path


def test_the_same_answer(cli: Any, record: Path) -> None:
    for arguments, stdin in ((("replay", record), b""), (("replay", "-"), record.read_bytes())):
        ran = cli(*arguments, stdin=stdin)
        assert (ran.code, ran.out, ran.err) == (0, "The answer is the same.\n", "")
    content = json.loads(cli("replay", record, "--format", "json").out)
    assert content["same"] is True
    assert content["digest"] == content["recorded_digest"]


def test_the_record_of_a_file_that_was_written(cli: Any, demo: str, tmp_path: Path) -> None:
    answer, path = tmp_path / "schools.geojson", tmp_path / "record.json"
    assert cli("run", FRAME, "-o", answer, "--record", path).code == 0
    digest = json.loads(answer.read_text(encoding="utf-8"))["groundframe"]["digest"]
    record = json.loads(path.read_text(encoding="utf-8"))
    assert record["digest"] == digest
    assert record["row_limit"] is None
    again = tmp_path / "again.geojson"
    assert cli("replay", path, "-o", again).code == 0
    assert again.read_bytes() == answer.read_bytes()


def test_another_answer(cli: Any, record: Path) -> None:
    content = json.loads(record.read_text(encoding="utf-8"))
    content["frame"]["ranking"]["top_n"] = 4
    content["record_digest"] = seal_of(content)
    record.write_text(json.dumps(content), encoding="utf-8")
    ran = cli("replay", record)
    assert ran.code == 1
    lines = ran.out.splitlines()
    assert lines[0].startswith("The answer is another, though data and versions are the same")
    stages = [line for line in lines[1:] if not line.startswith(" ")]
    assert stages == ["checked frame:", "plan:", "sql:", "counts:", "rows:", "digest:"]
    assert "  went: " in ran.out
    shown = json.loads(cli("replay", record, "--format", "json").out)
    assert [f"{stage}:" for stage in shown["differences"]] == stages


@pytest.mark.parametrize(
    ("text", "begins"),
    [
        ('{"targets": []}', "This is no audit record: it has no 'record_version'."),
        ("{", "The record '{path}' is not JSON: "),
        ("", "The record '{path}' is empty."),
    ],
)
def test_what_is_no_record_needs_no_database(cli: Any, tmp_path: Path, text: str, begins: str) -> None:
    path = tmp_path / "record.json"
    path.write_text(text, encoding="utf-8")
    ran = cli("replay", path)
    assert ran.code == 1
    assert ran.sentence().startswith(begins.replace("{path}", str(path)))


def test_a_record_that_was_changed(cli: Any, record: Path) -> None:
    text = record.read_text(encoding="utf-8")
    record.write_text(text.replace('"Boston"', '"Quincy"', 1), encoding="utf-8")
    ran = cli("replay", record)
    assert ran.code == 1
    assert ran.sentence().startswith("The record was changed after it was written.")


def test_wrong_use(cli: Any, demo: str, tmp_path: Path) -> None:
    same = tmp_path / "one.geojson"
    ran = cli("run", FRAME, "-o", same, "--record", same)
    assert ran.code == 2
    assert "cannot hold both the answer and its record" in ran.sentence()
    assert not same.exists()
    ran = cli("run", FRAME, "--record", tmp_path / "no" / "record.json")
    assert ran.code == 1
    assert "cannot be written: there is no folder" in ran.err
    assert cli("replay", FRAME, "--format", "xml").code == 2
    assert cli("replay", FRAME, "-o", tmp_path / "answer").code == 2


def test_the_schema_of_records(cli: Any) -> None:
    ran = cli("schema", "--record-schema")
    assert ran.code == 0
    published = FRAME.parents[1] / "docs" / "record.schema.json"
    assert json.loads(ran.out) == json.loads(published.read_text(encoding="utf-8"))
