"""``groundframe run``, ``validate`` and ``explain``: what is done with a frame."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.choosing import ChooseOption, parse_choices, validated
from groundframe.cli.terminal import binary_output, print_json, print_line, say
from groundframe.errors import UsageError

if TYPE_CHECKING:
    from groundframe.answer import Answer
    from groundframe.frames.model import Frame

__all__ = ["add_to"]

_MOST_ON_SCREEN = 10_000


class Output(StrEnum):
    """Formats of an answer."""

    geojson = "geojson"
    csv = "csv"
    xlsx = "xlsx"
    gpkg = "gpkg"
    parquet = "parquet"
    table = "table"
    json = "json"


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


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    for command in (run, validate, explain):
        app.command(rich_help_panel="Frames")(command)


def run(
    frame: FrameArgument,
    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", help="Write to this file; '-' is standard output."),
    ] = None,
    form: Annotated[
        Output | None,
        typer.Option(
            "--format",
            metavar="FORMAT",
            help=f"{', '.join(Output)}; by default what FILE ends with, else table.",
            show_default=False,
        ),
    ] = None,
    dataset: DatasetOption = None,
    choose: ChoiceOption = None,
    limit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="N", help="Answer with at most N rows; by default 10,000, and all with -o."
        ),
    ] = None,
    rows: Annotated[
        int, typer.Option(min=1, metavar="N", help="Rows that a table on the screen shows.")
    ] = 50,
    record: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Write the audit record to this file, for 'groundframe replay'."),
    ] = None,
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
    from groundframe.formats.registry import format_named
    from groundframe.formats.table import render

    path = None if output in (None, "-") else Path(str(output))
    chosen = format_named(form.value if form else None if path else Output.table.value, path)
    if path is not None and path == record:
        raise UsageError(f"'{path}' cannot hold both the answer and its record.", "Name another file.")
    if path is None and not chosen.text and sys.stdout.isatty():
        raise UsageError(f"{chosen.name} cannot be shown on a terminal.", "Write it to a file with -o FILE.")
    if limit is None and output is None:
        limit = _MOST_ON_SCREEN
    document = _document(frame)
    with connect(dataset=dataset) as gis:
        outcome = validated(gis, document, choose, may_ask=frame != "-")
        answer = gis.execute(gis.compile(outcome), row_limit=limit)
        if path is not None:
            answer.write(path, chosen.name)
            _say_notes(answer, f"{path}: ")
        elif chosen.name == "table" and output is None:
            sys.stdout.write(render(answer, rows=rows, colour=sys.stdout.isatty()))
        else:
            answer.write_to(binary_output(), chosen.name)
            _say_notes(answer)
        if record is not None:
            answer.write_record(record)


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

    document = _document(frame)
    if pack is None:
        with api.connect(dataset=dataset) as gis:
            outcome = gis.validate(document, choices=parse_choices(choose))
    else:
        outcome = api.validate(document, pack=pack, choices=parse_choices(choose))
    print_json(api.outcome_as_dict(outcome))
    checked = api.require_checked(outcome)
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
) -> None:
    """Show how a frame is answered: the plan in words, as a drawing (Graphviz), as JSON, or the SQL."""
    from groundframe.api import connect

    document = _document(frame)
    with connect(dataset=dataset) as gis:
        query = gis.compile(validated(gis, document, choose, may_ask=frame != "-"))
        text = gis.explain(query, form.value, analyze=analyze)
        for line in text.splitlines():
            print_line(line)


def _document(frame: str) -> Frame:
    """The frame of a file or of standard input; what is no frame is refused before a database is asked."""
    from groundframe.frames.reading import LIMITS, read_frame

    return read_frame(sys.stdin.buffer.read(LIMITS["bytes"] + 1) if frame == "-" else Path(frame))


def _say_notes(answer: Answer, before: str = "") -> None:
    """Beside a file: what would stand above and below the table."""
    from groundframe.formats.notes import footer, headline, preface

    record = answer.record()
    for warning in preface(record):
        say(warning, "yellow")
    say(before + headline(record))
    for line in footer(record):
        say(line, "dim")
