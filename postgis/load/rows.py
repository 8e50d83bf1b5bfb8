"""The canonical row: what every reader and generator hands to the store."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, time

import shapely
from shapely.geometry.base import BaseGeometry

__all__ = ["CanonicalValue", "Row", "row_digest"]

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


def row_digest(row: Row) -> str:
    """SHA-256 of the row's content, the same whatever file, order or spelling it came in."""
    values = {name: _plain(value) for name, value in row.values.items() if value is not None}
    geometry = None if row.geometry is None else shapely.to_wkb(row.geometry, hex=True, byte_order=1)
    body = [row.entity, row.source, row.key, values, geometry]
    return hashlib.sha256(json.dumps(body, sort_keys=True, ensure_ascii=False).encode()).hexdigest()


def _plain(value: CanonicalValue) -> object:
    if isinstance(value, date | time):
        return value.isoformat()
    if isinstance(value, tuple):
        return list(value)
    return float(value) if isinstance(value, int) and not isinstance(value, bool) else value
