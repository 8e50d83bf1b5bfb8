"""Whether what was understood of a question may be offered in its place."""

from __future__ import annotations

from collections.abc import Sequence

from groundframe.frames.interpretation import Interpretation
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.tokens import stem
from groundframe.frames.model import Frame
from groundframe.leaving_out import asks_for, is_lone_name

__all__ = ["is_modifier", "may_be_meant"]

_CALLED = frozenset({"named", "called", "with the name", "name"})


def may_be_meant(found: Interpretation, items: Sequence[Item], left: Sequence[Item]) -> bool:
    """Whether what is understood asks for something, and nothing says why it is not answered."""
    spared = [item for item in left if any(map(str.isalnum, item.text))]
    foreign = any(not item.text.isascii() for item in spared)
    reasons = {word for key in classes().reasons if len(key) == 1 for word in key}
    refused = any(
        item.reason or item.problem or reasons.intersection(map(stem, item.text.split())) for item in spared
    )
    head = any(asks_for(items, items.index(item)) for item in spared)
    # Without what is denied the denial would be of something else; without what is asked for, nothing is.
    denied = any(_is_denied(items, items.index(item)) for item in spared if not item.known)
    unknown = {span.start for span in found.leftovers if not span.meaning}
    lost = any(item.start in unknown and _is_lost(item, found.draft) for item in spared)
    alone = any(_is_the_place(found.question, items, items.index(item)) for item in spared if not item.known)
    compared = any(item.text == "than" for item in spared)
    called = any(_is_called(items, items.index(item)) for item in spared if not item.known)
    asked = any(item.of_kind("entity", "concept", "value", "measure") for item in items if item not in left)
    return (
        asked
        and not (foreign or refused or head or compared or denied or lost or called or alone)
        and len(spared) <= len(found.accounted)
    )


def is_modifier(items: Sequence[Item], place: int) -> bool:
    """Whether nobody knows a word that stands between a known one and a noun."""
    between = 0 < place < len(items) - 1 and items[place - 1].known and not items[place].known
    return between and bool(items[place + 1].of_kind("entity", "concept", "value"))


def _is_the_place(question: str, items: Sequence[Item], place: int) -> bool:
    """Whether a word that nobody knows may name the place: "…, Zorkville, …", "city of Zork"."""
    around = (items[place - 1] if place else None, items[place + 1] if place + 1 < len(items) else None)
    apart = place > 0 and all(one is None or one.has("comma", "stop") for one in around)
    led = around[0] is not None and around[0].has("affix")
    return led or (apart and is_lone_name(question, items, range(place, place + 1)))


def _is_called(items: Sequence[Item], place: int) -> bool:
    """Whether it is a name that is asked for: "roads named Elm"."""
    return place > 0 and items[place - 1].text in _CALLED


def _is_denied(items: Sequence[Item], place: int) -> bool:
    """Whether a denial before an item would be of what follows: "did not salt them in Quincy"."""
    before = next((one for one in reversed(items[:place]) if one.known and not one.has("filler")), None)
    end = next((n for n in range(place, len(items)) if items[n].has("stop", "comma")), len(items))
    after = any(
        one.place is not None or (one.senses and not one.has("filler")) for one in items[place + 1 : end]
    )
    return after and before is not None and before.has("not", "without", "no")


def _is_lost(item: Item, draft: Frame | None) -> bool:
    """Whether a kind of thing, or of what happened to it, is not in what was made of a question."""
    named = {(sense.kind, sense.entity if sense.kind == "entity" else sense.name) for sense in item.senses}
    kinds = {one for one in named if one[0] in ("entity", "concept")}
    if draft is None or not kinds:
        return False
    there = {("entity", str(one.entity)) for one in draft.targets}
    there |= {("entity", str(one.entity)) for one in draft.references}
    there |= {("entity", str(one.entity)) for one in draft.group_by}
    there |= {("concept", str(one.concept)) for one in draft.attribute_constraints}
    return kinds.isdisjoint(there)
