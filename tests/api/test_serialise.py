"""The serialiser is total, strict, and gives one text per value."""

from __future__ import annotations

import json
from datetime import UTC, date, datetime, time, timedelta
from decimal import Decimal
from enum import Enum, StrEnum
from uuid import UUID

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundframe.serialise import encode, plain


class Colour(Enum):
    RED = "red"


class Kind(StrEnum):
    SCHOOL = "school"


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("nan"), "null"),
        (float("inf"), "null"),
        (float("-inf"), "null"),
        (-0.0, "0.0"),
        (2**53, "9007199254740992"),
        (2**53 + 1, '"9007199254740993"'),
        (-(2**53) - 1, '"-9007199254740993"'),
        (True, "true"),
        (Decimal("2.50"), "2.5"),
        (Decimal("3.00"), "3"),
        (Decimal("1e30"), '"1000000000000000000000000000000"'),
        (Decimal("NaN"), "null"),
        (date(2012, 12, 31), '"2012-12-31"'),
        (time(23, 5), '"23:05:00"'),
        (datetime(2012, 12, 31, 23, 5, tzinfo=UTC), '"2012-12-31T23:05:00+00:00"'),
        (timedelta(seconds=1.5), "1.5"),
        (UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
        ({3, 1, 2}, "[1,2,3]"),
        (b"\x00\xff", '"00ff"'),
        (Colour.RED, '"red"'),
        (Kind.SCHOOL, '"school"'),
        (np.int64(7), "7"),
        (np.float64("nan"), "null"),
        ("Ä\n\x00", '"Ä\\n\\u0000"'),
        ("\ud800", '"?"'),
        ({1: None}, '{"1":null}'),
        (object, "\"<class 'object'>\""),
    ],
)
def test_one_text_per_value(value: object, text: str) -> None:
    assert encode(value) == text
    assert encode([value]) == f"[{text}]"


_JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(_JSON)
def test_json_data_survive(value: object) -> None:
    assert json.loads(encode(value)) == value


@given(
    _JSON | st.decimals() | st.dates() | st.times() | st.uuids() | st.integers() | st.floats() | st.binary()
)
def test_plain_is_what_a_reader_gets(value: object) -> None:
    def refuse(constant: str) -> None:
        raise AssertionError(constant)

    assert json.loads(encode([value]), parse_constant=refuse) == plain([value])
