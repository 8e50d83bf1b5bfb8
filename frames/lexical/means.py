"""Means of how many people there were: "injuries per crash" is one, and towns may be in its order."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from groundframe.frames.lexical.amounts import Amount

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["by_their_mean"]

PER_THING = "How many there are for each of several, on average, is not worked out; ask for it by one."
"""What is said of "crashes per school in each town"."""

_AGGREGATES = ("aggregate_mean", "aggregate_median", "aggregate_max", "aggregate_min")
_ORDERS = ("top", "bottom", "worst", "safest", "most", "fewest")
_LOWEST = ("fewest", "bottom", "safest")


def by_their_mean(items: Sequence[Item], counted: Collection[str]) -> list[Item]:
    """The items with what stands for a mean said as one, and what is in its order grouped.

    Parameters
    ----------
    counted : collection of str
        The entities that are counted for others.
    """
    made = list(items)
    _per_one(made, counted)
    _per_thing(made, counted)
    return _in_its_order(made, counted) or made


def _per_one(items: list[Item], counted: Collection[str]) -> None:
    """Of "injuries per crash" it is the mean."""
    for place in range(len(items) - 2):
        people, per, one = items[place : place + 3]
        bare = _entities(one) & {*counted} and not one.of_kind("concept", "value") and not one.plural
        if not people.of_kind("measure") or not per.has("per") or not bare:
            continue
        items[place + 1], items[place + 2] = per.emptied(), one.emptied()
        first = place
        while first and items[first - 1].has("how_many"):
            first -= 1
        if not first or not items[first - 1].has(*_AGGREGATES):
            mean = replace(people.emptied("aggregate_mean"), end=people.start, text="average")
            items.insert(first, replace(mean, key=("average",)))
        return


def _per_thing(items: list[Item], counted: Collection[str]) -> None:
    """Of "crashes per school in each town" it would be a mean of numbers."""
    for place in range(1, len(items) - 3):
        noun, per, thing = items[place - 1 : place + 2]
        one = _entities(thing) - {*counted} if not thing.plural else set()
        named = any(
            before.has("per", "by") and _entities(after) - one - {*counted}
            for before, after in pairwise(items[place + 2 :])
        )
        if per.has("per") and one and named and noun.of_kind("entity", "concept", "value"):
            items[place] = per.stopped(PER_THING)


def _in_its_order(items: Sequence[Item], counted: Collection[str]) -> list[Item]:
    """Of "which town has the highest average injuries" it is that, by town, the highest."""
    mean = next((n for n, item in enumerate(items) if item.has(*_AGGREGATES)), 0)
    people = mean + 1
    while people < len(items) and items[people].has("how_many", "filler") and not items[people].senses:
        people += 1
    owner = next((n for n, item in enumerate(items[:mean]) if _entities(item) - {*counted}), None)
    far = any(item.amount is not None and item.amount.kind for item in items)
    if owner is None or far or people >= len(items) or not items[people].of_kind("measure"):
        return []
    lead = mean
    while lead > owner + 1 and items[lead - 1].has("filler") and not items[lead - 1].senses:
        lead -= 1
    order = items[lead - 1]
    named = order.has("by")
    if not (named or order.has(*_ORDERS)) or any(item.has("per", "by") for item in items[: lead - 1]):
        return []
    between = [*items[owner + 1 : lead - 1]]
    while between and between[-1].has("with", "filler") and not between[-1].place:
        between.pop()
    numbers = [item for item in items[:owner] if item.amount is not None]
    plain = order.reworded("by")
    last = [item for item in items[people + 1 :] if not item.has("stop")]
    kept = [*items[mean : people + 1], items[owner], *between, *last, *numbers[:1]]
    spare = [item.emptied() for item in items if item is not order and not any(item is one for one in kept)]
    found = [*spare, *items[mean : people + 1], plain, items[owner], *between, *last]
    if not named and (numbers or not items[owner].plural):
        one = replace(order.emptied(), classes=frozenset(), text="1", amount=Amount(1, 1.0, "", "1"))
        end = replace(order.emptied("bottom" if order.has(*_LOWEST) else "top"), key=())
        return [*found, replace(end, text="top"), *(numbers[:1] or [one])]
    end = order.emptied("ascending" if order.has(*_LOWEST) else "descending")
    return [*found, end]


def _entities(item: Item) -> set[str]:
    return {sense.entity for sense in item.of_kind("entity")}
