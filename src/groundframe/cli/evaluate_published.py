"""``groundframe eval published``: the published questions beside the published figures."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.figures import Form, FormOption, print_table
from groundframe.cli.run import DatasetOption
from groundframe.cli.terminal import print_json, print_line, progress_bars

if TYPE_CHECKING:
    from groundframe.eval.published_report import GroupFigures, PublishedReport

__all__ = ["add_to"]

_COLUMNS = (
    "group", "questions", "executed", "as oracle", "rows", "median s", "worst s", "published s",
)  # fmt: skip


def add_to(evaluation: typer.Typer) -> None:
    """Add the command to ``groundframe eval``."""
    evaluation.command()(published)


def published(
    oracle: Annotated[
        bool,
        typer.Option("--oracle/--no-oracle", help="Compare with the independent oracle; takes longer."),
    ] = True,
    dataset: DatasetOption = None,
    form: FormOption = Form.table,
) -> None:
    """Answer the published questions, and show figures beside the published ones, group by group.

    Seconds are for validating, compiling and running a frame. The exit code is 1 where an answer is not the
    oracle's or there is none; a question about what the dataset has no data of is listed, and is no failure.
    """
    from groundframe.api import connect
    from groundframe.eval.published import published_frames, run_published
    from groundframe.eval.published_report import PublishedReport
    from groundframe.eval.subject import Subject

    frames = published_frames()
    results = []
    with connect(dataset=dataset) as gis, progress_bars() as progress:
        subject = Subject(gis.dataset)
        for result in run_published(subject, oracle=oracle):
            results.append(result)
            progress("published questions", len(results), len(frames))
    about = {"dataset": subject.dataset.name, "data_version": subject.dataset.data_version}
    about["pack"] = f"{subject.dataset.pack.name} {subject.dataset.pack.version}"
    report = PublishedReport(results)
    if form is Form.json:
        print_json({**about, **report.as_dict()})
    else:
        _show(subject.dataset.name, report)
    if report.wrong():
        raise typer.Exit(1)


def _show(dataset: str, report: PublishedReport) -> None:
    from groundframe.eval.published_report import PUBLISHED

    rows = [
        (f"{group.id} {group.name}", *_figures(figures), group.seconds or "-")
        for group, figures in report.groups()
    ]
    total = report.total
    print_table(f"Published questions on dataset {dataset}", _COLUMNS, [*rows, ("all", *_figures(total), "")])
    asked, there = len(report.results), PUBLISHED["questions"]
    print_line(f"Executed: {total.executed} of {asked}; published: {PUBLISHED['executed']} of {there}.")
    print_line(
        f"Frames repaired: {total.repaired} of {asked}; published: {PUBLISHED['repaired']} of {there}."
    )
    print_line(f"The text of {PUBLISHED['with_text']} of the {there} questions is published.")
    print_line("Published times are of other data and machines, without interpreting the question.")
    for result in report.results:
        if result.why_not():
            kind = "no data" if result.lacks_data else "wrong"
            print_line(f"{kind}: {result.id} '{result.question}': {result.why_not()}")


def _figures(figures: GroupFigures) -> tuple[str, ...]:
    found = figures.as_dict()
    agreeing = found["agree_with_oracle"]
    return (
        str(found["questions"]),
        str(found["executed"]),
        "-" if agreeing is None else str(agreeing),
        f"{found['rows']:,}",
        *("-" if found[name] is None else f"{found[name]:.3f}" for name in ("median_s", "worst_s")),
    )
