"""Nouns that several words share: "snowy or icy roads" are snowy roads as well."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item
    from groundframe.frames.lexical.vocabulary import Sense

__all__ = ["shared"]


def shared(items: Sequence[Item], senses: Mapping[tuple[str, ...], list[Sense]]) -> list[Item]:
    """The items, each word of a list with what it means before the noun that only the last one has."""
    made = list(items)
    for place, item in enumerate(made[:-2]):
        joint, other = made[place + 1], made[place + 2]
        value = item.of_kind("value") and other.of_kind("value") and not item.of_kind("entity")
        if not (value and joint.has("or", "and", "comma")):
            continue
        noun = made[place + 3].key if place + 3 < len(made) else ()
        fields = {(one.entity, one.name) for one in other.of_kind("value")}
        for last in (other.key[-1:], noun):
            found = [one for one in senses.get((*item.key, *last), []) if last and one.kind == "value"]
            same = tuple(one for one in found if (one.entity, one.name) in fields and not one.noun)
            if same and len(other.key) + len(noun) > 1:
                made[place] = replace(item, senses=same)
                break
    return made
