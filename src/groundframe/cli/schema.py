"""``groundframe schema``: what can be asked."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

from groundframe.cli.terminal import print_json

__all__ = ["add_to", "chosen_pack"]


class Form(StrEnum):
    """How the pack is shown."""

    text = "text"
    markdown = "markdown"
    json = "json"


def add_to(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(rich_help_panel="Frames")(schema)


def chosen_pack(name: str | None) -> str:
    """The pack of that name, or the only one there is."""
    from groundframe.schema.packs import only_pack

    return only_pack() if name is None else name


def schema(
    pack: Annotated[str | None, typer.Option(help="Schema pack, where there are several.")] = None,
    json_schema: Annotated[
        bool, typer.Option("--json-schema", help="Print the JSON Schema of frames over the pack instead.")
    ] = False,
    of_records: Annotated[
        bool, typer.Option("--record-schema", help="Print the JSON Schema of audit records instead.")
    ] = False,
    form: Annotated[Form, typer.Option("--format", help="How to show the pack.")] = Form.text,
) -> None:
    """Show what can be asked: entities, fields, values, concepts, measures, places and sources."""
    from groundframe.reference import reference_page
    from groundframe.schema.packs import load_pack

    if of_records:
        from groundframe.audit.shape import record_schema

        print_json(record_schema())
        return
    found = load_pack(chosen_pack(pack))
    if json_schema:
        from groundframe.frames.json_schema import frame_schema

        print_json(frame_schema(found))
    elif form is Form.json:
        print_json(found.model_dump(mode="json", exclude={"sources": {"__all__": {"read"}}}))
    elif form is Form.text and sys.stdout.isatty():
        from rich.console import Console
        from rich.markdown import Markdown

        Console().print(Markdown(reference_page(found)))
    else:
        sys.stdout.write(reference_page(found))
