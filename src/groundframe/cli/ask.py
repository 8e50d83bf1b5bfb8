"""``groundframe ask``: a question in plain words."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.choosing import chosen, parse_choices, validated
from groundframe.cli.delivering import (
    Delivery,
    FormatOption,
    LimitOption,
    OutputOption,
    RecordOption,
)
from groundframe.cli.run import ChoiceOption, DatasetOption
from groundframe.cli.terminal import interactive, print_json, print_line, say

if TYPE_CHECKING:
    from groundframe.api import Connection
    from groundframe.asking import Choice, Reply
    from groundframe.frames.interpretation import Interpretation
    from groundframe.frames.model_interpreter.settings import ModelSettings

__all__ = ["add_to"]


class Who(StrEnum):
    """Who reads the question."""

    auto = "auto"
    lexical = "lexical"
    model = "model"


InterpreterOption = Annotated[
    Who,
    typer.Option(
        "--interpreter",
        help="Who reads the question: the grammar that needs no model, a model, or one after the other.",
    ),
]


def add_to(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(rich_help_panel="Questions")(ask)


def ask(
    question: Annotated[str, typer.Argument(metavar="QUESTION", show_default=False, help="In plain words.")],
    interpreter: InterpreterOption = Who.auto,
    output: OutputOption = None,
    form: FormatOption = None,
    dataset: DatasetOption = None,
    choose: ChoiceOption = None,
    limit: LimitOption = None,
    rows: Annotated[
        int | None,
        typer.Option(
            min=1,
            metavar="N",
            help="Rows that a table on the screen shows; by default 50, and 10 where it is asked how many.",
        ),
    ] = None,
    record: RecordOption = None,
    frame: Annotated[
        bool, typer.Option("--frame", help="Print the frame that the question was read as, and stop.")
    ] = False,
    narrate: Annotated[
        bool,
        typer.Option(
            "--narrate", help="Have the configured model put the first rows of the answer into words."
        ),
    ] = False,
) -> None:
    """Answer a question: how it was read, the answer in one sentence, then the table.

    Every word has to be understood; the message names those that are not.

    Examples
    --------
    groundframe ask "Which 3 towns had the fewest fatal crashes in 2023?"

    groundframe ask "schools in Quincy without a crosswalk within 200 m" -o schools.geojson
    """
    from groundframe.api import connect
    from groundframe.asking import asked
    from groundframe.frames.model_interpreter.settings import require_model_settings

    delivery = Delivery.of(output, form, rows or _rows_for(question), record)
    teller = require_model_settings() if narrate else None
    with connect(dataset=dataset) as gis:
        interpretation = _interpreted(gis, question, interpreter.value, parse_choices(choose))
        document = asked(interpretation, gis.pack)
        if frame:
            print_json(document.model_dump(mode="json", by_alias=True, exclude_defaults=True))
            return
        outcome = validated(gis, document, choose, may_ask=True)
        reply = gis.reply(interpretation, outcome, delivery.limit(limit))
        # On the screen the words are part of the answer; beside a file they go where notes go.
        tell = print_line if delivery.on_screen and delivery.format.name == "table" else say
        tell(reply.understood)
        tell(_narrated(reply, teller) if teller else reply.sentence)
        if tell is print_line:
            sys.stdout.write("\n")
        delivery.hand_over(reply.answer)
        tell("Read otherwise than you meant? Say it in other words, or change the frame that --frame prints.")


def _rows_for(question: str) -> int:
    """How many rows to show: a sentence that says how many must not scroll out of sight."""
    return 10 if question.casefold().split()[:2] == ["how", "many"] else 50


def _interpreted(
    gis: Connection, question: str, interpreter: Choice, choices: Mapping[str, str]
) -> Interpretation:
    """The question as it is read; the one that is chosen where it is asked back."""
    from groundframe.asking import asked_back, chosen_question

    def read(text: str) -> Interpretation:
        return gis.interpret(text, interpreter)

    found = chosen_question(read(question), choices, read)
    while found.frame is None and found.offers:
        choice = asked_back(found)
        if not interactive():
            print_json({"status": "needs_choice", "choices": [choice.as_dict()]})
            break
        found = read(chosen(choice))
    return found


def _narrated(reply: Reply, settings: ModelSettings) -> str:
    """The answer in a model's words, or in the composed ones with a note why."""
    from groundframe.narrating import ROWS, narrate

    if not settings.local:
        say(f"Up to {ROWS} rows of the answer go to {settings.host} to be put into words.", "yellow")
    told = narrate(reply.interpretation.question, reply.answer, reply.sentence, settings)
    if told.note:
        say(told.note, "yellow")
    return told.text
