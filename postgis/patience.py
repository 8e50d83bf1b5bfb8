"""A connection that does not wait for ever for a server that has fallen silent.

The server's own ``statement_timeout`` ends what takes too long. It is of no help where the server is frozen
or the network swallows what it sends: then only the client can give up.
"""

from __future__ import annotations

import time
from typing import Any, TypeVar

import psycopg
from psycopg.abc import PQGen

__all__ = ["PatientConnection", "SilenceError"]

T = TypeVar("T")


class SilenceError(psycopg.OperationalError):
    """The server has not answered in time; the connection is closed, as nothing is known of its state."""


class PatientConnection(psycopg.Connection[Any]):
    """A connection with a limit of time for each answer.

    Attributes
    ----------
    patience : float or None
        Seconds to wait for one answer of the server; None for as long as it takes.
    """

    patience: float | None = None

    def wait(self, gen: PQGen[T], *args: Any, **options: Any) -> T:
        if self.patience is not None:
            gen = self._limited(gen, self.patience)
        return super().wait(gen, *args, **options)

    def _limited(self, answer: PQGen[T], seconds: float) -> PQGen[T]:
        """The same steps, which psycopg takes every now and then even when nothing has come."""
        deadline = time.monotonic() + seconds
        try:
            awaited = next(answer)
            while True:
                awaited = answer.send((yield awaited))
                if time.monotonic() > deadline:
                    self.pgconn.finish()
                    raise SilenceError(f"the server has not answered for {seconds:.0f} seconds")
        except StopIteration as done:
            given: T = done.value
            return given
