"""Narrow tables and pairs hold what the entities' tables say, and what the pack declares."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import shapely
import sqlalchemy as sa

from groundframe.compiler.compile import compile_frame
from groundframe.compiler.physical import Physical
from groundframe.errors import DatasetError
from groundframe.eval.rows import rows_of_dataset
from groundframe.eval.subject import Subject
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import Dataset, open_dataset
from groundframe.postgis.execute import statements
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.synthetic import generate
from groundframe.postgis.stats import dataset_stats
from groundframe.schema.model import Concept, Pack, Proximity
from groundframe.schema.packs import load_pack
from groundframe.validator.outcomes import Checked

PACK = load_pack("massachusetts")
NEAR = 300.0


@pytest.fixture(scope="module")
def dataset(make_database: Callable[..., str]) -> Iterator[Dataset]:
    """A very small state, with pairs of schools and crashes only."""
    state = generate(PACK, seed=3, size="small", crashes=600)
    state.sizes.update(Road=300, BusStop=20, Crosswalk=20, School=30)
    pack = PACK.model_copy(update={"proximity": (Proximity(between=("School", "Crash"), within_m=NEAR),)})
    with Database(make_database()) as database:
        load_dataset(database, pack, "small", state)
        yield open_dataset(database, "small", pack=PACK)


def fetched(dataset: Dataset, table: str) -> list[dict[str, Any]]:
    statement = sa.text(f"SELECT * FROM {dataset.schema}.{table}")
    with dataset.database.connect() as connection:
        return [row._asdict() for row in connection.execute(statement)]


def test_numbers_follow_the_rows_and_keys_their_code_points(dataset: Dataset) -> None:
    wide = {row["id"]: row["key"] for row in fetched(dataset, "crash")}
    narrow = {row["key_order"]: wide[row["id"]] for row in fetched(dataset, "narrow_crash")}
    assert sorted(wide) == list(range(1, 601))
    assert [narrow[place] for place in sorted(narrow)] == sorted(wide.values())


def test_a_narrow_row_says_what_the_row_says(dataset: Dataset) -> None:
    narrow = {row["id"]: row for row in fetched(dataset, "narrow_crash")}
    towns = {row["id"]: row["key"] for row in fetched(dataset, "town")}
    severities = PACK.entity("Crash").field("severity").canonical_values()
    for row in fetched(dataset, "crash"):
        found = narrow[row["id"]]
        assert towns.get(found["town_id"]) == row["town_key"]
        code = found["severity_code"]
        assert (None if code is None else severities[code]) == row["severity"]
        assert (found["date"], found["persons_killed"]) == (row["date"], row["persons_killed"])
        if row["date"] is not None:
            assert found["year_part"] == row["date"].year
            assert found["weekday_part"] == row["date"].isoweekday()
        fatal = None if row["severity"] in (None, "Unknown") else row["severity"] == "Fatal injury"
        assert found["is_fatal_crash_by_severity"] is fatal


def test_pairs_are_all_there_are_up_to_the_distance(dataset: Dataset) -> None:
    rows = rows_of_dataset(dataset)
    numbers = {
        name: {row["key"]: row["id"] for row in fetched(dataset, table)}
        for name, table in (("School", "school"), ("Crash", "crash"))
    }
    expected = {
        (numbers["School"][school["key"]], numbers["Crash"][crash["key"]]): metres
        for school in rows["School"]
        for crash in rows["Crash"]
        if school["geometry"] is not None
        and crash["geometry"] is not None
        and (metres := shapely.distance(school["geometry"], crash["geometry"])) <= NEAR + 0.0005
    }
    stored = {(row["a"], row["b"]): row["m"] for row in fetched(dataset, "near_school_crash")}
    assert stored.keys() == expected.keys()
    assert all(math.isclose(stored[pair], expected[pair], abs_tol=1e-9) for pair in stored)
    codes = {row["id"]: row["severity_code"] for row in fetched(dataset, "narrow_crash")}
    assert len(set(codes.values())) > 1
    for row in fetched(dataset, "near_school_crash"):
        assert row["b_severity_code"] == codes[row["b"]]
    nearest: dict[int, float] = {}
    for (_, crash), metres in stored.items():
        nearest[crash] = min(metres, nearest.get(crash, metres))
    found = {row["id"]: row["near_school_m"] for row in fetched(dataset, "narrow_crash")}
    assert {number: metres for number, metres in found.items() if metres is not None} == nearest


def test_what_there_is_counts_and_not_what_the_pack_declares_by_now(dataset: Dataset) -> None:
    physical = dataset.physical
    assert [(near.a, near.b, near.metres) for near in physical.pairs] == [("School", "Crash", NEAR)]
    assert len(Physical.of(PACK).pairs) > 1
    stats = dataset_stats(dataset)
    assert stats.outdated == ""
    assert stats.former == ("School and Crash within 300 m",)
    assert "School and Crash within 500 m" in stats.missing
    rows = {one.table: one.rows for one in stats.tables}
    assert rows["crash"] == rows["narrow_crash"] == 600
    assert rows["near_school_crash"] == len(fetched(dataset, "near_school_crash"))
    assert all(one.bytes > 0 for one in stats.tables if one.rows)


def test_neither_pairs_nor_their_distance_make_other_data(dataset: Dataset) -> None:
    changed = PACK.model_copy(update={"proximity": ()})
    assert changed.digest == PACK.digest
    with dataset.database.connect() as connection:
        version = connection.scalar(sa.text(f"SELECT data_version FROM {dataset.schema}.dataset"))
    state = generate(PACK, seed=3, size="small", crashes=600)
    state.sizes.update(Road=300, BusStop=20, Crosswalk=20, School=30)
    assert load_dataset(dataset.database, changed, "plain", state).data_version == version


FATAL = {
    "targets": [{"entity": "Crash", "role": "primary"}],
    "attribute_constraints": [{"target_role": "primary", "concept": "fatal_crash"}],
}


def edited(pack: Pack, **changes: Any) -> Pack:
    """The pack as somebody has edited it."""
    return pack.model_copy(update={**changes, "digest": "e" * 64})


def with_field(pack: Pack, entity: str, field: str, **changes: Any) -> Pack:
    """The pack with a field of an entity edited."""
    entities = [
        one.model_copy(
            update={
                "fields": tuple(f.model_copy(update=changes) if f.name == field else f for f in one.fields)
            }
        )
        if one.name == entity
        else one
        for one in pack.entities
    ]
    return edited(pack, entities=tuple(entities))


def asked(dataset: Dataset) -> tuple[Subject, Checked]:
    subject = Subject(dataset)
    outcome = subject.check(FATAL)
    assert isinstance(outcome, Checked)
    return subject, outcome


def test_words_of_the_pack_may_change(dataset: Dataset) -> None:
    worded = with_field(PACK, "Crash", "severity", label="how bad", synonyms=("badness",))
    again = open_dataset(dataset.database, "small", pack=worded)
    assert again.outdated == dataset.outdated == ""
    _, outcome = asked(dataset)
    there, here = (
        statements(compile_frame(outcome.frame, one.pack, one.physical), None) for one in (dataset, again)
    )
    assert here == there
    assert "is_fatal_crash_by_severity" in here[0][0]


def test_a_concept_defined_anew_is_worked_out_anew_and_said(dataset: Dataset) -> None:
    fatal = PACK.concept("fatal_crash").model_dump()
    fatal["variants"]["by_severity"]["condition"]["value"] = "Non-fatal injury"
    concepts = tuple(Concept.model_validate(fatal) if c.name == "fatal_crash" else c for c in PACK.concepts)
    again = open_dataset(dataset.database, "small", pack=edited(PACK, concepts=concepts))
    subject, outcome = asked(again)
    expected, differing = subject.compare(outcome.frame)
    assert differing == []
    assert len(expected.rows) > len(answer_rows(dataset))
    (text, _), _ = statements(compile_frame(outcome.frame, again.pack, again.physical), None)
    assert "narrow_crash" in text
    assert "is_fatal_crash_by_severity" not in text
    assert "is_fatal_crash_by_severity" in again.outdated
    assert dataset_stats(again).outdated == again.outdated


def answer_rows(dataset: Dataset) -> list[Any]:
    subject, outcome = asked(dataset)
    with subject.execution(outcome.frame) as execution:
        return list(execution)


@pytest.mark.parametrize(
    ("pack", "what"),
    [
        (with_field(PACK, "Crash", "persons_killed", unit="dozen"), "Crash.persons_killed as it does now"),
        (edited(PACK, bounds=(-74.0, 41.0, -69.0, 43.0)), "its plane as it does now"),
        (edited(PACK, name_aliases={}), "BusStop.town_key as it does now"),
    ],
)
def test_rows_made_by_other_definitions_are_refused(dataset: Dataset, pack: Pack, what: str) -> None:
    with pytest.raises(DatasetError, match=f"before pack 'massachusetts' defined {what}") as caught:
        open_dataset(dataset.database, "small", pack=pack)
    assert caught.value.hint == "Load it again: groundframe load demo --dataset small"
