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
def eval_databases(eval_url: str) -> Iterator[tuple[Database, Database]]:
    """The database as its owner, who loads, and as the reader, who is asked."""
    with Database(eval_url) as owner, Database(eval_url, reading=True) as reader:
        yield owner, reader


@pytest.fixture(scope="session", params=[1, 2, 3], ids=lambda seed: f"seed{seed}")
def demo(request: pytest.FixtureRequest, eval_databases: tuple[Database, Database]) -> Subject:
    """The demo state of one seed."""
    return loaded(
        eval_databases, f"published_{request.param}", generate(PACK, seed=request.param, size="small")
    )


@pytest.fixture(scope="session")
def small_demo(eval_databases: tuple[Database, Database]) -> Subject:
    """A state small enough for the oracle to look at every pair many times over."""
    state = generate(PACK, seed=7, size="small", crashes=700)
    state.sizes.update(Road=500, BusStop=60, Crosswalk=60, School=40)
    return loaded(eval_databases, "random_frames", state)


def loaded(databases: tuple[Database, Database], name: str, state: SyntheticState) -> Subject:
    owner, reader = databases
    load_dataset(owner, PACK, name, state)
    return Subject(open_dataset(reader, name))
