"""A name with several candidates: asked on a terminal, handed back as JSON elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import typer

from groundframe.cli.terminal import interactive, print_json, say
from groundframe.errors import UsageError

if TYPE_CHECKING:
    from groundframe.api import Connection
    from groundframe.validator.outcomes import Choice, Outcome

__all__ = ["ChooseOption", "chosen", "parse_choices", "validated"]

ChooseOption = typer.Option(
    "--choose",
    metavar="PATH=KEY",
    help="The candidate that is meant where a name has several; can be repeated.",
)


def parse_choices(given: Sequence[str] | None) -> dict[str, str]:
    """The choices of the command line, path to key.

    Examples
    --------
    >>> parse_choices(["/references/0=s:1=2"])
    {'/references/0': 's:1=2'}
    """
    choices = {}
    for item in given or ():
        path, equals, key = item.partition("=")
        if not (equals and path and key):
            raise UsageError(
                f"'{item}' is no choice.", "Write --choose PATH=KEY, as 'groundframe validate' lists them."
            )
        choices[path] = key
    return choices


def validated(gis: Connection, frame: Any, given: Sequence[str] | None, *, may_ask: bool) -> Outcome:
    """Validate, asking for choices until there is nothing left to ask."""
    from groundframe.validator.outcomes import NeedsChoice

    choices = parse_choices(given)
    outcome = gis.validate(frame, choices=choices)
    while isinstance(outcome, NeedsChoice):
        if not (may_ask and interactive()):
            print_json(
                {"status": "needs_choice", "choices": [choice.as_dict() for choice in outcome.choices]}
            )
            break
        choices |= {choice.id: chosen(choice) for choice in outcome.choices}
        outcome = gis.validate(frame, choices=choices)
    return outcome


def chosen(choice: Choice) -> str:
    """The key of the candidate that is chosen on the terminal."""
    say(choice.text, "bold")
    for number, candidate in enumerate(choice.candidates, start=1):
        say(f"  {number}  {candidate.label()}")
    while True:
        answer = _typed()
        if answer.isdecimal() and 1 <= int(answer) <= len(choice.candidates):
            return choice.candidates[int(answer) - 1].key
        say(f"Type a number from 1 to {len(choice.candidates)}, or press Ctrl-C to leave.")


def _typed() -> str:
    """One line from the terminal; the question goes to standard error, as it is no part of the answer."""
    sys.stderr.write("Number: ")
    sys.stderr.flush()
    line = sys.stdin.readline()
    if not line:
        raise typer.Abort
    return line.strip()
