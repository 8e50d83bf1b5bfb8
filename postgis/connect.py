"""Connections: one bounded pool per database, and its errors in words a planner understands."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Any

import psycopg
import sqlalchemy as sa
from psycopg import errors as pg

from groundframe.errors import DatabaseError

__all__ = ["Database"]

_START = "Start the local one with 'groundframe db start', or set DATABASE_URL."
_SESSION = sa.text(
    # PostGIS may live in any schema; its functions are found there and nowhere else. Compiled and
    # generic plans only cost here. One statement, so that a new connection costs one round trip.
    """
    SELECT set_config('search_path', coalesce((
        SELECT quote_ident(n.nspname) FROM pg_extension e JOIN pg_namespace n ON n.oid = e.extnamespace
        WHERE e.extname = 'postgis'), ''), false),
      set_config('jit', 'off', false), set_config('plan_cache_mode', 'force_custom_plan', false),
      set_config('TimeZone', 'UTC', false), set_config('DateStyle', 'ISO, YMD', false)
    """
)


class Database:
    """A PostgreSQL database with PostGIS, reached through a bounded pool.

    Parameters
    ----------
    url : str
        A libpq URL, ``postgresql://user@host/name``.
    pool_size : int
        The most connections at a time.
    acquire_timeout : float
        Seconds to wait for a free connection.

    Examples
    --------
    >>> Database("postgresql://reader:secret@example.org/maps").label
    'postgresql://reader:***@example.org/maps'
    """

    def __init__(self, url: str, *, pool_size: int = 5, acquire_timeout: float = 10.0) -> None:
        try:
            parsed = sa.make_url(url)
        except sa.exc.ArgumentError:
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
        sa.event.listen(self.engine, "connect", _prepare_session)

    @contextmanager
    def connect(self) -> Iterator[sa.Connection]:
        """A connection from the pool; what was not committed is rolled back.

        Raises
        ------
        DatabaseError
            For what the database does to the caller: not reachable, cut off, permission denied, timeout.
        """
        try:
            with self.engine.connect() as connection:
                yield connection
        except (sa.exc.DBAPIError, sa.exc.TimeoutError, psycopg.Error) as error:
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
        if isinstance(error, sa.exc.TimeoutError):
            size = self.engine.pool.size() if isinstance(self.engine.pool, sa.QueuePool) else 0
            return DatabaseError(
                f"All {size} connections to the database are in use.",
                "Try again when other queries have ended.",
            )
        cause = error.orig if isinstance(error, sa.exc.DBAPIError) else error
        reason = str(cause).strip().partition("\n")[0]
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
        if isinstance(cause, psycopg.OperationalError):
            reason = reason.rpartition("connection failed: ")[2]
            return DatabaseError(f"No database answers at {self.label}: {reason}.", _START)
        return None

    def close(self) -> None:
        """Close the connections of the pool."""
        self.engine.dispose()

    def __enter__(self) -> Database:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _prepare_session(dbapi_connection: Any, _record: object) -> None:
    with dbapi_connection.cursor() as cursor:
        cursor.execute(_SESSION.text)
    dbapi_connection.commit()
