"""``groundframe db``: the private local PostGIS."""

from __future__ import annotations

import typer

from groundframe.cli.terminal import print_line, say
from groundframe.errors import DatabaseError

__all__ = ["add_to"]

db = typer.Typer(
    help="Start and stop the private PostGIS on this machine, for those who have no database at hand.",
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
    """Tell whether the server runs, where its data are, and which datasets they hold."""
    from groundframe.postgis.connect import Database
    from groundframe.postgis.datasets import dataset_names
    from groundframe.postgis.server import LocalServer

    found = LocalServer().status()
    print_line(f"state     {found.state}")
    print_line(f"home      {found.home}")
    if found.running:
        print_line(f"process   {found.pid}")
        print_line(f"url       {found.url}")
        with Database(found.url) as database:
            print_line(
                f"datasets  {', '.join(dataset_names(database)) or 'none; run: groundframe load demo'}"
            )


@db.command()
def url() -> None:
    """Print the URL of the database, for DATABASE_URL, psql or QGIS."""
    from groundframe.postgis.server import LocalServer

    found = LocalServer().status()
    if not found.running:
        raise DatabaseError("The local server does not run.", "Start it: groundframe db start")
    print_line(found.url)
