"""A database that goes away in the middle of a batch: waited for, and given up once for all frames."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event, Lock
from time import monotonic
from typing import TypeVar

from groundframe.errors import DatabaseError, UnreachableError
from groundframe.postgis.connect import Database

__all__ = ["Lifeline"]

T = TypeVar("T")

_ATTEMPTS = 3
_FIRST_PAUSE_S, _LONGEST_PAUSE_S = 0.25, 4.0


class Lifeline:
    """Runs what needs the database, again when the connection was lost.

    Parameters
    ----------
    database : Database
        What is needed.
    patience_s : float
        Seconds to wait for it to come back.
    stopping : Event
        Set when nobody wants the results any more.
    tell : callable
        Takes a sentence for whoever watches; called from any thread.
    """

    def __init__(
        self, database: Database, patience_s: float, stopping: Event, tell: Callable[[str], None]
    ) -> None:
        self._database = database
        self._patience = patience_s
        self._stopping = stopping
        self._tell = tell
        self._again = Lock()
        self._gone: DatabaseError | None = None

    def hold(self, work: Callable[[], T]) -> T:
        """What `work` gives.

        Raises
        ------
        DatabaseError
            When the database does not come back, or each attempt of this work loses the connection.
        """
        try:
            return self._tried(work)
        except UnreachableError as error:
            lost = error
        # One at a time, as a frame that breaks the server cuts off all that are running: so it is found out.
        with self._again:
            for _ in range(_ATTEMPTS - 1):
                self._wait(lost)
                try:
                    return self._tried(work)
                except UnreachableError as error:
                    lost = error
        raise DatabaseError(
            f"The connection to the database was lost {_ATTEMPTS} times over this frame.",
            "Narrow the frame, or look into the log of the server.",
        ) from lost

    def _tried(self, work: Callable[[], T]) -> T:
        if self._gone is not None:
            raise self._gone
        return work()

    def _wait(self, lost: UnreachableError) -> None:
        """Return when the database answers again; who waits first finds out for all."""
        began, pause = monotonic(), _FIRST_PAUSE_S
        while self._gone is None:
            try:
                with self._database.connect():
                    return
            except UnreachableError as error:
                lost = error
            if pause == _FIRST_PAUSE_S:
                self._tell(f"{lost.message} Waiting for it, {self._patience:g} seconds at most.")
            if monotonic() - began + pause > self._patience:
                self._gone = DatabaseError(
                    lost.message, "Run the batch again when the database is back: it goes on from here."
                )
            elif self._stopping.wait(pause):
                raise lost
            pause = min(2 * pause, _LONGEST_PAUSE_S)
        raise self._gone
