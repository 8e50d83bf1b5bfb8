"""``groundframe run``, ``validate`` and ``explain``: what is done with a frame."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.choosing import ChooseOption, parse_choices, validated
from groundframe.cli.delivering import (
    Delivery,
    FormatOption,
    LimitOption,
    OutputOption,
    RecordOption,
    RowsOption,
    require_other,
)
from groundframe.cli.terminal import print_json, print_line, say

if TYPE_CHECKING:
    from groundframe.frames.model import Frame

__all__ = ["add_to"]


class Explanation(StrEnum):
    """Forms of a plan."""

    words = "words"
    dot = "dot"
    json = "json"
    sql = "sql"


FrameArgument = Annotated[
    str,
    typer.Argument(
        help="File with the frame; '-' reads standard input.", metavar="FRAME", show_default=False
    ),
]
DatasetOption = Annotated[
    str | None, typer.Option("--dataset", metavar="NAME", help="Dataset, where the database holds several.")
]
ChoiceOption = Annotated[list[str] | None, ChooseOption]
TimeoutOption = Annotated[
    float,
    typer.Option("--timeout", min=0.1, metavar="SECONDS", help="How long the database may work on it."),
]


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (run, validate, explain):
        app.command(rich_help_panel="Frames")(command)


def run(
    frame: FrameArgument,
    output: OutputOption = None,
    form: FormatOption = None,
    dataset: DatasetOption = None,
    choose: ChoiceOption = None,
    limit: LimitOption = None,
    rows: RowsOption = 50,
    record: RecordOption = None,
    timeout: TimeoutOption = 60,
) -> None:
    """Answer a frame: a table on the screen, or a file for a map or a spreadsheet.

    What was left out, and what the numbers count, is said with every answer.

    Examples
    --------
    groundframe run examples/boston_schools.json

    groundframe run examples/boston_schools.json -o schools.geojson

    groundframe run - --format csv < frame.json > schools.csv
    """
    from groundframe.api import connect

    delivery = Delivery.of(output, form, rows, record)
    require_other(frame, delivery.path, delivery.record)
    document = _document(frame)
    with connect(dataset=dataset, timeout_s=timeout) as gis:
        outcome = validated(gis, document, choose, may_ask=frame != "-")
        delivery.hand_over(gis.execute(gis.compile(outcome), row_limit=delivery.limit(limit)))


def validate(
    frame: FrameArgument,
    dataset: DatasetOption = None,
    choose: ChoiceOption = None,
    pack: Annotated[
        str | None,
        typer.Option(
            metavar="PACK", help="Check against this schema pack without a database; names are not looked up."
        ),
    ] = None,
) -> None:
    """Check a frame: print the checked frame with every repair, or every issue, as JSON."""
    from groundframe import api
    from groundframe.outcomes import outcome_as_dict, require_checked

    document = _document(frame)
    if pack is None:
        with api.connect(dataset=dataset) as gis:
            outcome = gis.validate(document, choices=parse_choices(choose))
    else:
        outcome = api.validate(document, pack=pack, choices=parse_choices(choose))
    print_json(outcome_as_dict(outcome))
    checked = require_checked(outcome)
    for repair in checked.repairs:
        say(f"Repaired {repair.path or 'the frame'}: {repair.message}")
    for note in checked.notes:
        say(note)


def explain(
    frame: FrameArgument,
    form: Annotated[Explanation, typer.Option("--format", help="How to show the plan.")] = Explanation.words,
    analyze: Annotated[
        bool,
        typer.Option("--analyze", help="Count the rows that leave every node of the plan; takes longer."),
    ] = False,
    dataset: DatasetOption = None,
    choose: ChoiceOption = None,
    timeout: TimeoutOption = 60,
) -> None:
    """Show how a frame is answered: the plan in words, as a drawing (Graphviz), as JSON, or the SQL."""
    from groundframe.api import connect

    document = _document(frame)
    with connect(dataset=dataset, timeout_s=timeout) as gis:
        query = gis.compile(validated(gis, document, choose, may_ask=frame != "-"))
        text = gis.explain(query, form.value, analyze=analyze)
        for line in text.splitlines():
            print_line(line)


def _document(frame: str) -> Frame:
    """The frame of a file or of standard input; what is no frame is refused before a database is asked."""
    from groundframe.frames.reading import LIMITS, read_frame

    return read_frame(sys.stdin.buffer.read(LIMITS["bytes"] + 1) if frame == "-" else Path(frame))
