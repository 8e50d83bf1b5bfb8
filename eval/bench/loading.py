"""The data of a bench: a state of a given size, and an analyst's own tables of the same rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import pairwise
from time import perf_counter, process_time

import sqlalchemy as sa
from sqlalchemy.schema import CreateSchema, DropSchema

from groundframe.errors import DatasetError
from groundframe.eval.bench.classes import Catalogue, Ground
from groundframe.eval.bench.month import LastMonth
from groundframe.eval.random_frames.ground import loaded_for_now
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import Dataset, dataset_schema
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.staging import Progress
from groundframe.postgis.load.synthetic.state import SyntheticState, generate
from groundframe.postgis.reader import let_read
from groundframe.schema.model import Pack

__all__ = [
    "ADDING",
    "PLAIN",
    "SIZES",
    "Phases",
    "ground_of",
    "load_and_drop",
    "load_bench",
    "plain_schema",
    "search_in",
    "state_of",
]

SIZES = {"small": 1 / 50, "state": 1.0}
"""What part of the whole state a size is."""
_FEWEST_AREAS = 4
PLAIN = "plain tables"
"""What is done last, which is no part of the dataset."""


def state_of(pack: Pack, part: float) -> SyntheticState:
    """The synthetic state with that part of its features, in that part of its towns while there are so many.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> sorted(state_of(load_pack("massachusetts"), 1 / 50).sizes.values())
    [7, 50, 600, 1200, 9000, 30000]
    """
    state = generate(pack, size="state")
    areas = state.plan.layer("areas").entity
    sizes = {entity: max(1, round(count * part)) for entity, count in state.sizes.items()}
    sizes[areas] = min(max(sizes[areas], _FEWEST_AREAS), len(state.plan.areas))
    return replace(state, sizes=sizes)


def plain_schema(dataset: str) -> str:
    """The schema of the analyst's tables."""
    return f"plain_{dataset}"


def search_in(connection: sa.Connection, schema: str, **settings: str) -> None:
    """Look tables up in a schema until the transaction ends, with other settings of the session."""
    wanted = {"search_path": f"{schema}, public", **settings}
    connection.execute(sa.select(*(sa.func.set_config(name, value, True) for name, value in wanted.items())))


@dataclass
class Phases:
    """Passes on what a load says that it does, and notes the seconds that each of it takes."""

    progress: Progress
    _marks: list[tuple[str, float, float]] = field(default_factory=list, init=False)

    def __post_init__(self) -> None:
        self._mark("starting")

    def __call__(self, what: str, done: int) -> None:
        if what != self._marks[-1][0]:
            self._mark(what)
        self.progress(what, done)

    def seconds(self) -> Iterator[tuple[str, float, float]]:
        """What was done until now, the seconds that passed, and those of processor time of this process."""
        self._mark("")
        for (what, *began), (_, *ended) in pairwise(self._marks):
            yield what, ended[0] - began[0], ended[1] - began[1]

    def _mark(self, what: str) -> None:
        self._marks.append((what, perf_counter(), process_time()))


MAKING_UP = "making up the last month"
ADDING = "adding: "
"""So begins what is done while a month is added."""


def load_bench(
    database: Database,
    pack: Pack,
    catalogue: Catalogue,
    dataset: str,
    part: float,
    progress: Progress,
    *,
    month: bool = False,
) -> LastMonth:
    """Load a state, and make an analyst's tables beside it; with `month` the last one is added afterwards."""
    last = LastMonth(state_of(pack, part), alone=True)
    source = replace(last, alone=False) if month else last.state
    load_dataset(database, pack, dataset, source, progress=progress)
    if month:
        progress(MAKING_UP, 0)
        last = last.made_up()
        adding: Progress = lambda what, done: progress(f"{ADDING}{what}", done)  # noqa: E731
        load_dataset(database, pack, dataset, last, add=True, progress=adding)
    progress(PLAIN, 0)
    make_plain(database, catalogue, dataset)
    return last


def load_and_drop(url: str, pack: Pack) -> None:
    """Load a small state for a moment, which keeps the database as busy as any load."""
    with (
        Database(url) as database,
        loaded_for_now(database, pack, state_of(pack, SIZES["small"]), "bench_"),
    ):
        pass


def make_plain(database: Database, catalogue: Catalogue, dataset: str) -> None:
    """Make the analyst's tables from a dataset's."""
    schema = plain_schema(dataset)
    with database.begin() as connection:
        connection.execute(DropSchema(schema, cascade=True, if_exists=True))
        connection.execute(CreateSchema(schema))
        search_in(connection, schema)
        for statement in catalogue.plain:
            connection.execute(sa.text(statement.format(dataset=dataset_schema(dataset))))
        let_read(connection, schema)


def ground_of(dataset: Dataset, catalogue: Catalogue) -> Ground:
    """The places of a dataset that cases are drawn from.

    Raises
    ------
    DatasetError
        When the dataset was not made for a bench.
    """
    with dataset.database.connect() as connection:
        plain = connection.scalar(
            sa.text("SELECT to_regnamespace(:name)"), {"name": plain_schema(dataset.name)}
        )
        if plain is None:
            raise DatasetError(
                f"Dataset '{dataset.name}' is not made for a bench.", "Load one: groundframe bench load"
            )
        search_in(connection, dataset.schema)
        towns = tuple(connection.scalars(sa.text(catalogue.towns)))
        points = tuple(tuple(row) for row in connection.execute(sa.text(catalogue.points)))
    return Ground(towns, points, dataset.pack.srid)
