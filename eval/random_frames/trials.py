"""Many drawn frames, one after the other or in several processes."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from functools import cache, partial
from multiprocessing import get_context

from groundframe.eval.random_frames.trial import Trial, try_frame
from groundframe.eval.subject import Subject
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import Dataset, open_dataset

__all__ = ["run_trials"]


def run_trials(
    dataset: Dataset, seed: int, frames: int, *, jobs: int = 1, simplify: bool = True
) -> Iterator[Trial]:
    """The trials of the first so many frames of a seed, in order, whatever the number of processes.

    Parameters
    ----------
    jobs : int
        Processes; each reads the dataset for itself.
    simplify : bool
        Look for the simplest frame where one differs.
    """
    numbers = range(frames)
    if jobs == 1:
        subject = Subject(dataset)
        yield from (try_frame(subject, seed, number, simplify=simplify) for number in numbers)
        return
    attempt = partial(_try, dataset.database.url, dataset.name, seed, simplify)
    # Connections do not survive a fork.
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"))
    try:
        yield from pool.map(attempt, numbers)
    finally:
        pool.shutdown(cancel_futures=True)


def _try(url: str, dataset: str, seed: int, simplify: bool, number: int) -> Trial:
    return try_frame(_subject(url, dataset), seed, number, simplify=simplify)


@cache
def _subject(url: str, dataset: str) -> Subject:
    """The dataset of a process, read once."""
    return Subject(open_dataset(Database(url, reading=True, pool_size=1), dataset))
