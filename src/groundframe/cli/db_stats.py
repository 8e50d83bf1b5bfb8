"""The tables of a dataset for people: sizes, links, stored neighbours."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

from groundframe.cli.terminal import print_line
from groundframe.formats.cells import visible
from groundframe.formats.notes import number

if TYPE_CHECKING:
    from groundframe.postgis.datasets import Dataset
    from groundframe.postgis.stats import DatasetStats

__all__ = ["print_stats"]

_MEBIBYTE = 2**20


def print_stats(dataset: Dataset, stats: DatasetStats) -> None:
    """Print a table of the tables, then the links, then what is out of date."""
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 120)
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for heading in ("kind", "what", "table"):
        table.add_column(heading, overflow="fold")
    for heading in ("rows", "MB", "indexes MB"):
        table.add_column(heading, justify="right")
    for one in stats.tables:
        cells = (one.kind, one.what, one.table, number(one.rows), _megabytes(one.bytes))
        table.add_row(*(Text(visible(cell)) for cell in (*cells, _megabytes(one.index_bytes))))
    console.print(table)
    for entity, link, linked, rows in stats.links:
        if rows:
            print_line(f"{entity}.{link}: {number(linked)} of {number(rows)} rows are linked.")
    for entity, title, day in stats.newest:
        print_line(f"{entity}: the newest of '{title}' is of {day}.")
    whole = sum(one.bytes + one.index_bytes for one in stats.tables)
    print_line(f"{_megabytes(whole)} MB in all; data version {dataset.data_version[:12]}.")
    if stats.outdated:
        print_line(stats.outdated)
    for pairs in stats.missing:
        print_line(f"The pack declares pairs of {pairs}, which the next load will make.")
    for pairs in stats.former:
        print_line(f"Pairs of {pairs} are used, though the pack no longer declares them so.")


def _megabytes(size: int) -> str:
    return f"{size / _MEBIBYTE:,.1f}"
