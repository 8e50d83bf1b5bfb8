"""``groundframe golden``: frames with their recorded answers, for regression tests."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.choosing import ChooseOption, validated
from groundframe.cli.run import DatasetOption, FrameArgument, TimeoutOption
from groundframe.cli.terminal import print_line, progress_bars, say

if TYPE_CHECKING:
    from groundframe.golden.checking import Verdict

__all__ = ["add_to"]

golden = typer.Typer(
    help="Golden frames: a frame with its recorded answer in one file, to see what an upgrade changes.",
    no_args_is_help=True,
)


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(golden, name="golden", rich_help_panel="Quality")


@golden.command()
def add(
    frame: FrameArgument,
    output: Annotated[
        str | None,
        typer.Option(
            "--output",
            "-o",
            metavar="FILE",
            help="The golden file; by default NAME.golden.yaml beside NAME.json.",
        ),
    ] = None,
    rows: Annotated[int, typer.Option(min=0, metavar="N", help="How many rows to show.")] = 5,
    dataset: DatasetOption = None,
    choose: Annotated[list[str] | None, ChooseOption] = None,
    timeout: TimeoutOption = 60,
) -> None:
    """Answer a frame and record every stage of the answer in a golden file.

    Examples
    --------
    groundframe golden add frames/boston_schools.json
    """
    from groundframe.api import connect
    from groundframe.frames.reading import LIMITS
    from groundframe.golden.file import frame_document
    from groundframe.golden.recording import recorded

    document = frame_document(sys.stdin.buffer.read(LIMITS["bytes"] + 1) if frame == "-" else Path(frame))
    path = _golden_path(frame, output)
    with connect(dataset=dataset, timeout_s=timeout) as gis:
        outcome = validated(gis, document, choose, may_ask=frame != "-")
        made = recorded(gis, gis.compile(outcome), document, head=rows)
        made.write(path)
    say(f"{path}: recorded on dataset '{made.dataset}'. Read it before you commit it.")


def _golden_path(frame: str, output: str | None) -> Path:
    """Where the golden file goes; one that is there already is left alone."""
    from groundframe.errors import UsageError
    from groundframe.golden.file import ENDING

    if output is None and frame == "-":
        raise UsageError("The golden file of standard input has no name.", f"Name it: -o NAME{ENDING}")
    own = Path(frame).with_suffix(ENDING)
    path = own if output is None else Path(output)
    path = path / own.name if path.is_dir() else path
    if not path.name.endswith(ENDING):
        raise UsageError(
            f"A golden file is named NAME{ENDING}, and '{path.name}' is not.", "Name it with -o."
        )
    if path.exists():
        raise UsageError(
            f"'{path}' is there already.", f"Rewrite it: groundframe golden check --update {path}"
        )
    return path


@golden.command()
def check(
    paths: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[PATH]...",
            help="Golden files, or folders with all that is in them; by default the current folder.",
            show_default=False,
        ),
    ] = None,
    update: Annotated[
        bool, typer.Option("--update", help="Rewrite what is different, and say what it is.")
    ] = False,
    dataset: Annotated[
        str | None,
        typer.Option("--dataset", metavar="NAME", help="Dataset; by default the one that the file names."),
    ] = None,
    timeout: TimeoutOption = 60,
) -> None:
    """Answer golden frames again, and tell stage by stage what is different.

    The exit code is 1 where anything is different, unless it was rewritten.

    Examples
    --------
    groundframe golden check

    groundframe golden check eval/golden/published --update
    """
    from groundframe.golden.checking import Connections, check_golden, golden_files

    files = golden_files(paths or [Path()])
    verdicts = []
    with Connections(dataset=dataset, timeout_s=timeout) as connections, progress_bars() as progress:
        for number, path in enumerate(files):
            if len(files) > 1:
                progress("Checking golden frames", number, len(files))
            verdicts.append(check_golden(path, connections, update=update))
    for verdict in verdicts:
        if verdict.updated or not verdict.holds:
            for line in verdict.lines():
                print_line(line)
    failed = [verdict for verdict in verdicts if not (verdict.updated or verdict.holds)]
    say(_summary(verdicts), "red" if failed else "")
    if any(verdict.error is None for verdict in failed):
        say("If this is meant, rewrite the files with --update and look at their diff.")
    if failed:
        raise typer.Exit(1)


def _summary(verdicts: Sequence[Verdict]) -> str:
    """How many of which, in one sentence."""
    updated = sum(one.updated for one in verdicts)
    held = [one for one in verdicts if one.holds and not one.updated]
    failed = sum(one.error is not None for one in verdicts)
    changed = len(verdicts) - updated - len(held) - failed
    counts = {"unchanged": len(held), "rewritten": updated, "changed": changed, "without an answer": failed}
    text = f"Golden frames: {', '.join(f'{count:,} {what}' for what, count in counts.items() if count)}."
    if updated or changed:
        other = sum(change.stage == "result" for one in verdicts for change in one.changes if not one.error)
        text += f" Another result: {other or 'none'}."
    if elsewhere := sum(bool(one.changes) for one in held):
        text += f" {elsewhere:,} of the unchanged were recorded on other data."
    return text
