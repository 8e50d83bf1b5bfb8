"""A table for people: warnings first, then the rows, then what the numbers count."""

from __future__ import annotations

import io
import shutil
from collections.abc import Sequence
from itertools import islice
from typing import Any, BinaryIO

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from groundframe.formats.cells import group_of, text_of, visible
from groundframe.formats.notes import footer, headline, number, preface
from groundframe.formats.result import Column, Record, Result, Row, heading

__all__ = ["SHOWN", "render", "write"]

SHOWN = 50
"""Rows that a table shows unless more are asked for."""

_ORDER = ("rank", "label", "group", "measure", "distance", "split", "field", "link", "key", "basis")
_WIDEST = 40
# To what names may be folded, at their spaces, when other columns want the room.
_LABEL = 28
# What the box takes beside the columns, and between two of them.
_EDGES, _GAP = 2, 3
_FILE_WIDTH = 400


def write(result: Result, out: BinaryIO) -> None:
    """Write the table with all its rows."""
    out.write(render(result, rows=None, width=_FILE_WIDTH).encode("utf-8", "replace"))


def render(
    result: Result, *, rows: int | None = SHOWN, width: int | None = None, colour: bool = False
) -> str:
    """The table as text.

    Parameters
    ----------
    rows : int or None
        How many rows to show; None shows all of them.
    width : int, optional
        Columns of the terminal; by default that of the terminal there is. Columns that find no room are
        named below.
    colour : bool
        Whether to use the escape sequences of a terminal.
    """
    width = width or shutil.get_terminal_size().columns
    stream = result.rows()
    shown = [_worded(row, result.columns) for row in islice(stream, rows)]
    beyond = sum(1 for _ in stream)
    record = result.record()
    titles = _titles(result.columns, record)
    columns, left_out, spare = _fitting(_for_people(result.columns), result.columns, titles, shown, width)

    out = io.StringIO()
    console = Console(
        file=out, width=width, force_terminal=colour, color_system="auto" if colour else None, highlight=False
    )
    for warning in preface(record):
        console.print(Text(visible(warning), style="bold yellow"))
    console.print(Text(visible(headline(record)), style="bold"))
    if columns:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
        for index in columns:
            column = result.columns[index]
            numeric = all(isinstance(row[index], int | float | None) for row in shown)
            title = Text(visible(titles[index]))
            widest = min(_WIDEST, _LABEL + spare) if column.kind == "label" else _WIDEST
            table.add_column(title, justify="right" if numeric else "left", overflow="fold", max_width=widest)
        nothing = _nothing(result.columns)
        for row in shown:
            table.add_row(*(Text(visible(_shown(row[index]) or nothing[index])) for index in columns))
        console.print(table)
    if beyond:
        console.print(Text(f"… and {number(beyond)} more rows; write them to a file with -o FILE."))
    if left_out:
        names = ", ".join(result.columns[index].name for index in left_out)
        console.print(Text(visible(f"More columns in the file formats: {names}.")), style="dim")
    for line in footer(record):
        console.print(Text(visible(line)), style="dim")
    return "\n".join(line.rstrip() for line in out.getvalue().splitlines()) + "\n"


def _nothing(columns: Sequence[Column]) -> list[str]:
    """What to show in each column for no value: a group has a name even then."""
    linked = {column.name.removesuffix("_key") for column in columns if column.kind == "key"}
    return [
        "" if column.kind != "group" else f"(no {column.label})" if column.name in linked else "(unknown)"
        for column in columns
    ]


def _titles(columns: Sequence[Column], record: Record) -> list[str]:
    """What stands above the columns; two that are called the same are told apart by what they count."""
    plain = [heading(column) for column in columns]
    called = {item.get("name"): item["label"] for item in record["counted"]}
    return [
        called.get(column.name, title) if column.kind == "measure" and plain.count(title) > 1 else title
        for column, title in zip(columns, plain, strict=True)
    ]


def _worded(row: Row, columns: Sequence[Column]) -> Row:
    """A row with its groups in words."""
    return tuple(
        group_of(column.label, value) if column.kind == "group" and value is not None else value
        for column, value in zip(columns, row, strict=False)
    )


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.2f}".rstrip("0").rstrip(".")
    return text_of(value)


def _for_people(columns: Sequence[Column]) -> list[int]:
    """Indexes of the columns, what was asked for first."""
    named = any(column.kind in ("label", "group") for column in columns)
    first = {kind: place for place, kind in enumerate(_ORDER)} | ({} if named else {"key": 1})
    return sorted(range(len(columns)), key=lambda index: first[columns[index].kind])


def _fitting(
    order: Sequence[int], columns: Sequence[Column], titles: Sequence[str], rows: list[Row], width: int
) -> tuple[list[int], list[int], int]:
    """Indexes of the columns with values that fit side by side and that do not, and the room left over."""
    chosen: list[int] = []
    left_out: list[int] = []
    used = _EDGES - _GAP
    for index in order:
        texts = [_shown(row[index]) for row in rows]
        if rows and not any(texts):
            continue
        if columns[index].kind == "split" and titles.count(titles[index]) > 1:
            left_out.append(index)  # of what it is a part could not be told
            continue
        widest = _LABEL if columns[index].kind == "label" else _WIDEST
        need = min(widest, max([len(titles[index]), *map(len, texts)])) + _GAP
        if chosen and used + need > width:
            left_out.append(index)
            continue
        chosen.append(index)
        used += need
    return chosen, left_out, max(0, width - used)
