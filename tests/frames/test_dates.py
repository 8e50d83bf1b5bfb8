"""Days and times of day as people write them."""

from __future__ import annotations

import contextlib
from datetime import date

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundframe.frames.dates import DateError, parse_hour, parse_hours, parse_period

JANUARY_6 = (date(2025, 1, 6), date(2025, 1, 6))


@pytest.mark.parametrize(
    "text",
    ["2025-01-06", "2025-1-6", "2025/01/06", "1/6/2025", "01/06/25", "1-6-2025", "January 6 2025",
     "January 6, 2025",
     "Jan. 6 2025", "6 January 2025", "6th of January 2025", "jan 6th 2025", "Monday, January 6, 2025",
     "2025-01-06T00:00:00", "2025-01-06T23:59:59Z", "2025-01-06 00:00", "  January  6  2025 "],
)  # fmt: skip
def test_one_day(text: str) -> None:
    assert parse_period(text) == JANUARY_6


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [("2024", date(2024, 1, 1), date(2024, 12, 31)), ("February 2024", date(2024, 2, 1), date(2024, 2, 29)),
     ("2023-02", date(2023, 2, 1), date(2023, 2, 28)), ("Q3 2024", date(2024, 7, 1), date(2024, 9, 30)),
     ("2024 q1", date(2024, 1, 1), date(2024, 3, 31)), ("Dec 2024", date(2024, 12, 1), date(2024, 12, 31))],
)  # fmt: skip
def test_longer_periods(text: str, first: date, last: date) -> None:
    assert parse_period(text) == (first, last)


@pytest.mark.parametrize(
    "text",
    ["", "10", "1/6", "March", "Monday", "yesterday", "last week", "2025-02-30", "2025-13-01", "13/01/2025",
     "Feb 30 2025", "January 6 2025 7am", "2025-01-06T07:00", "1850-01-01", "9999-01-01", "20250",
     "Q5 2024", "abc 2025"],
)  # fmt: skip
def test_no_day(text: str) -> None:
    with pytest.raises(DateError):
        parse_period(text)


@settings(deadline=None)
@given(st.dates(date(1900, 1, 1), date(2200, 12, 31)))
def test_every_day_in_five_spellings(day: date) -> None:
    spellings = (day.isoformat(), f"{day.month}/{day.day}/{day.year}", f"{day:%B} {day.day} {day.year}",
                 f"{day.day} {day:%b} {day.year}", f"{day:%A}, {day:%B} {day.day}, {day.year}")  # fmt: skip
    assert {parse_period(text) for text in spellings} == {(day, day)}


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [("7am", "07:00", "07:00"), ("7:30 PM", "19:30", "19:30"), ("7 p.m.", "19:00", "19:00"), ("19:30",
     "19:30", "19:30"),
     ("0730", "07:30", "07:30"), (7, "07:00", "07:00"), ("midnight", "00:00", "24:00"), ("noon", "12:00",
     "12:00"),
     ("12am", "00:00", "24:00"), ("12 pm", "12:00", "12:00"), ("24:00", "00:00", "24:00"), ("00:00",
     "00:00", "24:00"),
     ("07:00:00", "07:00", "07:00")],
)  # fmt: skip
def test_hours_at_either_end(text: str | int, start: str, end: str) -> None:
    assert (parse_hour(text), parse_hour(text, end=True)) == (start, end)


@pytest.mark.parametrize(
    "text", ["", "25:00", "24:30", "7:60", "13pm", "0am", "07:00:30", "tea time", -1, 25, "7:5"]
)
def test_no_hour(text: str | int) -> None:
    with pytest.raises(DateError):
        parse_hour(text)


SPANS = {
    "7am-10am": ("07:00", "10:00"),
    "7 to 10 am": ("07:00", "10:00"),
    "between 7am and 10am": ("07:00", "10:00"),
    "11 to 1 pm": ("11:00", "13:00"),
    "from 6pm to midnight": ("18:00", "24:00"),
    "10 pm \N{EN DASH} 2 am": ("22:00", "02:00"),
    "after 10pm": ("22:00", "24:00"),
    "before 6am": ("00:00", "06:00"),
    "07:00-09:30": ("07:00", "09:30"),
}


@pytest.mark.parametrize(("text", "span"), SPANS.items())
def test_spans(text: str, span: tuple[str, str]) -> None:
    assert parse_hours(text) == span


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_time_or_refused(text: str) -> None:
    for parse in (parse_period, parse_hour, parse_hours):
        with contextlib.suppress(DateError):
            parse(text)
