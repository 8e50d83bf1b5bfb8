"""The driver of CSV files."""

from __future__ import annotations

import codecs
import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from groundframe.errors import LoadError
from groundframe.postgis.load.table import BATCH, Batch, Table

__all__ = ["open_csv"]

_START = 4096
_OTHER_MARKS = {";": "semicolons", "\t": "tabs", "|": "bars"}
_CURE = "Save it as 'CSV UTF-8 (comma delimited)'."
_WORKBOOKS = (b"PK\x03\x04", b"\xd0\xcf\x11\xe0")
"""How workbooks of today, and those of long ago, begin."""
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)


def open_csv(path: Path, name: str, encoding: str) -> Table:
    """Open a file of text with commas."""
    # A byte order mark is no part of the first header.
    encoding = "utf-8-sig" if encoding.casefold() in {"utf-8", "utf8"} else encoding
    header = [cell.strip() for cell in next(_records(path, name, encoding), [])]
    if not any(header):
        raise LoadError(f"{name}: the first row has no column names.")
    other = next((mark for mark in _OTHER_MARKS if len(header) == 1 and mark in header[0]), None)
    if other is not None:
        raise LoadError(
            f"{name}: its columns are separated by {_OTHER_MARKS[other]}, not by commas.",
            "Save it with commas, as 'CSV UTF-8 (comma delimited)'.",
        )

    def batches(wanted: Sequence[str], _: bool) -> Iterator[Batch]:
        places = [(column, header.index(column)) for column in wanted]
        records = _records(path, name, encoding)
        next(records)
        rows: list[list[str]] = []
        number = 0
        for number, record in enumerate(records, start=1):
            if len(record) != len(header):
                raise LoadError(
                    f"{name}: row {number} has {len(record)} cells where the header has {len(header)}.",
                    "The file may be truncated or have an unquoted comma; get it again.",
                )
            rows.append(record)
            if len(rows) == BATCH:
                yield _batch_of(rows, number, places)
                rows = []
        if rows:
            yield _batch_of(rows, number, places)

    return Table(tuple(header), None, batches)


def _batch_of(rows: list[list[str]], last: int, places: list[tuple[str, int]]) -> Batch:
    cells = {column: [row[place] for row in rows] for column, place in places}
    return Batch(range(last - len(rows) + 1, last + 1), cells)


def _records(path: Path, name: str, encoding: str) -> Iterator[list[str]]:
    """The records of a CSV file with any of the three line ends; blank lines are none."""
    with path.open("rb") as raw:
        start = raw.read(_START)
    if start.startswith(_WORKBOOKS):
        raise LoadError(
            f"{name}: is a workbook, whatever its name says, and not text with commas.", f"Open it. {_CURE}"
        )
    if start.startswith(_UTF_16) and not encoding.casefold().startswith("utf-16"):
        raise LoadError(f"{name}: is text in UTF-16.", "Save it as UTF-8.")
    if b"\x00" in start:
        raise LoadError(f"{name}: is binary, not text with commas.")
    count = -1
    try:
        with path.open(encoding=encoding, newline="") as file:
            for record in csv.reader(file):
                if record:
                    count += 1
                    yield record
    except UnicodeDecodeError as error:
        where = _undecodable(path, error.encoding) or f"after row {max(count, 0)}"
        raise LoadError(
            f"{name}: {where} there are bytes that are not {error.encoding.upper()}.", _CURE
        ) from None
    except csv.Error as error:
        raise LoadError(
            f"{name}: row {count + 1} cannot be read ({error}).", "The file may be truncated."
        ) from None


def _undecodable(path: Path, encoding: str) -> str:
    """The first line that is not text, the header being line 1; the reader itself is ahead of it."""
    if encoding != "utf-8":
        return ""
    with path.open("rb") as file:
        for number, line in enumerate(file, start=1):
            try:
                line.decode(encoding)
            except UnicodeDecodeError as error:
                return f"in line {number:,}, at its byte {error.start + 1:,},"
    return ""
