"""Amounts with the words that bound them: "over 40", "40 or more", "between 30 and 40"."""

from __future__ import annotations

from typing import NamedTuple

from groundframe.frames.lexical.amounts import Amount
from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.state import State

__all__ = ["SPANS", "Bounded", "amount_after", "bounded_amount"]

_DASHES = frozenset({"-", "\u2013"})
SPANS = frozenset(words_of("times", "spans"))
"""What stands between the two ends of a span: "10 until 20"."""


def amount_after(state: State, place: int) -> tuple[list[str], list[Amount], int] | None:
    """A bound and an amount from here: "over 40", "40 or more", "between 30 and 40", "30 until 40"."""
    item = state.item(place)
    if item is None:
        return None
    if item.has("between"):
        first, joint, second = (state.item(place + step) for step in (1, 2, 3))
        if (
            first
            and joint
            and second
            and first.amount
            and second.amount
            and (joint.has("and", "to") or joint.text in SPANS)
        ):
            return ["gte", "lte"], [first.amount, second.amount], place + 4
    joint, second = state.item(place + 1), state.item(place + 2)
    if item.amount and joint and second and second.amount and item.amount.value < second.amount.value:
        dash = joint.text in _DASHES and item.end == joint.start and joint.end == second.start
        if dash or joint.has("to") or joint.text in SPANS - _DASHES:
            return ["gte", "lte"], [item.amount, second.amount], place + 3  # "30-40 mph"
    found = bounded_amount(state, place, item)
    return None if found is None else ([found.operator or "eq"], [found.amount], found.stop)


class Bounded(NamedTuple):
    """An amount with what bounds it on either side, if anything does; where it stands, and where all ends."""

    operator: str
    amount: Amount
    start: int
    stop: int


def bounded_amount(state: State, place: int, item: Item) -> Bounded | None:
    """An amount from here: "over 40", "40 or more", "40"."""
    operator = next((name for name in ("gte", "lte", "gt", "lt", "eq") if item.has(name)), "")
    start = state.skip(place + 1) if operator else place
    number = state.item(start)
    if number is None or number.amount is None:
        return None
    stop = start + 1
    behind = state.item(state.skip(stop))
    if behind is not None and behind.has("post_gte", "post_lte"):
        stop = state.skip(stop)  # "55 mph zone and up"
    after = state.item(stop)
    if after is not None and after.has("post_gte", "post_lte"):
        operator, stop = "gte" if after.has("post_gte") else "lte", stop + 1
    elif number.amount.more:
        operator = "gte"
    return Bounded(operator, number.amount, start, stop)
