"""A read-only snapshot of a dataset with a budget of database time."""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import islice
from types import TracebackType
from typing import Any, Protocol, cast

import psycopg
import sqlalchemy as sa
from psycopg import errors as pg
from psycopg import sql

from groundframe.errors import DatabaseError, UnreachableError
from groundframe.postgis.connect import Database
from groundframe.postgis.patience import PatientConnection, SilenceError

__all__ = ["Session", "Source"]

_LOCK_TIMEOUT_S = 5.0
_IDLE_TIMEOUT_S = 600.0
# How long a reader may take over what is streamed to it.
_READING_S = 3600.0
# How much longer than the server the client waits, so that the server has the first word.
_GRACE_S = 2.0
_SNAPSHOT = b"SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY"
# All rows of a cursor are wanted, so a plan with a quick start is no better. To start processes takes longer
# than most of our statements run, and longer yet where several planners ask.
_SETTINGS = b"""
    SELECT set_config('statement_timeout', %(statement)s, true), set_config('lock_timeout', %(lock)s, true),
      set_config('idle_in_transaction_session_timeout', %(idle)s, true), set_config('jit', 'off', true),
      set_config('plan_cache_mode', 'force_custom_plan', true), set_config('cursor_tuple_fraction', '1.0',
      true), set_config('parallel_setup_cost', '5000', true)
"""


class Source(Protocol):
    """Where to run a plan; an open dataset is one."""

    @property
    def database(self) -> Database:
        """The database that holds the dataset."""
        ...

    @property
    def schema(self) -> str:
        """The database schema that holds it."""
        ...

    def verify(self, connection: sa.Connection) -> None:
        """Raise when the dataset is not the one that was opened."""
        ...


class Session:
    """A transaction in which everything is read from one snapshot.

    Parameters
    ----------
    timeout_s : float
        Seconds that the database may work, over all statements and fetches. The time that the reader takes
        in between does not count.
    snapshot : str, optional
        Of another session, to read from the same. Then nothing is waited for until an answer is fetched.
    """

    def __init__(self, source: Source, timeout_s: float, snapshot: str | None = None) -> None:
        self._source, self._snapshot = source, snapshot
        self._timeout = self._left = self._armed = timeout_s
        self._stack, self._pipeline = ExitStack(), ExitStack()
        self._connection: sa.Connection | None = None

    def __enter__(self) -> Session:
        with ExitStack() as stack:
            self._connection = stack.enter_context(self._source.database.connect())
            stack.enter_context(self._pipeline)
            with self.asking(arm=False) as connection:
                if self._snapshot is not None:
                    self._pipeline.enter_context(connection.pipeline())
                connection.execute(_SNAPSHOT)
                if self._snapshot is not None:
                    connection.execute(sql.SQL("SET TRANSACTION SNAPSHOT {}").format(self._snapshot))
                connection.execute(
                    _SETTINGS,
                    {
                        "statement": _milliseconds(self._timeout),
                        "lock": _milliseconds(_LOCK_TIMEOUT_S),
                        "idle": _milliseconds(_IDLE_TIMEOUT_S),
                    },
                )
            self._stack = stack.pop_all()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._connection = None
        self._stack.close()

    @contextmanager
    def asking(self, *, arm: bool = True, since: float | None = None) -> Iterator[psycopg.Connection[Any]]:
        """The connection, for one statement or fetch; its time is taken from the budget.

        Parameters
        ----------
        since : float, optional
            When the statement was sent, where that was before.

        Raises
        ------
        DatabaseError
            When the budget is used up, or for what the database says.
        """
        connection = self._driver()
        usual, began = connection.patience, time.monotonic()
        try:
            connection.patience = self._left + _GRACE_S
            if arm:
                self._arm(connection)
            yield connection
        except psycopg.Error as error:
            raise self._translated(error, time.monotonic() - (since or began)) from error
        finally:
            connection.patience = usual
            self._left -= time.monotonic() - began

    def stream(self, text: str, parameters: Mapping[str, Any], size: int) -> Iterator[list[Any]]:
        """What a statement gives in one column, `size` values at a time, while the database goes on.

        Unlike a cursor's rows they may be made by several processes of the database. Here the budget is
        watched over by the client: only the time that it waits counts. Nothing else can be asked meanwhile.
        """
        with self.asking() as connection:
            limit = _milliseconds(self._left + _READING_S)
            connection.execute(b"SELECT set_config('statement_timeout', %s, true)", [limit])
            stop = connection.pgconn.get_cancel()
            rows = cast(
                Generator[Any, None, None],
                psycopg.Cursor(connection).stream(text.encode(), parameters, size=size),
            )
        try:
            while True:
                with self.asking(arm=False):
                    found = [value for (value,) in islice(rows, size)]
                if not found:
                    return
                if self._left <= 0:
                    raise self._too_slow()
                yield found
        except DatabaseError:
            # What the client no longer waits for need not be done.
            with suppress(psycopg.Error):
                stop.cancel()
            raise
        finally:
            rows.close()

    def snapshot(self) -> str:
        """The name by which another session can read from the same snapshot, while this one lasts."""
        with self.asking() as connection:
            (name,) = connection.execute(b"SELECT pg_export_snapshot()").fetchone() or ("",)
        return str(name)

    def settle(self) -> None:
        """Take in all that is on its way; from then on each statement is waited for."""
        with self.asking(arm=False):
            self._pipeline.close()

    @property
    def seconds(self) -> float:
        """How long the database has worked."""
        return self._timeout - self._left

    def verify(self) -> None:
        """Raise when a load has replaced the dataset; to be called after a statement has named its tables."""
        if self._connection is not None:
            self._source.database.require_open()
            try:
                self._source.verify(self._connection)
            except sa.exc.DBAPIError as error:
                raise self._source.database.translate(error) or error from error

    def _driver(self) -> PatientConnection:
        self._source.database.require_open()
        if self._connection is None:
            raise DatabaseError("The answer is closed.", "Read it inside of its 'with' statement.")
        driver = self._connection.connection.driver_connection
        if not isinstance(driver, PatientConnection):
            raise UnreachableError("The connection to the database was lost.", "Run the frame again.")
        return driver

    def _arm(self, connection: PatientConnection) -> None:
        """Let the server stop a statement when the budget ends, which it measures per statement and fetch."""
        if self._left <= 0:
            raise self._too_slow()
        if self._left < self._armed / 2:
            self._armed = self._left
            connection.execute(
                b"SELECT set_config('statement_timeout', %s, true)", [_milliseconds(self._left)]
            )

    def _translated(self, error: psycopg.Error, elapsed: float) -> Exception:
        if isinstance(error, pg.QueryCanceled):
            if elapsed >= 0.9 * min(self._armed, self._left):
                return self._too_slow()
            return DatabaseError("The query was cancelled.", "Run the frame again.")
        if isinstance(error, SilenceError):
            return self._too_slow()
        return self._source.database.translate(error) or error

    def _too_slow(self) -> DatabaseError:
        return DatabaseError(
            f"The database did not finish the answer within {self._timeout:g} seconds.",
            "Narrow the area or the period, or allow more time.",
        )


def _milliseconds(seconds: float) -> str:
    return str(max(1, round(seconds * 1000)))
