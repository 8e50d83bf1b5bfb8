"""What is asked for in other words: "how long are the roads", "years when Lowell had under 5 crashes"."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from datetime import date, timedelta
from itertools import pairwise
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["asked_for"]

TWO_ORDERS = "An order goes by one thing; ask for each by itself."
OF_THE_MOST = "What has the most is asked for by itself, and where that lies is shown with it."
OF_NONE = "Times with nothing in them are not listed; ask for the numbers by time, where they are missing."
TWO_NUMBERS = "Numbers of one kind of thing that meet different conditions are asked for one by one."
WHICH_WEEKEND = "Which weekend is meant is not clear; give its Saturday or Sunday."

_STREETS = frozenset(words_of("turns", "streets"))
_ORDERS = ("top", "bottom", "worst", "safest", "most", "fewest")
_LISTED = frozenset({"list", "name", "names", "identify"})
_FEW = 3
_SATURDAY = 5


def asked_for(items: Sequence[Item], counted: Collection[str]) -> list[Item]:
    """The items as they are read.

    Parameters
    ----------
    counted : collection of str
        The entities that are counted for others.
    """
    made = list(items)
    _totals(made, counted)
    _worst_weekdays(made)
    _corner(made)
    _how_long(made)
    _two_orders(made, counted)
    _of_the_most(made, counted)
    _near_the_most(made, counted)
    _weekend_of(made)
    _two_numbers(made, counted)
    _times_of_none(made, counted)
    _listed_in_each(made, counted)
    return _years_when(made)


def _totals(items: list[Item], counted: Collection[str]) -> None:
    """Crash totals and total crashes are how many there are, by whatever they are."""
    for place, item in enumerate(items):
        beside = items[max(0, place - 1) : place] + items[place + 1 : place + 2]
        noun = any(sense.entity in counted for one in beside for sense in one.of_kind("entity"))
        by = next((n for n in range(place, len(items) - 1) if items[n].has("by", "per")), None)
        field = by is not None and bool(items[by + 1].of_kind("field"))
        if field and noun and item.has("total") and not item.senses:
            items[place] = item.emptied("how_many")


def _worst_weekdays(items: list[Item]) -> None:
    """Of "which 3 weekdays are worst" it is the days of the week, not those of work."""
    for place in range(1, len(items)):
        asked = items[place - 1].has("which") or (place > 1 and items[place - 2].has("which"))
        later = any(one.has("worst", "most", "fewest", "safest") for one in items[place + 1 : place + _FEW])
        if items[place].text in ("weekday", "weekdays") and asked and later:
            items[place] = items[place].emptied("bucket_weekday")


def _years_when(items: list[Item]) -> list[Item]:
    """Of "years when Lowell had under 5 crashes" it is the years with so many in Lowell."""
    if len(items) < 6 or items[1].text not in ("when", "where", "that", "in which"):
        return items
    bucket, when, area, had, *rest = items
    if not (bucket.is_bucket and area.place and had.has("with")):
        return items
    return [bucket, had, *rest, when.reworded("in"), area]


def _how_long(items: list[Item]) -> None:
    """How long roads are is how much there is of them: "how long are all the 25 mph roads"."""
    for place in range(len(items) - 1):
        long = items[place + 1].text == "long" and bool(items[place + 1].of_kind("field"))
        if items[place].text == "how" and long:
            items[place] = items[place].emptied("total")


def _corner(items: list[Item]) -> None:
    """Two streets with an ampersand between are a corner: "crashes Main St & Elm St"."""
    for place in range(1, len(items) - 1):
        one, other = items[place - 1], items[place + 1]
        lead = items[place - 2] if place > 1 else None
        named = one.place is not None and other.place is not None
        on = lead is not None and lead.has("on", "compare", "comma", "and", "between")
        if items[place].text == "&" and named and not on and _is_street(one) and _is_street(other):
            items[place] = items[place].reworded("at")


def _is_street(item: Item) -> bool:
    return item.place is not None and item.text.split()[-1] in _STREETS


def _two_orders(items: list[Item], counted: Collection[str]) -> None:
    """Of "top towns by fatal crashes and by population" no one list is in the order."""
    led = next(
        (n for n, item in enumerate(items) if item.has("top", "bottom", "worst", "rank", "most")), None
    )
    for place in range(3, len(items) - 1):
        first = next((n for n in range(place) if items[n].has("by")), None)
        joined = items[place].has("by") and items[place - 1].has("and")
        if led is None or first is None or not joined:
            continue
        if all(_is_number(items[n + 1], counted) for n in (first, place)):
            items[place] = items[place].stopped(TWO_ORDERS)


def _is_number(item: Item, counted: Collection[str]) -> bool:
    """Whether an order may go by it: what is counted, or how large something is."""
    number = any(sense.entity in counted for sense in item.of_kind("entity", "concept", "value"))
    return number or bool(item.of_kind("measure", "field"))


def _of_the_most(items: list[Item], counted: Collection[str]) -> None:
    """Of "which town had the crash with the most injuries" the crash is sought, not the town."""
    for place in range(2, len(items) - 2):
        one = items[place]
        single = any(sense.entity in counted for sense in one.of_kind("entity")) and not one.plural
        lead = next((item for item in reversed(items[:place]) if not item.has("filler")), one)
        owner = next((item for item in items[:place] if item.of_kind("entity")), one)
        most = any(item.has("most", "fewest") for item in items[place + 2 : place + 4])
        if single and lead.has("with") and owner is not one and items[place + 1].has("with") and most:
            items[place] = one.stopped(OF_THE_MOST)


def _near_the_most(items: list[Item], counted: Collection[str]) -> None:
    """Of "schools near the worst intersection" it would be another list that says which is worst."""
    for place in range(1, len(items) - 1):
        lead, rest = items[place], [one for one in items[place + 1 : place + 6] if not _is_spare(one)]
        others = {sense.entity for one in items[:place] for sense in one.of_kind("entity")}
        lies = lead.has("in", "on", "at") and bool(others - {*counted})
        leads = lies or lead.has("near", "of_place", "of", "to")
        if not leads or not others or len(rest) < 2 or lead.senses:
            continue
        first, second = rest[0], rest[1]
        ordered = first.has(*_ORDERS) or first.form in ("superlative", "least")
        noun = second if ordered else first
        said = second.text == "with" and "the" in (items[place + 1].text, lead.text.split()[-1])
        behind = not ordered and said and any(one.has("most", "fewest") for one in rest[2:3])
        found = {sense.entity for sense in noun.of_kind("entity")} - others - {*counted}
        if found and (ordered or behind):
            at = next(n for n in range(place + 1, len(items)) if items[n] is noun)
            items[at] = noun.stopped(OF_THE_MOST)
            return


def _is_spare(item: Item) -> bool:
    """Whether a word is only an article or a number."""
    number = item.amount is not None and not item.amount.kind
    return (item.has("filler") and not item.senses) or number


def _weekend_of(items: list[Item]) -> None:
    """The weekend of a day is its Saturday and Sunday: "the weekend of July 4 2021"."""
    for place in range(len(items) - 1):
        weekend, day = items[place], items[place + 1]
        single = day.times.get("from") if set(day.times) == {"from", "to"} else None
        if "weekend" not in weekend.text or single is None or single != day.times["to"]:
            continue
        when = date.fromisoformat(str(single))
        if when.weekday() < _SATURDAY:
            items[place] = weekend.stopped(WHICH_WEEKEND)
            continue
        first = when - timedelta(days=when.weekday() - _SATURDAY)
        both = {"from": first.isoformat(), "to": (first + timedelta(days=1)).isoformat()}
        items[place], items[place + 1] = weekend.emptied(), replace(day, times=both)


def _two_numbers(items: list[Item], counted: Collection[str]) -> None:
    """The number of these and the number of those are two: "number of bike and number of ped crashes"."""
    numbers = [n for n, item in enumerate(items) if item.has("how_many")]
    for first, second in pairwise(numbers):
        joined = any(item.has("and") for item in items[first + 1 : second])
        nouns = [
            next((one for one in items[start + 1 : start + 1 + _FEW] if one.senses), items[start])
            for start in (first, second)
        ]
        both = all(any(one.entity in counted for one in noun.of_kind("entity", "concept")) for noun in nouns)
        apart = any(noun.of_kind("concept") and not noun.of_kind("measure") for noun in nouns)
        if joined and both and apart:
            items[second] = items[second].stopped(TWO_NUMBERS)


def _times_of_none(items: list[Item], counted: Collection[str]) -> None:
    """Of "which years had no fatal crash" there would be no row."""
    for place in range(len(items) - 2):
        bucket, none, noun = items[place : place + 3]
        if bucket.is_bucket and none.has("without") and any(one.entity in counted for one in noun.senses):
            items[place + 1] = none.stopped(OF_NONE)


def _listed_in_each(items: list[Item], counted: Collection[str]) -> None:
    """Of "list the schools in each town" it is the schools, not how many there are."""
    for place in range(2, len(items) - 1):
        before = items[:place]
        listed = any(one.text.split()[0] in _LISTED for one in before)
        listed &= not any(one.has("how_many") for one in before)
        nouns = {sense.entity for one in before for sense in one.of_kind("entity")}
        per, lies = items[place], items[place].text.startswith("in ")
        if not (per.has("per") and listed and nouns and not nouns & {*counted}):
            continue
        if lies:
            items[place] = per.reworded("in")
        elif before[-1].has("in"):
            items[place] = per.emptied()
