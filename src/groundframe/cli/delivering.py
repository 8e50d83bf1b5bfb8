"""Where an answer goes: the screen, standard output, or files; the options of all commands that answer."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.terminal import binary_output, say
from groundframe.errors import UsageError

if TYPE_CHECKING:
    from groundframe.answer import Answer
    from groundframe.formats.registry import Format

__all__ = [
    "Delivery",
    "FormatOption",
    "LimitOption",
    "Output",
    "OutputOption",
    "RecordOption",
    "RowsOption",
    "require_other",
]


class Output(StrEnum):
    """Formats of an answer."""

    geojson = "geojson"
    csv = "csv"
    xlsx = "xlsx"
    gpkg = "gpkg"
    parquet = "parquet"
    table = "table"
    json = "json"


OutputOption = Annotated[
    str | None,
    typer.Option("--output", "-o", metavar="FILE", help="Write to this file; '-' is standard output."),
]
FormatOption = Annotated[
    Output | None,
    typer.Option(
        "--format",
        metavar="FORMAT",
        help=f"{', '.join(Output)}; by default what FILE ends with, else table.",
        show_default=False,
    ),
]
LimitOption = Annotated[
    int | None,
    typer.Option(min=1, metavar="N", help="Answer with at most N rows; by default 10,000, and all with -o."),
]
RowsOption = Annotated[int, typer.Option(min=1, metavar="N", help="Rows that a table on the screen shows.")]
RecordOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="Write the audit record to this file, for 'groundframe replay'."),
]
MOST_ON_SCREEN = 10_000


def require_other(given: str, *written: Path | None) -> None:
    """Refuse to write over what is read.

    Raises
    ------
    UsageError
        When a file that is to be written is the one that was given.
    """
    for path in filter(None, written):
        if given != "-" and path.exists() and path.resolve() == Path(given).resolve():
            raise UsageError(f"'{path}' is what is read, and would be written over.", "Name another file.")


@dataclass(frozen=True)
class Delivery:
    """Where an answer goes, settled before anything is asked of a database."""

    path: Path | None
    format: Format
    on_screen: bool
    rows: int
    record: Path | None

    @classmethod
    def of(cls, output: str | None, form: Output | None, rows: int, record: Path | None) -> Delivery:
        """What the options say, or the error that says why that cannot be."""
        from groundframe.formats.files import require_folder
        from groundframe.formats.registry import format_named

        path = None if output in (None, "-") else Path(str(output))
        chosen = format_named(form.value if form else None if path else Output.table.value, path)
        if record is not None and str(record) == "-":
            raise UsageError("The record is written to a file, not to standard output.", "Name a file.")
        if path is not None and path == record:
            raise UsageError(f"'{path}' cannot hold both the answer and its record.", "Name another file.")
        for file in filter(None, (path, record)):
            require_folder(file)
        if path is None and not chosen.text and sys.stdout.isatty():
            raise UsageError(
                f"{chosen.name} cannot be shown on a terminal.", "Write it to a file with -o FILE."
            )
        return cls(path, chosen, output is None, rows, record)

    def limit(self, wanted: int | None) -> int | None:
        """The most rows to read."""
        return MOST_ON_SCREEN if wanted is None and self.on_screen else wanted

    def hand_over(self, answer: Answer) -> None:
        """Write or show the answer, with what is to be said about it.

        Where the record cannot be written nothing is; a reader that leaves early does not keep it from being.
        """
        from groundframe.formats.files import written_whole

        if self.record is None:
            self._show(answer)
            return
        left: BrokenPipeError | None = None
        with written_whole(self.record) as out:
            try:
                self._show(answer)
            except BrokenPipeError as error:
                left = error
            answer.write_record_to(out)
        if left is not None:
            raise left

    def _show(self, answer: Answer) -> None:
        from groundframe.formats.table import render

        if self.path is not None:
            answer.write(self.path, self.format.name)
            _say_notes(answer, f"{self.path}: ")
        elif self.format.name == "table" and self.on_screen:
            sys.stdout.write(render(answer, rows=self.rows, colour=sys.stdout.isatty()))
        else:
            answer.write_to(binary_output(), self.format.name)
            _say_notes(answer)


def _say_notes(answer: Answer, before: str = "") -> None:
    """Beside a file: what would stand above and below the table."""
    from groundframe.formats.notes import footer, headline, preface

    record = answer.record()
    for warning in preface(record):
        say(warning, "yellow")
    say(before + headline(record))
    for line in footer(record):
        say(line, "dim")
