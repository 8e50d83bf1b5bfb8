"""Several periods in a question: compared, listed, or one after the other."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.denials import between
from groundframe.frames.lexical.times import HALF_UNSAID
from groundframe.frames.terms import WEEKDAYS

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = [
    "anywhere",
    "clocked",
    "compared",
    "in_one",
    "joined_periods",
    "levelled",
    "said_twice",
    "unlimited",
    "weekly",
]

_DAYS = frozenset({"from", "to", "years"})
_TO_YEAR = re.compile(r"(?:to|with|and) ((?:19|20)\d\d)")
_CLOCK_TIME = re.compile(r"\b(1[0-2]|[1-9])(?: ?: ?([0-5]\d))?(?!\d)")
_WORKING = frozenset({*words_of("times", "working_day"), *words_of("times", "working_days")})
_NEAR = 6
"""Words that may stand between two times that are held against each other."""
_APART = "Periods that neither touch nor recur every year are asked for one by one, or with all between them."


def compared(items: list[Item]) -> list[Item]:
    """The items with two years that are compared as one time: "compare 2022 with 2023"."""
    if not any(item.has("compare") for item in items):
        return items
    made = list(items)
    for place in range(len(made) - 2):
        first, joint, second = made[place : place + 3]
        if (year := _TO_YEAR.fullmatch(second.text)) and "years" in first.times and joint.has("compare"):
            second = replace(second, times={"years": [int(year[1])]})  # "2023 compared to 2022"
        years = (first.times.get("years"), second.times.get("years"))
        alone = set(first.times) == set(second.times) == {"years"}
        if alone and joint.has("compare", "with", "to", "and") and years[0] and years[1]:
            made[place] = replace(first, times={"years": sorted({*years[0], *years[1]})})
            nothing = type(second)(second.start, second.end, second.text, classes=frozenset({"filler"}))
            made[place + 1 : place + 3] = [joint, nothing]
            if joint.has("with", "to"):
                made[place + 1] = replace(joint, classes=frozenset({"filler"}))
    apart = [place for place, item in enumerate(made) if set(item.times) == {"years"}]
    if len(apart) == 2:
        # "Quincy in 2015 and Quincy in 2025, side by side"
        first, second = (made[place] for place in apart)
        both = sorted({*first.times["years"], *second.times["years"]})
        made[apart[0]], made[apart[1]] = replace(first, times={"years": both}), second.emptied()
    return made


def anywhere(items: list[Item], areas: Collection[str]) -> list[Item]:
    """The items with "any town" at the end of it all as anywhere."""
    if len(items) < 3 or not items[-2].has("all") or items[-2].senses:
        return items
    if not any(sense.kind == "entity" and sense.entity in areas for sense in items[-1].senses):
        return items
    if items[-3].has("by", "per", "in", "near", "for", "of", "of_place", "which"):
        return items
    return [*items[:-2], *(one.emptied("everywhere") for one in items[-2:])]


def weekly(items: list[Item]) -> list[Item]:
    """The items with "weekdays or weekends", held against each other, as each day of the week."""
    against = any(item.has("compare", "more", "less", "worse") for item in items)
    days = [place for place, item in enumerate(items) if _days_of(item)]
    if not against or len(days) != 2 or days[1] - days[0] > _NEAR:
        return items
    between = items[days[0] + 1 : days[1]]
    joined = any(one.has("or", "compare", "and") for one in between)
    whole = len({day for place in days for day in _days_of(items[place])}) == len(WEEKDAYS)
    if not (joined and whole) or any(one.place or one.amount for one in between):
        return items
    made = list(items)
    last = max(n for n in range(days[0] + 1, days[1]) if items[n].has("or", "compare", "and"))
    made[days[0]] = items[days[0]].emptied()
    made[days[0] + 1 : days[1]] = [one if one.senses else one.emptied() for one in between]
    made[last] = items[last].emptied("by")
    made[days[1]] = items[days[1]].emptied("bucket_weekday")
    return made


def _days_of(item: Item) -> list[str]:
    """The days of the week that are said, and nothing more; "weekday" beside the weekend is those of work."""
    if set(item.times) == {"weekdays"}:
        return list(item.times["weekdays"])
    return list(WEEKDAYS[:5]) if item.text in _WORKING else []


def said_twice(items: list[Item]) -> list[Item]:
    """The items with "town by town" as "by town"."""
    made = list(items)
    for place in range(len(items) - 2):
        first, joint, second = items[place : place + 3]
        if joint.has("by") and first.key and first.key == second.key:
            made[place] = replace(first, senses=(), classes=frozenset({"filler"}))
    return made


def levelled(items: list[Item]) -> list[Item]:
    """The items with "at the town level" as "by town", and "town level counts" as well."""
    made: list[Item] = []
    for item in items:
        noun = made[-1] if made else None
        if item.text in ("level", "levels") and noun is not None and noun.senses and not item.senses:
            made.pop()
            while (
                made
                and made[-1].has("at", "on", "filler")
                and not made[-1].senses
                and made[-1].text != "list"
            ):
                made.pop()
            made += [replace(item, classes=frozenset({"by"})), noun]
        else:
            made.append(item)
    return made


def unlimited(items: list[Item]) -> list[Item]:
    """The items without fields of which it is said that they do not matter: "regardless of severity"."""
    made = list(items)
    for place, (item, after) in enumerate(pairwise(items)):
        if item.has("regardless") and after.senses and all(one.kind == "field" for one in after.senses):
            made[place : place + 2] = [item.emptied(), after.emptied()]
    return made


def clocked(items: list[Item]) -> list[Item]:
    """The items with bare hours as hours where a part of the day says which: "3-5 in the afternoon"."""
    said = [item for item in items if isinstance(item.times.get("hours"), dict)]
    if len(said) != 1:
        return items
    named, made = said[0], list(items)
    unsaid = next((n for n, item in enumerate(items) if item.problem == HALF_UNSAID), None)
    if unsaid is not None and (hours := _half_of(items[unsaid].text, named.times["hours"])):
        made[unsaid] = replace(items[unsaid], times={**named.times, "hours": hours}, problem="")
        made[items.index(named)] = named.emptied()
        return made
    for place in range(len(items) - 2):
        first, joint, second = items[place : place + 3]
        led = place > 0 and items[place - 1].has("between", "from")
        joins = joint.text in ("-", "\u2013") or joint.has("to") or (led and joint.has("and"))
        if not (first.amount and second.amount and joins) or first.amount.kind or second.amount.kind:
            continue
        hours = _hours_within(first.amount.value, second.amount.value, named.times["hours"])
        if hours is None:
            continue
        start = place - 1 if led else place
        made[start : place + 3] = [one.emptied() for one in items[start : place + 3]]
        made[start] = replace(made[start], times={**named.times, "hours": hours}, classes=frozenset())
        made[items.index(named)] = named.emptied()
        return made
    return items


def _half_of(text: str, span: Mapping[str, str]) -> dict[str, str] | None:
    """Hours and minutes in the half of the day that a part of the day lies in: "mornings, 7:30 to 8:30"."""
    ends = [(int(hour) % 12, minute or "00") for hour, minute in _CLOCK_TIME.findall(text)]
    if len(ends) != 2:
        return None
    begin, end = (int(span[side][:2]) for side in ("from", "to"))
    for half in (0, 12):
        first, last = (hour + half for hour, _ in ends)
        last += 12 if last < first else 0
        if begin <= first and last <= (end if end > begin else end + 24):
            return {"from": f"{first:02}:{ends[0][1]}", "to": f"{last % 24:02}:{ends[1][1]}"}
    return None


def _hours_within(first: float, last: float, span: Mapping[str, str]) -> dict[str, str] | None:
    """Two hours of the clock as a part of the span, None where they are none."""
    if not all(one.is_integer() and 1 <= one <= 12 for one in (first, last)):
        return None
    begin, end = (int(span[side][:2]) for side in ("from", "to"))
    width = (end - begin) % 24 or 24
    for half in (0, 12):
        start = int(first) % 12 + half
        length = (int(last) - int(first)) % 12 or 12
        if (start - begin) % 24 + length <= width:
            return {"from": f"{start:02}:00", "to": f"{(start + length) % 24:02}:00"}
    return None


def in_one(items: list[Item]) -> list[Item]:
    """The items with a list of periods as one time: "in December 2024 or January 2025"."""
    made: list[Item] = []
    place = 0
    while place < len(items):
        item = items[place]
        last, periods, held = place, [item.times], [place]
        while item.times and set(item.times) <= _DAYS and (following := _next_period(items, last + 1)):
            last = following
            periods.append(items[last].times)
            held.append(last)
        if len(periods) > 1:
            times = joined_periods(periods)
            if times is None and len(periods) == 2 and not any(one.has("or") for one in items[place:last]):
                times = between(*periods)
            if times is None:
                first = replace(items[held[1]], times={}, problem=_APART)
                made += [*items[place : held[1]], first]
                place = held[1] + 1
                continue
            versus = [replace(one, times={}) for one in items[place + 1 : last] if one.has("compare")]
            text = " ".join(one.text for one in items[place : last + 1])
            made += [replace(item, times=times, end=items[last].end, text=text), *versus]
        else:
            made.append(item)
        place = last + 1
    return made


def _next_period(items: Sequence[Item], start: int) -> int | None:
    """Where the next time of a list stands, None where the list ends or says another kind of time."""
    for place in range(start, min(start + 3, len(items))):
        item = items[place]
        if item.times:
            beside = (items[start - 1].text.split()[-1], item.text.split()[0])
            led = place > start or any(word in ("and", "or", ",") for word in beside)
            return place if led and set(item.times) <= _DAYS else None
        if not item.has("and", "or", "comma", "compare"):
            return None
    return None


def joined_periods(listed: Sequence[Mapping[str, Any]]) -> dict[str, Any] | None:
    """A list of periods as one time: one span where they touch, months of years where these recur.

    None where a frame cannot say it.

    Examples
    --------
    >>> joined_periods(
    ...     [{"from": "2024-12-01", "to": "2024-12-31"}, {"from": "2025-01-01", "to": "2025-01-31"}]
    ... )
    {'from': '2024-12-01', 'to': '2025-01-31'}
    >>> joined_periods(
    ...     [{"from": "2023-06-01", "to": "2023-06-30"}, {"from": "2024-06-01", "to": "2024-06-30"}]
    ... )
    {'years': [2023, 2024], 'months': [6]}
    """
    spans = sorted(span for one in listed for span in _spans_of(one))
    if not all(any(True for _ in _spans_of(one)) for one in listed):
        return None
    merged = spans[:1]
    for first, last in spans[1:]:
        if first <= merged[-1][1] + timedelta(days=1):
            merged[-1] = (merged[-1][0], max(last, merged[-1][1]))
        else:
            merged.append((first, last))
    if len(merged) == 1:
        return {"from": merged[0][0].isoformat(), "to": merged[0][1].isoformat()}
    months = [_whole_months(span) for span in merged]
    if months[0] is None or any(one != months[0] for one in months):
        return None
    years = {"years": [first.year for first, _ in merged]}
    return years if months[0] == list(range(1, 13)) else {**years, "months": months[0]}


def _spans_of(times: Mapping[str, Any]) -> Iterator[tuple[date, date]]:
    """The spans of days that a time is, none for any other kind."""
    if set(times) == {"years"}:
        yield from ((date(year, 1, 1), date(year, 12, 31)) for year in times["years"])
    elif set(times) == {"from", "to"}:
        yield date.fromisoformat(times["from"]), date.fromisoformat(times["to"])


def _whole_months(span: tuple[date, date]) -> list[int] | None:
    """The months that a span of one year is made of, None where it has parts of them."""
    first, last = span
    whole = first.day == 1 and (last + timedelta(days=1)).day == 1 and first.year == last.year
    return list(range(first.month, last.month + 1)) if whole else None
