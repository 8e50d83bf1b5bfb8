"""The formats by name.

A format writes any :class:`~groundframe.formats.result.Result`: columns, a stream of rows, and a record that
is complete once the rows have gone by. None of them holds the rows in memory.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from groundframe.errors import UsageError
from groundframe.formats import csv, geojson, json, table
from groundframe.formats.result import Result

__all__ = ["ABOUT", "FORMATS", "Format", "format_named"]

ABOUT = ".about.json"
"""What is added to the name of a file that does not carry its record, for the file that does."""


@dataclass(frozen=True, slots=True)
class Format:
    """One way to write an answer.

    Parameters
    ----------
    write : callable
        Writes a result to a binary stream.
    carries_record : bool
        Whether the record is part of what is written; otherwise it goes into a file beside it.
    text : bool
        Whether a terminal can show it.
    """

    name: str
    suffixes: tuple[str, ...]
    write: Callable[[Result, BinaryIO], None]
    carries_record: bool = True
    text: bool = True


def _write_xlsx(result: Result, out: BinaryIO) -> None:
    # The library takes longer to import than most frames to answer; so do those below.
    from groundframe.formats import xlsx

    xlsx.write(result, out)


def _write_gpkg(result: Result, out: BinaryIO) -> None:
    from groundframe.formats import gpkg

    gpkg.write(result, out)


def _write_parquet(result: Result, out: BinaryIO) -> None:
    from groundframe.formats import parquet

    parquet.write(result, out)


FORMATS: Mapping[str, Format] = {
    item.name: item
    for item in (
        Format("geojson", (".geojson",), geojson.write),
        Format("csv", (".csv",), csv.write, carries_record=False),
        Format("xlsx", (".xlsx",), _write_xlsx, text=False),
        Format("gpkg", (".gpkg",), _write_gpkg, text=False),
        Format("parquet", (".parquet", ".geoparquet"), _write_parquet, text=False),
        Format("table", (".txt",), table.write),
        Format("json", (".json",), json.write),
    )
}


def format_named(name: str | None, path: Path | None = None) -> Format:
    """The format of that name, else the one that the file's name ends with.

    Raises
    ------
    UsageError
        When there is no such format, or the file's name says none.

    Examples
    --------
    >>> format_named(None, Path("crashes.GeoJSON")).name
    'geojson'
    """
    known = ", ".join(FORMATS)
    if name is not None:
        if name not in FORMATS:
            raise UsageError(f"There is no format '{name}'.", f"Formats: {known}.")
        return FORMATS[name]
    suffix = path.suffix.casefold() if path else ""
    for item in FORMATS.values():
        if suffix in item.suffixes:
            return item
    raise UsageError(f"The name '{path}' does not say in which format to write.", f"Add --format: {known}.")
