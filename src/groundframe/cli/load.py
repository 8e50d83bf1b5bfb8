"""``groundframe load``: rows into a dataset, with a report of what became of every one of them."""

from __future__ import annotations

import json
import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from groundframe.cli.schema import chosen_pack
from groundframe.cli.terminal import progress_bars, say
from groundframe.errors import OutputError, UsageError
from groundframe.serialise import plain

if TYPE_CHECKING:
    from groundframe.postgis.connect import Database
    from groundframe.postgis.load.check import TotalCheck
    from groundframe.postgis.load.loading import RowSource
    from groundframe.schema.model import Pack

__all__ = ["add_to", "owner_url"]

DEMO = "demo"


def add_to(app: typer.Typer) -> None:
    """Add the command to the command line."""
    app.command(rich_help_panel="Data")(load)


def load(
    what: Annotated[
        str,
        typer.Argument(
            metavar="demo|PACK", help="'demo', or the schema pack of the files.", show_default=False
        ),
    ],
    data: Annotated[
        Path | None, typer.Option(metavar="PATH", help="Folder with the source files, or one of them.")
    ] = None,
    dataset: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Dataset to load; by default named like the first argument."),
    ] = None,
    add: Annotated[
        bool, typer.Option("--add", help="Keep what the dataset holds; without it the dataset is replaced.")
    ] = False,
    check: Annotated[
        bool,
        typer.Option("--check", help="Compare with the agency's own totals, if they are among the files."),
    ] = False,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the load report to this file, as JSON.")
    ] = None,
    crashes: Annotated[int | None, typer.Option(min=1, metavar="N", help="Demo: how many crashes.")] = None,
    seed: Annotated[
        int | None, typer.Option(metavar="S", help="Demo: another state for another number.")
    ] = None,
    pack: Annotated[
        str | None, typer.Option(metavar="PACK", help="Demo: schema pack, where there are several.")
    ] = None,
) -> None:
    """Load a dataset: an invented demo state, or the source files of an agency.

    A load that fails leaves the dataset as it was. Loading the same files again changes nothing. With --add
    a month of new crashes takes seconds; the outcome is that of loading all files at once.

    Examples
    --------
    groundframe load demo

    groundframe load massachusetts --data FOLDER --report report.json

    groundframe load massachusetts --data NEW_FILES --add
    """
    from groundframe.cli.load_report import print_checks, print_report
    from groundframe.formats.files import written_whole
    from groundframe.postgis.connect import Database
    from groundframe.postgis.load.loading import load_dataset
    from groundframe.postgis.load.reading import read_sources
    from groundframe.postgis.reader import reader_exists
    from groundframe.schema.packs import load_pack

    demo = what == DEMO
    _check_options(demo, data=data, check=check, crashes=crashes, seed=seed, pack=pack)
    chosen = load_pack(chosen_pack(pack) if demo else what)
    if report is not None:
        _require_report(report, None if data is None else Path(str(data)))
    with progress_bars() as progress:
        source = (
            _demo(chosen, crashes, seed) if demo else read_sources(chosen, Path(str(data)), progress=progress)
        )
        with Database(owner_url()) as database:
            loaded = load_dataset(database, chosen, dataset or what, source, add=add, progress=progress)
            checks = _checks(database, chosen, loaded.dataset, Path(str(data))) if check else ()
            with database.connect() as connection:
                safe = reader_exists(connection)
    content = loaded.as_dict()
    print_report(content)
    if check:
        print_checks(checks)
        content["checks"] = [asdict(item) for item in checks]
    if report is not None:
        with written_whole(report) as out:
            out.write(f"{json.dumps(plain(content), indent=2, ensure_ascii=False)}\n".encode())
        say(f"The load report is in {report}.")
    if not safe:
        say("There is no role yet that may only read, to answer frames. Make it: groundframe db init-role")


def _checks(database: Database, pack: Pack, dataset: str, folder: Path) -> tuple[TotalCheck, ...]:
    """The official totals of the folder beside what is loaded."""
    from groundframe.postgis.datasets import open_dataset
    from groundframe.postgis.load.check import check_totals
    from groundframe.postgis.load.totals import read_totals

    return check_totals(open_dataset(database, dataset), read_totals(pack, folder))


def _demo(pack: Pack, crashes: int | None, seed: int | None) -> RowSource:
    """The rows of the demo state."""
    from groundframe.postgis.load.synthetic.state import generate

    return generate(pack, seed=1 if seed is None else seed, crashes=crashes)


def _check_options(demo: bool, **given: Any) -> None:
    """Refuse options that belong to the other kind of load."""
    foreign = ("data", "check") if demo else ("crashes", "seed", "pack")
    for name in foreign:
        if given[name] not in (None, False):
            kind = "the demo state" if demo else "source files"
            raise UsageError(f"--{name} has no meaning when {kind} {'is' if demo else 'are'} loaded.")
    if not demo and given["data"] is None:
        raise UsageError("It is not said where the source files are.", "Add --data FOLDER.")


def owner_url() -> str:
    """The database to load into; the local server is made and started where there is none."""
    from groundframe.postgis.server import LocalServer

    return os.environ.get("DATABASE_URL", "").strip() or LocalServer().start().url


def _require_report(report: Path, data: Path | None) -> None:
    """Refuse, before anything is loaded, a report that cannot be written or would take a source's place."""
    from groundframe.formats.files import require_folder

    require_folder(report)
    if report.is_dir():
        raise OutputError(f"'{report}' cannot be written: it is a folder.", "Name a file in it.")
    folder = None if data is None else Path(data).resolve()
    source = (
        folder is not None and report.exists() and folder in (report.resolve(), *report.resolve().parents)
    )
    if source and report.suffix.casefold() != ".json":
        raise UsageError(
            f"'{report}' is among the files to load, and would be written over.", "Name another file."
        )
