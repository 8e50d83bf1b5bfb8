"""``groundframe batch``: many frames, one file each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)

from groundframe.cli.run import DatasetOption, TimeoutOption
from groundframe.cli.terminal import print_line, say
from groundframe.errors import Issue

if TYPE_CHECKING:
    from groundframe.batch.pool import BatchProgress

__all__ = ["add_to"]

_NAMED = 20
"""So many frames that were not answered are told of one by one."""


class BatchFormat(StrEnum):
    """Formats of the answers."""

    geojson = "geojson"
    csv = "csv"
    xlsx = "xlsx"
    gpkg = "gpkg"
    parquet = "parquet"
    json = "json"


def add_to(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(rich_help_panel="Frames")(batch)


def batch(
    frames: Annotated[
        str,
        typer.Argument(
            metavar="FRAMES",
            help="File with a frame per line (JSON Lines), or folder of *.json; '-' reads standard input.",
            show_default=False,
        ),
    ],
    output: Annotated[
        Path,
        typer.Option(
            "--output", "-o", metavar="OUT", help="Folder of the batch; a new one, or that of an earlier run."
        ),
    ],
    form: Annotated[
        BatchFormat,
        typer.Option("--format", metavar="FORMAT", help=f"{', '.join(BatchFormat)}."),
    ] = BatchFormat.geojson,
    workers: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=64,
            metavar="N",
            help="Frames answered at a time; by default as many as there are processors, up to 4.",
            show_default=False,
        ),
    ] = None,
    dataset: DatasetOption = None,
    timeout: TimeoutOption = 60,
    limit: Annotated[
        int | None, typer.Option(min=1, metavar="N", help="Rows of an answer, at most; by default all.")
    ] = None,
    choices: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="The choices.jsonl of an earlier run, with the answers filled in."),
    ] = None,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="End at the first frame that is not answered.")
    ] = False,
    restart: Annotated[
        bool, typer.Option("--restart", help="Remove what an earlier batch has left in OUT, and begin anew.")
    ] = False,
) -> None:
    """Answer many frames, each into a file of its own, with a manifest of what became of them.

    The same command again goes on where it was stopped: what is finished is not done again. A frame that is
    wrong costs no other. Exit codes: 0 all answered, 3 all but those that wait for a choice, 1 otherwise.

    Examples
    --------
    groundframe batch frames.jsonl -o answers

    groundframe batch frames.jsonl -o answers --choices answers/choices.jsonl
    """
    from groundframe.api import connect

    source = sys.stdin.buffer if frames == "-" else frames
    with connect(dataset=dataset, timeout_s=timeout) as gis, _watching() as watch:
        report = gis.batch(
            source,
            output,
            format=form.value,
            workers=workers,
            row_limit=limit,
            choices=choices,
            fail_fast=fail_fast,
            restart=restart,
            progress=watch,
        )
    print_line(str(report))
    raise typer.Exit(report.exit_code)


class _Teller:
    """Says what is worth saying beside the bar, or instead of it."""

    def __init__(self) -> None:
        self._named = 0
        self._tenth = 0

    def tell(self, progress: BatchProgress, *, steps: bool) -> None:
        """Say it; `steps` asks for a line at every tenth of the way."""
        if progress.text:
            say(progress.text)
        entry = progress.entry
        if entry is not None and entry["state"] != "done":
            self._named += 1
            if self._named <= _NAMED:
                say(_problem(entry), "red" if entry["state"] == "failed" else "yellow")
            elif self._named == _NAMED + 1:
                say("More are not answered; the manifest lists them.", "yellow")
        tenth = 10 * progress.done // max(1, progress.total)
        if steps and entry is not None and tenth > self._tenth:
            say(f"{progress.done:,} of {progress.total:,} frames")
        self._tenth = max(tenth, self._tenth)


def _problem(entry: Mapping[str, Any]) -> str:
    """Why a frame is not answered, in one line."""
    first, more = Issue(**entry["issues"][0]), len(entry["issues"]) - 1
    name = f" ({entry['name']})" if entry.get("name") else ""
    state = str(entry["state"]).replace("_", " ")
    return f"Line {entry['line']}{name}, {state}: {first.sentence()}{f' ({more} more)' if more else ''}"


@contextmanager
def _watching() -> Iterator[Callable[[BatchProgress], None]]:
    """A bar on a terminal, plain lines elsewhere."""
    teller, console = _Teller(), Console(stderr=True)
    if not console.is_terminal:
        yield lambda progress: teller.tell(progress, steps=True)
        return
    columns = (
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("frames"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task("frames", total=None)

        def watch(progress: BatchProgress) -> None:
            teller.tell(progress, steps=False)
            bar.update(task, completed=progress.done, total=progress.total)

        yield watch
