"""Streets that many areas have: without the area nobody knows which of them is meant."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from groundframe.frames.grounding.said import Said
from groundframe.frames.lexical.items import Item
from groundframe.frames.model import Frame
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["beside_corner", "elsewhere", "half_named", "namesakes"]

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


def beside_corner(said: Said, frame: Frame, pack: Pack) -> Item | None:
    """A street beside a corner that it is not one of: it may tell which corner is meant, "the one by A"."""
    derived = {one.name for one in pack.entities if one.derived is not None}
    corners = {
        fold_name(name, pack) for one in frame.references if one.entity in derived for name in one.names
    }
    owners = {str(target.id or target.role): target.entity for target in frame.targets}
    parts = {part for name in corners for part in name.split(" & ")}
    for one in frame.attribute_constraints if corners else ():
        if _named_street(pack, owners.get(str(one.target_role), ""), one.field) and one.operator == "eq":
            name = fold_name(str(one.value), pack)
            if name not in parts and not any(set(part.split()) <= set(name.split()) for part in parts):
                placed = (item for item in said.items if item.place is not None)
                return next((item for item in placed if fold_name(item.text, pack) == name), None)
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


class Elsewhere(NamedTuple):
    """A street that is not in the area named: the words for it and for the area, and where there is one."""

    street: Item
    area: Item
    areas: list[str]


def elsewhere(said: Said, frame: Frame, pack: Pack, names: NameIndex) -> Elsewhere | None:
    """The first street that none of the areas has in which it is sought: its crashes there would be none.

    A distance from a street may reach over the border, so it counts only where the street itself is sought.
    """
    roles = {one.name: one.roles for one in pack.entities}
    owners = {str(target.id or target.role): target.entity for target in frame.targets}
    scopes = [one for one in frame.targets if "scope" in roles.get(one.entity, ()) and one.names]
    placed = [item for item in said.items if item.place is not None]
    far = {one.target_role for one in frame.spatial_constraints if one.relation == "within_distance"}
    far |= {one.reference_role for one in frame.spatial_constraints if one.relation == "within_distance"}
    held = {one.target_role for one in frame.spatial_constraints if one.relation == "within"}
    denied = {
        role
        for one in frame.spatial_constraints
        if one.negate
        for role in (one.target_role, one.reference_role)
    }
    for one in frame.attribute_constraints:
        street = _named_street(pack, owners.get(str(one.target_role), ""), one.field)
        listed = one.value if isinstance(one.value, list | tuple) else [one.value]
        if (
            not street
            or one.operator not in ("eq", "in")
            or one.negate
            or one.target_role in (far - held) | denied
        ):
            continue
        folded = {fold_name(str(value), pack) for value in listed}
        spelt = {*map(str, listed), *(name.title() for name in folded)}
        found = Counter(feature.town for feature in names.features(street, spelt) if feature.town)
        sought = {fold_name(name, pack) for scope in scopes for name in scope.names or ()}
        if not found or not sought or sought & {fold_name(area, pack) for area in found}:
            continue
        spoken = ((item, item.place.text) for item in placed if item.place is not None)  # "on 3"
        item = next((item for item, name in spoken if fold_name(name, pack) in folded), None)
        area = next((item for item in placed if fold_name(item.text, pack) in sought), None)
        if item is not None and area is not None:
            longest = sorted(found.items(), key=lambda pair: (-pair[1], pair[0]))
            return Elsewhere(item, area, [name for name, _ in longest])
    return None


def _named_street(pack: Pack, entity: str, field: str | None) -> str:
    """The entity whose name the field holds, if it is of lines: a street, or the one that a stop is on."""
    own = next((one for one in pack.entities if one.name == entity), None)
    known = next((one for one in own.fields if one.name == field), None) if own is not None else None
    if own is None or known is None:
        return ""
    of = own.name if field == own.name_field else known.names or ""
    return of if any(one.name == of and "line" in one.geometry for one in pack.entities) else ""
