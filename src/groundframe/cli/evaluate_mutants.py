"""``groundframe eval mutants``: faults planted in the compiler, each of which the oracle must find."""

from __future__ import annotations

from typing import Annotated

import typer

from groundframe.cli.evaluate_oracle import GROUND, ground_dataset
from groundframe.cli.figures import Form, FormOption, print_table
from groundframe.cli.run import DatasetOption
from groundframe.cli.terminal import print_json, print_line, progress_bars

__all__ = ["add_to"]


def add_to(evaluation: typer.Typer) -> None:
    """Add the command to ``groundframe eval``."""
    evaluation.command()(mutants)


def mutants(
    only: Annotated[
        str | None,
        typer.Option(metavar="WORDS", help="Only faults with this in their title.", show_default=False),
    ] = None,
    frames: Annotated[int, typer.Option(min=1, metavar="N", help="How many frames to try each on.")] = 1000,
    seed: Annotated[int, typer.Option(metavar="S", help="What the frames are drawn from.")] = 1,
    jobs: Annotated[int, typer.Option(min=1, metavar="N", help="How many faults to try at a time.")] = 1,
    dataset: DatasetOption = None,
    form: FormOption = Form.table,
) -> None:
    """Plant known faults in copies of the package, one at a time, and let drawn frames find them.

    For those who work on groundframe: a fault that survives shows what the drawn frames do not reach. The
    exit code is 1 where one survives, or a copy does not run.
    """
    from groundframe.api import connect
    from groundframe.errors import UsageError
    from groundframe.eval.mutants.faults import all_faults
    from groundframe.eval.mutants.running import judged_cases, run_faults

    faults = [fault for fault in all_faults() if only is None or only.casefold() in fault.title.casefold()]
    if not faults:
        raise UsageError(f"No fault has '{only}' in its title.")
    results = []
    with ground_dataset(dataset) as name, connect(dataset=name) as gis, progress_bars() as progress:
        cases = []
        for case in judged_cases(gis.dataset, seed, frames, jobs=jobs):
            cases.append(case)
            progress("frames answered", len(cases), frames)
        for result in run_faults(faults, cases, gis.dataset, jobs=jobs):
            results.append(result)
            progress("faults tried", len(results), len(faults))
    caught = sum(result.fate == "caught" for result in results)
    if form is Form.json:
        print_json(
            {
                "dataset": dataset or GROUND,
                "seed": seed,
                "frames": frames,
                "caught": caught,
                "faults": [result.as_dict() for result in results],
            }
        )
    else:
        rows = [
            (result.fault.title, result.fate, "" if result.frame is None else f"{result.frame}")
            for result in results
        ]
        print_table(f"Faults on {dataset or GROUND}", ("fault", "fate", "found by frame"), rows)
        for result in results:
            if result.fate == "broken":
                print_line(f"Does not run: {result.fault.title}: {result.said}")
        print_line(f"{caught} of {len(results)} faults caught.")
    if caught < len(results):
        raise typer.Exit(1)
