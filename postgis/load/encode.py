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
from groundframe.schema.model import Entity, FieldType, Pack

__all__ = ["Encoder"]

BATCH = 2000
_DECIMALS = 7
_TYPES: dict[FieldType, str] = {
    "category": "text",
    "category_list": "text[]",
    "number": "float8",
    "integer": "int4",
    "text": "text",
    "date": "date",
    "time_of_day": "time",
    "boolean": "bool",
}


class Encoder:
    """Turns the rows of one entity into records for a binary COPY of `columns` with `types`.

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
        self._transformer = pyproj.Transformer.from_pipeline(pack.pipeline)
        self._lists = tuple(
            2 + place for place, field in enumerate(stored_fields(entity)) if field.type == "category_list"
        )
        kinds = (_TYPES[field.type] for field in stored_fields(entity))
        # What PostGIS reads as binary geometry is the same bytes as a bytea.
        self.types = ("text", "text", *kinds, "bytea", "bytea", "text")
        self.columns = ("key", "source", *self._fields, "geom", "geom_wgs", "row_digest")

    def batches(self, rows: Iterable[Row]) -> Iterator[list[list[Any]]]:
        """The records, a batch at a time."""
        remaining = iter(rows)
        while batch := list(islice(remaining, BATCH)):
            yield list(self._records(batch))

    def _records(self, rows: Sequence[Row]) -> Iterator[list[Any]]:
        geometries = np.array([row.geometry for row in rows], dtype=object)
        plain = shapely.to_wkb(geometries, byte_order=1)
        projected = _ewkb(geometries, self._srid)
        geographic = _ewkb(self._geographic(geometries), 4326)
        for row, wkb, geom, geom_wgs in zip(rows, plain, projected, geographic, strict=True):
            if row.entity != self._entity.name or not row.values.keys() <= self._known:
                raise ValueError(
                    f"{row.key}: not a row of {self._entity.name}: {row.entity} {sorted(row.values)}"
                )
            record: list[Any] = [row.key, row.source, *map(row.values.get, self._fields)]
            for place in self._lists:
                value = record[place]
                record[place] = list(value) if isinstance(value, tuple) else None
            record += (geom, geom_wgs, row_digest(row, wkb))
            yield record

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
    return shapely.to_wkb(shapely.set_srid(geometries, srid), include_srid=True)
