"""Days, hours, weekdays and months written otherwise."""

from __future__ import annotations

from datetime import date

from groundframe.eval.repairs.mutation import Change, Draw, Family
from groundframe.eval.repairs.paths import Data, Path, get

__all__ = ["TIME_FAMILIES"]

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
DAYS = {
    "mon": "Monday",
    "tue": "Tuesday",
    "wed": "Wednesday",
    "thu": "Thursday",
    "fri": "Friday",
    "sat": "Saturday",
    "sun": "Sunday",
}


def date_spelling(draw: Draw) -> Change | None:
    """A day as Americans, databases and people write it."""
    paths = [
        ("temporal_constraints", at, end)
        for at, one in enumerate(draw.frame.get("temporal_constraints", ()))
        for end in ("from", "to")
        if end in one
    ]
    if not paths:
        return None
    path = draw.rng.choice(paths)
    day = date.fromisoformat(get(draw.frame, path))
    return draw.change(path, draw.rng.choice(_spellings(day)))


def _spellings(day: date) -> list[str]:
    name, year, number = MONTHS[day.month - 1], day.year, day.day
    return [
        f"{day.month}/{number}/{year}", f"{day.month:02}/{number:02}/{year}", f"{day.month}-{number}-{year}",
        f"{name} {number}, {year}", f"{name} {number} {year}", f"{name[:3]} {number}, {year}",
        f"{name[:3]}. {number}, {year}", f"{number} {name} {year}", f"{number} {name[:3]} {year}",
        f"{year}/{day.month:02}/{number:02}", f"{year}-{day.month}-{number}", f"{day.isoformat()}T00:00:00",
    ]  # fmt: skip


def date_as_condition(draw: Draw) -> Change | None:
    """A period said as a condition on the date field."""
    for at, one in enumerate(draw.frame.get("temporal_constraints", ())):
        entity = draw.sites.entity(draw.frame, one["target_role"])
        if entity is None or entity.date_field is None or not set(one) <= {"target_role", "from", "to"}:
            continue
        first, last = one.get("from"), one.get("to")
        operator, value = (
            ("between", [first, last]) if first and last else ("gte", first) if first else ("lte", last)
        )
        if operator != "between" and draw.rng.random() < 0.5:
            operator = {"gte": "since", "lte": "until"}[operator]
        condition = {
            "target_role": one["target_role"],
            "field": entity.date_field,
            "operator": operator,
            "value": value,
        }
        del draw.frame["temporal_constraints"][at]
        draw.frame.setdefault("attribute_constraints", []).append(condition)
        return Change(f"/temporal_constraints/{at}", one, condition)
    return None


def hours_spelling(draw: Draw) -> Change | None:
    """Hours as 7am, 7:00 AM, 0700, 19h, a number, or as one span in words."""
    paths: list[Path] = [
        ("temporal_constraints", at, "hours")
        for at, one in enumerate(draw.frame.get("temporal_constraints", ()))
        if isinstance(one.get("hours"), dict)
    ]
    if not paths:
        return None
    path = draw.rng.choice(paths)
    hours = get(draw.frame, path)
    way = draw.rng.randrange(7)
    first, last = (_clock(hours[end], way) for end in ("from", "to"))
    if way >= 6 or (way < 4 and draw.rng.random() < 0.5):
        span = draw.rng.choice(
            ("{}-{}", "between {} and {}", "{} to {}", "from {} to {}", "{} \N{EN DASH} {}")
        )
        return draw.change(path, span.format(first, last))
    return draw.change(path, {"from": first, "to": last})


def _clock(text: str, way: int) -> str | int:
    hour, minute = (int(part) for part in text.split(":"))
    twelve, half = (hour + 11) % 12 + 1, "am" if hour % 24 < 12 else "pm"
    spoken = f"{twelve}:{minute:02}" if minute else str(twelve)
    if way == 4:
        return f"{hour:02}{minute:02}"
    if way == 5:
        return hour if not minute else text
    return (
        f"{spoken}{half}",
        f"{spoken} {half.upper()}",
        f"{spoken} {half[0]}.m.",
        f"{twelve}:{minute:02} {half}",
        "",
        "",
        text,
    )[way]


def weekday_words(draw: Draw) -> Change | None:
    """Weekdays in full, plural, abbreviated, or as the weekend."""
    path = _temporal(draw, "weekdays")
    if path is None:
        return None
    if draw.rng.random() < 0.3:
        days, word = draw.rng.choice(
            (
                (["sat", "sun"], "weekend"),
                (["sat", "sun"], "weekends"),
                (["mon", "tue", "wed", "thu", "fri"], "weekdays"),
            )
        )
        draw.stage(path, days)
        return draw.change(path, [word])
    way = draw.rng.choice(("{}", "{}s", "{:.3}", "{:.3}."))
    return draw.change(path, [way.format(DAYS[day]) for day in get(draw.frame, path)])


def month_words(draw: Draw) -> Change | None:
    """Months by name, abbreviated or in two digits."""
    path = _temporal(draw, "months")
    way = draw.rng.choice(("{0}", "{0:.3}", "{1:02}", "{1}"))
    return (
        draw.change(path, [way.format(MONTHS[at - 1], at) for at in get(draw.frame, path)]) if path else None
    )


def period_words(draw: Draw) -> Change | None:
    """Hours or months called by the pack's name for them."""
    temporal = draw.frame.get("temporal_constraints", ())
    periods = [one for one in draw.sites.pack.periods if one.months or len(one.hours) == 1]
    if not temporal or not periods:
        return None
    at = draw.rng.randrange(len(temporal))
    period, role = draw.rng.choice(periods), temporal[at]["target_role"]
    entity = draw.sites.entity(draw.frame, role)
    if entity is None or (period.hours and entity.time_field is None):
        return None
    path: Path = ("temporal_constraints", at)
    spelt: Data = {"target_role": role}
    if period.months:
        spelt["months"] = sorted(period.months)
    if period.hours:
        spelt["hours"] = {"from": f"{period.hours[0][0]:%H:%M}", "to": f"{period.hours[0][1]:%H:%M}"}
    if period.weekdays:
        spelt["weekdays"] = list(period.weekdays)
    draw.stage(path, spelt)
    word = draw.rng.choice((period.name, period.label, *period.synonyms))
    said: Data = {"hours": word} if period.hours else {"months": [word]}
    return draw.change(path, {"target_role": role, **said})


def _temporal(draw: Draw, name: str) -> Path | None:
    temporal = enumerate(draw.frame.get("temporal_constraints", ()))
    paths: list[Path] = [("temporal_constraints", at, name) for at, one in temporal if one.get(name)]
    return draw.rng.choice(paths) if paths else None


TIME_FAMILIES: tuple[Family, ...] = (
    Family("date spelling", "time", date_spelling),
    Family("date as condition", "time", date_as_condition),
    Family("hours spelling", "time", hours_spelling),
    Family("weekday words", "time", weekday_words),
    Family("month words", "time", month_words),
    Family("period words", "time", period_words),
)
