"""Every format writes what a strict reader of it takes back."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from datetime import date, time
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from groundframe.errors import GroundframeError, UsageError
from groundframe.formats import geojson, table
from groundframe.formats.files import written_whole
from groundframe.formats.registry import FORMATS, format_named
from groundframe.formats.result import Column, Row

COLUMNS = (
    Column("key", "key", "text", "", "key"),
    Column("name", "name", "text", "", "label"),
    Column("speed_limit", "speed limit", "number", "mph", "field"),
    Column("day", "day", "date", "", "field"),
    Column("at", "time of day", "time_of_day", "", "field"),
    Column("weather", "weather", "category_list", "", "field"),
)
POINT = '{"type":"Point","coordinates":[-71.0589,42.3601]}'
SQUARE = '{"type":"Polygon","coordinates":[[[-71,42],[-70,42],[-70,43],[-71,43],[-71,42]]]}'
ROWS: list[Row] = [
    ("s:1", '=cmd|"x", \n y', 25.0, date(2012, 12, 31), time(23, 5), ("Rain", "Fog"), POINT),
    ("s:2", "Ärger\x1b[31m\u202e", float("nan"), None, None, (), SQUARE),
    ("s:3", None, None, None, None, None, None),
]
RECORD = {
    "warnings": ["Synthetic: these rows are invented."],
    "rows": {"one": "road", "many": "roads"},
    "compared": 7,
    "targets": {
        "primary": {"entity": "Road", "one": "road", "many": "roads"},
        "support": {"entity": "Crash", "one": "crash", "many": "crashes"},
    },
    "grouped": False,
    "counts": {
        "matched": 7,
        "true_total": 3,
        "returned": 3,
        "truncated": False,
        "ties_at_cut": True,
        "not_mapped": {"primary": 0, "support": 2},
        "unknown_left_out": {"support": 1},
        "midnight": {"support": 4},
        "split": [{"target": "support", "by": "severity", "values": {"fatal": 1, "unknown": 0}}],
    },
    "counted": [{"name": "crash_count", "label": "crashes", "definition": "distinct crashes"}],
    "rules": {"in_words": ["Crashes counted for roads: within 50 m."]},
    "sources": [
        {
            "source": "police",
            "title": "Police reports",
            "coverage": {"area": "Boston", "first": "2012-01-01", "last": None, "completeness": "complete"},
        }
    ],
    "repairs": [{"message": "Read 'raods' as 'roads'."}],
    "notes": [],
    "notices": [],
}


@dataclass
class Given:
    """A result that is simply there."""

    given: list[Row] = field(default_factory=lambda: list(ROWS))
    columns: tuple[Column, ...] = COLUMNS
    id_index: int | None = 0
    about: dict[str, Any] = field(default_factory=lambda: dict(RECORD))

    def rows(self) -> Iterator[Row]:
        return iter(self.given)

    def record(self) -> dict[str, Any]:
        return self.about


def written(name: str, result: Given | None = None) -> bytes:
    out = io.BytesIO()
    FORMATS[name].write(result or Given(), out)
    return out.getvalue()


def strict(text: bytes) -> Any:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    return json.loads(text, parse_constant=refuse)


def test_geojson() -> None:
    content = strict(written("geojson"))
    assert list(content) == ["type", "features", "groundframe"]
    first, second, third = content["features"]
    assert first == {
        "type": "Feature",
        "id": "s:1",
        "properties": {
            "name": '=cmd|"x", \n y',
            "speed_limit": 25.0,
            "day": "2012-12-31",
            "at": "23:05:00",
            "weather": ["Rain", "Fog"],
        },
        "geometry": {"type": "Point", "coordinates": [-71.0589, 42.3601]},
    }
    assert second["properties"]["speed_limit"] is None
    assert third["geometry"] is None
    assert content["groundframe"]["counts"] == RECORD["counts"]


def test_geojson_without_rows() -> None:
    assert strict(written("geojson", Given([])))["features"] == []


def test_groups_have_no_id() -> None:
    (feature,) = strict(written("geojson", Given(ROWS[:1], id_index=None)))["features"]
    assert "id" not in feature
    assert feature["properties"]["key"] == "s:1"


def _digest(result: Given) -> str:
    digest: str = geojson.collection(result)["groundframe"]["digest"]
    return digest


def test_digest_is_of_rows_and_counts_only() -> None:
    same = Given(about={**RECORD, "warnings": [], "program": "9.9"})
    assert _digest(same) == _digest(Given())
    other_unit = (*COLUMNS[:2], replace(COLUMNS[2], unit="km/h"), *COLUMNS[3:])
    other_counts = {**RECORD, "counts": {"matched": 8}}
    others = (Given(ROWS[:2]), Given(columns=other_unit), Given(about=other_counts))
    assert len({_digest(other) for other in (Given(), *others)}) == 4


def test_csv() -> None:
    raw = written("csv")
    assert raw.count(b"\r\n") == 4
    assert not raw.startswith(b"\xef\xbb\xbf")
    rows = list(csv.reader(io.StringIO(raw.decode(), newline="")))
    assert rows[0] == ["key", "name", "speed_limit [mph]", "day", "at", "weather", "longitude", "latitude"]
    assert rows[1][:4] == ["s:1", '\'=cmd|"x", \n y', "25.0", "2012-12-31"]
    assert rows[1][4:] == ["23:05", "Rain; Fog", "-71.0589", "42.3601"]
    assert rows[3] == ["s:3", *[""] * 7]
    longitude, latitude = map(float, rows[2][-2:])
    assert -71 < longitude < -70
    assert 42 < latitude < 43


@pytest.mark.parametrize("start", ["\x00=", "\x01\x1f@", "\x0b+"])
def test_dropped_characters_uncover_no_formula(start: str) -> None:
    """A workbook holds no control characters, and readers of CSV drop them: what follows starts the cell."""
    result = Given([("s:1", f"{start}1+1", None, None, None, (f"{start}1",), None)])
    (_, row) = csv.reader(io.StringIO(written("csv", result).decode(), newline=""))
    assert (row[1], row[5]) == (f"'{start[-1]}1+1", f"'{start[-1]}1")
    sheet = openpyxl.load_workbook(io.BytesIO(written("xlsx", result)))["answer"]
    assert (sheet["B2"].data_type, sheet["B2"].value) == ("s", f"'{start[-1]}1+1")


def test_headers_are_no_formulas_either() -> None:
    """A frame may name its measures as it likes."""
    names = ('=HYPERLINK("x")', "\x1b[31m@x\x00")
    columns = (*(replace(COLUMNS[5], name=name) for name in names), COLUMNS[0])
    result = Given([("x", "y" * 40, "s:1", None)], columns)
    (head, _) = csv.reader(io.StringIO(written("csv", result).decode(), newline=""))
    assert head[:2] == ['\'=HYPERLINK("x")', "[31m@x"]
    sheet = openpyxl.load_workbook(io.BytesIO(written("xlsx", result)))["answer"]
    assert [sheet["A1"].value, sheet["B1"].value] == head[:2]
    assert sheet["A1"].data_type == "s"
    shown = table.render(result, width=45)
    assert "\x1b" not in shown
    assert "More columns in the file formats: [31m@x" in shown


@pytest.mark.parametrize("start", ["=", "+", "-", "@", "\t", "\r"])
def test_no_cell_is_a_formula(start: str) -> None:
    result = Given([("s:1", f"{start}1+1", -5.0, None, None, (start,), None)])
    (_, row) = csv.reader(io.StringIO(written("csv", result).decode(), newline=""))
    assert row[1] == f"'{start}1+1"
    assert row[2] == "-5.0"
    assert row[5] == f"'{start}"
    sheet = openpyxl.load_workbook(io.BytesIO(written("xlsx", result)))["answer"]
    assert sheet["B2"].data_type == "s"
    assert sheet["B2"].value.startswith("'")
    assert sheet["C2"].value == -5


def test_xlsx() -> None:
    book = openpyxl.load_workbook(io.BytesIO(written("xlsx")))
    assert book.sheetnames == ["answer", "about"]
    rows = list(book["answer"].iter_rows(values_only=True))
    assert rows[0] == ("key", "name", "speed_limit [mph]", "day", "at", "weather", "longitude", "latitude")
    assert rows[1][2:] == (25, rows[1][3], time(23, 5), "Rain; Fog", -71.0589, 42.3601)
    assert str(rows[1][3]).startswith("2012-12-31")
    assert rows[2][1] == "Ärger[31m\u202e"
    lines = list(book["about"].iter_rows(values_only=True))
    assert lines[0] == ("warning", "Synthetic: these rows are invented.")
    about = {row[0]: row[1] for row in lines}
    assert about["counts/not_mapped/support"] == 2
    assert about["counted/1/definition"] == "distinct crashes"


@pytest.mark.parametrize("name", list(FORMATS))
def test_same_result_same_bytes(name: str) -> None:
    assert written(name) == written(name)


def test_json() -> None:
    content = strict(written("json"))
    assert content["columns"][2] == {"name": "speed_limit", "label": "speed limit", "unit": "mph"}
    assert content["rows"][0]["longitude"] == -71.0589
    assert content["rows"][2]["name"] is None
    assert strict(written("json", Given([])))["rows"] == []


def test_table_warns_first_and_says_what_is_missing() -> None:
    text = table.render(Given(), width=70)
    lines = text.splitlines()
    assert lines[:2] == ["Synthetic: these rows are invented.", "Repaired: Read 'raods' as 'roads'."]
    assert "3 of 7 roads" in lines[2]
    assert "\x1b" not in text
    assert "\u202e" not in text
    assert "crashes: distinct crashes." in lines
    assert "1 crash by severity: 1 fatal, 0 unknown." in lines
    said = " ".join(" ".join(lines).split())
    for sentence in (
        "The cut falls inside a tie: more rows have the same value as the last one shown.",
        "Not mapped: 2 crashes (support) without coordinates to measure from.",
        "Unknown: 1 crash (support) left out, as a value that was asked for is not known.",
        "Midnight: 4 crashes (support) at exactly 00:00",
        "Crashes counted for roads: within 50 m.",
        "Source: Police reports (Boston, 2012-01-01, complete)",
    ):
        assert sentence in said
    assert "0 roads (primary)" not in said
    assert all(len(line) <= 70 for line in lines)


def test_table_names_what_finds_no_room() -> None:
    text = table.render(Given(), rows=1, width=20)
    assert "… and 2 more rows" in text
    named = " ".join(text.split()).split("file formats: ")[1].split(".")[0]
    assert "speed_limit" in named
    assert "weather" in table.render(Given(), width=200)
    assert "file formats" not in table.render(Given(), width=200)


@pytest.mark.parametrize("width", range(20, 130))
def test_columns_that_fit_are_not_folded(width: int) -> None:
    row: Row = ("police:1000013", "Ashmont", 25.0, date(2012, 12, 31), time(23, 5), ("Rain", "Fog"), POINT)
    text = table.render(Given([row], about={**RECORD, "warnings": [], "repairs": []}), width=width)
    ruled = next(number for number, line in enumerate(text.splitlines()) if "─" in line)
    headings, values = text.splitlines()[ruled - 1], text.splitlines()[ruled + 1]
    assert "name" in headings
    assert not text.splitlines()[ruled - 2]
    assert not text.splitlines()[ruled + 2]
    assert "Ashmont" in values


def test_headline_stays_whole_above_a_narrow_table() -> None:
    about = {
        **RECORD,
        "rows": {"one": "group by speed limit", "many": "groups by speed limit"},
        "compared": 3,
        "grouped": True,
    }
    assert "3 groups by speed limit" in table.render(Given([ROWS[2]], about=about), width=70).splitlines()


def test_format_of_a_file() -> None:
    assert format_named(None, Path("x.xlsx")).name == "xlsx"
    assert format_named("csv", Path("x.xlsx")).name == "csv"
    with pytest.raises(UsageError, match=r"x\.shp"):
        format_named(None, Path("x.shp"))
    with pytest.raises(UsageError, match="no format 'shp'"):
        format_named("shp")


def test_file_is_written_whole_or_not_at_all(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(0o640)
    with pytest.raises(TypeError), written_whole(path) as out:
        out.writelines([b"new", "no bytes"])  # type: ignore[list-item]
    assert [file.name for file in tmp_path.iterdir()] == ["a.txt"]
    assert path.read_text() == "old"
    with written_whole(path) as out:
        out.write(b"new")
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


def test_unwritable_file_is_one_sentence(tmp_path: Path) -> None:
    for path, reason in ((tmp_path, "it is a folder."), (tmp_path / "no" / "a", "there is no folder")):
        with pytest.raises(GroundframeError) as caught, written_whole(path):
            pass
        assert str(caught.value).startswith(f"'{path}' cannot be written: {reason}")


def test_what_is_no_file_is_written_through() -> None:
    with written_whole("/dev/null") as out:
        out.write(b"x")
    assert Path("/dev/null").is_char_device()
