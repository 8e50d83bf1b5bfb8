"""Streets that many areas have: without the area nobody knows which of them is meant."""

from __future__ import annotations

from collections import Counter

from groundframe.frames.grounding.said import Said
from groundframe.frames.lexical.items import Item
from groundframe.frames.model import Frame
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["half_named", "namesakes"]

_EVERYWHERE = ("everywhere", "all", "per", "by", "which")


def half_named(said: Said, frame: Frame, pack: Pack) -> Item | None:
    """The one street of which a corner is named: "at the corner of Main Street"."""
    derived = {one.name: one.derived.from_entity for one in pack.entities if one.derived is not None}
    for reference in frame.references:
        street = derived.get(reference.entity)
        for item in said.items if street and len(reference.names) == 1 else ():
            street_named = item.place is not None and street in item.place.kinds
            if street_named and item.text == reference.names[0].casefold():
                return item
    return None


def namesakes(said: Said, frame: Frame, pack: Pack, names: NameIndex) -> tuple[Item, list[str]] | None:
    """Where a street is named and no area: the words for it, and the areas that have one, the longest first.

    None where the question says that any is meant, or only one area has such a street. Numbered roads lead
    through many areas, and are meant as a whole.
    """
    roles = {one.name: one.roles for one in pack.entities}
    areas = any("scope" in roles.get(target.entity, ()) for target in frame.targets)
    if areas or frame.references or frame.group_by or said.has(*_EVERYWHERE):
        return None
    owners = {str(target.id or target.role): target.entity for target in frame.targets}
    for one in frame.attribute_constraints:
        entity = next((own for own in pack.entities if own.name == owners.get(str(one.target_role))), None)
        if entity is None or one.field != entity.name_field or one.operator != "eq" or one.negate:
            continue
        item = next((item for item in said.items if item.place is not None), None)
        spelt = {str(one.value), fold_name(str(one.value), pack).title()}
        found = Counter(street.town for street in names.features(entity.name, spelt) if street.town)
        if item is not None and len(found) > 1 and not any(map(str.isdigit, item.text)):
            return item, [name for name, _ in sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))]
    return None
