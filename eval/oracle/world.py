"""The rows of a dataset as features, links and carried fields worked out anew (DESIGN §7.3, §3)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.schema.model import Link, Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["TOLERANCE_M", "Feature", "World", "to_millimetre"]

TOLERANCE_M = 0.0005
"""``within r`` is d <= r + this (DESIGN §7.1)."""


def to_millimetre(distance: float) -> float:
    """The distance as ordering sees it."""
    return math.floor(1000 * float(distance) + 0.5) / 1000


@dataclass(eq=False, slots=True)
class Feature:
    """One feature: values as they are effective, geometry in metres, keys of the linked features by link."""

    entity: str
    key: str
    source: str
    geometry: BaseGeometry | None
    values: dict[str, Any]
    links: dict[str, str | None] = field(default_factory=dict)


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

    def __init__(self, pack: Pack, rows: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
        self.pack = pack
        self.features: dict[str, dict[str, Feature]] = {
            entity.name: {
                feature.key: feature
                for feature in sorted(
                    (_feature(entity.name, row) for row in rows.get(entity.name, ())), key=_key
                )
            }
            for entity in pack.entities
        }
        for entity in pack.entities:
            for link in entity.links:
                self._link(entity.name, link)
        for entity in pack.entities:
            self._carry(entity.name)

    def _link(self, entity: str, link: Link) -> None:
        name_field = self.pack.entity(link.to).name_field
        others = list(self.features[link.to].values())
        near = Nearby(others)
        named: dict[str, list[Feature]] = {}
        for other in others:
            name = other.values.get(name_field or "")
            if name:
                named.setdefault(self._name(link.to, name), []).append(other)
        for feature in self.features[entity].values():
            stated = feature.values.get(link.stated_field or "")
            namesakes = self._namesakes(link.to, stated, named) if stated else []
            if link.rule == "covering":
                here = feature.geometry
                found = _first(namesakes) if here is None else _covering(here, near)
            else:
                found = _nearest(feature, near, link.max_distance_m or 0.0, namesakes)
            feature.links[link.name] = None if found is None else found.key

    def _namesakes(self, entity: str, stated: str, named: Mapping[str, list[Feature]]) -> list[Feature]:
        """The features that a stated name means; a name that means nothing is tried without affixes."""
        name = self._name(entity, stated)
        affixes = sorted(
            (fold_name(affix, self.pack) for affix in self.pack.name_affixes), key=len, reverse=True
        )
        while name not in named:
            shorter = next((cut for affix in affixes if (cut := _without(name, affix)) != name), "")
            if not shorter:
                return []
            name = self._name(entity, shorter)
        return named[name]

    def _name(self, entity: str, name: str) -> str:
        """The name as compared: of several that mean the same feature, the first."""
        folded = fold_name(name, self.pack)
        for alike in self.pack.name_aliases.get(entity, ()):
            if folded in (fold_name(one, self.pack) for one in alike):
                return fold_name(alike[0], self.pack)
        return folded

    def _carry(self, entity: str) -> None:
        definition = self.pack.entity(entity)
        for carried in definition.fields:
            if carried.carries is None:
                continue
            other = self.features[definition.link(carried.carries.link).to]
            for feature in self.features[entity].values():
                reported = feature.values.get(carried.name)
                linked = feature.links[carried.carries.link]
                if linked is not None and (reported is None or reported in carried.unknown_values):
                    theirs = other[linked].values.get(carried.carries.field)
                    if theirs is not None and theirs not in carried.unknown_values:
                        feature.values[carried.name] = theirs


class Nearby:
    """Features by place, to look only at those whose boxes come near; never decides anything by itself."""

    def __init__(self, features: Iterable[Feature]) -> None:
        self.located = [feature for feature in features if feature.geometry is not None]
        self._geometries = np.array([feature.geometry for feature in self.located], dtype=object)
        self._tree = shapely.STRtree(self._geometries)

    def around(self, geometry: BaseGeometry, distance: float) -> list[tuple[float, Feature]]:
        """Features within the distance (with the declared tolerance), each with its distance, in no order."""
        west, south, east, north = geometry.bounds
        margin = distance + 1.0
        box = shapely.box(west - margin, south - margin, east + margin, north + margin)
        hits = self._tree.query(box)
        distances = shapely.distance(geometry, self._geometries[hits])
        return [
            (float(far), self.located[hit])
            for hit, far in zip(hits, distances, strict=True)
            if far <= distance + TOLERANCE_M
        ]


def _feature(entity: str, row: Mapping[str, Any]) -> Feature:
    values = {name: value for name, value in row.items() if name not in ("key", "geometry")}
    return Feature(entity, row["key"], row["source"], row.get("geometry"), values)


def _key(feature: Feature) -> str:
    return feature.key


def _without(name: str, affix: str) -> str:
    return name.removeprefix(f"{affix} ").removesuffix(f" {affix}")


def _first(features: Sequence[Feature]) -> Feature | None:
    return min(features, key=_key, default=None)


def _covering(geometry: BaseGeometry, near: Nearby) -> Feature | None:
    """The polygon that has the most of the points, the line or the area."""
    touching = [other for _, other in near.around(geometry, 0.0)]
    shares = [_share(geometry, other.geometry) for other in touching]
    most = max(shares, default=0)
    return _first([other for share, other in zip(shares, touching, strict=True) if share == most > 0])


def _share(whole: BaseGeometry, of: BaseGeometry | None) -> int:
    """How much of the whole lies there: points, millimetres or square millimetres."""
    part = shapely.intersection(whole, of)
    match shapely.get_dimensions(whole):
        case 0:
            return int(shapely.get_num_coordinates(part))
        case 1:
            return math.floor(1e3 * float(shapely.length(part)) + 0.5)
        case _:
            return math.floor(1e6 * float(shapely.area(part)) + 0.5)


def _nearest(feature: Feature, near: Nearby, reach: float, namesakes: Sequence[Feature]) -> Feature | None:
    """The nearest in reach by distance and key, of those of the stated name where one is in reach."""
    if feature.geometry is None:
        return None
    in_reach = near.around(feature.geometry, reach)
    stated = [(far, other) for far, other in in_reach if other in namesakes]
    ordered = sorted(stated or in_reach, key=lambda pair: (to_millimetre(pair[0]), pair[1].key))
    return ordered[0][1] if ordered else None
