"""Names made of an area and a kind in the singular, which nothing bears: "Quincy High School"."""

from __future__ import annotations

from collections.abc import Sequence, Set
from typing import NamedTuple

from groundframe.frames.grounding.said import Said
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.frames.likeness import ranked
from groundframe.frames.model import Frame
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Entity, Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["Proper", "of_the_area", "proper"]

_OPEN = (
    "all", "any one", "ascending", "bottom", "descending", "fewest", "how_many", "most", "nearest",
    "no", "no_limit", "number_only", "per", "rank", "safest", "top", "total", "which", "without", "worst",
)  # fmt: skip
"""Words before an area behind which any of a kind is meant: "each Quincy high school"."""
_ANY = ("a", "an", "any", "one", "some", "another", "every", "each")
_FEW, _LIKE = 2, 0.3
"""Names to offer, and how like they are."""


class Proper(NamedTuple):
    """Words that read like a name: from where to where, the area among them, and the kind of the thing."""

    start: int
    end: int
    area: Item
    kind: str
    entity: Entity


def proper(question: str, said: Said, frame: Frame, pack: Pack) -> Proper | None:
    """The first such words, which a frame may have taken for a kind of things in an area."""
    named = {entity.name: entity for entity in pack.entities if entity.name_field}
    areas = {name for name, entity in named.items() if "scope" in entity.roles}
    kinds = {name for name, entity in named.items() if "point" in entity.geometry} - areas
    known = [fold_name(name, pack) for reference in frame.references for name in reference.names]
    for place, item in enumerate(said.items):
        if item.place is None or not areas.intersection(item.place.kinds[:1]) or _is_open(said.items, place):
            continue
        stop = place + 1
        while stop < len(said.items) and _of(said.items[stop], kinds):
            stop += 1
        found = said.items[place + 1 : stop]
        senses = [sense for one in found for sense in _of(one, kinds)]
        if not senses or found[-1].plural or _goes_on(said.items, stop):
            continue
        words, entity = question[found[0].start : found[-1].end], senses[-1].entity
        if any(fold_name(question[item.start : found[-1].end], pack) in name for name in known):
            continue
        if senses[0].kind == "value" or words.istitle():
            return Proper(item.start, found[-1].end, item, words, named[entity])
    return None


def _of(item: Item, kinds: Set[str]) -> list[Sense]:
    """What an item says of these kinds: the thing itself, or which of them."""
    return [sense for sense in item.of_kind("entity", "value") if sense.entity in kinds]


def _is_open(items: Sequence[Item], place: int) -> bool:
    """Whether what stands before an area says that any of a kind is meant."""
    for before in reversed(items[:place]):
        led = before.text.removesuffix(" single").split()[-1] in _ANY
        if led or not before.has("filler"):
            return led or before.has(*_OPEN) or before.amount is not None
    return False


def _goes_on(items: Sequence[Item], stop: int) -> bool:
    """Whether more is said of the kind: "Quincy high school crashes", "Quincy high school with the most"."""
    after = items[stop] if stop < len(items) else None
    if after is None:
        return False
    noun = any(one.kind == "entity" or one.noun for one in items[stop - 1].senses)
    listed = not noun and after.has("and", "or", "comma")  # "Quincy middle and high schools"
    return (
        listed or after.has("with", "without") or bool(after.of_kind("entity", "concept", "measure", "field"))
    )


def of_the_area(found: Proper, spelt: str, pack: Pack, names: NameIndex) -> list[str]:
    """What may be meant: any of the kind in the area, and names there that are like it."""
    entity, area = found.entity, fold_name(spelt, pack)
    noun = fold_name(found.kind, pack)
    ends = noun.endswith(entity.label)
    kind = f"{noun.removesuffix(entity.label)}{entity.plural}" if ends else f"{noun} {entity.plural}"
    told = {*area.split(), *noun.split()} - {entity.label}
    there: dict[str, str] = {}
    for words in (told, {entity.label}):
        like = [one for one in names.distinct_names(entity.name) if words & {*fold_name(one, pack).split()}]
        features = [] if there else names.features(entity.name, like)
        there |= {
            fold_name(one.name, pack): one.name for one in features if fold_name(one.town, pack) == area
        }
    alike = {name: whole for name, whole in there.items() if name.endswith(noun)}
    return [f"{spelt} {kind}", *ranked(f"{area} {noun}", alike or there, _FEW, _LIKE)]
