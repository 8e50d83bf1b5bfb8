"""Quantities, numbers and facts written otherwise."""

from __future__ import annotations

from groundframe.eval.repairs.mutation import Change, Draw, Family
from groundframe.eval.repairs.paths import Path, conditions, get
from groundframe.eval.repairs.words import Site

__all__ = ["VALUE_FAMILIES", "in_words"]

METRES = {
    "m": 1.0, " m": 1.0, " meters": 1.0, " metres": 1.0, "km": 1000.0, " km": 1000.0, " kilometers": 1000.0,
    "ft": 0.3048, " ft": 0.3048, " feet": 0.3048, " foot": 0.3048, " yd": 0.9144, " yards": 0.9144,
    " mi": 1609.344, " mile": 1609.344, " miles": 1609.344, "mi": 1609.344,
}  # fmt: skip
FRACTIONS = {
    "a quarter mile": 402.336, "quarter mile": 402.336, "half a mile": 804.672, "half mile": 804.672,
    "1/2 mile": 804.672, "a half mile": 804.672, "three quarters of a mile": 1207.008, "a mile": 1609.344,
    "one mile": 1609.344, "¼ mile": 402.336, "half a kilometer": 500.0, "a kilometre": 1000.0,
    "one and a half miles": 2414.016, "two hundred feet": 60.96,
}  # fmt: skip
MPH = {
    " mph": 1.0,
    "mph": 1.0,
    " MPH": 1.0,
    " miles per hour": 1.0,
    " km/h": 0.621371192,
    "kph": 0.621371192,
    " kmh": 0.621371192,
}
ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve",
    "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
TENS = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")


def distance_unit(draw: Draw) -> Change | None:
    """A distance with a unit; the original gets the same distance in metres."""
    paths = _distances(draw)
    if not paths:
        return None
    path = draw.rng.choice(paths)
    if draw.rng.random() < 0.3:
        text, metres = draw.rng.choice(sorted(FRACTIONS.items()))
    else:
        unit, factor = draw.rng.choice(sorted(METRES.items()))
        number = draw.rng.choice((100, 250, 500, 1000, 1640, 2500) if factor <= 1 else (0.25, 0.5, 1, 1.5, 2))
        text = f"{number:,}{unit}" if draw.rng.random() < 0.5 else f"{number}{unit}"
        metres = number * factor
    draw.stage(path, metres)
    return draw.change(path, text)


def speed_unit(draw: Draw) -> Change | None:
    """A number of a field that has a unit of speed, with that or another unit."""
    sites = [path for path, unit, _ in _numbers(draw) if unit == "mph"]
    if not sites:
        return None
    path = draw.rng.choice(sites)
    unit, factor = draw.rng.choice(sorted(MPH.items()))
    number = draw.rng.choice((25, 30, 35, 40, 45, 50))
    draw.stage(path, round(number * factor, 6))
    return draw.change(path, f"{number}{unit}")


def number_as_text(draw: Draw) -> Change | None:
    """A number in quotes, with separators or a trailing zero."""
    sites = [
        *((path, number) for path, _, number in _numbers(draw)),
        *((path, get(draw.frame, path)) for path in _distances(draw)),
    ]
    sites = [(path, number) for path, number in sites if isinstance(number, int | float)]
    if not sites:
        return None
    path, number = draw.rng.choice(sites)
    plain = f"{number:g}"
    return draw.change(path, draw.rng.choice((plain, f" {plain} ", f"{number:,}", f"{number:.1f}")))


def number_in_words(draw: Draw) -> Change | None:
    """A whole number in English words."""
    sites = [
        (path, int(number))
        for path, _, number in _numbers(draw)
        if float(number).is_integer() and 0 <= number < 1000
    ]
    sites += [
        (path, int(metres))
        for path in _distances(draw)
        if (metres := get(draw.frame, path)) and float(metres).is_integer() and metres < 1000
    ]
    if not sites:
        return None
    path, number = draw.rng.choice(sites)
    unit = " meters" if path[-1] == "distance_m" and draw.rng.random() < 0.7 else ""
    return draw.change(path, in_words(number) + unit)


def count_as_text(draw: Draw) -> Change | None:
    """How many rows, or how many nearest, as text."""
    paths: list[Path] = [("ranking", "top_n")] if draw.frame.get("ranking", {}).get("top_n") else []
    paths += [
        ("spatial_constraints", at, "k")
        for at, one in enumerate(draw.frame.get("spatial_constraints", ()))
        if one.get("k")
    ]
    if not paths:
        return None
    path = draw.rng.choice(paths)
    number = get(draw.frame, path)
    return draw.change(path, draw.rng.choice((str(number), in_words(number), float(number))))


def in_words(number: int) -> str:
    """A whole number below 1000 in English.

    Examples
    --------
    >>> in_words(45), in_words(500), in_words(250)
    ('forty-five', 'five hundred', 'two hundred and fifty')
    """
    if number < 20:
        return ONES[number]
    if number < 100:
        return TENS[number // 10 - 2] + (f"-{ONES[number % 10]}" if number % 10 else "")
    rest = f" and {in_words(number % 100)}" if number % 100 else ""
    return f"{ONES[number // 100]} hundred{rest}"


def fact_in_words(draw: Draw) -> Change | None:
    """A boolean as yes, no, true, false or a number; "without" for the value that says none."""

    def none(site: Site) -> bool:
        return site.field is not None and bool(site.field.none_value) and site.text == site.field.none_value

    if site := draw.pick("value", none):
        return draw.reword(
            site, draw.rng.choice(("without", "no", f"no {site.field.label}" if site.field else "no"))
        )
    for path, condition, role in conditions(draw.frame):
        value = condition.get("value")
        if isinstance(value, bool) and draw.sites.field(
            draw.sites.entity(draw.frame, role), condition.get("field")
        ):
            return draw.change(
                (*path, "value"),
                draw.rng.choice(("yes", "true", "Y", 1) if value else ("no", "false", "N", 0)),
            )
    return None


def range_downwards(draw: Draw) -> Change | None:
    """A range from the higher to the lower end."""
    for path, condition, _ in conditions(draw.frame):
        if condition.get("operator") == "between":
            return draw.change((*path, "value"), condition["value"][::-1])
    return None


def _distances(draw: Draw) -> list[Path]:
    spatial = enumerate(draw.frame.get("spatial_constraints", ()))
    return [
        ("spatial_constraints", at, "distance_m")
        for at, one in spatial
        if isinstance(one.get("distance_m"), int | float)
    ]


def _numbers(draw: Draw) -> list[tuple[Path, str, float]]:
    """The numbers of conditions on numeric fields, each with its place and unit."""
    found: list[tuple[Path, str, float]] = []
    for path, condition, role in conditions(draw.frame):
        field = draw.sites.field(draw.sites.entity(draw.frame, role), condition.get("field"))
        value = condition.get("value")
        if field is not None and field.type in ("number", "integer") and isinstance(value, int | float):
            found.append(((*path, "value"), field.unit, value))
    return found


VALUE_FAMILIES: tuple[Family, ...] = (
    Family("unit of distance", "units", distance_unit),
    Family("unit of speed", "units", speed_unit),
    Family("number as text", "numbers", number_as_text),
    Family("number in words", "numbers", number_in_words),
    Family("count as text", "numbers", count_as_text),
    Family("range downwards", "numbers", range_downwards),
    Family("fact in words", "synonym", fact_in_words),
)
