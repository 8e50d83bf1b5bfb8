"""Vague phrases, replaced by what may be meant by them."""

from __future__ import annotations

import re
from calendar import month_name
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.spelling import spelt
from groundframe.frames.lexical.tokens import tokenize
from groundframe.frames.lexical.vocabulary import vocabulary
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack

__all__ = ["meant_by"]

_TWICE = re.compile(r"\b(at|by|during|in|near|on) \1\b", re.IGNORECASE)


def meant_by(question: str, left: Sequence[Item], pack: Pack, names: NameIndex) -> Iterator[str]:
    """The question with what may be meant by the longest vague phrase in it that was not understood."""
    newest = names.newest_date(pack.measures[0].entity)
    years = {} if newest is None else _named_times(newest)
    listed, tokens = vocabulary(pack).instead, spelt(tokenize(question))
    for size in (4, 3, 2, 1):
        for place in range(len(tokens) - size + 1):
            phrase = tokens[place : place + size]
            options = listed.get(tuple(token.stem for token in phrase), ())
            start, end = phrase[0].start, phrase[-1].end
            end += len("'s") if question[end:].startswith("'s") else 0  # "yesterday's crashes"
            most = phrase[0].text == "recent" and place > 0 and tokens[place - 1].text == "most"
            if options and not most and any(_holds(start, end, item) for item in left):
                for option in options:
                    if "{" not in option or years:
                        made = f"{question[:start]}{option.format(**years)}{question[end:]}"
                        # "on" before "on weekdays"
                        yield _TWICE.sub(r"\1", " ".join(made.split()))
                return


def _holds(start: int, end: int, item: Item) -> bool:
    """Whether a phrase holds something of an item, and is not only a part of one that means something."""
    part = item.start < start or item.end > end
    return start < item.end and item.start < end and not (part and (item.senses or item.reason))


def _named_times(newest: date) -> dict[str, str]:
    """The years and months that the newest date of the data lies in and follows."""
    earlier = newest.replace(day=1) - timedelta(days=1)
    months = {
        name: f"{month_name[day.month]} {day.year}"
        for name, day in (("month", newest), ("month_before", earlier))
    }
    return {"newest": str(newest.year), "before": str(newest.year - 1), **months}
