"""XLSX: sheet ``answer`` with the table, sheet ``about`` with the record.

The same result gives the same bytes: the times that a workbook usually carries are left out.
"""

from __future__ import annotations

import shutil
import tempfile
import zipfile
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime
from operator import attrgetter
from typing import Any, BinaryIO

from openpyxl import Workbook
from openpyxl.cell.cell import ILLEGAL_CHARACTERS_RE, Cell, WriteOnlyCell
from openpyxl.packaging.core import DocumentProperties
from openpyxl.styles import Font
from openpyxl.utils import get_column_letter
from openpyxl.xml.functions import tostring

from groundframe.errors import GroundframeError
from groundframe.formats.cells import cell, guarded, text_of
from groundframe.formats.notes import preface
from groundframe.formats.result import Record, Result, header, position

__all__ = ["write"]

_MOST_ROWS = 1_048_576
_LONGEST_TEXT = 32_767
_EPOCH = datetime(1980, 1, 1)


def write(result: Result, out: BinaryIO) -> None:
    """Write the result as a workbook.

    Raises
    ------
    GroundframeError
        When there are more rows than a sheet holds.
    """
    book = Workbook(write_only=True)
    try:
        _fill(book, result)
        with tempfile.TemporaryFile() as raw:
            book.save(raw)
            _without_times(raw, out)
    except BaseException:
        _discard(book)
        raise


def _fill(book: Workbook, result: Result) -> None:
    sheet = book.create_sheet("answer")
    sheet.freeze_panes = "A2"
    headers = [*(guarded(header(column)) for column in result.columns), "longitude", "latitude"]
    for index, text in enumerate(headers, start=1):
        sheet.column_dimensions[get_column_letter(index)].width = max(10, min(len(text) + 2, 40))
    sheet.append([_bold(sheet, text) for text in headers])
    for number, row in enumerate(result.rows(), start=2):
        if number > _MOST_ROWS:
            raise GroundframeError(
                f"The answer has more rows than the {_MOST_ROWS:,} that a spreadsheet holds.",
                "Write it as CSV or GeoJSON.",
            )
        sheet.append([_storable(cell(value)) for value in row[:-1]] + list(position(row[-1])))
    about = book.create_sheet("about")
    about.column_dimensions["A"].width = 40
    about.column_dimensions["B"].width = 100
    record = result.record()
    for line in preface(record):
        about.append([_bold(about, "warning"), _storable(guarded(line))])
    for path, value in _flat(record):
        if path != "warnings":
            about.append([_storable(guarded(path)), _storable(cell(value))])


def _discard(book: Any) -> None:
    """Close and remove the files in which openpyxl collects the sheets, whatever state they are in."""
    for sheet in book.worksheets:
        for end in ("_rows.close", "_writer.close", "_writer.cleanup"):
            # A full disk fails these again.
            with suppress(OSError, AttributeError, ValueError):
                attrgetter(end)(sheet)()


def _bold(sheet: Any, text: str) -> Cell:
    made: Cell = WriteOnlyCell(sheet, value=text)
    made.font = Font(bold=True)
    return made


def _storable(value: Any) -> Any:
    """A cell that the format can hold: no control characters, no endless texts."""
    return ILLEGAL_CHARACTERS_RE.sub("", value)[:_LONGEST_TEXT] if isinstance(value, str) else value


def _flat(record: Record, prefix: str = "") -> Iterator[tuple[str, Any]]:
    """The record as lines of a path and a value."""
    for key, value in record.items():
        path = f"{prefix}{key}"
        if isinstance(value, dict):
            yield from _flat(value, f"{path}/")
        elif isinstance(value, list | tuple) and any(isinstance(item, dict) for item in value):
            for number, item in enumerate(value, start=1):
                yield from _flat(item if isinstance(item, dict) else {"": item}, f"{path}/{number}/")
        else:
            yield path, value if isinstance(value, int | float) else text_of(value)


def _without_times(raw: Any, out: BinaryIO) -> None:
    """Copy the workbook, with one fixed time in place of now."""
    properties = DocumentProperties(creator="groundframe", created=_EPOCH, modified=_EPOCH)
    with zipfile.ZipFile(raw) as source, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as target:
        for part in source.infolist():
            entry = zipfile.ZipInfo(part.filename)
            entry.compress_type, entry.file_size = zipfile.ZIP_DEFLATED, part.file_size
            with source.open(part) as reader, target.open(entry, "w") as writer:
                if part.filename == "docProps/core.xml":
                    core: Any = tostring(properties.to_tree())  # bytes, whatever its stubs say
                    writer.write(core)
                else:
                    shutil.copyfileobj(reader, writer)
