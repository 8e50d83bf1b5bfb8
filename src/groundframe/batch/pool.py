"""A bounded pool of threads, and one place where everything that is kept is written.

Threads are enough: the database works in processes of its own, each thread has one connection to it, and a
frame costs the interpreter a few milliseconds. What comes of the frames is noted by the thread that runs the
batch, in the order in which they are finished; the manifest grows in the order of the input.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import partial
from queue import Empty, SimpleQueue
from time import perf_counter, sleep
from typing import Any

from groundframe.batch.answering import Came, Writer
from groundframe.batch.folder import Finished, Folder
from groundframe.batch.lifeline import Lifeline
from groundframe.batch.reading import Job
from groundframe.errors import DatabaseError, OutputError

__all__ = ["BatchProgress", "Run", "Task", "Watch"]

_POLL_S = 0.2


@dataclass(frozen=True, slots=True)
class BatchProgress:
    """How far a batch has come.

    Parameters
    ----------
    done, total : int
        Frames that are dealt with, and all.
    text : str
        Something worth saying, else empty.
    entry : mapping, optional
        The line of the manifest for the frame that was dealt with just now.
    """

    done: int
    total: int
    text: str = ""
    entry: Mapping[str, Any] | None = None

    def __str__(self) -> str:
        return self.text or f"{self.done:,} of {self.total:,} frames"


Watch = Callable[[BatchProgress], None]
"""Is told of every step, in the thread that runs the batch."""


@dataclass(frozen=True, slots=True)
class Task:
    """A frame with the choices that it is run with; `key` digests everything that its answer depends on."""

    job: Job
    choices: Mapping[str, str]
    key: str


@dataclass(frozen=True, slots=True)
class _Ended:
    """A frame that a thread has dealt with."""

    came: Came
    timing: Mapping[str, Any]


class Run:
    """One run over the frames of a batch.

    Attributes
    ----------
    came : list of Came or None
        What came of each task; None for those that the run has not reached.
    reused : int
        How many of them earlier runs have finished.
    written : int
        Lines of the manifest: so many tasks, from the first, are dealt with.
    stopped : bool
        Whether the run ends at a frame that was not answered.
    interrupted : bool
        Whether somebody pressed Ctrl-C.
    """

    def __init__(
        self, writer: Writer, folder: Folder, tasks: Sequence[Task], *, fail_fast: bool, watch: Watch
    ) -> None:
        self._writer = writer
        self._folder = folder
        self._tasks = tasks
        self._fail_fast = fail_fast
        self._watch = watch
        self._events: SimpleQueue[tuple[int, Future[_Ended]] | str] = SimpleQueue()
        self._given_up = threading.Event()
        finished = [folder.finished(task.key) for task in tasks]
        self.came = [None if one is None else Came(one.entry, one.choices) for one in finished]
        self.reused = self._done = sum(one is not None for one in finished)
        self.written = 0
        self.stopped = self.interrupted = False

    def begin(self, settings: Mapping[str, Any]) -> None:
        """Start the manifest with what earlier runs have finished."""
        self._folder.begin(settings, self._next_lines())

    def finish(self, workers: int, patience_s: float) -> None:
        """Answer the frames that are not finished.

        Raises
        ------
        OutputError
            When there is no room for a result or the manifest; what was written before stays.
        """
        database = self._writer.gis.dataset.database
        lifeline = Lifeline(database, patience_s, self._given_up, self._events.put)
        waiting = [] if self.stopped else [index for index, came in enumerate(self.came) if came is None]
        pool = ThreadPoolExecutor(workers, thread_name_prefix="groundframe")
        futures: list[Future[_Ended]] = []
        try:
            with self._deferring_interrupts():
                for index in waiting:
                    futures.append(pool.submit(self._answer, lifeline, self._tasks[index]))
                    futures[-1].add_done_callback(partial(self._report, index))
                self._collect(len(waiting))
        finally:
            self._given_up.set()
            pool.shutdown(wait=False, cancel_futures=True)
            while not all(future.done() for future in futures):
                database.cancel()
                sleep(_POLL_S)
            pool.shutdown()
            self._drain()

    def _answer(self, lifeline: Lifeline, task: Task) -> _Ended:
        """Answer one frame, in a thread of the pool."""
        began = perf_counter()
        try:
            came = lifeline.hold(partial(self._writer.answer, task.job, task.choices))
        except DatabaseError as error:
            came = self._writer.failed(task.job, task.choices, error)
        finished = datetime.now(UTC).isoformat(timespec="milliseconds")
        timing = {"line": task.job.line, "stem": task.job.stem, "state": came.entry["state"]}
        return _Ended(came, timing | {"seconds": round(perf_counter() - began, 6), "finished": finished})

    def _report(self, index: int, future: Future[_Ended]) -> None:
        self._events.put((index, future))

    def _collect(self, expected: int) -> None:
        """Note what the threads have finished, until that is all or the run ends early."""
        while expected and not self.stopped and not self.interrupted:
            try:
                event = self._events.get(timeout=_POLL_S)
            except Empty:
                continue
            if isinstance(event, str):
                self._watch(BatchProgress(self._done, len(self._tasks), event))
                continue
            expected -= 1
            index, future = event
            self._keep(index, future.result())
            for entry in self._next_lines():
                self._folder.add(entry)
            self._done += 1
            entry = self._line(index, self.came[index])
            self._watch(BatchProgress(self._done, len(self._tasks), entry=entry))

    def _drain(self) -> None:
        """Note what was finished while the run ended, so that it need not be done again."""
        while not self._events.empty():
            event = self._events.get()
            if isinstance(event, str) or event[1].cancelled() or event[1].exception() is not None:
                continue
            index, ended = event[0], event[1].result()
            # A full disk has been told of already.
            with suppress(OutputError):
                if ended.came.entry["state"] != "failed":
                    self._keep(index, ended)

    def _keep(self, index: int, ended: _Ended) -> None:
        self.came[index] = ended.came
        self._folder.keep(
            Finished(self._tasks[index].key, ended.came.entry, ended.came.choices), ended.timing
        )

    def _next_lines(self) -> Iterator[Mapping[str, Any]]:
        """The lines that the manifest lacks, as far as all before them are there."""
        while self.written < len(self._tasks) and not self.stopped:
            came = self.came[self.written]
            if came is None:
                return
            yield self._line(self.written, came)
            self.written += 1
            self.stopped = self._fail_fast and came.entry["state"] != "done"

    def _line(self, index: int, came: Came | None) -> Mapping[str, Any]:
        return {"line": self._tasks[index].job.line, **(came.entry if came else {})}

    @contextmanager
    def _deferring_interrupts(self) -> Iterator[None]:
        """Ctrl-C ends the run between two lines; pressed twice, at once."""
        mine = threading.current_thread() is threading.main_thread()
        if not mine or signal.getsignal(signal.SIGINT) in (signal.SIG_IGN, None):
            yield
            return

        def note(_number: int, _frame: object) -> None:
            if self.interrupted:
                raise KeyboardInterrupt
            self.interrupted = True

        before = signal.signal(signal.SIGINT, note)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
