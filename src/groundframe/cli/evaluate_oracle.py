"""``groundframe eval oracle``: frames drawn at random, answered by the engine and by the oracle."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundframe.cli.figures import Form, FormOption, print_table
from groundframe.cli.run import DatasetOption
from groundframe.cli.terminal import print_json, print_line, progress_bars, say

if TYPE_CHECKING:
    from groundframe.eval.random_frames.report import TrialReport
    from groundframe.eval.random_frames.trial import Trial

__all__ = ["add_to", "ground_dataset"]

STEP = "frames compared"
GROUND = "the oracle's ground"


def add_to(evaluation: typer.Typer) -> None:
    """Add the command to ``groundframe eval``."""
    evaluation.command()(oracle)


def oracle(
    frames: Annotated[int, typer.Option(min=1, metavar="N", help="How many frames to draw.")] = 200,
    seed: Annotated[int, typer.Option(metavar="S", help="What they are drawn from.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="How many processes share the work.")] = 1,
    fail_fast: Annotated[
        bool, typer.Option("--fail-fast", help="Stop at the first frame that differs.")
    ] = False,
    simplify: Annotated[
        bool,
        typer.Option("--simplify/--no-simplify", help="Look for the simplest frame that differs as well."),
    ] = True,
    dataset: DatasetOption = None,
    form: FormOption = Form.table,
) -> None:
    """Answer frames drawn at random twice, on PostGIS and by the independent oracle, and compare.

    Every row and every count must agree; the exit code is 1 where one does not, and the frame is printed.
    Without --dataset a small made-up state in which every rule is decided somewhere is loaded for the time of
    the run. The same seed on the same data draws the same frames, whatever the number of processes.
    """
    from groundframe.api import connect
    from groundframe.eval.random_frames.links import link_differences
    from groundframe.eval.random_frames.report import TrialReport
    from groundframe.eval.random_frames.trials import run_trials
    from groundframe.eval.subject import Subject

    report = TrialReport()
    with ground_dataset(dataset) as name, connect(dataset=name) as gis, progress_bars() as progress:
        report.links.extend(link_differences(Subject(gis.dataset)))
        for trial in run_trials(gis.dataset, seed, frames, jobs=jobs, simplify=simplify):
            report.add(trial)
            progress(STEP, report.frames, frames)
            if fail_fast and trial.differences:
                break
        about = {"dataset": dataset or GROUND, "data_version": gis.dataset.data_version, "seed": seed}
    if form is Form.json:
        print_json({**about, **report.as_dict()})
    else:
        _show(about, report)
    if report.differing or report.links:
        raise typer.Exit(1)


@contextmanager
def ground_dataset(dataset: str | None) -> Iterator[str]:
    """The dataset of that name or, without one, the oracle's ground, loaded for as long as it is needed."""
    from groundframe.cli.load import owner_url
    from groundframe.cli.schema import chosen_pack
    from groundframe.eval.random_frames.ground import loaded_ground
    from groundframe.postgis.connect import Database
    from groundframe.schema.packs import load_pack

    if dataset is not None:
        yield dataset
        return
    say(f"Loading {GROUND} for the time of the run.")
    with Database(owner_url()) as database, loaded_ground(database, load_pack(chosen_pack(None))) as name:
        yield name


def _show(about: dict[str, Any], report: TrialReport) -> None:
    from groundframe.eval.random_frames.aspects import ASPECTS

    rows = [
        (f"{group}: {name}", f"{report.drawn[group, name]:,}", f"{report.shown[group, name]:,}")
        for group, names in ASPECTS.items()
        for name in names
    ]
    title = f"What {report.frames:,} frames of seed {about['seed']} on {about['dataset']} put to the test"
    print_table(title, ("aspect", "drawn", "with rows"), rows)
    for line in report.links:
        print_line(f"Linked otherwise: {line}.")
    for trial in report.differing:
        _show_difference(trial)
    answered = f"{report.frames:,} frames, {report.answered:,} with rows in their answer"
    print_line(f"{answered}: {len(report.differing):,} differ from the oracle.")


def _show_difference(trial: Trial) -> None:
    print_line(f"Frame {trial.number} differs:")
    for difference in trial.differences:
        print_line(f"  {difference}")
    print_line(f"  frame: {json.dumps(trial.frame)}")
    if trial.simplest is not None:
        print_line(f"  simplest that differs: {json.dumps(trial.simplest)}")
