"""Words that the words beside them make empty, or make another: "crashes, i mean", "crashes x weather"."""

from __future__ import annotations

from collections.abc import Sequence, Set
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import classes, words_of

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item
    from groundframe.frames.lexical.vocabulary import Sense

__all__ = ["spared"]

_ASKED = ("entity", "concept", "value", "measure")
_SAYING = frozenset(words_of("spare", "saying"))
_WHATEVER = frozenset(words_of("spare", "whatever"))
_ON_FOOT = frozenset(words_of("spare", "afoot"))
_SPOTS = frozenset(words_of("spare", "spots"))
_GROUND = frozenset(words_of("spare", "ground"))
_JUDGED = words_of("spare", "judged")
_CROSS = ("x", "\N{MULTIPLICATION SIGN}")
_ARTICLES, _WAS = ("the", "a"), ("was", "were", "is", "are")
_SUCH_AS = frozenset(words_of("spare", "such_as"))
_SOMEWHERE = frozenset(words_of("spare", "somewhere"))
_EVERYTHING = frozenset(words_of("spare", "everything"))


def spared(items: Sequence[Item], counted: Sequence[Sense], people: Set[tuple[str, str]]) -> list[Item]:
    """The items with those emptied that only hold others together here.

    Parameters
    ----------
    counted : sequence of Sense
        What is counted where nothing else is named: "everything on Main Street".
    people : set
        Entities and their fields that list who took part.
    """
    made = list(items)
    _clarified(made)
    _whatever(made)
    _crossed(made)
    _contrasted(made)
    _everything(made, counted)
    _afoot(made, people)
    _away(made)
    _surfaces(made)
    _days(made)
    _spots(made)
    _against(made)
    _ones(made)
    _own_field(made)
    _examples(made)
    _judged(made)
    _restated(made)
    return made


def _judged(items: list[Item]) -> None:
    """Whether one thing is dangerous is no order of things: "is Main Street in Quincy dangerous"."""
    asks, than = False, any(item.text == "than" for item in items)
    for place, item in enumerate(items if not than else ()):
        opens = not place or items[place - 1].has("stop", "comma") or items[place - 1].aside
        asks = (asks and not item.has("stop", "or")) or (opens and item.text in ("is", "was"))
        after = items[place + 1] if place + 1 < len(items) else None
        noun = after is not None and after.of_kind(*_ASKED, "field") and items[place - 1].text != "a"
        ends = not noun and (after is None or not after.has("compare", "or"))
        said = {sense.kind for one in items[:place] for sense in one.senses} - {"entity", "value"}
        if asks and ends and not said and item.text in _JUDGED:
            items[place] = replace(
                item.emptied(), classes=frozenset(), reason=classes().reasons[(_JUDGED[0],)]
            )


def _clarified(items: list[Item]) -> None:
    """Empty is "i mean" behind a noun at the end: "what happened here? crashes i mean"."""
    for place, item in enumerate(items):
        last = place + 1 == len(items) or items[place + 1].has("stop")
        before = items[place - 1] if place else None
        led = items[place - 2] if place > 1 else None
        mended = led is not None and led.has(
            "how_many", "total", "of", "not"
        )  # "killed, number of crashes i mean"
        if last and before is not None and item.text in _SAYING and _is_noun(before) and not mended:
            items[place] = item.emptied()
            _named_late(items, place - 1)


def _named_late(items: list[Item], place: int) -> None:
    """The noun that says in the end what sort of places is meant stands where these are asked for."""
    noun = items[place]
    said = {sense.entity for item in items[:place] for sense in item.of_kind("entity")}
    vague = next((n for n, item in enumerate(items[:place]) if item.text in _SOMEWHERE), None)
    if vague is not None and not said & {sense.entity for sense in noun.of_kind("entity")}:
        items[vague] = replace(noun, start=items[vague].start, end=items[vague].end)
        items[place] = noun.emptied()


def _whatever(items: list[Item]) -> None:
    """Of "whatever crashes there were" it is the crashes."""
    for place, (item, after) in enumerate(pairwise(items)):
        if item.text in _WHATEVER and (after.of_kind(*_ASKED) or after.has("collide")):
            items[place] = item.emptied()


def _crossed(items: list[Item]) -> None:
    """Of "crashes x weather" it is the crashes by weather."""
    for place in range(1, len(items) - 1):
        before, item, after = items[place - 1 : place + 2]
        bucket = after.is_bucket
        grouped = bucket or after.of_kind("field", "entity")
        crossed = item.text in _CROSS or (item.text == "/" and bucket)
        if crossed and before.of_kind(*_ASKED) and grouped:
            items[place] = item.emptied("by")


def _contrasted(items: list[Item]) -> None:
    """Of "people injured, not the number of crashes" it is the people."""
    sums = any(item.of_kind("measure", "field") for item in items)
    for place, item in enumerate(items):
        if not sums or not item.has("not") or (place and not items[place - 1].has("comma", "stop", "and")):
            continue
        stop = next((n for n in range(place + 1, len(items)) if items[n].has("comma", "stop")), len(items))
        denied = items[place + 1 : stop]
        plain = all(one.has("filler", "how_many", "total") or _is_noun(one) for one in denied)
        if plain and any(_is_noun(one) or one.has("how_many") for one in denied):
            items[place:stop] = [one.emptied() for one in items[place:stop]]


def _everything(items: list[Item], counted: Sequence[Sense]) -> None:
    """What is counted is "everything" where no kind of thing is named."""
    if any(item.of_kind("entity") for item in items):
        return
    for place, item in enumerate(items):
        if item.text in _EVERYTHING and not item.senses:
            items[place] = replace(item.emptied(), classes=frozenset(), senses=tuple(counted))
            rest = items[place + 1] if place + 1 < len(items) else None
            if rest is not None and rest.text == "else":
                items[place + 1] = rest.emptied()
            return


def _afoot(items: list[Item], people: Set[tuple[str, str]]) -> None:
    """A worker "on foot" is no pedestrian as well."""
    for place, (item, after) in enumerate(pairwise(items)):
        who = any((sense.entity, sense.name) in people for sense in item.of_kind("value"))
        if who and after.text in _ON_FOOT:
            items[place + 1] = after.emptied()


def _away(items: list[Item]) -> None:
    """Within "30 m away" is within 30 m."""
    for place, (item, after) in enumerate(pairwise(items)):
        following = items[place + 2] if place + 2 < len(items) else None
        length = item.amount is not None and item.amount.kind == "length"
        if length and after.text == "away" and (following is None or not following.has("from", "of", "to")):
            items[place + 1] = after.emptied()


def _surfaces(items: list[Item]) -> None:
    """No roads are named by "where the road was wet"."""
    for place in range(1, len(items) - 2):
        before, item, verb, value = items[place - 1 : place + 3]
        led = before.text in _ARTICLES and (place < 2 or items[place - 2].has("where", "filler", "with"))
        if led and verb.text in _WAS and value.of_kind("value") and (_is_noun(item) or item.text in _GROUND):
            items[place] = item.emptied()


def _days(items: list[Item]) -> None:
    """No days are named by "rainy day crashes"."""
    for place in range(1, len(items) - 1):
        before, item, after = items[place - 1 : place + 2]
        if item.text in ("day", "days") and before.of_kind("value") and after.of_kind("entity", "concept"):
            items[place] = item.emptied()


def _spots(items: list[Item]) -> None:
    """Of "hot spots: the five worst corners" it is these corners."""
    ranked = [n for n, one in enumerate(items) if one.has("worst", "most", "top", "bottom", "fewest")]
    for size in (1, 2):
        text = " ".join(one.text for one in items[:size])
        if text in _SPOTS and ranked and size < len(items) and items[size].has("stop", "comma", "filler"):
            items[:size] = [one.emptied() for one in items[:size]]


def _against(items: list[Item]) -> None:
    """Years "against" each other are compared."""
    for place in range(1, len(items) - 1):
        before, item, after = items[place - 1 : place + 2]
        if item.text == "against" and set(before.times) == set(after.times) == {"years"}:
            items[place] = item.emptied("compare")


def _ones(items: list[Item]) -> None:
    """The "ones" of "not the injury ones" are what was named before."""
    for place in range(2, len(items)):
        denied = any(one.has("not") for one in items[max(0, place - 3) : place])
        if items[place].text == "ones" and denied and items[place - 1].of_kind("concept", "value"):
            items[place] = items[place].emptied()


def _restated(items: list[Item]) -> None:
    """Of "the last two years, 2023 and 2024" it is these; of "in the early morning, say 5 to 7" the hours."""
    for place, item in enumerate(items):
        after = place + 1
        while after < len(items) and (items[after].has("comma") or items[after].text in _SUCH_AS | {"("}):
            after += 1
        if after == len(items) or not item.times:
            continue
        back, years = item.times.get("last", {}), items[after].times.get("years", [])
        alone = set(items[after].times) == {"years"} and set(item.times) == {"last"}
        if alone and back.get("unit") == "year" and back.get("count") == len(years):
            items[place:after] = [one.emptied() for one in items[place:after]]


def _own_field(items: list[Item]) -> None:
    """The field of a text that is named beside it: "the district of Quincy Public Schools"."""
    texts = {(one.entity, one.name) for item in items for one in item.of_kind("value") if item.key == ()}
    for place, item in enumerate(items):
        if any((one.entity, one.name) in texts for one in item.of_kind("field")):
            items[place] = item.emptied()
            for beside in (place - 1, place + 1):
                if 0 <= beside < len(items) and (
                    items[beside].has("eq") or items[beside].text in ("under", "of")
                ):
                    items[beside] = items[beside].emptied()


def _examples(items: list[Item]) -> None:
    """Values listed behind the field that rows go by: "by light (dusk, dark, etc)"."""
    for last, item in enumerate(items):
        if not item.has("examples"):
            continue
        fields = {
            (sense.entity, sense.name): place
            for place, one in enumerate(items[:last])
            for sense in one.of_kind("field")
        }
        for owner, place in fields.items():
            between = items[place + 1 : last]
            listed = any((one.entity, one.name) == owner for part in between for one in part.of_kind("value"))
            other = any(part.place is not None or part.amount or part.of_kind("entity") for part in between)
            if listed and not other and any(one.has("by", "per") for one in items[max(0, place - 2) : place]):
                items[place + 1 : last + 1] = [one.emptied() for one in items[place + 1 : last + 1]]
                return


def _is_noun(item: Item) -> bool:
    """Whether an item names a kind of thing, and says no more of it."""
    return bool(item.of_kind("entity")) and not item.of_kind("concept", "value")
