"""Several planners at a time."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from statistics import quantiles
from threading import Lock, Thread
from time import perf_counter

from groundframe.errors import GroundframeError
from groundframe.eval.bench.classes import Case, Catalogue, cases
from groundframe.eval.bench.engine import Groundframe
from groundframe.eval.bench.loading import ground_of
from groundframe.postgis.datasets import Dataset

__all__ = ["PLANNERS", "Crowd", "crowd"]

PLANNERS = (1, 8, 32)
_DRAWN = 4
_LIMIT_S = 60.0


@dataclass(frozen=True, slots=True)
class Crowd:
    """How long the planners waited for their answers, and how many loads were done meanwhile."""

    planners: int
    seconds: float
    waits: tuple[float, ...]
    errors: tuple[str, ...]
    loads: int = 0

    def line(self) -> str:
        """A line of a table."""
        parts = quantiles(self.waits, n=20) if len(self.waits) > 1 else [*self.waits] * 19
        half, most = (1000 * parts[place] if parts else 0.0 for place in (9, 18))
        slowest = 1000 * max(self.waits, default=0.0)
        rate = len(self.waits) / self.seconds
        return (
            f"| {self.planners} | {rate:,.1f} | {half:,.0f} | {most:,.0f} | {slowest:,.0f} "
            f"| {len(self.errors)} | {self.loads} |"
        )


def crowd(
    dataset: Dataset,
    catalogue: Catalogue,
    planners: int,
    seconds: float,
    seed: int,
    load: Callable[[], None] | None = None,
) -> Crowd:
    """Let planners ask for a while, each one question after the other; waiting for a connection counts.

    Parameters
    ----------
    load : callable, optional
        Loads something, and is called again and again meanwhile; the last is let come to its end.
    """
    ground = ground_of(dataset, catalogue)
    asked = [case for spec in catalogue.classes for case in cases(catalogue, spec, ground, seed, _DRAWN)]
    own = Groundframe(dataset)
    for case in asked:
        own.checked(case)
    waits: list[float] = []
    errors: list[str] = []
    lock = Lock()
    until = perf_counter() + seconds

    def ask(number: int) -> None:
        random = Random(f"{seed} {number}")
        while perf_counter() < until:
            case: Case = random.choice(asked)
            began = perf_counter()
            try:
                own.answer(case, _LIMIT_S)
            except GroundframeError as error:
                with lock:
                    errors.append(f"{case.spec.name}: {error}")
                continue
            with lock:
                waits.append(perf_counter() - began)

    loads = 0

    def load_again() -> None:
        nonlocal loads
        while load is not None and perf_counter() < until:
            try:
                load()
            except GroundframeError as error:
                with lock:
                    errors.append(f"load: {error}")
                return
            loads += 1

    beside = Thread(target=load_again)
    beside.start()
    began = perf_counter()
    threads = [Thread(target=ask, args=(number,)) for number in range(planners)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    ended = perf_counter()
    beside.join()
    return Crowd(planners, ended - began, tuple(waits), tuple(errors), loads)
