"""``groundframe model``: a model on this machine, and a check of whichever is configured."""

from __future__ import annotations

import sys
import threading
from pathlib import Path
from typing import Annotated

import typer

from groundframe.cli.terminal import print_line, say

__all__ = ["add_to"]

app = typer.Typer(help="Run a small language model on this machine, or check the one that is configured.")


def add_to(parent: typer.Typer) -> None:
    """Add the commands to the command line."""
    parent.add_typer(app, name="model", rich_help_panel="Questions")


@app.command()
def serve(
    file: Annotated[
        Path, typer.Argument(metavar="FILE", help="Weights in the format GGUF.", show_default=False)
    ],
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port on loopback; 0 takes a free one.")] = 8080,
    threads: Annotated[
        int | None,
        typer.Option(min=1, help="Threads; by default one per core that is not busy.", show_default=False),
    ] = None,
    context: Annotated[
        int, typer.Option(min=2048, max=131072, help="Tokens that a question with its prompt may have.")
    ] = 8192,
) -> None:
    """Run a model with llama.cpp until Ctrl-C; it listens on this machine only.

    Examples
    --------
    groundframe model serve qwen2.5-coder-1.5b-instruct-q4_k_m.gguf
    """
    from groundframe.local_model import LocalModel

    model = LocalModel(file, port, threads, context)
    model.wait()
    print_line(f"{file.name} on {model.threads} threads. Elsewhere: export GROUNDFRAME_MODEL_URL={model.url}")
    sys.stdout.flush()  # whoever reads it through a pipe waits for the address
    say("Ctrl-C ends it.", "dim")
    threading.Event().wait()


@app.command()
def check() -> None:
    """Ask the configured model a tiny question, and say what works."""
    from groundframe.frames.model_interpreter.checking import check_model
    from groundframe.frames.model_interpreter.settings import require_model_settings

    settings = require_model_settings()
    where = "on this machine" if settings.local else "elsewhere: questions leave this machine"
    print_line(f"{settings.url} ({where}), {settings.form}, at most {settings.timeout_s:g} s")
    for line in check_model(settings):
        print_line(line)
