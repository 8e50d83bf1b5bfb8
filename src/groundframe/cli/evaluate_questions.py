"""``groundframe eval questions``: what becomes of questions whose answers are known."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.ask import InterpreterOption, Who
from groundframe.cli.figures import Form, FormOption, print_table
from groundframe.cli.run import DatasetOption
from groundframe.cli.terminal import print_json, print_line

if TYPE_CHECKING:
    from groundframe.eval.questions.report import QuestionReport

__all__ = ["add_to"]


class Set(StrEnum):
    """Sets of questions."""

    published = "published"
    messy = "messy"
    good = "good"
    unsupported = "unsupported"


class Part(StrEnum):
    """Which part of a set: the one to tune on, or the one that is held out."""

    tuning = "tuning"
    held_out = "held_out"
    all = "all"


def add_to(evaluation: typer.Typer) -> None:
    """Add the command to ``groundframe eval``."""
    evaluation.command()(questions)


def questions(
    chosen: Annotated[Set, typer.Option("--set", help="Which questions.")] = Set.published,
    part: Annotated[Part, typer.Option(help="Which part of the set; published has one.")] = Part.tuning,
    interpreter: InterpreterOption = Who.auto,
    dataset: DatasetOption = None,
    form: FormOption = Form.table,
    show: Annotated[
        bool,
        typer.Option("--show/--no-show", help="List the questions that are not right; never those held out."),
    ] = True,
) -> None:
    """Put questions to an interpreter, and grade its frames by their results on the data.

    Right is an equal result, or a refusal of what cannot be answered. The exit code is 1 where an answer is
    wrong.
    """
    from groundframe.api import connect
    from groundframe.eval.questions.measuring import entries_of, measure
    from groundframe.eval.questions.report import QuestionReport
    from groundframe.eval.subject import Subject

    with connect(dataset=dataset) as gis:
        subject = Subject(gis.dataset)
        gis.interpret("", interpreter.value)  # what is read once is no part of a question's time
        graded = list(
            measure(
                subject,
                entries_of(chosen.value, part.value),
                lambda question: gis.interpret(question, interpreter.value),
            )
        )
    report = QuestionReport(graded)
    shown = show and part is Part.tuning
    if form is Form.json:
        data = report.as_dict()
        print_json(data if shown else {key: value for key, value in data.items() if key != "not_right"})
    else:
        _show(f"{chosen.value} questions, {part.value}", report, shown)
    if report.total()["wrong"]:
        raise typer.Exit(1)


def _show(title: str, report: QuestionReport, shown: bool) -> None:
    from groundframe.eval.questions.measuring import GRADES

    rows = [
        (name, str(grades.total()), *(str(grades[grade]) for grade in GRADES))
        for name, grades in (*report.groups().items(), ("total", report.total()))
    ]
    print_table(title, ("group", "questions", *GRADES), rows)
    median, slow = report.milliseconds()
    print_line(f"Read in {median:.1f} ms (median), {slow:.1f} ms (95th percentile).")
    for one in report.graded if shown else ():
        if one.grade != "right":
            print_line(f"{one.entry.id} {one.grade}: {one.entry.question} [{one.said}]")
