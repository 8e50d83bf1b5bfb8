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


def row_digest(row: Row, wkb: bytes | None = None) -> str:
    """SHA-256 of the row's content, the same whatever file, order or spelling it came in.

    Parameters
    ----------
    wkb : bytes, optional
        The geometry as little-endian WKB, for callers that have it already for many rows.
    """
    if wkb is None and row.geometry is not None:
        wkb = shapely.to_wkb(row.geometry, byte_order=1)
    # 5 and 5.0 are the same number, whatever a file made of it.
    values = {
        name: float(value) if type(value) is int else value
        for name, value in row.values.items()
        if value is not None
    }
    body = [row.entity, row.source, row.key, values, None if wkb is None else wkb.hex().upper()]
    return hashlib.sha256(_encode(body).encode()).hexdigest()


def _isoformat(value: date | time) -> str:
    return value.isoformat()


_encode = json.JSONEncoder(sort_keys=True, ensure_ascii=False, default=_isoformat).encode
