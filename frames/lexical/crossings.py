"""Where two streets meet, in other words: "the crossing of A with B", "where A crosses B"."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.schema.model import Pack

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["crossed"]

_MEETING = frozenset(words_of("spare", "meeting"))
_CORNERS = frozenset(words_of("spare", "corners"))


def crossed(items: Sequence[Item], pack: Pack) -> list[Item]:
    """The items with what joins two streets as "and", and the noun before them as what is at their corner."""
    nodes = next((one for one in pack.entities if one.derived is not None), None)
    made = list(items)
    if nodes is None or nodes.derived is None:
        return made
    street = nodes.derived.from_entity
    for place in range(1, len(made) - 2):
        first, joint, second = made[place : place + 3]
        named = [one for one in (first, second) if one.place is not None and street in one.place.kinds]
        meeting = joint.text in _MEETING
        if len(named) < 2 or not (meeting or joint.has("and", "at") or joint.text == "/"):
            continue
        lead, noun = made[place - 1], made[place - 2] if place > 1 else None
        corner = noun if noun is not None and lead.has("of") else lead
        if corner.text.split()[-1] in _CORNERS:
            if not any(one.entity == nodes.name for one in corner.of_kind("entity")):
                at = place - 1 if corner is lead else place - 2
                made[at] = replace(corner, senses=(Sense("entity", nodes.name),))
        elif meeting and lead.has("where"):
            made[place - 1] = lead.emptied("at")
        else:
            continue
        made[place + 1] = joint.reworded("and")
    return made
