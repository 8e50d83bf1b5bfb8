"""Datasets for the evaluation: the synthetic state of three seeds, and a very small one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from groundframe.eval.subject import Subject
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.synthetic import SyntheticState, generate
from groundframe.schema.packs import load_pack

PACK = load_pack("massachusetts")


@pytest.fixture(scope="session")
def eval_url(make_database: Callable[..., str]) -> str:
    """URL of the database in which every state is loaded once."""
    return make_database()


@pytest.fixture(scope="session")
def eval_database(eval_url: str) -> Iterator[Database]:
    with Database(eval_url) as database:
        yield database


@pytest.fixture(scope="session", params=[1, 2, 3], ids=lambda seed: f"seed{seed}")
def demo(request: pytest.FixtureRequest, eval_database: Database) -> Subject:
    """The demo state of one seed."""
    return loaded(
        eval_database, f"published_{request.param}", generate(PACK, seed=request.param, size="small")
    )


@pytest.fixture(scope="session")
def small_demo(eval_database: Database) -> Subject:
    """A state small enough for the oracle to look at every pair many times over."""
    state = generate(PACK, seed=7, size="small", crashes=700)
    state.sizes.update(Road=500, BusStop=60, Crosswalk=60, School=40)
    return loaded(eval_database, "random_frames", state)


def loaded(database: Database, name: str, state: SyntheticState) -> Subject:
    load_dataset(database, PACK, name, state)
    return Subject(open_dataset(database, name))
