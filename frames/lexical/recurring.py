"""Words for months and years as rows: of every year together, or one by one, and which of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["recurring"]

_PRESENT = frozenset(words_of("recurring", "present"))
_ONCE = frozenset(words_of("recurring", "once"))
_DATES = ("years", "from", "to", "last")
_NEAR = 3


def recurring(items: Sequence[Item]) -> list[Item]:
    """The items with "which month is worst" as the month of the year, and "which years between" as rows."""
    made = list(items)
    _split(made)
    _hits_by(made)
    _months(made)
    return made


def _split(items: list[Item]) -> None:
    """Of "in which years between 2014 and 2024" the rows are years, and the span is when."""
    for place in range(1, len(items)):
        item, before = items[place], items[place - 1]
        first, _, rest = item.text.partition(" ")
        asked = before.has("which") or before.text.endswith("which")
        if asked and item.text == "weekdays" and item.times:
            items[place] = item.emptied("bucket_weekday")
            return
        if asked and rest and item.times and first in ("year", "years"):
            bucket = replace(
                item.emptied("bucket_year"), text=first, key=("year",), end=item.start + len(first)
            )
            items[place : place + 1] = [bucket, replace(item, text=rest, start=item.start + len(first))]
            return


def _hits_by(items: list[Item]) -> None:
    """Of "deer hits by month" the rows are months, and no month hits a deer."""
    for place in range(1, len(items) - 1):
        item, after = items[place], items[place + 1]
        bucket = after.is_bucket
        named = after.of_kind("field", "entity") and not after.of_kind("value", "concept")
        grouped = bucket or (named and not after.has("filler"))
        if item.has("collide") and item.text.endswith(" by") and grouped and not after.has("vehicle"):
            items[place] = item.emptied("by")


def _months(items: list[Item]) -> None:
    """What is worst, again and again, is a month of the year; what was worst may be one of one year."""
    place = next((n for n, item in enumerate(items) if item.has("bucket_month")), 0)
    before = items[place - 1] if place else None
    after = items[place + 1] if place + 1 < len(items) else None
    asked = before is not None and before.text.endswith(("which", "what"))
    worst = before is not None and before.has("worst", "safest") and after is not None and after.has("for")
    if not (asked or worst):
        return
    dated = any(name in item.times for item in items for name in _DATES)
    once = any(item.text in _ONCE or item.has("bucket_year") for item in items)
    verbs = {word for item in items[place + 1 : place + 1 + _NEAR] for word in item.text.split()}
    if not (dated or once) and (worst or verbs & _PRESENT):
        items[place] = items[place].emptied("bucket_month_of_year")
