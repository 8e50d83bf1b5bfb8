"""Words put into the order in which they are read: "12 crashes or more" as "12 or more crashes"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["reordered"]

_BOUNDS = ("gt", "gte", "lt", "lte", "eq")
_BEHIND = ("post_gte", "post_lte")
_COUNTED = ("entity", "concept", "measure", "value")
_NOUNS = (*_COUNTED, "field")
_LONGEST = 3
_COUNTS = frozenset(words_of("numbers", "counts"))
_BEING = frozenset({"is", "was", "are", "were", "of"})
_BOUND_LONGEST = 4
_FEW = 7
"""Words within which the comma stands behind what a ranking goes by."""


def reordered(items: Sequence[Item]) -> list[Item]:
    """The items with bounds before what they bound."""
    made = list(items)
    for place in range(len(made)):
        _bound_last(made, place)
        _number_last(made, place)
    _radius_last(made)
    _how_they_compare(made)
    return _topic_first(_by_first(_broken_down(_total_last(made))))


def _how_they_compare(items: list[Item]) -> None:
    """How "the middle schools compare on crashes" is the crashes of each of them."""
    how = next((n for n, item in enumerate(items) if item.text.split()[0] == "how" and not item.senses), None)
    place = next((n for n, item in enumerate(items) if item.text == "compare"), 0)
    if how is None or how >= place or place + 2 >= len(items):
        return
    joint, noun = items[place + 1 : place + 3]
    several = any(item.plural and item.of_kind("entity", "value") for item in items[how:place])
    said = noun.of_kind("entity", "concept", "value") and (joint.has("on", "by", "in", "for", "comma"))
    if several and said and not any(item.has("compare") for item in items[place + 1 :]):
        items[place] = items[place].emptied()
        items[place + 1] = joint.reworded("stop", ":")
        items[how:place] = [
            one.emptied() if one.has("all") or one is items[how] else one for one in items[how:place]
        ]


def _opening(items: Sequence[Item]) -> int:
    """Where the first word stands that says something."""
    return next((n for n, item in enumerate(items) if not item.has("filler") or item.senses), 0)


def _end(items: Sequence[Item]) -> int:
    """Where the last sentence ends."""
    return len(items) - (1 if items and items[-1].has("stop") else 0)


def _total_last(items: list[Item]) -> list[Item]:
    """Of "length of the local roads, total" it is the total length."""
    first, end = _opening(items), _end(items)
    total = next((n for n in range(first + 2, end) if items[n].has("total")), 0)
    alone = total > 0 and total + 1 == end and not items[total].senses
    if not alone or not items[first].of_kind("field") or not items[first + 1].has("of"):
        return items
    return [*items[:first], items[total], *items[first:total], *items[total + 1 :]]


def _broken_down(items: list[Item]) -> list[Item]:
    """A "weather breakdown of fatal crashes" is one by weather."""
    first, end = _opening(items), _end(items)
    named = items[first : first + 2]
    if (
        len(named) < 2
        or not (named[0].of_kind("field") or named[0].is_bucket)
        or not named[1].has("breakdown")
    ):
        return items
    rest = items[first + 2 : end]
    if not named[1].text.endswith("of") or any(item.has("by", "per") for item in rest):
        return items
    return [*items[:first], *rest, named[1].reworded("by"), named[0], *items[end:]]


def _topic_first(items: list[Item]) -> list[Item]:
    """What the worst are the worst for, said before them: "bike crashes, which 5 towns are worst"."""
    stop = len(items)
    while stop and items[stop - 1].has("stop"):
        stop -= 1
    start = next((n for n in range(1, stop) if items[n].has("which") or _opens_top(items, n)), stop)
    asked, topic = items[start:stop], items[:start]
    while topic and topic[-1].has("comma", "stop"):
        topic = topic[:-1]
    said = [item for item in topic if not item.has("filler", "in", "for", "comma", "stop")]
    told = bool(said) and all(item.senses or item.times for item in said)
    told &= bool(said) and bool(said[0].of_kind("concept", "entity", "value"))
    owners = {sense.entity for sense in said[0].senses} if told else set[str]()
    if not told or any({sense.entity for sense in item.of_kind("entity")} - owners for item in said[1:]):
        return items
    last = next((item for item in reversed(asked) if not item.has("filler")), None)
    top = _opens_top(items, start) if start < stop else False
    if last is None or not (last.has("worst", "safest") or (top and last.of_kind("entity"))):
        return items
    return [*asked, asked[-1].reworded("for"), *topic, *items[stop:]]


def _opens_top(items: Sequence[Item], place: int) -> bool:
    """Whether a clause begins here that asks for the first of several: "top 5 towns"."""
    return items[place].has("top", "bottom") and items[place - 1].has("comma", "stop")


def _by_first(items: list[Item]) -> list[Item]:
    """What a ranking goes by, said before it: "by people injured, which town is worst"."""
    comma = next((n for n, item in enumerate(items[:_FEW]) if item.text == ","), 0)
    ranked = any(item.has("worst", "most", "fewest", "top", "bottom", "safest") for item in items[comma:])
    measured = any(item.of_kind("measure") for item in items[:comma])
    if not measured or not items[0].has("by") or not ranked:
        return items
    stop = len(items) - (1 if items[-1].has("stop") else 0)
    return [*items[comma + 1 : stop], *items[:comma], *items[stop:]]


def _noun_from(items: Sequence[Item], place: int, kinds: tuple[str, ...]) -> int:
    """Where the noun ends that begins here with the words for its kind; here if there is none."""
    stop = place
    while (
        stop < len(items)
        and stop - place < _LONGEST
        and items[stop].of_kind(*kinds)
        and not items[stop].times
    ):
        stop += 1
    return stop


def _bound_last(items: list[Item], place: int) -> None:
    """A number, its noun, and "or more" behind them."""
    item = items[place]
    stop = _noun_from(items, place + 1, _NOUNS)
    if item.amount is None or item.amount.kind or item.amount.more or not place < stop - 1 < len(items) - 1:
        return
    bound, after = items[stop], items[stop + 1] if stop + 1 < len(items) else None
    if bound.has(*_BEHIND) and not bound.has("gt", "lt") and (after is None or after.amount is None):
        items[place + 1 : stop + 1] = [bound, *items[place + 1 : stop]]


def _number_last(items: list[Item], place: int) -> None:
    """A noun, and behind it the number that there must be of it: "fatal crashes >= 7"."""
    stop = _noun_from(items, place, _COUNTED)
    before = items[place - 1] if place else None
    if stop == place or stop + 1 >= len(items) or (before is not None and before.of_kind(*_COUNTED)):
        return
    if stop - place > 1 and items[place].of_kind("entity") and items[stop - 1].of_kind("measure"):
        return  # "crashes injuring at least 2" is of those hurt in each
    if any(one.of_kind("field") for one in items[place:stop]):
        return  # "segments = 6" of a corner
    if _count_last(items, place, stop):
        return
    bound, number = items[stop], items[stop + 1]
    after = items[stop + 2] if stop + 2 < len(items) else None
    behind = items[stop + 3] if stop + 3 < len(items) else None
    spans = after is not None and after.has("to", "and") and behind is not None and behind.amount is not None
    taken = after is not None and (bool(after.senses) or after.amount is not None or after.has("of") or spans)
    if not bound.has(*_BOUNDS) or number.amount is None or number.amount.kind or number.times or taken:
        return
    if before is not None and (before.has("by", "per", *_BOUNDS) or before.amount is not None):
        return
    if place and not any(one.of_kind("entity") for one in items[:place]):
        return
    items[place : stop + 2] = [bound, number, *items[place:stop]]


def _count_last(items: list[Item], place: int, stop: int) -> bool:
    """A noun, the word for its number, and what that must be: "a crash count between 3 and 6"."""
    named = items[stop]
    if not named.has("how_many") or named.text not in _COUNTS or items[place - 1].has("by", "per"):
        return False
    start = stop + 1
    while start < len(items) and items[start].text in _BEING:
        start += 1
    end = start
    while end < len(items) and end - start < _BOUND_LONGEST and _is_of_bound(items, end):
        end += 1
    said = items[start:end]
    bounds = any(one.has("between", *_BOUNDS, *_BEHIND) for one in said) or (
        sum(one.amount is not None for one in said) > 1
    )
    if not bounds or not any(one.amount is not None for one in said):
        return False
    after = items[end] if end < len(items) else None
    if after is not None and (after.senses or after.amount is not None) and not after.times:
        return False
    items[place:end] = [*said, *items[place:stop], *(one.emptied() for one in items[stop:start])]
    return True


def _is_of_bound(items: Sequence[Item], place: int) -> bool:
    """Whether an item is a part of a bound: a word for it, a plain number, or what joins two."""
    item, before = items[place], items[place - 1]
    if item.times or item.senses:
        return False
    if item.amount is not None:
        return not item.amount.kind
    after = items[place + 1] if place + 1 < len(items) else None
    joins = before.amount is not None and after is not None and after.amount is not None
    return item.has("between", *_BOUNDS, *_BEHIND) or (joins and (item.has("to", "and") or item.text == "-"))


def _radius_last(items: list[Item]) -> None:
    """A corner, and behind it how far around it: "at Main and Elm, 100 m radius"."""
    last = len(items) - 1
    while last > 0 and items[last].has("stop"):
        last -= 1
    if last < 2 or not items[last].has("radius") or items[last - 1].amount is None:
        return
    far = items[last - 1]
    corner = next((n for n, one in enumerate(items[:last]) if one.place is not None), 0)
    lead = items[corner - 1] if corner else None
    apart = items[last - 2].has("comma") or items[last - 2].text in ("-", "(")
    measured = far.amount is not None and far.amount.kind == "length"
    if lead is None or not (apart and measured and lead.has("at", "on", "filler", "of")):
        return
    within = replace(lead, text="within", key=("within",), classes=frozenset({"inside_of"}), senses=())
    of_it = replace(lead, text="of", key=("of",), classes=frozenset({"of", "of_place"}), senses=())
    items[last - 1 : last + 1] = [items[last].emptied()]
    start = (
        corner - 2 if corner > 1 and items[corner - 2].of_kind("entity") and lead.has("of") else corner - 1
    )
    spared = [one.emptied() for one in items[start : corner - 1]]  # "the corner" of "the corner of"
    items[start:corner] = [*spared, within, far, of_it]
