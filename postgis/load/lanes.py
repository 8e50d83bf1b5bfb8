"""Lanes: statements that do not depend on each other, over several connections at a time.

An index is built by one process, whatever the server has. What the lanes work on must be committed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor, as_completed
from threading import Event, Lock

import sqlalchemy as sa

from groundframe.postgis.connect import Database
from groundframe.postgis.load.build import Statement, settle

__all__ = ["run_apart"]

_LANES = 2
"""Whoever has two processors has room to build two indexes, and memory for them."""


def run_apart(database: Database, statements: Iterable[Statement], *, at_once: bool = True) -> None:
    """Run statements, each in a transaction of its own; those that come first begin first.

    Parameters
    ----------
    at_once : bool
        False for statements that may not be in a transaction.
    """
    waiting, failed = _Shared(statements), Event()

    def work() -> None:
        with database.connect() as connection:
            if not at_once:
                connection = connection.execution_options(isolation_level="AUTOCOMMIT")
            for statement in waiting:
                if failed.is_set():
                    return
                if at_once:
                    settle(connection, max_parallel_maintenance_workers="0")
                if isinstance(statement, sa.Executable):
                    connection.execute(statement)
                else:
                    connection.exec_driver_sql(statement.as_string())
                connection.commit()

    with ThreadPoolExecutor(_LANES, "groundframe-lane") as lanes:
        try:
            for lane in as_completed([lanes.submit(work) for _ in range(_LANES)]):
                lane.result()
        except BaseException:
            failed.set()
            raise


class _Shared(Iterator[Statement]):
    """An iterator that several threads take from."""

    def __init__(self, items: Iterable[Statement]) -> None:
        self._items = iter(items)
        self._lock = Lock()

    def __next__(self) -> Statement:
        with self._lock:
            return next(self._items)
