"""What a frame counts though nothing in the question says that it happened: "trees near schools"."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundframe.frames.grounding.said import Said, Ungrounded, doubtful
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.grouping import bucket_of
from groundframe.frames.lexical.happenings import Happenings
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.tokens import stem
from groundframe.frames.model import Frame
from groundframe.schema.model import Pack

__all__ = ["UNSAID", "unsaid"]

UNSAID = "and nothing that happened is asked for."
"""How it ends what is said of a thing that stands where something that happened should."""

_NUMBERING = ("most", "fewest", "more", "less", "how_many")
_SAYING = ("collide", "worst", "safest")
_BOUNDS = ("gt", "gte", "lt", "lte", "eq", "beyond", "inside_of")


def unsaid(said: Said, frame: Frame, pack: Pack) -> Iterator[Ungrounded]:
    """Words that a frame takes for more than they say."""
    told = Happenings(pack)
    if not any(target.entity == told.counted.name for target in frame.targets):
        yield from _dated(said, frame, pack)
        return
    yield from _happened(said, told)
    yield from _at_speed(said, told, pack)


def _happened(said: Said, told: Happenings) -> Iterator[Ungrounded]:
    """Things, people and weather that are asked for themselves, and known only of what happened.

    Notes such as "fog, Boston, 5 to 8 am" leave out more than that; "fog in Boston" asks for the fog, and
    "the most pedestrians" for the pedestrians.
    """
    if any(
        item.has(*_SAYING) or _is_struck(item) or any(map(told.happened, item.senses)) for item in said.items
    ):
        return
    for place, item in enumerate(said.items):
        own = [sense for sense in item.of_kind("value", "concept") if sense.entity == told.counted.name]
        before = next((one for one in reversed(said.items[:place]) if not one.has("filler")), None)
        numbered = before is not None and before.has(*_NUMBERING)
        who = item.has("vehicle") or any(map(told.who, own))
        alone = not who and not said.has("compare", "and", "or") and _is_placed(said.items, place)
        noun = item.has("filler") or bool(item.of_kind("entity"))
        if own and not noun and (numbered or alone):
            yield doubtful(item, f"Of '{item.text}' only {told.counted.plural} are known, {UNSAID}")
            return


def _is_struck(item: Item) -> bool:
    """Whether one of its words is a verb of striking: "people hit walking"."""
    words = classes().words
    return any("collide" in words.get((stem(word),), ()) for word in item.text.split())


def _is_placed(items: Sequence[Item], place: int) -> bool:
    """Whether it is said where an item is: "trees near schools", "foggy days in Boston"."""
    after = place + 1
    while after < len(items) and (items[after].has("filler") or bucket_of(items[after])):
        after += 1
    return after < len(items) and items[after].has("in", "near", "on", "at", "inside_of")


def _at_speed(said: Said, told: Happenings, pack: Pack) -> Iterator[Ungrounded]:
    """Crashes "at 40 mph" may be on roads with that limit, or of those who drove so fast."""
    for place, item in enumerate(said.items):
        if item.amount is None or item.amount.kind != "speed":
            continue
        lead = place - 1
        while lead >= 0 and said.items[lead].has(*_BOUNDS):
            lead -= 1
        at = lead >= 0 and said.items[lead].text == "at"
        if at and not any(_has_limit(one, item.amount.text, told, pack) for one in said.items):
            yield doubtful(
                item, f"Whether '{item.text}' is the limit is not said; driven speeds are not recorded."
            )


def _has_limit(item: Item, amount: str, told: Happenings, pack: Pack) -> bool:
    """Whether an item names a speed that is recorded, or what has one of its own."""
    named = {sense.entity for sense in item.of_kind("entity")} - {told.counted.name}
    speeds = {
        (entity.name, field.name)
        for entity in pack.entities
        for field in entity.fields
        if field.unit and field.unit in amount
    }
    fields = {(sense.entity, sense.name) for sense in item.of_kind("field")}
    return bool(fields & speeds or named & {entity for entity, _ in speeds})


def _dated(said: Said, frame: Frame, pack: Pack) -> Iterator[Ungrounded]:
    """When something was, of what has no date: "when was the crosswalk put in"."""
    first = said.items[0] if said.items else None
    if first is None or first.text.split()[0] != "when":
        return
    if not any(pack.entity(target.entity).date_field for target in frame.targets):
        yield doubtful(first, "When it was is not recorded.")
