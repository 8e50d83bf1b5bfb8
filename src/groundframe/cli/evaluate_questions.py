"""``groundframe eval questions``: what becomes of questions whose answers are known."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundframe.cli.ask import InterpreterOption, Who
from groundframe.cli.figures import print_markdown, print_table
from groundframe.cli.run import DatasetOption
from groundframe.cli.terminal import print_json, print_line, progress_bars, say
from groundframe.errors import UsageError

if TYPE_CHECKING:
    from groundframe.api import Connection
    from groundframe.asking import Choice
    from groundframe.eval.questions.measuring import Graded
    from groundframe.eval.questions.report import QuestionReport
    from groundframe.eval.questions.sets import Entry

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


class Figures(StrEnum):
    """How figures are shown."""

    table = "table"
    markdown = "markdown"
    json = "json"


def add_to(evaluation: typer.Typer) -> None:
    """Add the command to ``groundframe eval``."""
    evaluation.command()(questions)


def questions(
    chosen: Annotated[Set, typer.Option("--set", help="Which questions.")] = Set.published,
    part: Annotated[Part, typer.Option(help="Which part of the set; published has one.")] = Part.tuning,
    interpreter: InterpreterOption = Who.auto,
    seeds: Annotated[
        list[int] | None,
        typer.Option(
            "--seed",
            metavar="S",
            help="A small demo state of this seed, loaded for the time of the run; can be repeated.",
        ),
    ] = None,
    dataset: DatasetOption = None,
    against: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="The JSON figures of another run: what differs, and by what chance."
        ),
    ] = None,
    time: Annotated[
        bool, typer.Option("--time", help="Only measure how long it takes to read the questions.")
    ] = False,
    form: Annotated[Figures, typer.Option("--format", help="How to show the figures.")] = Figures.table,
    show: Annotated[
        bool,
        typer.Option("--show/--no-show", help="List the questions that are not right; never those held out."),
    ] = True,
) -> None:
    """Put questions to an interpreter, and grade its frames by their results on the data.

    Right is an equal result, or a refusal of what cannot be answered. The exit code is 1 where an answer is
    wrong. The sets name places of the demo state of seed 1.

    Examples
    --------
    groundframe eval questions --set published --seed 1 --seed 2 --seed 3 --interpreter lexical

    groundframe eval questions --set messy --seed 1 --format json > run.json
    """
    from groundframe.eval.questions.measuring import entries_of
    from groundframe.eval.questions.report import QuestionReport

    other = _figures(against)
    entries = entries_of(chosen.value, part.value)
    graded: dict[str, list[Graded]] = {}
    about: dict[str, Any] = {"set": chosen.value, "part": part.value, "interpreter": interpreter.value}
    for name, gis in _connections(seeds or [], dataset):
        if time:
            _print_times(gis, entries, _choice(interpreter))
            return
        about.setdefault("data_versions", {})[name] = gis.dataset.data_version
        graded[name] = _graded(gis, entries, _choice(interpreter))
    report = QuestionReport(about, graded)
    listed = show and part is Part.tuning
    if form is Figures.json:
        data = report.as_dict(listed=listed)
        print_json({**data, **({"against": report.against(other)} if other else {})})
    else:
        _show(f"{chosen.value} questions, {part.value}", report, other, form, listed=listed)
    if report.total()["wrong"]:
        raise typer.Exit(1)


def _choice(who: Who) -> Choice:
    return who.value


def _figures(path: Path | None) -> dict[str, Any] | None:
    """The figures of another run."""
    import json

    if path is None:
        return None
    try:
        data = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(data, dict) and isinstance(data.get("right_by_id"), dict):
            return data
    except (OSError, ValueError):
        pass
    raise UsageError(
        f"'{path}' holds no figures of a run.", "Write them with 'groundframe eval questions --format json'."
    )


def _connections(seeds: list[int], dataset: str | None) -> Iterator[tuple[str, Connection]]:
    """The data that the questions are put to, by name: made-up states of the seeds, else the dataset."""
    from groundframe.api import connect

    if not seeds:
        with connect(dataset=dataset) as gis:
            yield gis.dataset.name, gis
        return
    if dataset is not None:
        raise UsageError("--dataset and --seed exclude each other.", "Give one of them.")
    from groundframe.cli.load import owner_url
    from groundframe.cli.schema import chosen_pack
    from groundframe.eval.random_frames.ground import loaded_for_now
    from groundframe.postgis.connect import Database
    from groundframe.postgis.load.synthetic import generate
    from groundframe.schema.packs import load_pack

    pack = load_pack(chosen_pack(None))
    for seed in seeds:
        say(f"Loading the small demo state of seed {seed} for the time of the run.")
        with ExitStack() as stack:
            database = stack.enter_context(Database(owner_url()))
            rows = generate(pack, seed=seed, size="small")
            name = stack.enter_context(loaded_for_now(database, pack, rows, "questions_"))
            yield f"seed {seed}", stack.enter_context(connect(dataset=name))


def _graded(gis: Connection, entries: tuple[Entry, ...], interpreter: Choice) -> list[Graded]:
    from groundframe.eval.questions.measuring import measure
    from groundframe.eval.subject import Subject
    from groundframe.frames.grounding import Grounding

    subject = Subject(gis.dataset)
    gis.interpret("", interpreter)  # what is read once is no part of a question's time
    check = Grounding(gis.pack, subject.names).check
    found = []
    with progress_bars() as progress:
        for one in measure(subject, entries, lambda text: gis.interpret(text, interpreter), check):
            found.append(one)
            progress("questions", len(found), len(entries))
    return found


def _print_times(gis: Connection, entries: tuple[Entry, ...], interpreter: Choice) -> None:
    from time import perf_counter

    from groundframe.eval.questions.statistics import percentiles

    gis.interpret("crashes", interpreter)  # what is made once is no part of a question's time
    taken = []
    for entry in entries:
        # Once: the words of a question that was read just now are known.
        start = perf_counter()
        gis.interpret(entry.question, interpreter)
        taken.append(1000 * (perf_counter() - start))
    middle, slow = percentiles(taken)
    print_line(
        f"{len(taken)} questions, each read and held against its frame: "
        f"{middle:.1f} ms (median), {slow:.1f} ms (95th percentile), {max(taken):.1f} ms (slowest)."
    )


def _show(
    title: str, report: QuestionReport, other: dict[str, Any] | None, form: Figures, *, listed: bool
) -> None:
    from groundframe.eval.questions.measuring import GRADES

    tell = print_markdown if form is Figures.markdown else print_table
    rows = [
        (name, str(grades.total()), *(str(grades[grade]) for grade in GRADES))
        for name, grades in (*report.groups().items(), ("total", report.total()))
    ]
    tell(title, ("group", "questions", *GRADES), rows)
    shares = [
        (name, f"{hits} of {of}", f"{100 * hits / of:.1f}", f"{100 * low:.1f} to {100 * high:.1f}")
        for name, (hits, of, low, high) in report.shares().items()
    ]
    tell("Shares", ("", "questions", "%", "95 % interval"), shares)
    stages = [*report.stages().items(), *report.changes().items()]
    tell(
        "Stages: frames of questions with an answer",
        ("", "questions"),
        [(name.replace("_", " "), str(number)) for name, number in stages],
    )
    times = [(step, f"{middle:.1f}", f"{slow:.1f}") for step, (middle, slow) in report.milliseconds().items()]
    tell("Milliseconds; to read is to ground as well", ("stage", "median", "95 %"), times)
    if other is not None:
        test = report.against(other)
        print_line(
            f"Right only here {test['right_only_here']}, right only there {test['right_only_there']}; "
            f"exact McNemar test: p = {test['p']:.3g}."
        )
    for name, graded in report.graded.items() if listed else ():
        for one in graded:
            if one.grade != "right":
                print_line(f"{name} {one.entry.id} {one.grade}: {one.entry.question} [{one.said}]")
