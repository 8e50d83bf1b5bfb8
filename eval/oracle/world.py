"""The rows of a dataset as features, links and carried fields worked out anew (DESIGN §7.3, §3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.eval.oracle.feature import Feature
from groundframe.eval.oracle.nearby import close_pairs, touching_pairs
from groundframe.schema.model import EntityField, Link, Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["Feature", "World", "to_millimetre"]

Rows = Mapping[str, Sequence[Mapping[str, Any]]]


def to_millimetre(distance: float) -> float:
    """The distance as ordering sees it."""
    return math.floor(1000 * distance + 0.5) / 1000


class World:
    """All features of a dataset.

    Parameters
    ----------
    pack : Pack
        What the rows mean.
    rows : mapping
        Entity name to its rows: dicts with ``key``, ``source``, ``geometry`` (shapely, projected, or None)
        and the fields as reported; a missing field is NULL.
    """

    def __init__(self, pack: Pack, rows: Rows) -> None:
        self.pack = pack
        self.features: dict[str, dict[str, Feature]] = {}
        for entity in pack.entities:
            features = [_feature(entity.name, row) for row in rows.get(entity.name, ())]
            self.features[entity.name] = {one.key: one for one in sorted(features, key=_key)}
        for entity in pack.entities:
            for link in entity.links:
                self._link(list(self.features[entity.name].values()), link)
        for entity in pack.entities:
            self._carry(entity.name)

    def _link(self, features: Sequence[Feature], link: Link) -> None:
        others = list(self.features[link.to].values())
        stated = self._stated(features, link, others)
        for feature in features:
            feature.links[link.name] = None
        if link.rule == "covering":
            shares: dict[Feature, list[tuple[int, str]]] = {}
            for feature, other in touching_pairs(features, others):
                share = _share(feature.geometry, other.geometry)
                shares.setdefault(feature, []).append((-share, other.key))
            for feature, found in shares.items():
                most, key = min(found)
                feature.links[link.name] = key if most < 0 else None
            for feature in features:
                if feature.geometry is None:
                    feature.links[link.name] = min((one.key for one in stated.get(feature, ())), default=None)
            return
        reach: dict[Feature, list[tuple[bool, float, str]]] = {}
        for feature, other, far in close_pairs(features, others, link.max_distance_m or 0.0):
            is_stated = other in stated.get(feature, ())
            reach.setdefault(feature, []).append((not is_stated, to_millimetre(far), other.key))
        for feature, near in reach.items():
            feature.links[link.name] = min(near)[2]

    def _stated(
        self, features: Iterable[Feature], link: Link, others: Iterable[Feature]
    ) -> dict[Feature, list[Feature]]:
        """The features that each row's stated name means; what means nothing is tried without affixes."""
        if link.stated_field is None:
            return {}
        names = Names(self.pack, link.to)
        name_field = self.pack.entity(link.to).name_field or ""
        named: dict[str, list[Feature]] = {}
        for other in others:
            if other.values.get(name_field):
                named.setdefault(names.folded(other.values[name_field]), []).append(other)
        found = {}
        for feature in features:
            said = feature.values.get(link.stated_field)
            if said:
                found[feature] = next((named[name] for name in names.tried(said) if name in named), [])
        return found

    def _carry(self, entity: str) -> None:
        definition = self.pack.entity(entity)
        for carried in definition.fields:
            if carried.carries is None:
                continue
            other = self.features[definition.link(carried.carries.link).to]
            for feature in self.features[entity].values():
                linked = feature.links[carried.carries.link]
                theirs = None if linked is None else other[linked].values.get(carried.carries.field)
                if _known(feature.values.get(carried.name), carried):
                    feature.bases[carried.name] = "reported"
                elif _known(theirs, carried):
                    feature.bases[carried.name] = carried.carries.link
                    feature.values[carried.name] = theirs
                else:
                    feature.bases[carried.name] = None


def _known(value: Any, field: EntityField) -> bool:
    return value is not None and value not in field.unknown_values


class Names:
    """Names of an entity's features as they are compared."""

    def __init__(self, pack: Pack, entity: str) -> None:
        self.pack = pack
        self.alike = {
            fold_name(one, pack): fold_name(same[0], pack)
            for same in pack.name_aliases.get(entity, ())
            for one in same
        }
        affixes = {fold_name(affix, pack) for affix in pack.name_affixes}
        self.affixes = sorted(affixes, key=lambda affix: (-len(affix), affix))

    def folded(self, name: str) -> str:
        """The name; of several that mean the same feature, the first."""
        plain = fold_name(name, self.pack)
        return self.alike.get(plain, plain)

    def tried(self, name: str) -> Iterable[str]:
        """The name, then the name without one affix after the other."""
        plain: str | None = self.folded(name)
        while plain:
            yield plain
            plain = next((cut for affix in self.affixes if (cut := _without(plain, affix)) != plain), None)
            plain = plain and self.alike.get(plain, plain)


def _feature(entity: str, row: Mapping[str, Any]) -> Feature:
    values = {name: value for name, value in row.items() if name not in ("key", "geometry")}
    return Feature(entity, row["key"], row["source"], row.get("geometry"), values)


def _key(feature: Feature) -> str:
    return feature.key


def _without(name: str, affix: str) -> str:
    """The name without the affix before it or, failing that, behind it."""
    before = name.removeprefix(f"{affix} ")
    return before if before != name else name.removesuffix(f" {affix}")


def _share(whole: BaseGeometry | None, of: BaseGeometry | None) -> int:
    """How much of the whole lies there: points, millimetres or square millimetres."""
    part = shapely.intersection(whole, of)
    match shapely.get_dimensions(whole):
        case 0:
            return int(shapely.get_num_coordinates(part))
        case 1:
            return math.floor(1e3 * float(shapely.length(part)) + 0.5)
        case _:
            return math.floor(1e6 * float(shapely.area(part)) + 0.5)
