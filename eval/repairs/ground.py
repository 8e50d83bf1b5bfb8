"""What the validator is measured on: a pack and the names of a dataset, held in memory."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from typing import Any

import shapely
from pyproj import Transformer

from groundframe.errors import FrameError
from groundframe.eval.oracle.world import Feature, World, to_millimetre
from groundframe.eval.rows import rows_of_source
from groundframe.frames.names import NamedFeature, NameIndex
from groundframe.frames.reading import read_frame
from groundframe.postgis.load.synthetic import generate
from groundframe.schema.model import Pack
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Outcome

__all__ = ["Ground", "HeldNames", "WorldNames", "synthetic_ground"]


class HeldNames:
    """The names of another index, each entity's read once, so that thousands of frames need no database."""

    def __init__(self, names: NameIndex) -> None:
        self._names = names
        self.distinct_names = cache(names.distinct_names)
        self.oldest_date = cache(names.oldest_date)
        self.newest_date = cache(names.newest_date)
        self.has_rows = cache(names.has_rows)
        self.sources = cache(names.sources)
        self.by_name = cache(self._by_name)

    def features(self, entity: str, names: Collection[str]) -> tuple[NamedFeature, ...]:
        """The features that bear one of these names exactly, sorted by key."""
        by_name = self.by_name(entity)
        found = (feature for name in set(names) for feature in by_name.get(name, ()))
        return tuple(sorted(found, key=lambda feature: feature.key))

    def keys_exist(self, entity: str, keys: Collection[str]) -> frozenset[str]:
        """Those of the keys that exist."""
        return self._names.keys_exist(entity, keys)

    def nearest(self, entity: str, longitude: float, latitude: float) -> tuple[NamedFeature, float] | None:
        """The named feature that is nearest to a point, and the metres to it."""
        return self._names.nearest(entity, longitude, latitude)

    def _by_name(self, entity: str) -> Mapping[str, Sequence[NamedFeature]]:
        grouped: dict[str, list[NamedFeature]] = {}
        for feature in self._names.features(entity, self.distinct_names(entity)):
            grouped.setdefault(feature.name, []).append(feature)
        return grouped


class WorldNames:
    """The names in rows that were never loaded, as the oracle sees them; what is derived at load has none."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._to_plane = Transformer.from_pipeline(world.pack.pipeline)

    def distinct_names(self, entity: str, field: str = "") -> tuple[str, ...]:
        """Every name that a feature of the entity bears, each once, sorted by code point."""
        field = field or self._world.pack.entity(entity).name_field or ""
        values = (feature.values.get(field) for feature in self._world.features[entity].values())
        return tuple(sorted({name for name in values if name is not None}))

    def features(self, entity: str, names: Collection[str]) -> tuple[NamedFeature, ...]:
        """The features that bear one of these names exactly, sorted by key."""
        field, wanted = self._world.pack.entity(entity).name_field or "", frozenset(names)
        found = self._world.features[entity].values()
        return tuple(self._named(one, field) for one in found if one.values.get(field) in wanted)

    def keys_exist(self, entity: str, keys: Collection[str]) -> frozenset[str]:
        """Those of the keys that exist."""
        return frozenset(keys) & self._world.features[entity].keys()

    def nearest(self, entity: str, longitude: float, latitude: float) -> tuple[NamedFeature, float] | None:
        """The named feature nearest to a point, and the metres to it; of equally near, the first key."""
        field = self._world.pack.entity(entity).name_field or ""
        point = shapely.Point(self._to_plane.transform(longitude, latitude))
        found = (
            (to_millimetre(one.geometry.distance(point)), one.key, one)
            for one in self._world.features[entity].values()
            if one.geometry is not None and one.values.get(field) is not None
        )
        metres, _, feature = min(found, default=(0.0, "", None))
        return None if feature is None else (self._named(feature, field), metres)

    def oldest_date(self, entity: str) -> date | None:
        """The oldest date among the entity's rows, None when it has none."""
        return min(self._days(entity), default=None)

    def newest_date(self, entity: str) -> date | None:
        """The newest date among the entity's rows, None when it has none."""
        return max(self._days(entity), default=None)

    def _days(self, entity: str) -> list[date]:
        field = self._world.pack.entity(entity).date_field or ""
        days = [feature.values.get(field) for feature in self._world.features[entity].values()]
        return [day for day in days if day is not None]

    def has_rows(self, entity: str) -> bool:
        """Whether there is any feature of the entity."""
        return bool(self._world.features[entity])

    def sources(self, entity: str) -> frozenset[str]:
        """Names of the sources that the entity's rows come from."""
        return frozenset(feature.source for feature in self._world.features[entity].values())

    def _named(self, feature: Feature, field: str) -> NamedFeature:
        town, pack = "", self._world.pack
        for link in pack.entity(feature.entity).links[:1]:
            other = self._world.features[link.to].get(feature.links[link.name] or "")
            town = other.values.get(pack.entity(link.to).name_field or "") or "" if other else ""
        if feature.geometry is None:
            return NamedFeature(feature.entity, feature.key, feature.values[field], town)
        inside = shapely.point_on_surface(feature.geometry)
        longitude, latitude = self._to_plane.transform(inside.x, inside.y, direction="INVERSE")
        return NamedFeature(feature.entity, feature.key, feature.values[field], town, longitude, latitude)


@dataclass(frozen=True, eq=False)
class Ground:
    """A pack with the names of a dataset; ``label`` says which."""

    pack: Pack
    names: HeldNames
    label: str

    def check(
        self, frame: Mapping[str, Any], choices: Mapping[str, str] | None = None
    ) -> Outcome | FrameError:
        """Read and validate a frame; what is no frame is the error that says so."""
        try:
            return validate(read_frame(frame), self.pack, self.names, choices=choices)
        except FrameError as error:
            return error


def synthetic_ground(pack: Pack, seed: int = 1) -> Ground:
    """The small synthetic state of a seed, made in memory: the same on every machine."""
    world = World(pack, rows_of_source(pack, generate(pack, seed=seed, size="small")))
    return Ground(pack, HeldNames(WorldNames(world)), f"synthetic state, seed {seed}, in memory")
