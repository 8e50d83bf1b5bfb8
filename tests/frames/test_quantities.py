"""The unit converter, against values worked out by hand (1 ft = 0.3048 m, 1 mi = 1609.344 m, exactly)."""

from __future__ import annotations

import contextlib
import math

import pint
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundframe.frames.quantities import QuantityError, parse_number, parse_quantity

METRES = {
    "500m": 500.0,
    "500 m": 500.0,
    "500": 500.0,
    "500 Meters": 500.0,
    "500 METRES.": 500.0,
    "1 km": 1000.0,
    "5 km": 5000.0,
    "1.5 kilometers": 1500.0,
    "a quarter mile": 402.336,
    "a quarter of a mile": 402.336,
    "half a mile": 804.672,
    "one half mile": 804.672,
    "1/4 mile": 402.336,
    "½ mile": 804.672,
    "2 1/2 miles": 4023.36,
    "two and a half miles": 4023.36,
    "three quarters of a mile": 1207.008,
    "a mile": 1609.344,
    "0.5 mi": 804.672,
    "1,640 ft": 499.872,
    "1640ft": 499.872,
    "100 yards": 91.44,
    "a hundred yards": 91.44,
    "twenty-five feet": 7.62,
    "one hundred and fifty feet": 45.72,
    "two thousand five hundred feet": 762.0,
    "1e3 m": 1000.0,
}
NO_METRES = (
    "E0", ".e1",
    "", " ", "m", "mile", "abc", "5 kg", "5 minutes", "5 mph", "5 blocks", "1.2.3 m", "12,34 m", "1e999 m",
    "5 m*m",
    "5 m**99999999", "two five m", "five twenty", "1 mile and a half", "nan", "inf m", "0x10", "5 % m",
    "a a a",
)  # fmt: skip


@pytest.mark.parametrize(("text", "metres"), METRES.items())
def test_lengths(text: str, metres: float) -> None:
    assert parse_quantity(text, "m") == pytest.approx(metres, abs=1e-6)


@pytest.mark.parametrize("text", NO_METRES)
def test_no_length(text: str) -> None:
    with pytest.raises(QuantityError):
        parse_quantity(text, "m")


@pytest.mark.parametrize(
    ("text", "mph"),
    [("40", 40), ("40 mph", 40), ("40MPH", 40), ("40 miles per hour", 40), ("64.37376 km/h", 40),
     ("64.37376 kph", 40),
     ("64.37376 kmh", 40), ("forty", 40), ("20 m/s", 44.738726)],
)  # fmt: skip
def test_speeds(text: str, mph: float) -> None:
    assert parse_quantity(text, "mph") == pytest.approx(mph, abs=1e-6)


@pytest.mark.parametrize(
    "unit", ["m", "ft", "feet", "yards", "mi", "miles", "km", "kilometres", "inches", "furlong"]
)
def test_every_length_is_what_pint_says(unit: str) -> None:
    wanted = pint.UnitRegistry().Quantity(1.0, unit).to("m").magnitude
    assert parse_quantity(f"1000 {unit}", "m") == pytest.approx(1000 * wanted, abs=1e-6)


def test_plain_numbers_have_no_unit() -> None:
    assert parse_quantity("10,000", "") == 10_000
    with pytest.raises(QuantityError, match="plain number"):
        parse_quantity("10 m", "")
    assert parse_number("seven") == 7
    with pytest.raises(QuantityError):
        parse_number("seven mice")


@settings(deadline=None)
@given(
    st.floats(0.001, 1e6), st.sampled_from([("km", 1000.0), ("ft", 0.3048), ("mi", 1609.344), ("yd", 0.9144)])
)
def test_conversion_is_multiplication(number: float, unit: tuple[str, float]) -> None:
    assert parse_quantity(f"{number:.6f} {unit[0]}", "m") == pytest.approx(
        round(number, 6) * unit[1], abs=1e-5
    )


@settings(deadline=None)
@given(st.text(max_size=200))
def test_any_text_is_a_number_or_refused(text: str) -> None:
    with contextlib.suppress(QuantityError):
        assert math.isfinite(parse_quantity(text, "m"))
