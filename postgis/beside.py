"""A statement that is worked on while those of a session go on: on a second connection, in the same snapshot.

It is sent and not waited for, so that one processor makes the rows while another counts. That is for who asks
alone: where others use the pool, or it has no more than two connections, there is no second one.
"""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import ExitStack, suppress
from typing import Any

import psycopg

from groundframe.errors import DatabaseError, GroundframeError, UnreachableError
from groundframe.postgis.session import Session, Source

__all__ = ["Beside"]


class Beside:
    """A statement on its way; see :meth:`sent`.

    Attributes
    ----------
    session : Session
        Where it runs; when its rows have come others can be asked there.
    """

    def __init__(
        self,
        session: Session,
        connection: psycopg.Connection[Any],
        cursor: psycopg.Cursor[Any],
        end: ExitStack,
    ) -> None:
        self.session, self._connection, self._cursor, self._end = session, connection, cursor, end
        self._since = time.monotonic()
        self._coming = True

    @classmethod
    def sent(
        cls, source: Source, first: Session, text: str, parameters: Mapping[str, Any], timeout_s: float
    ) -> Beside | None:
        """Send a statement that sees what a session sees; None where there is no connection for it.

        Parameters
        ----------
        first : Session
            Whose snapshot it is.
        timeout_s : float
            Seconds that the database may work on it.
        """
        if not source.database.used_by_one or not psycopg.Pipeline.is_supported():
            return None
        snapshot = first.snapshot()
        # The rows can be had all the same, and the counts after them.
        with suppress(DatabaseError, psycopg.Error), ExitStack() as stack:
            session = stack.enter_context(Session(source, timeout_s, snapshot))
            with session.asking(arm=False) as connection:
                cursor = psycopg.Cursor(connection)
                cursor.execute(text.encode(), parameters)
            return cls(session, connection, cursor, stack.pop_all())
        return None

    @property
    def seconds(self) -> float:
        """How long it was waited for."""
        return self.session.seconds

    def rows(self) -> list[Any] | None:
        """What it gives; None where the second connection does not see what the first sees, or was lost.

        Raises
        ------
        DatabaseError
            When it took too long or was cancelled, or the dataset was loaded anew.
        """
        try:
            with self.session.asking(arm=False, since=self._since):
                found = self._cursor.fetchall()
            self.session.settle()
        except (UnreachableError, psycopg.Error):
            return None
        self._coming = False
        self.session.verify()
        return found

    def close(self) -> None:
        """End it; what nobody waits for any more need not be done."""
        with suppress(psycopg.Error, GroundframeError):
            if self._coming:
                self._connection.pgconn.get_cancel().cancel()
        with suppress(psycopg.Error, GroundframeError):
            self._end.close()
