"""The names in a dataset, for the validator (:class:`groundframe.frames.names.NameIndex`)."""

from __future__ import annotations

from collections.abc import Collection
from datetime import date
from functools import cache, lru_cache
from typing import Any

import sqlalchemy as sa

from groundframe.compiler.places import point_constant
from groundframe.frames.model import Coordinates
from groundframe.frames.names import NamedFeature
from groundframe.postgis.datasets import Dataset

__all__ = ["DatasetNames"]

_KEPT, _FEW = 64, 8
"""Of how many askings for so few names at most the features are kept: one question asks several times."""


class DatasetNames:
    """Names, keys and dates of an open dataset; what is asked for all of an entity is read once and kept.

    Parameters
    ----------
    dataset : Dataset
        The dataset; it must be the one that the frame then runs on, which :meth:`Dataset.verify` makes sure.
    """

    def __init__(self, dataset: Dataset) -> None:
        self.dataset = dataset
        self._kept = lru_cache(_KEPT)(self._features)
        self.distinct_names = cache(self._distinct_names)
        self._dates = cache(self._oldest_and_newest)
        self.has_rows = cache(self._has_rows)
        self.sources = cache(self._sources)

    def features(self, entity: str, names: Collection[str]) -> tuple[NamedFeature, ...]:
        """The features that bear one of these names exactly, sorted by key."""
        wanted = frozenset(names)
        return self._kept(entity, wanted) if len(wanted) <= _FEW else self._features(entity, wanted)

    def _features(self, entity: str, names: frozenset[str]) -> tuple[NamedFeature, ...]:
        name_field = self.dataset.pack.entity(entity).name_field
        if name_field is None or not names:
            return ()
        table = self.dataset.tables.entities[entity]
        name = table.c[name_field]
        inside = sa.func.ST_PointOnSurface(table.c.geom_wgs, type_=sa.types.NullType())
        town, joined = self._town_of(entity, table)
        statement = (
            sa.select(table.c.key, name, town, sa.func.ST_X(inside), sa.func.ST_Y(inside))
            .select_from(joined)
            .where(name.in_(sorted(names)))
            .order_by(table.c.key)
        )
        with self.dataset.database.connect() as connection:
            return tuple(
                NamedFeature(entity, key, named, town or "", _degrees(x), _degrees(y))
                for key, named, town, x, y in connection.execute(statement)
            )

    def keys_exist(self, entity: str, keys: Collection[str]) -> frozenset[str]:
        """Those of the keys that exist."""
        table = self.dataset.tables.entities[entity]
        with self.dataset.database.connect() as connection:
            return frozenset(connection.scalars(sa.select(table.c.key).where(table.c.key.in_(sorted(keys)))))

    def nearest(self, entity: str, longitude: float, latitude: float) -> tuple[NamedFeature, float] | None:
        """The named feature nearest to a point, and the metres to it; of equally near ones the first key."""
        name_field = self.dataset.pack.entity(entity).name_field
        if name_field is None:
            return None
        table = self.dataset.tables.entities[entity]
        point = point_constant(Coordinates(longitude=longitude, latitude=latitude), self.dataset.pack)
        here = sa.func.ST_GeomFromWKB(point.wkb, point.srid, type_=sa.types.NullType())
        name = table.c[name_field].label("name")
        # Ordering by the key as well could not use the index: all that are nearest, then the first of them.
        near = (
            sa.select(table.c.key, name, sa.func.ST_Distance(table.c.geom, here).label("metres"))
            .where(name.is_not(None), table.c.geom.is_not(None))
            .order_by(table.c.geom.op("<->")(here))
            .fetch(1, with_ties=True)
            .subquery()
        )
        with self.dataset.database.connect() as connection:
            found = connection.execute(
                sa.select(near).order_by(near.c.key.collate("C")).limit(1)
            ).one_or_none()
        if found is None:
            return None
        feature = next(one for one in self.features(entity, [found.name]) if one.key == found.key)
        return feature, round(found.metres, 3)

    def _town_of(self, entity: str, table: sa.Table) -> tuple[sa.ColumnElement[Any], sa.FromClause]:
        """The name of the feature that the entity's first link leads to, and the join that finds it."""
        links = self.dataset.pack.entity(entity).links
        if links:
            name_field = self.dataset.pack.entity(links[0].to).name_field
            if name_field is not None:
                target = self.dataset.tables.entities[links[0].to].alias("linked")
                joined = table.outerjoin(target, target.c.key == table.c[f"{links[0].name}_key"])
                return target.c[name_field], joined
        return sa.null(), table

    def _distinct_names(self, entity: str, field: str = "") -> tuple[str, ...]:
        name_field = field or self.dataset.pack.entity(entity).name_field
        if name_field is None:
            return ()
        name = self.dataset.tables.entities[entity].c[name_field]
        with self.dataset.database.connect() as connection:
            return tuple(sorted(connection.scalars(sa.select(name).where(name.is_not(None)).distinct())))

    def oldest_date(self, entity: str) -> date | None:
        """The oldest date among the entity's rows, None when it has none."""
        return self._dates(entity)[0]

    def newest_date(self, entity: str) -> date | None:
        """The newest date among the entity's rows, None when it has none."""
        return self._dates(entity)[1]

    def _oldest_and_newest(self, entity: str) -> tuple[date | None, date | None]:
        date_field = self.dataset.pack.entity(entity).date_field
        if date_field is None:
            return None, None
        day: sa.Column[date] = self.dataset.tables.entities[entity].c[date_field]
        with self.dataset.database.connect() as connection:
            oldest, newest = connection.execute(sa.select(sa.func.min(day), sa.func.max(day))).one()
            return oldest, newest

    def _has_rows(self, entity: str) -> bool:
        return bool(self._sources(entity))

    def _sources(self, entity: str) -> frozenset[str]:
        listed = self.dataset.report["sources"]
        return frozenset(source["source"] for source in listed if source["entity"] == entity)


def _degrees(value: float | None) -> float | None:
    return None if value is None else round(value, 7)
