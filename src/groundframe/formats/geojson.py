"""GeoJSON (RFC 7946): a feature collection, one feature a line, the record as its last member.

Longitude comes first, ids are strings, there is no ``crs``. The geometry is the text that the database made;
it is put in as it is, so that an answer never passes through floating point twice.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator, Sequence
from typing import Any, BinaryIO

from groundframe.formats.result import Column, Record, Result, Row
from groundframe.serialise import encode

__all__ = ["MEMBER", "Digest", "Digested", "collection", "digest_of", "feature_text", "lines", "write"]

MEMBER = "groundframe"
"""Name of the one foreign member."""


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


def lines(result: Result) -> Iterator[str]:
    """The document, line by line."""
    digested = result if isinstance(result, Digested) else Digested(result)
    yield '{"type":"FeatureCollection","features":['
    before = ""
    for feature in digested.features():
        if before:
            yield before + ","
        before = feature
    if before:
        yield before
    yield f'],"{MEMBER}":{encode(digested.record())}}}'


class Digest:
    """SHA-256 of columns, features and counts, taken on the way."""

    def __init__(self, columns: Sequence[Column]) -> None:
        self._hash = hashlib.sha256(encode([[column.name, column.unit] for column in columns]).encode())

    def add(self, feature: str) -> None:
        """Take in the text of a feature."""
        self._hash.update(f"\n{feature}".encode())

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

    def features(self) -> Iterator[str]:
        """The rows as texts of features."""
        return (feature for _, feature in self._passing())

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
    for line in lines(result):
        out.write(line.encode())
        out.write(b"\n")


def collection(result: Result) -> dict[str, Any]:
    """The document as data."""
    content: dict[str, Any] = json.loads("\n".join(lines(result)))
    return content
