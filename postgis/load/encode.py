"""Canonical rows as COPY wants them: geometry in both reference systems, digests, values in column order."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, time
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
import pyproj
import shapely

from groundframe.postgis.load.columns import Column, Objects
from groundframe.postgis.load.rows import CanonicalValue, Row, RowBlock, digest_part, digests_of
from groundframe.postgis.tables import stored_fields
from groundframe.schema.model import Entity, EntityField, FieldType, Pack

__all__ = ["COPY_END", "COPY_START", "Encoder", "copied_columns"]

COPY_START = b"PGCOPY\n\xff\r\n\0" + bytes(8)
COPY_END = b"\xff\xff"
"""What a binary COPY begins and ends with."""

BATCH = 2000
_DECIMALS = 7
_NULL = b"\xff\xff\xff\xff"
_CACHED = 100_000
_SIZE = struct.Struct(">i").pack
_TEXT_OID = 25
_HAS_SRID = 0x20000000
_EPOCH = date(2000, 1, 1).toordinal()

Piece = tuple[str, bytes]
"""What a value adds to the row's digest, and the field of the binary record."""


class Pieces(NamedTuple):
    """The pieces of many values, side by side."""

    said: list[str]
    data: list[bytes]


def copied_columns(entity: Entity) -> tuple[str, ...]:
    """The columns of the records.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> copied_columns(load_pack("massachusetts").entity("Town"))
    ('key', 'source', 'name', 'population', 'county', 'geom', 'geom_wgs', 'row_digest')
    """
    return (
        "key",
        "source",
        *(field.name for field in stored_fields(entity)),
        "geom",
        "geom_wgs",
        "row_digest",
    )


class Encoder:
    """Turns the rows of one entity into the data of a binary COPY."""

    def __init__(self, pack: Pack, entity: Entity) -> None:
        self._entity = entity
        self._srid = pack.srid
        self._fields = {field.name: _Field(field) for field in entity.fields}
        self._stored = tuple(field.name for field in stored_fields(entity))
        self._transformer = pyproj.Transformer.from_pipeline(pack.pipeline)
        self._head = struct.pack(">h", len(copied_columns(entity)))

    def batches(self, rows: Iterable[Row | RowBlock]) -> Iterator[tuple[int, bytes]]:
        """How many rows, and their records, a batch at a time."""
        for batch in _batched(rows):
            if isinstance(batch, RowBlock):
                self._check(batch.keys[0], batch.entity, batch.columns.keys())
                pieces = {name: self._fields[name].column(column) for name, column in batch.columns.items()}
                sources = [batch.source] * len(batch.keys)
                yield len(batch.keys), self._records(batch.keys, sources, pieces, batch.geometries)
            else:
                for row in batch:
                    self._check(row.key, row.entity, row.values.keys())
                names = sorted({name for row in batch for name in row.values})
                found = {
                    name: self._fields[name].pieces([row.values.get(name) for row in batch]) for name in names
                }
                geometries = np.array([row.geometry for row in batch], dtype=object)
                keys, sources = [row.key for row in batch], [row.source for row in batch]
                yield len(batch), self._records(keys, sources, found, geometries)

    def _check(self, key: str, entity: str, names: Iterable[str]) -> None:
        if entity != self._entity.name or not set(names) <= self._fields.keys():
            raise ValueError(f"{key}: not a row of {self._entity.name}: {entity} {sorted(names)}")

    def _records(
        self, keys: Sequence[str], sources: Sequence[str], fields: dict[str, Pieces], geometries: Objects
    ) -> bytes:
        said = [fields[name].said for name in sorted(fields)] or [[""] * len(keys)]
        none = [_NULL] * len(keys)
        values = [fields[name].data if name in fields else none for name in self._stored]
        wkb = shapely.to_wkb(geometries, byte_order=1)
        digits = [None if place is None else place.hex().upper() for place in wkb]
        digests = digests_of(self._entity.name, sources, keys, map("".join, zip(*said, strict=True)), digits)
        of = {source: _text(source) for source in set(sources)}
        columns = (
            _texts(keys),
            map(of.__getitem__, sources),
            *values,
            map(_Placed(self._srid), wkb),
            map(_Placed(4326), shapely.to_wkb(self._geographic(geometries), byte_order=1)),
            _texts(digests),
        )
        # One join makes a row, and another all of them: what is done in a loop takes twice as long.
        rows = map(b"".join, zip(*columns, strict=True))
        return self._head + self._head.join(rows) if keys else b""

    def _geographic(self, geometries: Objects) -> Any:
        """WGS 84, longitude first, 7 decimals, exterior rings counter-clockwise."""
        coordinates = shapely.get_coordinates(geometries)
        if not len(coordinates):
            return geometries
        longitude, latitude = self._transformer.transform(
            coordinates[:, 0], coordinates[:, 1], direction="INVERSE", errcheck=True
        )
        rounded = np.round(np.column_stack((longitude, latitude)), _DECIMALS)
        placed = shapely.set_coordinates(geometries.copy(), rounded)
        return shapely.orient_polygons(placed) if "polygon" in self._entity.geometry else placed


class _Field:
    """The pieces of one field's values; few distinct values come in many rows."""

    def __init__(self, field: EntityField) -> None:
        self._name = field.name
        self._write = _WRITERS[field.type]
        self._made: dict[CanonicalValue, Piece] = {}

    def pieces(self, values: Iterable[Any]) -> Pieces:
        """The pieces of values."""
        made = self._made
        found = [made.get(value) or self._piece(value) for value in values]
        return Pieces([said for said, _ in found], [data for _, data in found])

    def column(self, column: Column) -> Pieces:
        """The pieces of a column."""
        codes = column.codes
        if len(column.table) > len(codes):
            return self.pieces(column.table[codes])
        table, numbers = self.pieces(column.table), codes.tolist()
        return Pieces([table.said[code] for code in numbers], [table.data[code] for code in numbers])

    def _piece(self, value: Any) -> Piece:
        data = _NULL if value is None else self._write(value)
        piece = (digest_part(self._name, value), data)
        if len(self._made) < _CACHED:
            self._made[value] = piece
        return piece


class _Placed:
    """Writes little-endian WKB as the field of a geometry, which says its reference system as well."""

    def __init__(self, srid: int) -> None:
        self._srid = struct.pack("<I", srid)
        self._heads: dict[bytes, bytes] = {}

    def __call__(self, wkb: bytes | None) -> bytes:
        if wkb is None:
            return _NULL
        head = self._heads.get(wkb[:5]) or self._head(wkb[:5])
        return _SIZE(len(wkb) + len(self._srid)) + head + wkb[5:]

    def _head(self, plain: bytes) -> bytes:
        order, kind = struct.unpack("<BI", plain)
        self._heads[plain] = struct.pack("<BI", order, kind | _HAS_SRID) + self._srid
        return self._heads[plain]


def _batched(rows: Iterable[Row | RowBlock]) -> Iterator[list[Row] | RowBlock]:
    remaining = iter(rows)
    for first in remaining:
        if isinstance(first, RowBlock):
            if first.keys:
                yield first
        else:
            # A source gives all its rows in one way or the other.
            yield [first, *(row for row in islice(remaining, BATCH - 1) if isinstance(row, Row))]


def _sized(data: bytes) -> bytes:
    return _SIZE(len(data)) + data


def _text(text: str) -> bytes:
    return _sized(text.encode())


def _texts(texts: Iterable[str]) -> list[bytes]:
    return [_SIZE(len(data)) + data for data in map(str.encode, texts)]


def _packed(form: str) -> Callable[[Any], bytes]:
    size = _SIZE(struct.calcsize(form))
    return lambda value: size + struct.pack(form, value)


def _list(values: Sequence[str]) -> bytes:
    parts = struct.pack(">iii", 1 if values else 0, 0, _TEXT_OID)
    if values:
        parts += struct.pack(">ii", len(values), 1) + b"".join(map(_text, values))
    return _sized(parts)


def _date(day: date) -> bytes:
    return struct.pack(">ii", 4, day.toordinal() - _EPOCH)


def _time(at: time) -> bytes:
    seconds = (at.hour * 60 + at.minute) * 60 + at.second
    return struct.pack(">iq", 8, seconds * 1_000_000 + at.microsecond)


_WRITERS: dict[FieldType, Callable[[Any], bytes]] = {
    "category": _text,
    "category_list": _list,
    "number": _packed(">d"),
    "integer": _packed(">i"),
    "text": _text,
    "date": _date,
    "time_of_day": _time,
    "boolean": _packed(">?"),
}
