"""CSV (RFC 4180, UTF-8): a clean table that any program reads.

Units stand in the header, ``longitude`` and ``latitude`` come last. Notes would break the table, so the
record goes into a file of its own beside it (``answer.csv.about.json``).
"""

from __future__ import annotations

import csv
import io
from typing import BinaryIO

from groundframe.formats.cells import cell, guarded, text_of
from groundframe.formats.result import Result, header, position

__all__ = ["write"]


def write(result: Result, out: BinaryIO) -> None:
    """Write the result as CSV."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\r\n")

    def flush() -> None:
        out.write(buffer.getvalue().encode("utf-8", "replace"))
        buffer.seek(0)
        buffer.truncate()

    writer.writerow([*(guarded(header(column)) for column in result.columns), "longitude", "latitude"])
    for row in result.rows():
        values = (cell(value) for value in row[:-1])
        writer.writerow([text_of(value) for value in (*values, *position(row[-1]))])
        flush()
    flush()
