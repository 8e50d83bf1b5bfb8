"""The published questions on the real files: an answer or what is missing, and all of it the oracle's."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

import groundframe as gf
from groundframe.eval.published import published_frames
from groundframe.eval.random_frames.links import link_differences
from groundframe.eval.subject import Subject
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.reading import read_sources
from groundframe.schema.packs import load_pack
from groundframe.validator.outcomes import Checked, Rejected

pytestmark = [pytest.mark.shared_data, pytest.mark.slow]

PACK = load_pack("massachusetts")
NAME = "published_real"
FRAMES = published_frames()


@pytest.fixture(scope="module")
def real(eval_databases: tuple[Database, Database], shared_data: Path) -> Subject:
    owner, reader = eval_databases
    load_dataset(owner, PACK, NAME, read_sources(PACK, shared_data / "massachusetts"))
    return Subject(open_dataset(reader, NAME))


@pytest.fixture(scope="module")
def gis(real: Subject, eval_url: str) -> Iterator[gf.Connection]:
    with gf.connect(eval_url, NAME) as connection:
        yield connection


def test_links_and_carried_values_are_the_oracle_s(real: Subject) -> None:
    assert list(link_differences(real)) == []


@pytest.mark.parametrize("name", FRAMES)
def test_no_answer_is_empty_without_a_reason(gis: gf.Connection, name: str) -> None:
    outcome = gis.validate(FRAMES[name])
    if isinstance(outcome, Rejected):
        assert {issue.code for issue in outcome.issues} <= {"missing_layer", "missing_field_data"}
        return
    answer = gis.run(FRAMES[name])
    if not any(True for _ in answer.rows()):
        said = " ".join([*answer.record()["warnings"], *answer.record()["notes"]])
        targets = [target for target in FRAMES[name]["targets"] if target["role"] != "scope"]
        # It names the layer, and what of it is loaded.
        assert any(f"Loaded {PACK.entity(target['entity']).plural}: " in said for target in targets)
        for role, left_out in answer.counts["unknown_left_out"].items():
            assert not left_out or "Not known" in said, role


@pytest.mark.parametrize("name", list(FRAMES)[::4])
def test_the_answer_is_the_oracle_s(real: Subject, name: str) -> None:
    outcome = real.check(FRAMES[name])
    assert isinstance(outcome, Checked)
    assert real.compare(outcome.frame)[1] == []
