"""Reading ahead: rows are made ready in a thread of their own while the database works on those before.

What is ready waits in a temporary file, so that nothing depends on how much memory there is. The thread never
touches the database; what goes wrong in it is raised where its rows are asked for.
"""

from __future__ import annotations

import gc
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import SimpleQueue
from threading import Event, Lock, Thread
from types import TracebackType
from typing import Self

from groundframe.errors import LoadError
from groundframe.postgis.load.encode import Encoder
from groundframe.postgis.load.rows import Row, RowBlock
from groundframe.schema.model import Entity, Pack

__all__ = ["ReadAhead"]


class ReadAhead:
    """The rows of several entities as data for COPY, read in order; a context that ends the reading.

    Parameters
    ----------
    given : callable
        The rows of an entity, by its name.
    """

    def __init__(
        self, pack: Pack, entities: Sequence[Entity], given: Callable[[str], Iterable[Row | RowBlock]]
    ) -> None:
        self._pack = pack
        self._given = given
        self._entities = tuple(entities)
        self._spools = {entity.name: _Spool() for entity in entities}
        self._left = Event()
        self._thread = Thread(target=self._read, name="groundframe-read-ahead", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._left.set()
        self._thread.join()
        for spool in self._spools.values():
            spool.close()

    def batches(self, entity: Entity) -> Iterator[tuple[int, bytes]]:
        """How many rows, and their records, a batch at a time, as soon as they are there."""
        return self._spools[entity.name].batches()

    def _read(self) -> None:
        problem: BaseException | None = None
        with _without_collector():
            for entity in self._entities:
                spool = self._spools[entity.name]
                try:
                    # What comes after a broken file is not read.
                    if problem is None:
                        for count, records in Encoder(self._pack, entity).batches(self._given(entity.name)):
                            if self._left.is_set():
                                return
                            spool.put(count, records)
                except BaseException as error:
                    problem = error
                spool.end(problem)


class _Spool:
    """Batches that wait in a temporary file, first in, first out."""

    def __init__(self) -> None:
        with _room():
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed with what it belongs to
        self._lock = Lock()
        self._end = 0
        self._ready: SimpleQueue[tuple[int, int] | BaseException | None] = SimpleQueue()

    def put(self, count: int, records: bytes) -> None:
        """Add a batch."""
        with self._lock, _room():
            self._file.seek(self._end)
            self._end += self._file.write(records)
            self._file.flush()
        self._ready.put((count, len(records)))

    def end(self, problem: BaseException | None) -> None:
        """Say that there are no more, for which a problem may be the reason."""
        self._ready.put(problem)

    def batches(self) -> Iterator[tuple[int, bytes]]:
        """The batches, waiting for each; raise the problem in its place."""
        start = 0
        while (ready := self._ready.get()) is not None:
            if isinstance(ready, BaseException):
                raise ready
            count, size = ready
            with self._lock:
                self._file.seek(start)
                records = self._file.read(size)
            start += size
            yield count, records

    def close(self) -> None:
        """Remove the file."""
        # What found no room is tried once more, in vain.
        with suppress(OSError):
            self._file.close()


@contextmanager
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise LoadError(
            f"Rows cannot be kept in a temporary file ({error.strerror or error}).",
            "Make room there, or name another folder in the environment variable TMPDIR.",
        ) from error


@contextmanager
def _without_collector() -> Iterator[None]:
    """Rows are many and none of them part of a cycle: looking for cycles takes a third of the time."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()
