"""Cells and values: what a source writes, and the one canonical value it becomes."""

from __future__ import annotations

from collections.abc import Callable
from datetime import date, datetime, time
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from groundframe.errors import PackError
from groundframe.postgis.load.mapping import FieldMapper, RowMapper, title_case
from groundframe.postgis.load.report import FileReport
from groundframe.postgis.load.rows import Row
from groundframe.postgis.load.values import FieldCanoniser, clean_text
from groundframe.schema.model import EntityField, Pack
from groundframe.schema.source import FieldReading, Source, Step

Read = Callable[[Path], tuple[list[Row], list[FileReport]]]
Write = Callable[..., Path]


@pytest.mark.parametrize(
    ("field", "raw", "value", "strays"),
    [
        ("severity", "FATAL  injury ", "Fatal injury", ()),
        ("severity", "Not Reported", "Unknown", ()),
        ("severity", "", None, ()),
        ("severity", None, None, ()),
        ("severity", "Serious", "Unknown", ("Serious",)),
        # A frame may say so, a file may not: it would count a word of everyday for an official code.
        ("severity", "killed", "Unknown", ("killed",)),
        ("manner_of_collision", "Rear-end", "Front to Rear", ()),
        ("weather", ("Rain", "Cloudy"), ("Cloudy", "Rain"), ()),
        ("weather", ["Clear", "Clear"], ("Clear",), ()),
        ("weather", ("Clear", "Frogs"), ("Clear", "Unknown"), ("Frogs",)),
        ("weather", "", None, ()),
        ("non_motorist_types", "", (), ()),
        ("non_motorist_types", (), (), ()),
        ("non_motorist_types", "Pedalcyclist", ("Cyclist",), ()),
        ("speed_limit", "24.0", 24.0, ()),
        ("speed_limit", -1, None, ()),
        ("speed_limit", "-2.0", None, ()),
        ("speed_limit", "0", None, ()),
        ("speed_limit", "250", None, ("250",)),
        ("speed_limit", "fast", None, ("fast",)),
        ("speed_limit", "nan", None, ("nan",)),
        ("speed_limit", "inf", None, ("inf",)),
        ("persons_injured", "2.0", 2, ()),
        ("persons_injured", "2.5", None, ("2.5",)),
        ("persons_injured", "-1", None, ("-1",)),
        ("persons_injured", "2147483647", 2147483647, ()),
        ("persons_injured", "2147483648", None, ("2147483648",)),
        ("persons_injured", "9" * 30, None, ("9" * 30,)),
        ("date", "2017-02-29", None, ("2017-02-29",)),
        ("date", "2016-02-29", date(2016, 2, 29), ()),
        ("date", datetime(2016, 2, 29, 23, 59), date(2016, 2, 29), ()),
        ("time_of_day", "00:00", time(0, 0), ()),
        ("time_of_day", "25:00", None, ("25:00",)),
        ("stated_street", " Main\tSt\x00 ", "Main St", ()),
        ("stated_street", " ", None, ()),
    ],
)
def test_canonical_values(pack: Pack, field: str, raw: Any, value: Any, strays: tuple[str, ...]) -> None:
    canonise = FieldCanoniser(pack.entity("Crash").field(field))
    assert canonise(raw) == (value, strays)
    # From the cache as well.
    assert canonise(raw) == (value, strays)
    assert type(canonise(raw)[0]) is type(value)


@pytest.mark.parametrize(
    ("raw", "value"),
    [("yes", True), ("F", False), ("1", True), (False, False), ("", None), (None, None), ("maybe", None)],
)
def test_booleans(raw: Any, value: bool | None) -> None:
    assert FieldCanoniser(EntityField(name="lit", type="boolean", label="lit"))(raw)[0] is value


def test_text_is_composed() -> None:
    assert clean_text("Cafe\u0301") == "Caf\u00e9"


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("BOSTON", "Boston"),
        ("MANCHESTER", "Manchester-by-the-Sea"),
        ("MANCHESTER-BY-THE-SEA", "Manchester-by-the-Sea"),
        ("WEST TISBURY", "West Tisbury"),
        ("O'BRIEN HWY", "O'Brien Hwy"),
        ("ST JOHN'S 3RD RD", "St John's 3rd Rd"),
        ("Fresh Pond Ln", "Fresh Pond Ln"),
    ],
)
def test_names(pack: Pack, written: str, name: str) -> None:
    assert title_case(written, pack.name_spellings) == name


def mapped(pack: Pack, field: str, reading: FieldReading, *cells: Any) -> Any:
    mapper = FieldMapper(pack.entity("Crash").field(field), reading, pack)
    names = reading.required_columns()
    return mapper.column({name: [cell] for name, cell in zip(names, cells, strict=True)}, 1)[0]


@pytest.mark.parametrize(
    ("text", "street"),
    [
        ("INTERVALE STREET / BLUE HILL AVENUE", "Intervale Street"),
        ("1568 COMMONWEALTH AVENUE", "Commonwealth Avenue"),
        ("MASSACHUSETTS TURNPIKE Rte 90 W / ALLSTON TOLL PLAZA", "Massachusetts Turnpike"),
        ("Rte 93 N / UNKNOWN", "Rte 93 N"),
        ("48A RIDGEWOOD STREET", "Ridgewood Street"),
    ],
)
def test_intersection_text(pack: Pack, text: str, street: str) -> None:
    read = pack.source("massdot_portal").read
    assert read is not None
    assert mapped(pack, "stated_street", read.fields["stated_street"], text, "ELSEWHERE") == street
    assert mapped(pack, "stated_street", read.fields["stated_street"], "", text) == street


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("00:00 AM", time(0, 0)),
        ("12:05 AM", time(0, 5)),
        ("12:00 PM", time(12, 0)),
        ("1:31 AM", time(1, 31)),
        ("11:59 PM", time(23, 59)),
        ("noon", "noon"),
    ],
)
def test_times_of_the_portal(pack: Pack, text: str, expected: Any) -> None:
    read = pack.source("massdot_portal").read
    assert read is not None
    assert mapped(pack, "time_of_day", read.fields["time_of_day"], text) == expected


def test_the_first_known_of_several_columns(pack: Pack) -> None:
    reading = FieldReading(columns=("SPEEDLIMIT", "Speed_Lim"), skip=("0", "99"))
    assert mapped(pack, "speed_limit", reading, "25", "0") == "25"
    assert mapped(pack, "speed_limit", reading, "25", "45") == "25"
    assert mapped(pack, "speed_limit", reading, "0", "45") == "45"
    assert mapped(pack, "speed_limit", reading, "0", "99") is None


def test_translation(pack: Pack) -> None:
    reading = FieldReading(columns=("a",), steps=(Step(split=","), Step(translate={"x": "Rain"})))
    assert mapped(pack, "weather", reading, "x, Snow,") == ("Rain", "Snow")


def test_mapping_of_a_field_that_the_entity_lacks(pack: Pack) -> None:
    content = pack.source("massgis_towns").model_dump(exclude_unset=True)
    content["provides"] = (*content["provides"], "mayor")
    content["read"]["fields"]["mayor"] = {"columns": ("TOWN",)}
    with pytest.raises(PackError, match="massgis_towns' maps 'mayor', which Town lacks"):
        RowMapper(pack, Source.model_validate(content))


@pytest.mark.parametrize(
    "step",
    [{}, {"split": ",", "first": True}, {"remove": "("}, {"shout": True}],
    ids=["none", "two", "regex", "key"],
)
def test_steps_that_are_none(step: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        Step.model_validate(step)


def test_objects_of_the_police(read: Read, police: Write) -> None:
    rows, _ = read(
        police(
            {"Object 2": "Pedestrian"},
            {"Object 1": "Bicycle", "Object 2": ""},
            {"Object 2": ""},
            {"Object 1": "", "Object 2": ""},
            {"Date Time": "01/01/2015 12:45:00 AM"},
            {"Date Time": "31/31/2014 12:45:00 AM"},
        )
    )
    kinds = [row.values.get("non_motorist_types") for row in rows]
    assert kinds == [("Pedestrian",), ("Cyclist",), (), None, None, None]


def test_unknown_values_are_kept_by_year(read: Read, statewide: Write) -> None:
    rows, (report,) = read(
        statewide(
            {"CRASH_SEVERITY_DESCR": "Grave"},
            {"CRASH_SEVERITY_DESCR": "Grave", "CRASH_DATE": "1/1/2018"},
            {"CRASH_SEVERITY_DESCR": "Grave", "CRASH_DATE": "13/13/2018"},
        )
    )
    assert [row.values["severity"] for row in rows] == ["Unknown"] * 3
    assert report.as_dict()["unknown_values"] == {
        "date": {"13/13/2018": {"count": 1}},
        "severity": {"Grave": {"count": 3, "years": {"2017": 1, "2018": 1}}},
    }
