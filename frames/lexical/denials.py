"""Times that are denied: "not on weekends", "excluding 2020", "outside of 7 to 9 am" say all the others."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.terms import WEEKDAYS

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["between", "denied", "either_time", "side_by_side", "together", "turned"]

_FIRST = 1980
"""No data are older; a frame names the years that are left."""
_SOME = 12
_TURNED = {"gt": "lte", "gte": "lt", "lt": "gte", "lte": "gt"}
_ANY = frozenset(words_of("loose", "any"))
_EXACT = frozenset({"only", "just"})


def turned(items: Sequence[Item], newest: int | None) -> list[Item]:
    """The items with a denial and the time that it is of as the other times.

    Parameters
    ----------
    newest : int, optional
        The year of the newest data; without it the years other than one are not known.
    """
    made = list(items)
    for place, item in enumerate(made):
        if item.has("not") and not item.senses and _bound_turned(made, place):
            continue
        if not item.has("not", "except", "no", "without") or item.senses or item.place:
            continue
        at = place + 1
        while at < len(made) and _leads(made[at]):
            at += 1
        time = made[at] if at < len(made) else None
        if time is None or not time.times:
            continue
        after = made[at + 1] if at + 1 < len(made) else None
        if item.has("no", "without") and not (
            after is None or after.has("stop", "comma") or after.text == ")"
        ):
            continue  # "with no 2020 crashes"
        times = denied(time.times, newest)
        if times is None:
            continue
        for one in range(place, at):
            made[one] = replace(made[one], classes=frozenset({"filler"}))
        made[at] = replace(time, times=times, senses=(), classes=frozenset())
    return made


def _bound_turned(made: list[Item], place: int) -> bool:
    """Turn the bound that "not" is of: "not posted above 30" is at most 30."""
    at = place + 1
    while at < len(made) and at < place + 4 and not made[at].has(*_TURNED):
        if not (made[at].has("filler") or made[at].senses) or made[at].amount or made[at].place:
            return False
        if any(sense.kind != "field" for sense in made[at].senses):
            return False
        at += 1
    bound, number = made[at : at + 1], made[at + 1 : at + 2]
    if not bound or not bound[0].has(*_TURNED) or bound[0].has("inside_of", "post_gte", "post_lte"):
        return False
    if not number or number[0].amount is None or number[0].amount.kind == "length":
        return False
    turned_to = frozenset(other for one, other in _TURNED.items() if bound[0].has(one))
    made[at] = replace(bound[0], classes=turned_to)
    made[place] = replace(made[place], classes=frozenset({"filler"}))
    return True


def _leads(item: Item) -> bool:
    """Whether the word may stand between the denial and the time."""
    if item.text in _ANY:
        return True
    return (
        item.has("filler", "in", "on", "at", "for", "from", "of", "all")
        and item.text not in _EXACT
        and not (item.times or item.amount or item.place or item.senses)
    )


def side_by_side(times: Mapping[str, Any], name: str = "years") -> bool:
    """Whether several are named, which may be held against each other; all but one are no such thing."""
    return 1 < len(times.get(name, ())) < _SOME


def denied(times: Mapping[str, Any], newest: int | None = None) -> dict[str, Any] | None:
    """All other times; None where that is no one time.

    Examples
    --------
    >>> denied({"hours": {"from": "20:00", "to": "06:00"}})
    {'hours': {'from': '06:00', 'to': '20:00'}}
    >>> denied({"from": "2019-01-01", "to": "2020-12-31"}, 2022)["years"][-3:]
    [2018, 2021, 2022]
    >>> denied({"to": "2019-12-31"})
    {'from': '2020-01-01'}
    """
    if years := _years(times):
        left = [] if newest is None else [one for one in range(_FIRST, newest + 1) if one not in years]
        return {"years": left} if left else None
    if set(times) == {"to"}:
        return {"from": (date.fromisoformat(times["to"]) + timedelta(days=1)).isoformat()}
    if set(times) == {"from"}:
        return {"to": (date.fromisoformat(times["from"]) - timedelta(days=1)).isoformat()}
    if len(times) != 1:
        return None
    hours = times.get("hours")
    if isinstance(hours, Mapping):
        hours = [hours]
    if isinstance(hours, list):
        spans = sorted((one["from"], one["to"]) for one in hours)
        between = zip(spans, (*spans[1:], spans[0]), strict=True)
        left_over = [{"from": last, "to": first} for (_, last), (first, _) in between if last != first]
        return {"hours": left_over[0] if len(left_over) == 1 else left_over} if left_over else None
    for name, every in (("months", range(1, 13)), ("weekdays", WEEKDAYS)):
        if name in times:
            return {name: [one for one in every if one not in times[name]]}
    return None


def together(items: Sequence[Item]) -> list[Item]:
    """The items with times of one kind side by side in the first: "Friday nights and Saturday nights"."""
    made, chain = list(items), list[int]()
    for place, item in enumerate(made):
        if not item.times:
            joint = item.has("or", "and", "comma", "stop", "filler", "in", "on", "at") and item.text != "?"
            if item.senses or item.place or item.amount or item.has("mended") or not joint:
                chain = []
            continue
        for before in chain:
            same = item.times == made[before].times
            either = made[before].times if same else either_time(made[before].times, item.times)
            if either is not None and place - before > 1:
                made[before] = replace(made[before], times=either)
                made[place] = replace(item, times={}, senses=(), classes=frozenset({"filler"}), problem="")
                break
        else:
            chain.append(place)
    return made


def either_time(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any] | None:
    """Two times of a kind of which nothing is of both as one time; None for any others.

    Examples
    --------
    >>> either_time({"weekdays": ["sat"]}, {"weekdays": ["mon", "tue"]})
    {'weekdays': ['mon', 'tue', 'sat']}
    >>> either_time({"hours": {"from": "12:00", "to": "18:00"}}, {"hours": {"from": "18:00", "to": "22:00"}})
    {'hours': [{'from': '12:00', 'to': '18:00'}, {'from': '18:00', 'to': '22:00'}]}
    """
    if len(one) != 1 or set(one) != set(other):
        return None
    (kind,) = one
    if kind == "hours":
        spans = [*_spans(one["hours"]), *_spans(other["hours"])]
        minutes = [minute for span in spans for minute in _minutes(span)]
        return {"hours": spans} if len(minutes) == len(set(minutes)) else None
    if kind not in ("years", "months", "weekdays") or set(one[kind]) & set(other[kind]):
        return None
    order = WEEKDAYS.index if kind == "weekdays" else int
    return {kind: sorted((*one[kind], *other[kind]), key=order)}


def between(one: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any] | None:
    """A day from which and one to which, as the span between them: "after May 1 and before June 15"."""
    if {*one, *other} != {"from", "to"} or len(one) != 1 or len(other) != 1:
        return None
    span = {**one, **other}
    return {"from": span["from"], "to": span["to"]} if span["from"] <= span["to"] else None


def _spans(hours: Any) -> list[dict[str, str]]:
    return [dict(hours)] if isinstance(hours, Mapping) else list(hours)


def _minutes(span: Mapping[str, str]) -> Iterator[int]:
    """The minutes of the day that a span of hours holds, past midnight as well."""
    first, last = (60 * int(span[side][:2]) + int(span[side][3:]) for side in ("from", "to"))
    yield from (minute % 1440 for minute in range(first, last if last > first else last + 1440))


def _years(times: Mapping[str, Any]) -> list[int]:
    """The whole years that a time is, none for any other."""
    if set(times) == {"years"}:
        return list(times["years"])
    if set(times) != {"from", "to"}:
        return []
    first, last = date.fromisoformat(times["from"]), date.fromisoformat(times["to"])
    whole = (first.month, first.day) == (1, 1) and (last + timedelta(days=1)).year == last.year + 1
    return list(range(first.year, last.year + 1)) if whole else []
