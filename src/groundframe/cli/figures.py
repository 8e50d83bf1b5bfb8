"""How the commands that measure show their figures."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from enum import StrEnum
from typing import Annotated

import typer

__all__ = ["Form", "FormOption", "print_markdown", "print_table"]

_WIDTH = 100


class Form(StrEnum):
    """How figures are shown."""

    table = "table"
    json = "json"


FormOption = Annotated[Form, typer.Option("--format", help="How to show the figures.")]


def print_table(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """A table of text; the first column is flush left, the others are numbers."""
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title, title_justify="left", box=box.SIMPLE)
    for number, column in enumerate(columns):
        table.add_column(column, justify="right" if number else "left", no_wrap=True)
    for row in rows:
        table.add_row(*row)
    console = Console(file=sys.stdout, highlight=False)
    console.width = max(console.width, _WIDTH)
    console.print(table)


def print_markdown(title: str, columns: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """The same table in Markdown."""
    lines = [
        f"**{title}**",
        "",
        _cells(columns),
        _cells(["---" if number == 0 else "---:" for number in range(len(columns))]),
        *map(_cells, rows),
        "",
    ]
    sys.stdout.write("\n".join(lines) + "\n")


def _cells(row: Sequence[str]) -> str:
    return f"| {' | '.join(cell.replace('|', '/') for cell in row)} |"
