"""Entry of the command line: the commands, and what becomes of every error.

Exit codes: 0 done, 1 rejected or failed, 2 usage, 3 needs a choice, 130 interrupted.
"""

from __future__ import annotations

import errno
import os
import sys
import traceback
from collections.abc import Sequence
from importlib.metadata import version
from typing import Annotated

import typer

from groundframe.cli import ask, batch, bench, db, evaluate, golden, load, model, replay, run, schema
from groundframe.cli.terminal import print_error, print_line, say
from groundframe.entry import was_interrupted
from groundframe.errors import GroundframeError

__all__ = ["main"]

_DEBUG = "GROUNDFRAME_DEBUG"
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO)
# Newer versions of typer bring a click of their own, so the class is taken from typer.
_WRONG_USE: type[typer.BadParameter] = typer.BadParameter.__mro__[1]

app = typer.Typer(
    name="groundframe",
    help="Answers semantic frames, small JSON documents that say what a planner wants to know, on PostGIS.",
    epilog="Start with: groundframe load demo, then groundframe run examples/boston_schools.json",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _print_version(wanted: bool) -> None:
    if wanted:
        print_line(f"groundframe {version('groundframe')}")
        raise typer.Exit


@app.callback()
def _options(
    _version: Annotated[
        bool, typer.Option("--version", help="Print the version.", is_eager=True, callback=_print_version)
    ] = False,
    debug: Annotated[
        bool, typer.Option("--debug", help="Show the traceback of an unexpected error.")
    ] = False,
) -> None:
    if debug:
        os.environ[_DEBUG] = "1"


ask.add_to(app)
run.add_to(app)
batch.add_to(app)
schema.add_to(app)
load.add_to(app)
db.add_to(app)
evaluate.add_to(app)
golden.add_to(app)
replay.add_to(app)
model.add_to(app)
bench.add_to(app)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and give its exit code; no error leaves it as a traceback."""
    try:
        code = app(
            args=None if arguments is None else list(arguments),
            prog_name="groundframe",
            standalone_mode=False,
        )
        sys.stdout.flush()
    except BrokenPipeError:
        return _drop_output()
    except SystemExit as error:
        # What click makes of a closed pipe.
        if not isinstance(error.__context__, BrokenPipeError):
            raise
        return _drop_output()
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except _WRONG_USE as error:
        if not error.format_message():
            return error.exit_code  # a command without its subcommand, which has shown its help
        context = error.ctx.command_path if error.ctx else "groundframe"
        say(f"{error.format_message().rstrip('.')}. See: {context} --help", "red")
        return error.exit_code
    except GroundframeError as error:
        print_error(error)
        return error.exit_code
    except Exception as error:
        if was_interrupted():
            return 130
        if isinstance(error, OSError) and error.errno in _NO_ROOM and error.filename is None:
            _drop_output()
            say(f"Standard output cannot be written: {os.strerror(error.errno)}.", "red")
            return 1
        if os.environ.get(_DEBUG):
            traceback.print_exc()
        kind, text = type(error).__name__, " ".join(str(error).split())[:200]
        say(
            f"groundframe met an error it did not expect ({kind}: {text}). "
            "Please report it, with the frame and what 'groundframe --debug ...' prints.",
            "red",
        )
        return 1
    return code if isinstance(code, int) else 0


def _drop_output() -> int:
    """Who reads the output has seen enough. Python would complain once more when it closes the stream."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0
