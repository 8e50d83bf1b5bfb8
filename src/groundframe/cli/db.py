"""``groundframe db``: the private local PostGIS, and the role that answers frames."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Annotated

import typer

from groundframe.cli.terminal import interactive, print_line, say
from groundframe.errors import DatabaseError, UsageError
from groundframe.formats.cells import visible

if TYPE_CHECKING:
    from groundframe.postgis.connect import Database

__all__ = ["add_to"]

db = typer.Typer(
    help="Start and stop the private PostGIS on this machine, for those who have no database at hand, "
    "see and drop datasets, and make the role that answers frames.",
    no_args_is_help=True,
)


def add_to(app: typer.Typer) -> None:
    """Add the commands to the command line."""
    app.add_typer(db, name="db", rich_help_panel="Data")


@db.command()
def start() -> None:
    """Start the server; the first start makes the database."""
    from groundframe.postgis.server import LocalServer

    status = LocalServer().start()
    say(f"The local server runs (process {status.pid}).")
    print_line(status.url)


@db.command()
def stop() -> None:
    """Stop the server; its data stay."""
    from groundframe.postgis.server import LocalServer

    say("The local server has stopped." if LocalServer().stop() else "The local server did not run.")


@db.command()
def status() -> None:
    """Tell which database is asked, as which role, and which datasets it holds."""
    from groundframe.postgis.connect import Database
    from groundframe.postgis.server import LocalServer

    given = os.environ.get("DATABASE_URL", "").strip()
    if given:
        with Database(given, reading=True) as database:
            print_line(f"url       {database.label} (DATABASE_URL)")
            _describe(database)
        return
    found = LocalServer().status()
    print_line(f"state     {found.state}")
    print_line(f"home      {found.home}")
    if found.running:
        print_line(f"process   {found.pid}")
        print_line(f"url       {found.url}")
        with Database(found.url, reading=True) as database:
            _describe(database)


@db.command()
def url(
    reader: Annotated[
        bool, typer.Option("--reader", help="The URL of the role that may only read, for QGIS and others.")
    ] = False,
) -> None:
    """Print the URL of the local database, for DATABASE_URL, psql or QGIS."""
    from groundframe.postgis.server import LocalServer

    server = LocalServer()
    if not server.status().running:
        raise DatabaseError("The local server does not run.", "Start it: groundframe db start")
    print_line(server.reader_url if reader else server.url)


@db.command()
def stats(
    dataset: Annotated[
        str | None,
        typer.Option("--dataset", metavar="NAME", help="Dataset, where the database holds several."),
    ] = None,
) -> None:
    """Show how large a dataset's tables are, what is linked, and whether stored neighbours are used."""
    from groundframe.api import connect
    from groundframe.cli.db_stats import print_stats
    from groundframe.postgis.stats import dataset_stats

    with connect(dataset=dataset) as gis:
        print_stats(gis.dataset, dataset_stats(gis.dataset))


@db.command("init-role")
def init_role(
    show: Annotated[
        bool, typer.Option("--print", help="Print the SQL for an administrator instead of running it.")
    ] = False,
    keep_public: Annotated[
        bool,
        typer.Option(
            "--keep-public", help="Take no right from PUBLIC, for the sake of other users of the database."
        ),
    ] = False,
) -> None:
    """Make the role that answers frames: it may read the datasets, and nothing else.

    The local server has it from the start. In the database of DATABASE_URL it is made by a user who may
    make roles, or by an administrator with the printed SQL. Running it again mends what has changed.

    Examples
    --------
    groundframe db init-role --print > reader.sql
    """
    from groundframe.cli.load import owner_url
    from groundframe.postgis.connect import Database
    from groundframe.postgis.reader import READER, find_flaws, make_reader, script

    with Database(owner_url()) as database, database.begin() as connection:
        database.require_postgis(connection)
        before = find_flaws(connection, keep_public=keep_public)
        if show:
            for line in script(before, database.label).splitlines():
                print_line(line)
            return
        left = make_reader(connection, keep_public=keep_public)
        kept = [flaw for flaw in find_flaws(connection) if flaw not in left]
    for flaw in before:
        if flaw.everyone and flaw not in left:
            say(f"Withdrawn from PUBLIC: {flaw.what}.")
    for flaw in kept:
        say(f"The role {READER} {flaw.what}, as everyone may.")
    if left:
        raise DatabaseError(
            f"The role {READER} {'; '.join(flaw.what for flaw in left)}.",
            "Have an administrator run what 'groundframe db init-role --print' prints.",
        )
    say(f"The role {READER} answers frames. It may read the datasets, and nothing else.")


@db.command()
def drop(
    name: Annotated[str, typer.Argument(metavar="NAME", help="The dataset.", show_default=False)],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do not ask whether it is really meant.")] = False,
) -> None:
    """Drop a dataset with all that is in it; other datasets stay.

    Answers that are being read come to their end.

    Examples
    --------
    groundframe db drop trial --yes
    """
    from groundframe.postgis.connect import Database
    from groundframe.postgis.datasets import require_dataset
    from groundframe.postgis.load.swap import drop_dataset

    with Database(_present_url()) as database:
        require_dataset(database, name)
        if not (yes or _confirmed(f"Drop dataset '{name}' of {database.label}?")):
            say("Nothing was dropped.")
            raise typer.Exit(1)
        drop_dataset(database, name)
    say(f"Dataset '{name}' is dropped.")


def _present_url() -> str:
    """The database of the datasets; none is made where there is none."""
    from groundframe.postgis.server import LocalServer

    given = os.environ.get("DATABASE_URL", "").strip()
    server = LocalServer()
    if not given and server.status().state == "absent":
        raise DatabaseError("There is no database yet.", "Make one with data: groundframe load demo")
    return given or server.start().url


def _confirmed(question: str) -> bool:
    if not interactive():
        raise UsageError("Nothing was dropped: nobody is there to say that it is meant.", "Add --yes.")
    sys.stderr.write(f"{visible(question)} [y/N] ")
    sys.stderr.flush()
    return sys.stdin.readline().strip().casefold() in ("y", "yes")


def _describe(database: Database) -> None:
    """The role that answers, what is amiss with it, and the datasets that it may read."""
    from groundframe.postgis.datasets import dataset_names
    from groundframe.postgis.reader import READER, find_flaws, role_of

    with database.connect() as connection:
        role, flaws = role_of(connection), find_flaws(connection)
    if role != READER:
        print_line(f"role      {role}, which may do more than read; make one: groundframe db init-role")
    elif flaws:
        print_line(f"role      {role}, which is to be mended: groundframe db init-role")
        for flaw in flaws:
            print_line(f"          It {flaw.what}.")
    else:
        print_line(f"role      {role}, which may only read")
    print_line(f"datasets  {', '.join(dataset_names(database)) or 'none; run: groundframe load demo'}")
