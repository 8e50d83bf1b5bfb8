"""The role that answers frames: it may read datasets, and nothing else.

What it should be is written once, as a query for what is amiss. Each flaw comes with the statement that mends
it, so that the same query makes the role, checks it, and prints the script for somebody else to run.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import sqlalchemy as sa
from psycopg import errors as pg
from psycopg import sql

from groundframe.errors import DatabaseError
from groundframe.postgis.reader_flaws import FLAWS

__all__ = [
    "READER",
    "Flaw",
    "find_flaws",
    "let_read",
    "make_reader",
    "reader_exists",
    "role_of",
    "script",
]

READER = "groundframe_reader"
"""Its name on every server, so that whoever loads knows whom to let read."""

_SETTINGS = {
    "default_transaction_read_only": "on",
    "idle_in_transaction_session_timeout": "10min",
    "lock_timeout": "5s",
    "statement_timeout": "10min",
    "temp_file_limit": "8GB",
}
"""What holds for whoever logs in as the reader, groundframe or not; an answer sets itself narrower limits."""

_AS_IT_IS = {"no_parameters": True}
"""For statements with names in them, in which a per cent sign is no placeholder."""


@dataclass(frozen=True, slots=True)
class Flaw:
    """One thing that the reader should not be or may not do yet.

    Parameters
    ----------
    what : str
        What is amiss; "The role ..." goes before it.
    remedies : sequence of str
        The statements that mend it; none where somebody has to decide how.
    everyone : bool
        Whether the remedy takes a right from every role of the database (PUBLIC).
    """

    what: str
    remedies: Sequence[str]
    everyone: bool


def find_flaws(connection: sa.Connection, *, keep_public: bool = False) -> tuple[Flaw, ...]:
    """What is amiss with the reader in this database; nothing when it is as it should be.

    Parameters
    ----------
    keep_public : bool
        Leave out what the reader may do because everyone may.
    """
    given = {
        "reader": READER,
        "names": list(_SETTINGS),
        "settings": list(_SETTINGS.values()),
    }
    found = (Flaw(*row) for row in connection.execute(FLAWS, given))
    return tuple(flaw for flaw in found if not (keep_public and flaw.everyone))


def make_reader(connection: sa.Connection, *, keep_public: bool = False) -> tuple[Flaw, ...]:
    """Make the reader, or mend it; gives the flaws that the caller has no right to mend.

    Parameters
    ----------
    keep_public : bool
        Take no right from PUBLIC, for the sake of other programs that share the database.

    Raises
    ------
    DatabaseError
        When there is no reader and the caller may not make roles.
    """
    # Twice, because a superuser lacks no right until it is none any more.
    for _ in range(2):
        for flaw in find_flaws(connection, keep_public=keep_public):
            for remedy in flaw.remedies:
                _mend(connection, remedy)
    return find_flaws(connection, keep_public=keep_public)


def _mend(connection: sa.Connection, remedy: str) -> None:
    """Run a statement, and pass over it where that is not permitted."""
    try:
        with connection.begin_nested():
            connection.exec_driver_sql(remedy, execution_options=_AS_IT_IS)
    except sa.exc.DBAPIError as error:
        if not isinstance(error.orig, pg.InsufficientPrivilege | pg.ReadOnlySqlTransaction):
            raise
        if not reader_exists(connection):
            raise DatabaseError(
                f"The role '{role_of(connection)}' may not make the role '{READER}'.",
                "Have an administrator run what 'groundframe db init-role --print' prints.",
            ) from error


def script(flaws: Iterable[Flaw], database: str) -> str:
    """The remedies as a script for an administrator, with what each is for."""
    flaws = tuple(flaws)
    if not flaws:
        return f"-- The role {READER} is as it should be in the database {database}."
    lines = [
        f"-- Makes the role {READER}, as which groundframe answers frames, in the database {database}.",
        "-- Run it with psql in that database, as a superuser. Then give the role a password: \\password",
        "BEGIN;",
    ]
    for flaw in flaws:
        everyone = " (because everyone may: the statement is for all roles of this database)"
        # In one line, whatever somebody has named a table.
        lines += ["", f"-- It {' '.join(flaw.what.split())}{everyone if flaw.everyone else ''}."]
        lines += [f"{remedy};" for remedy in flaw.remedies]
    return "\n".join([*lines, "", "COMMIT;"])


def let_read(connection: sa.Connection, schema: str) -> None:
    """Let the reader read all tables of a schema, where there is a reader."""
    if not reader_exists(connection):
        return
    for right in (sql.SQL("USAGE ON SCHEMA"), sql.SQL("SELECT ON ALL TABLES IN SCHEMA")):
        grant = sql.SQL("GRANT {right} {schema} TO {reader}").format(
            right=right, schema=sql.Identifier(schema), reader=sql.Identifier(READER)
        )
        connection.exec_driver_sql(grant.as_string(), execution_options=_AS_IT_IS)


def role_of(connection: sa.Connection) -> str:
    """The role as which statements run."""
    return str(connection.scalar(sa.text("SELECT current_user")))


def reader_exists(connection: sa.Connection) -> bool:
    """Whether there is a reader on this server."""
    found = connection.scalar(sa.text("SELECT 1 FROM pg_roles WHERE rolname = :name"), {"name": READER})
    return found is not None
