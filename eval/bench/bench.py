"""A whole run: the contestants, the cases, the report."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager

from groundframe.errors import UsageError
from groundframe.eval.bench.by_hand import Best, Bound, Straightforward
from groundframe.eval.bench.classes import Catalogue, cases
from groundframe.eval.bench.contestant import Contestant
from groundframe.eval.bench.engine import Groundframe
from groundframe.eval.bench.loading import ground_of, plain_schema
from groundframe.eval.bench.report import Report, surroundings
from groundframe.eval.bench.running import ROUNDS, run_cases
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.engine import engine_versions

__all__ = ["PEERS", "run_bench"]

PEERS = ("geopandas", "duckdb", "sedonadb")


def run_bench(
    dataset: Dataset,
    catalogue: Catalogue,
    *,
    classes: Sequence[str] = (),
    peers: Sequence[str] = (),
    seed: int = 1,
    drawn: int = 2,
    rounds: int = ROUNDS,
    limit_s: float = 60.0,
    progress: Callable[[str, int, int], None],
) -> Report:
    """Put the classes to groundframe, to statements by hand and to other tools.

    Parameters
    ----------
    classes : sequence of str
        Beginnings of their names; all of them by default.
    peers : sequence of {'geopandas', 'duckdb', 'sedonadb'}
        The other tools, which work on the rows in this process's memory.
    drawn : int
        How many cases of each class have a radius, a place and filters that the seed draws.

    Raises
    ------
    BenchError
        When two contestants give different answers.
    UsageError
        When there is no such class, or a tool is not installed.
    """
    chosen = catalogue.chosen(classes)
    ground = ground_of(dataset, catalogue)
    about = {
        "dataset": dataset.name,
        "data_version": dataset.data_version,
        "seed": seed,
        "limit_s": limit_s,
        "engine": engine_versions(dataset.database),
    }
    every = [case for spec in chosen for case in cases(catalogue, spec, ground, seed, drawn)]
    with _contestants(dataset, catalogue, peers) as contestants:
        figures = run_cases(every, contestants, rounds=rounds, limit_s=limit_s, progress=progress)
    return Report({**about, **surroundings()}, figures)


@contextmanager
def _contestants(dataset: Dataset, catalogue: Catalogue, peers: Sequence[str]) -> Iterator[list[Contestant]]:
    database = dataset.database
    with ExitStack() as stack:
        made: list[Contestant] = [
            Groundframe(dataset),
            Best(database, dataset.schema),
            Straightforward(database, plain_schema(dataset.name), jit=True),
            *_peers(dataset, catalogue, peers),
            Bound(database, dataset.schema),
        ]
        for one in made:
            stack.callback(one.close)
        yield made


def _peers(dataset: Dataset, catalogue: Catalogue, peers: Sequence[str]) -> Iterator[Contestant]:
    if not peers:
        return
    for name in peers:
        if name not in PEERS:
            raise UsageError(f"There is no peer '{name}'.", f"Peers: {', '.join(PEERS)}.")
    from groundframe.eval.bench.geopandas_peer import GeoPandas
    from groundframe.eval.bench.statement_peers import DuckDB, SedonaDB
    from groundframe.eval.bench.tables import arrow_tables

    tables = arrow_tables(dataset, catalogue)
    makers: dict[str, Callable[[], GeoPandas | DuckDB | SedonaDB]] = {
        "geopandas": lambda: GeoPandas(tables, catalogue.events),
        "duckdb": lambda: DuckDB(tables),
        "sedonadb": lambda: SedonaDB(tables),
    }
    for name in peers:
        try:
            peer = makers[name]()
        except ImportError:
            raise UsageError(f"{name} is not installed.", "Run: pip install 'groundframe[bench]'") from None
        yield from peer.both()
