"""Connections: one bounded pool per database, and its errors in words a planner understands."""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from types import TracebackType
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import errors as pg
from psycopg import sql
from psycopg.pq import TransactionStatus

from groundframe.errors import DatabaseError, UnreachableError, UsageError
from groundframe.postgis.patience import PatientConnection, SilenceError
from groundframe.postgis.reader import READER

__all__ = ["Database"]

_START = "Start the local one with 'groundframe db start', or set DATABASE_URL."
_FULL = ("too many clients", "too many connections", "remaining connection slots")
_SESSION = sql.SQL(
    # PostGIS may live in any schema; its functions are found there and nowhere else. Compiled and
    # generic plans only cost here. Sent together, so that a new connection costs one round trip.
    """
    SELECT set_config('search_path', coalesce((
        SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
        WHERE e.extname = 'postgis'), ''), false),
      set_config('jit', 'off', false), set_config('plan_cache_mode', 'force_custom_plan', false),
      set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO, YMD', false);
    """
)
_READING = sql.SQL(
    # The limits before the role is taken on: a reader may not set temp_file_limit. Where the server can, it
    # looks whether the client is still there, and ends what nobody waits for.
    """
    SELECT set_config('default_transaction_read_only', 'on', false), set_config('lock_timeout', '5s', false),
      set_config('statement_timeout', '60s', false),
      set_config('idle_in_transaction_session_timeout', '10min', false);
    SELECT set_config(name, '2s', false)
    FROM pg_settings WHERE name = 'client_connection_check_interval' AND version() LIKE '%linux%';
    SELECT set_config('temp_file_limit', '8GB', false)
    FROM pg_roles WHERE rolname = session_user AND rolsuper;
    SELECT set_config('role', rolname, false) FROM pg_roles
    WHERE rolname = {reader} AND pg_has_role(session_user, oid,
      CASE WHEN current_setting('server_version_num')::int < 160000 THEN 'MEMBER' ELSE 'SET' END)
    """
).format(reader=READER)
# Who has no more connections may have an answer open while it looks something else up.
_FEW = 2
# Beyond what the server allows a statement, so that it has the first word.
_PATIENCE_S = 70.0


class Database:
    """A PostgreSQL database with PostGIS, reached through a bounded pool.

    Parameters
    ----------
    url : str
        A libpq URL, ``postgresql://user@host/name``.
    reading : bool
        Whether frames are answered: every connection is read-only, is limited in time, and takes on the role
        :data:`~groundframe.postgis.reader.READER` where there is one and the user of the URL may.
    pool_size : int
        The most connections at a time.
    acquire_timeout : float
        Seconds to wait for a free connection.

    Attributes
    ----------
    closed : bool
        Whether there are no more connections to be had.

    Examples
    --------
    >>> Database("postgresql://reader:secret@example.org/maps").label
    'postgresql://reader:***@example.org/maps'
    """

    def __init__(
        self, url: str, *, reading: bool = False, pool_size: int = 5, acquire_timeout: float = 10.0
    ) -> None:
        try:
            parsed = sa.make_url(url)
        except (sa.exc.ArgumentError, ValueError):
            raise DatabaseError(
                "The database URL is not a URL.", "Write postgresql://user@host/name."
            ) from None
        if parsed.get_backend_name() not in ("postgresql", "postgres"):
            raise DatabaseError(
                f"The database URL is for {parsed.get_backend_name()}, not PostgreSQL.",
                "Write postgresql://user@host/name.",
            )
        self.label = parsed.set(drivername="postgresql").render_as_string(hide_password=True)
        self.engine = sa.create_engine(
            parsed.set(drivername="postgresql+psycopg"),
            pool_size=pool_size,
            max_overflow=0,
            pool_timeout=acquire_timeout,
            pool_pre_ping=True,
            hide_parameters=True,
            # A prepared statement keeps a generic plan, which loses partial indexes.
            connect_args={"prepare_threshold": None, "connect_timeout": 10},
        )
        sa.event.listen(self.engine, "do_connect", _connect)
        sa.event.listen(self.engine, "connect", _prepare_reading if reading else _prepare_session)
        self.closed = False
        self._made: list[weakref.ref[PatientConnection]] = []
        sa.event.listen(self.engine, "connect", lambda made, _record: self._made.append(weakref.ref(made)))

    @property
    def url(self) -> str:
        """The URL with its password, for another process; :attr:`label` is for people."""
        return self.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)

    @property
    def used_by_one(self) -> bool:
        """Whether one connection is in use, and a second would leave some for others."""
        pool = self.engine.pool
        return isinstance(pool, sa.QueuePool) and pool.size() > _FEW and pool.checkedout() == 1

    @contextmanager
    def connect(self) -> Iterator[sa.Connection]:
        """A connection from the pool; what was not committed is rolled back.

        Raises
        ------
        DatabaseError
            For what the database does to the caller: not reachable, cut off, permission denied, timeout.
        """
        self.require_open()
        try:
            connection = self.engine.connect()
        except (sa.exc.DBAPIError, sa.exc.TimeoutError, psycopg.Error) as error:
            raise self._refused(error) from error
        try:
            with connection:
                try:
                    yield connection
                finally:
                    _leave_if_lost(connection)
        except (sa.exc.DBAPIError, psycopg.Error) as error:
            translated = self.translate(error)
            if translated is None:
                raise
            raise translated from error

    @contextmanager
    def begin(self) -> Iterator[sa.Connection]:
        """A connection in a transaction that is committed at the end, or rolled back on an error."""
        with self.connect() as connection, connection.begin():
            yield connection

    def require_postgis(self, connection: sa.Connection) -> None:
        """Raise unless the database has the PostGIS extension."""
        known = connection.scalar(sa.text("SELECT 1 FROM pg_extension WHERE extname = 'postgis'"))
        if known is None:
            raise DatabaseError(
                f"The database {self.label} has no PostGIS.",
                "Run 'CREATE EXTENSION postgis' in it as a role that may.",
            )

    def translate(self, error: Exception) -> DatabaseError | None:
        """The error in one sentence; None when it is a fault of the program rather than of the database."""
        cause, reason = _cause(error)
        if isinstance(cause, pg.QueryCanceled):
            return DatabaseError(
                f"The database stopped the query: {reason}.", "Narrow it, or allow it more time."
            )
        if isinstance(cause, pg.LockNotAvailable):
            return DatabaseError(f"The database is busy: {reason}.", "Try again.")
        if isinstance(cause, pg.InsufficientPrivilege):
            return DatabaseError(
                f"The role of {self.label} may not do this: {reason}.",
                "Ask the owner of the database for the right.",
            )
        if isinstance(cause, pg.DiskFull | pg.OutOfMemory | pg.ConfigurationLimitExceeded):
            return DatabaseError(f"The database ran out of room: {reason}.")
        if isinstance(cause, pg.ReadOnlySqlTransaction):
            return DatabaseError(
                f"The database {self.label} is read-only.", "Load into one that can be written."
            )
        if isinstance(cause, pg.UndefinedTable) and '"gf_' in reason:
            return DatabaseError(
                f"The dataset is no longer there: {reason}.", "See which there are: groundframe db status"
            )
        if isinstance(cause, SilenceError):
            return UnreachableError(f"The database has fallen silent: {reason}.", "Try again later.")
        if isinstance(cause, psycopg.OperationalError | pg.IdleInTransactionSessionTimeout):
            return UnreachableError("The connection to the database was lost.", "Try again.")
        return None

    def _refused(self, error: Exception) -> DatabaseError:
        """Why there is no connection, in one sentence."""
        cause, reason = _cause(error)
        if isinstance(cause, sa.exc.TimeoutError):
            size = self.engine.pool.size() if isinstance(self.engine.pool, sa.QueuePool) else 0
            return DatabaseError(
                f"All {size} connections to the database are in use.",
                "Try again when other queries have ended.",
            )
        reason = reason.rpartition("connection failed: ")[2]
        if any(words in reason for words in _FULL):
            return UnreachableError(
                f"The database {self.label} takes no more connections: {reason}.",
                "Try again when others have ended.",
            )
        if f'role "{READER}" does not exist' in reason:
            return DatabaseError(
                f"There is no role '{READER}' at {self.label}.", "Make it: groundframe db init-role"
            )
        return UnreachableError(f"No database answers at {self.label}: {reason}.", _START)

    def cancel(self) -> None:
        """Cancel what the database is doing for any thread; each of them meets a `DatabaseError`."""
        for connection in self._living():
            if connection.info.transaction_status is TransactionStatus.ACTIVE:
                # One that is just being lost needs no cancelling.
                with suppress(psycopg.Error):
                    connection.cancel()

    def require_open(self) -> None:
        """Raise when it was closed: the pool would only fill again, with connections that nobody closes."""
        if self.closed:
            raise UsageError(
                "The connection to the database was closed.",
                "Make another with connect(), or do this before its close() or inside of its 'with'.",
            )

    def close(self) -> None:
        """Close all connections, those that somebody still reads from too; there are no more from then on."""
        self.closed = True
        self.engine.dispose()
        for connection in self._living():
            # One that works for another thread is closed by that thread, when it comes back.
            if connection.info.transaction_status is not TransactionStatus.ACTIVE:
                connection.close()

    def _living(self) -> list[PatientConnection]:
        return [found for reference in self._made if (found := reference()) is not None and not found.closed]

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _connect(_dialect: object, _record: object, args: Any, options: Any) -> PatientConnection:
    return PatientConnection.connect(*args, **options)


def _leave_if_lost(connection: sa.Connection) -> None:
    """Take a lost connection out of the pool: there is nothing to roll back, and what was lost is said."""
    driver = None if connection.closed or connection.invalidated else connection.connection.driver_connection
    if isinstance(driver, PatientConnection) and driver.closed:
        connection.invalidate()


def _prepare_session(connection: PatientConnection, _record: object) -> None:
    connection.execute(_SESSION)
    connection.commit()


def _prepare_reading(connection: PatientConnection, _record: object) -> None:
    connection.patience = _PATIENCE_S
    connection.execute(_SESSION + _READING)
    connection.commit()


def _cause(error: Exception) -> tuple[BaseException | None, str]:
    """What the driver says, and its first line."""
    cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
    return cause, str(cause).strip().partition("\n")[0].rstrip(".")
