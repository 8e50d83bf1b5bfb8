"""What nothing records though each of its words is known: where somebody came from, how fast they drove."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import classes, words_of
from groundframe.frames.lexical.strikers import strikes
from groundframe.frames.lexical.tokens import stems

if TYPE_CHECKING:
    from groundframe.frames.lexical.happenings import Happenings
    from groundframe.frames.lexical.items import Item

__all__ = ["unrecorded"]

_DRIVING = frozenset(words_of("spare", "driving"))
_HARMED = frozenset(words_of("spare", "harmed"))
_BETTERED = frozenset(words_of("spare", "bettered"))
_DID = ("did", "does", "do", "has", "have")
_BOUNDS = ("gt", "gte", "lt", "lte", "eq", "beyond", "inside_of", "between")

_DWELLERS = "How many people live in a part of a town is not recorded; those of a whole town are."
_ORIGIN = "Where people and vehicles come from is not recorded; where crashes happened is."
_DRIVEN = "How fast those drove who crashed is not recorded; the posted speed limit is."
_PERSONS = "Of those killed or injured only persons are counted."
_YOUNGEST = 14
"""Years that a driver may have; fewer are so many drivers."""
_AGES = "How old those were who crashed is not recorded."
_DRIVERS = frozenset(words_of("spare", "drivers"))
_VEHICLES = "How many vehicles were involved is not recorded; crashes and persons are counted."


def unrecorded(
    items: Sequence[Item], heads: Set[tuple[str, str]], told: Happenings, slips: Mapping[str, str]
) -> list[Item]:
    """The items, with the reason on those that ask for what nothing records.

    Parameters
    ----------
    heads : set
        Areas and their fields that say how many live there.
    slips : dict
        Words that were read as others: "vehicles crashed" as "vehicles crashes".
    """
    made = [*_causes(_unbound(items))]
    for places, why in (
        (_living(items, heads), _DWELLERS),
        (_origins(items, heads, told), _ORIGIN),
        (_driven(made), _DRIVEN),
        (_harmed(items, told), _PERSONS),
        (_vehicles(items), _VEHICLES),
        (_aged(items), _AGES),
        (_crashed(items, slips), _VEHICLES),
    ):
        for place in places:
            made[place] = replace(items[place].emptied(), classes=frozenset(), reason=why)
    return made


def _unbound(items: Sequence[Item]) -> Iterator[Item]:
    """The items without the reasons that are bound to the data, where nothing of these is named."""
    named = any(
        (item.senses and not item.has("filler")) or item.place or item.amount or _happens(item)
        for item in items
    )
    for item in items:
        yield item if named or item.reason not in classes().bound else replace(item, reason="")


def _happens(item: Item) -> bool:
    """Whether an item says that something happened, and not what."""
    return item.has("collide") or "happen" in item.text


def _causes(items: Iterable[Item]) -> Iterator[Item]:
    """Whether something has bettered another asks for causes, not for advice: "did the pandemic reduce"."""
    asked = False
    for place, item in enumerate(items):
        asked |= not place and item.text.split()[0] in _DID
        bettered = asked and item.text in _BETTERED and (item.reason or not item.known)
        yield replace(item, reason=classes().reasons[("why",)]) if bettered else item


def _living(items: Sequence[Item], heads: Set[tuple[str, str]]) -> Iterator[int]:
    """How many people live near, on or within so far of something, where no kind of area is asked for."""
    areas = {entity for entity, _ in heads}
    kinds = any(sense.entity in areas for item in items for sense in item.of_kind("entity"))
    for place, item in enumerate(items if not kinds else ()):
        before = items[place - 1] if place else None
        asked = before is None or before.has("how_many", "filler", "total", "stop", "comma")
        if _counts(item, heads) and not item.has("filler") and asked and not item.aside:
            rest = items[place + 1 :]
            if any(one.has("near", "nearby", "on") or one.is_length for one in rest):
                yield place


def _aged(items: Sequence[Item]) -> Iterator[int]:
    """Drivers of an age: "65+ drivers", "drivers 65 or older"."""
    for place, item in enumerate(items):
        beside = (*items[max(0, place - 1) : place], *items[place + 1 : place + 2])
        amounts = (one.amount for one in beside if one.amount is not None and not one.amount.kind)
        if item.text in _DRIVERS and not item.senses and any(one.value >= _YOUNGEST for one in amounts):
            yield place


def _counts(item: Item, heads: Set[tuple[str, str]]) -> bool:
    """Whether an item says how many live somewhere."""
    return any((sense.entity, sense.name) in heads for sense in item.of_kind("field"))


def _origins(items: Sequence[Item], heads: Set[tuple[str, str]], told: Happenings) -> Iterator[int]:
    """Somebody or a vehicle "from" a place: "cars from Boston in Quincy"; not "crashes from Boston"."""
    named = [n for n, item in enumerate(items) if item.place is not None and not item.aside]
    for place in named:
        lead = _back(items, place - 1)
        after = items[place + 1] if place + 1 < len(items) else None
        who = _back(items, lead - 1)
        if who < 0 or items[lead].text != "from" or (after is not None and after.has("to")):
            continue
        mine = items[who].has("vehicle", "mover") or _is_people(items[who])
        other = len(named) > 1 and any(told.who(sense) for sense in items[who].senses)
        if mine or other:
            yield lead
    for place, item in enumerate(items):
        behind = items[place + 1 : place + 3]
        of_place = len(behind) > 1 and behind[0].has("of") and behind[1].place is not None
        beside = of_place or (place > 0 and items[place - 1].place is not None)
        if beside and _counts(item, heads) and len(named) > 1 and not item.has("filler") and not item.aside:
            yield place  # "Boston residents hurt in Quincy"
    last = next((n for n in range(len(items) - 1, -1, -1) if not items[n].has("stop")), -1)
    whence = last > 0 and items[last].text == "from" and items[0].has("where")
    if whence and any(item.has("vehicle", "mover") or _is_people(item) for item in items):
        yield last


def _is_people(item: Item) -> bool:
    """Whether an item only says that it is people."""
    return item.has("filler") and bool(item.of_kind("field")) and not item.of_kind("concept", "value")


def _back(items: Sequence[Item], place: int) -> int:
    """The last item up to here that is more than a filler; -1 where there is none."""
    while place >= 0 and items[place].has("filler", "pronoun") and not items[place].senses:
        place -= 1
    return place


def _driven(items: list[Item]) -> Iterator[int]:
    """A speed that somebody drove at, and not one that is posted: "cars going over 60 mph".

    The word for driving is emptied.
    """
    for place, item in enumerate(items):
        if item.amount is None or item.amount.kind != "speed":
            continue
        lead = place - 1
        while lead >= 0 and items[lead].has("at", "filler", *_BOUNDS) and items[lead].text not in _DRIVING:
            lead -= 1
        if lead >= 0 and set(items[lead].text.split()) & _DRIVING:
            items[lead] = items[lead].emptied()
            yield place


def _harmed(items: Sequence[Item], told: Happenings) -> Iterator[int]:
    """What is nobody, and was killed: "how many deer died", "dogs injured in Quincy"."""
    for place, item in enumerate(items):
        if item.has("vehicle") or not any(told.struck(sense) and not sense.noun for sense in item.senses):
            continue
        at = next((n for n in range(place + 1, len(items)) if not items[n].has("filler")), len(items))
        after = next((one for one in items[at + 1 :] if not one.has("filler") or one.of_kind("field")), None)
        object_of = after is not None and (
            after.amount is not None or _is_people(after) or any(told.who(sense) for sense in after.senses)
        )
        if at < len(items) and items[at].text in _HARMED and not object_of:
            yield at
        before = items[place - 2] if place > 1 and items[place - 1].has("of") else None
        if before is not None and any(
            told.happened(one) and one.kind != "entity" and not one.noun for one in before.senses
        ):
            yield place  # "deaths of animals"


def _vehicles(items: Sequence[Item]) -> Iterator[int]:
    """How many vehicles: "how many cars were involved in crashes"; not "how many cars hit a tree"."""
    for place, item in enumerate(items):
        before = _back(items, place - 1)
        if not item.has("vehicle") or item.aside or before < 0 or not items[before].has("how_many"):
            continue
        behind = (one for one in items[place + 1 :] if one.has("collide") or not one.has("filler"))
        after = next(behind, None)
        noun = after is not None and any(one.noun or one.kind == "entity" for one in after.senses)
        if noun or not (strikes(items, place) or (after is not None and after.has("collide"))):
            yield place


def _crashed(items: Sequence[Item], slips: Mapping[str, str]) -> Iterator[int]:
    """How many vehicles, with what they did in a word of its own: "how many vehicles crashed"."""
    did = {word for typed, word in slips.items() if typed.endswith("ed")}
    for place, item in enumerate(items):
        first, last = item.text.split()[0], item.text.split()[-1]
        before = _back(items, place - 1)
        vehicles = "vehicle" in classes().words.get(stems(first), ()) and first != last
        if vehicles and last in did and before >= 0 and items[before].has("how_many"):
            yield place
