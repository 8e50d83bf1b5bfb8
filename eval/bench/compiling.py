"""How long it takes from a checked frame to SQL, one frame after the other."""

from __future__ import annotations

import gc
from statistics import median, quantiles
from time import perf_counter
from typing import Any

from groundframe.compiler.compile import compile_frame
from groundframe.eval.bench.classes import Catalogue, cases
from groundframe.eval.bench.engine import Groundframe
from groundframe.eval.bench.loading import ground_of
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.execute import ROW_LIMIT, statements

__all__ = ["compile_all"]


def compile_all(
    dataset: Dataset, catalogue: Catalogue, *, seed: int, drawn: int, rounds: int
) -> dict[str, Any]:
    """Compile every class, with its own values and with drawn ones, again and again.

    The first time a process meets the shape of a plan is told apart: its statements are written out then.
    """
    ground = ground_of(dataset, catalogue)
    own = Groundframe(dataset)
    every = [case for spec in catalogue.classes for case in cases(catalogue, spec, ground, seed, drawn)]
    frames = [own.checked(case) for case in every]
    gc.collect()
    seconds: list[list[float]] = []
    for _ in range(rounds + 1):
        seconds.append([])
        for frame in frames:
            began = perf_counter()
            plan = compile_frame(frame, dataset.pack, dataset.physical)
            statements(plan, ROW_LIMIT, schema=dataset.schema)
            seconds[-1].append(perf_counter() - began)
    first, *again = seconds
    known = [one for listed in again for one in listed]
    return {
        "frames": len(frames),
        "rounds": rounds,
        "median_ms": _ms(median(known)),
        "p95_ms": _ms(quantiles(known, n=20)[-1]),
        "first_median_ms": _ms(median(first)),
        "first_p95_ms": _ms(quantiles(first, n=20)[-1]),
    }


def _ms(seconds: float) -> float:
    return round(1000 * seconds, 2)
