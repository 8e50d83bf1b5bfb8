"""GeoJSON (RFC 7946): a feature collection, one feature a line, the record as its last member.

Longitude comes first, ids are strings, there is no ``crs``. The geometry is the text that the database made;
it is put in as it is, so that an answer never passes through floating point twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from io import BytesIO
from itertools import islice
from typing import Any, BinaryIO

from groundframe.formats.result import Column, Record, Result, Row, Spelled
from groundframe.serialise import encode

__all__ = ["MEMBER", "Digest", "Digested", "collection", "digest_of", "feature_text", "write"]

MEMBER = "groundframe"
"""Name of the one foreign member."""
_MANY = 100
"""Features that are written at a time."""


def feature_text(columns: Sequence[Column], id_index: int | None) -> Callable[[Row], str]:
    """A function that turns a row into the text of one feature.

    Examples
    --------
    >>> key, name = Column("key", "key", "text", "", "key"), Column("name", "name", "text", "", "label")
    >>> text = feature_text([key, name], 0)
    >>> text(("mbta:1", "Main St", None))
    '{"type":"Feature","id":"mbta:1","properties":{"name":"Main St"},"geometry":null}'
    """
    names = [f"{encode(column.name)}:" for column in columns]
    chosen = [index for index in range(len(columns)) if index != id_index]

    def text(row: Row) -> str:
        key = None if id_index is None else row[id_index]
        identity = "" if key is None else f'"id":{encode(str(key))},'
        properties = ",".join([names[index] + encode(row[index]) for index in chosen])
        return f'{{"type":"Feature",{identity}"properties":{{{properties}}},"geometry":{row[-1] or "null"}}}'

    return text


class Digest:
    """SHA-256 of columns, features and counts, taken on the way."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._hash = hashlib.sha256(encode([[column.name, column.unit] for column in columns]).encode())

    def add(self, *features: str) -> None:
        """Take in the texts of features."""
        self._hash.update("\n".join(("", *features)).encode())

    def end(self, record: Record) -> str:
        """Take in the counts, and give the digest."""
        self._hash.update(f"\n{encode(record['counts'])}".encode())
        return self._hash.hexdigest()


class Digested:
    """A result whose digest is taken while its rows go by, and is from then on part of its record.

    The digest is of the columns, the features and the counts, so that it knows nothing of timings, names of
    databases, or the format that somebody asked for.
    """

    def __init__(self, result: Result) -> None:
        self._result = result
        self.digest = ""

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, without the geometry."""
        return self._result.columns

    @property
    def id_index(self) -> int | None:
        """Which column identifies a feature; None when rows are groups that are no features."""
        return self._result.id_index

    def rows(self) -> Iterator[Row]:
        """The rows in their order."""
        return (row for row, _ in self._passing())

    def features(self) -> Iterator[Sequence[str]]:
        """The rows as texts of features, many at a time."""
        spelled = self._result.features() if isinstance(self._result, Spelled) else None
        if spelled is None:
            passing = self._passing()
            while some := [feature for _, feature in islice(passing, _MANY)]:
                yield some
            return
        digest = Digest(self.columns)
        for features in spelled:
            digest.add(*features)
            yield features
        self.digest = digest.end(self._result.record())

    def record(self) -> Record:
        """How the rows came about, and their digest; whole once they have been read."""
        return {**self._result.record(), "digest": self.digest}

    def _passing(self) -> Iterator[tuple[Row, str]]:
        digest = Digest(self.columns)
        text = feature_text(self.columns, self.id_index)
        for row in self._result.rows():
            feature = text(row)
            digest.add(feature)
            yield row, feature
        self.digest = digest.end(self._result.record())


def digest_of(result: Result) -> str:
    """The digest of a result, without writing it."""
    digested = Digested(result)
    for _ in digested.features():
        pass
    return digested.digest


def write(result: Result, out: BinaryIO) -> None:
    """Write the result as GeoJSON."""
    digested = result if isinstance(result, Digested) else Digested(result)
    out.write(b'{"type":"FeatureCollection","features":[')
    between = b"\n"
    for features in digested.features():
        out.write(between)
        out.write(",\n".join(features).encode())
        between = b",\n"
    out.write(f'\n],"{MEMBER}":{encode(digested.record())}}}\n'.encode())


def collection(result: Result) -> dict[str, Any]:
    """The document as data."""
    out = BytesIO()
    write(result, out)
    content: dict[str, Any] = json.loads(out.getvalue())
    return content
