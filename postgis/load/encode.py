"""Canonical rows as COPY wants them: geometry in both reference systems, digests, values in column order."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import numpy as np
import pyproj
import shapely

from groundframe.postgis.load.rows import Row, row_digest
from groundframe.postgis.tables import stored_fields
from groundframe.schema.model import Entity, Pack

__all__ = ["Encoder"]

BATCH = 2000
_DECIMALS = 7


class Encoder:
    """Turns the rows of one entity into records for COPY.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> pack = load_pack("massachusetts")
    >>> Encoder(pack, pack.entity("Town")).columns
    ('key', 'source', 'name', 'population', 'county', 'geom', 'geom_wgs', 'row_digest')
    """

    def __init__(self, pack: Pack, entity: Entity) -> None:
        self._entity = entity
        self._srid = pack.srid
        self._fields = tuple(field.name for field in stored_fields(entity))
        self._known = frozenset(field.name for field in entity.fields)
        self._lists = frozenset(field.name for field in entity.fields if field.type == "category_list")
        self._transformer = pyproj.Transformer.from_pipeline(pack.pipeline)
        self.columns = ("key", "source", *self._fields, "geom", "geom_wgs", "row_digest")

    def batches(self, rows: Iterable[Row]) -> Iterator[list[tuple[Any, ...]]]:
        """The records, a batch at a time."""
        remaining = iter(rows)
        while batch := list(islice(remaining, BATCH)):
            yield list(self._records(batch))

    def _records(self, rows: Sequence[Row]) -> Iterator[tuple[Any, ...]]:
        geometries = np.array([row.geometry for row in rows], dtype=object)
        projected = _ewkb(geometries, self._srid)
        geographic = _ewkb(self._geographic(geometries), 4326)
        for row, geom, geom_wgs in zip(rows, projected, geographic, strict=True):
            if row.entity != self._entity.name or not row.values.keys() <= self._known:
                raise ValueError(
                    f"{row.key}: not a row of {self._entity.name}: {row.entity} {sorted(row.values)}"
                )
            values = (row.values.get(name) for name in self._fields)
            plain = (list(value) if isinstance(value, tuple) else value for value in values)
            yield (row.key, row.source, *plain, geom, geom_wgs, row_digest(row))

    def _geographic(self, geometries: np.ndarray[Any, np.dtype[np.object_]]) -> Any:
        """WGS 84, longitude first, 7 decimals, exterior rings counter-clockwise."""
        coordinates = shapely.get_coordinates(geometries)
        if not len(coordinates):
            return geometries
        longitude, latitude = self._transformer.transform(
            coordinates[:, 0], coordinates[:, 1], direction="INVERSE", errcheck=True
        )
        rounded = np.round(np.column_stack((longitude, latitude)), _DECIMALS)
        return shapely.orient_polygons(shapely.set_coordinates(geometries.copy(), rounded))


def _ewkb(geometries: Any, srid: int) -> Any:
    return shapely.to_wkb(shapely.set_srid(geometries, srid), hex=True, include_srid=True)
