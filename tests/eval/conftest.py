"""Datasets for the evaluation: the synthetic state of three seeds, and the ground of drawn frames."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import pytest
from hypothesis import assume, note
from hypothesis import strategies as st

from groundframe.eval.random_frames.drawing import draw_frame
from groundframe.eval.random_frames.ground import Ground
from groundframe.eval.subject import Subject
from groundframe.frames.model import Frame
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.postgis.load.loading import RowSource, load_dataset
from groundframe.postgis.load.synthetic import generate
from groundframe.schema.packs import load_pack
from groundframe.validator.outcomes import Checked, Rejected

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
def ground(eval_databases: tuple[Database, Database]) -> Subject:
    """What `groundframe eval oracle` draws frames about when it is given no dataset."""
    return loaded(eval_databases, "ground", Ground(PACK))


@pytest.fixture(scope="session")
def drawn(ground: Subject) -> st.SearchStrategy[Frame]:
    """Checked frames about the ground, which become simple when they fail."""

    @st.composite
    def frames(draw: st.DrawFn) -> Frame:
        def pick(options: Sequence[Any]) -> Any:
            return options[draw(st.integers(0, len(options) - 1))]

        outcome = ground.check(draw_frame(ground.world, pick))
        assume(not isinstance(outcome, Rejected))
        assert isinstance(outcome, Checked)
        note(outcome.frame.model_dump_json(by_alias=True, exclude_defaults=True))
        return outcome.frame

    return frames()


def loaded(databases: tuple[Database, Database], name: str, rows: RowSource) -> Subject:
    owner, reader = databases
    load_dataset(owner, PACK, name, rows)
    return Subject(open_dataset(reader, name))
