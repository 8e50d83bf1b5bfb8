"""``groundframe replay``: whether a recorded answer is still the answer."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.delivering import require_other
from groundframe.cli.run import DatasetOption
from groundframe.cli.terminal import print_json, print_line

if TYPE_CHECKING:
    from groundframe.replay import Replay

__all__ = ["add_to"]


class Form(StrEnum):
    """Forms of the account."""

    words = "words"
    json = "json"


def add_to(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(rich_help_panel="Quality")(replay)


def replay(
    record: Annotated[
        str,
        typer.Argument(
            help="File with the audit record; '-' reads standard input.", metavar="RECORD", show_default=False
        ),
    ],
    output: Annotated[
        Path | None,
        typer.Option(
            "--output", "-o", metavar="FILE", help="Write the answer that the frame gives now to this file."
        ),
    ] = None,
    dataset: DatasetOption = None,
    form: Annotated[Form, typer.Option("--format", help="How to show what differs.")] = Form.words,
) -> None:
    """Run the frame of an audit record again and compare: 0 when the answer is the same, else 1.

    The record is what 'run FRAME --record FILE' has written. Its frame is run with its choices, never its
    SQL.
    """
    from groundframe.api import connect
    from groundframe.audit.reading import RECORD, read_record
    from groundframe.formats.registry import format_named

    if output is not None:
        format_named(None, output)
        require_other(record, output)

    # What is no record is refused before a database is asked.
    recorded = read_record(sys.stdin.buffer.read(RECORD.bytes + 1) if record == "-" else Path(record))
    with connect(dataset=dataset) as gis:
        found = gis.replay(recorded)
        if output is not None and found.answer is not None:
            found.answer.write(output)
    if form is Form.json:
        print_json(found.as_dict())
    else:
        _show(found)
    if not found.same:
        raise typer.Exit(1)


def _show(found: Replay) -> None:
    print_line(found.verdict())
    for stage, lines in found.differences.items():
        print_line(f"{stage}:")
        for line in lines:
            print_line(f"  {line}")
