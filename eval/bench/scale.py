"""How the time of the classes grows with the data."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import log
from statistics import median

import numpy as np
from sqlalchemy.schema import DropSchema

from groundframe.eval.bench.classes import Catalogue, cases
from groundframe.eval.bench.engine import Groundframe
from groundframe.eval.bench.loading import ground_of, load_bench, plain_schema
from groundframe.eval.bench.running import run_cases
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import dataset_names, dataset_schema, open_dataset
from groundframe.schema.model import Pack

__all__ = ["SCALES", "Growth", "exponent", "growth"]

SCALES = (1 / 50, 1 / 10, 1.0, 3.0)
_LIMIT_S = 120.0


@dataclass(frozen=True, slots=True)
class Growth:
    """Seconds per class at each size."""

    parts: tuple[float, ...]
    seconds: dict[str, tuple[float, ...]]

    def markdown(self) -> str:
        """A table of milliseconds and exponents."""
        lines = [
            f"| ms | {' | '.join(f'{part:g}' for part in self.parts)} | exponent |",
            f"| --- |{' ---: |' * (len(self.parts) + 1)}",
        ]
        for name, seconds in self.seconds.items():
            cells = " | ".join(f"{1000 * one:,.1f}" for one in seconds)
            lines.append(f"| {name} | {cells} | {exponent(self.parts, seconds):.2f} |")
        return "\n".join(lines)


def exponent(parts: Sequence[float], seconds: Sequence[float]) -> float:
    """The power of the size with which the time grows.

    Examples
    --------
    >>> round(exponent([0.1, 1, 10], [1, 10, 100]), 6)
    1.0
    """
    if len(parts) < 2:
        return float("nan")
    slope, _ = np.polyfit([log(part) for part in parts], [log(one) for one in seconds], 1)
    return float(slope)


def growth(
    database: Database,
    pack: Pack,
    catalogue: Catalogue,
    *,
    parts: Sequence[float],
    classes: Sequence[str],
    rounds: int,
    keep: bool,
    progress: Callable[..., None],
) -> Growth:
    """Load the state at each size, measure, and drop it again, unless it is to be kept."""
    seconds: dict[str, list[float]] = {}
    for part in parts:
        name = f"bench_part_{round(1000 * part)}"
        if not (keep and name in dataset_names(database)):
            load_bench(database, pack, catalogue, name, part, progress)
        try:
            with Database(database.url, reading=True) as reader:
                dataset = open_dataset(reader, name)
                ground = ground_of(dataset, catalogue)
                every = [next(cases(catalogue, spec, ground, 1, 0)) for spec in catalogue.chosen(classes)]
                own = Groundframe(dataset)
                for one in run_cases(every, [own], rounds=rounds, limit_s=_LIMIT_S, progress=progress):
                    seconds.setdefault(one.case.spec.name, []).append(median(one.seconds))
        finally:
            if not keep:
                with database.begin() as connection:
                    connection.execute(DropSchema(dataset_schema(name), cascade=True))
                    connection.execute(DropSchema(plain_schema(name), cascade=True))
    return Growth(tuple(parts), {name: tuple(found) for name, found in seconds.items()})
