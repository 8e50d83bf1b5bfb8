"""The canonical row: what every reader and generator hands to the store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date, time
from typing import cast

import shapely
from shapely.geometry.base import BaseGeometry

from groundframe.postgis.load.columns import Column, Objects

__all__ = ["CanonicalValue", "Row", "RowBlock", "digest_part", "digests_of", "row_digest"]

CanonicalValue = str | int | float | bool | date | time | tuple[str, ...] | None


@dataclass(frozen=True, slots=True)
class Row:
    """One feature, canonical: ready to be stored, whatever file it came from.

    Parameters
    ----------
    entity : str
        Canonical entity name of the pack.
    source : str
        Name of the source.
    key : str
        ``<source>:<native id>``, with ``#<content hash>`` where the native id is missing or not unique.
    values : mapping
        Field name to canonical value, for the fields that are known; a missing field is NULL.
    geometry : BaseGeometry or None
        In the pack's SRID, snapped to 1/1024 m, valid and not empty; None without coordinates.
    """

    entity: str
    source: str
    key: str
    values: Mapping[str, CanonicalValue]
    geometry: BaseGeometry | None


@dataclass(frozen=True, slots=True, eq=False)
class RowBlock:
    """Many rows of one entity and source, by column; every value is canonical.

    Parameters
    ----------
    keys : list of str
        The rows' keys.
    columns : mapping
        Field name to its column.
    geometries : array
        As in `Row`.
    """

    entity: str
    source: str
    keys: list[str]
    columns: Mapping[str, Column]
    geometries: Objects

    def rows(self) -> Iterator[Row]:
        """The rows one by one."""
        values = (column.values() for column in self.columns.values())
        for key, geometry, *cells in zip(self.keys, self.geometries, *values, strict=True):
            known = {
                name: cast("CanonicalValue", cell)
                for name, cell in zip(self.columns, cells, strict=True)
                if cell is not None
            }
            yield Row(self.entity, self.source, key, known, geometry)


def row_digest(row: Row) -> str:
    """SHA-256 of the row's content, the same whatever file, order or spelling it came in."""
    values = "".join(digest_part(name, row.values[name]) for name in sorted(row.values))
    geometry = None if row.geometry is None else shapely.to_wkb(row.geometry, byte_order=1, hex=True)
    (digest,) = digests_of(row.entity, [row.source], [row.key], [values], [geometry])
    return digest


def digest_part(name: str, value: CanonicalValue) -> str:
    """What a field adds to the values of :func:`digests_of`, in the order of the fields' names."""
    if value is None:
        return ""
    # 5 and 5.0 are the same number, whatever a file made of it.
    plain = float(value) if type(value) is int else value
    text = _quoted(plain) if isinstance(plain, str) else _encode(plain)
    return f"{_quoted(name)}: {text}{_BETWEEN}"


def digests_of(
    entity: str,
    sources: Iterable[str],
    keys: Iterable[str],
    values: Iterable[str],
    geometries: Iterable[str | None],
) -> Iterator[str]:
    """The digests of rows from their parts: each is of a JSON array with no space for choice.

    Parameters
    ----------
    values : iterable of str
        The joined parts of the fields of each.
    geometries : iterable of str or None
        Little-endian WKB as upper-case hexadecimal digits.
    """
    first = _quoted(entity)
    for source, key, fields, geometry in zip(sources, keys, values, geometries, strict=True):
        place = "null" if geometry is None else f'"{geometry}"'
        parts = f"[{first}, {_quoted(source)}, {_quoted(key)}, {{{fields.removesuffix(_BETWEEN)}}}, {place}]"
        yield hashlib.sha256(parts.encode()).hexdigest()


def _isoformat(value: date | time) -> str:
    return value.isoformat()


_BETWEEN = ", "
_encode = json.JSONEncoder(ensure_ascii=False, default=_isoformat).encode
# A JSON encoder calls this for every text; many times quicker by itself.
_quoted: Callable[[str], str] = json.encoder.encode_basestring
