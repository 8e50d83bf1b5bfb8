"""What the database writes is byte for byte what the program would write."""

from __future__ import annotations

import datetime
import time
from collections.abc import Callable
from itertools import chain
from typing import Any

import pytest
import shapely
import sqlalchemy as sa
from hypothesis import given, settings
from hypothesis import strategies as st

from groundframe.compiler import compile_frame
from groundframe.compiler.lowering import can_be_spelled, feature_template
from groundframe.compiler.plan import Plan
from groundframe.errors import DatabaseError, DatasetError
from groundframe.formats.geojson import feature_text
from groundframe.frames.model import Frame
from groundframe.postgis.execute import BATCH, execute
from groundframe.schema.packs import load_pack

PACK = load_pack("massachusetts")
HOSTILE = (
    'a "quoted" \\ text',
    "%s %% %1$s {} '",
    "".join(map(chr, range(1, 32))) + "\x7f\x80\x9f\u2028\u2029\ufeff",
    "é 東京 \U0001f6b2 \u202e",
    "</script>&amp;/",
    "",
    "null",
)
TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=20)
FIELDS = {field.name: field.canonical_values() for field in PACK.entity("Crash").fields}
CRASHES = st.fixed_dictionaries(
    {
        "severity": st.none() | st.sampled_from(FIELDS["severity"]),
        "crash_number": st.none() | st.sampled_from(HOSTILE) | TEXTS,
        "date": st.none() | st.dates(datetime.date(1, 1, 1)),
        "time_of_day": st.none() | st.times(),
        "speed_limit": st.none() | st.floats(1, 80) | st.integers(1, 80).map(float),
        "persons_injured": st.none() | st.integers(0, 2**31 - 1),
        "weather": st.none() | st.lists(st.sampled_from(FIELDS["weather"]), max_size=3),
        "geometry": st.none() | st.just(shapely.Point(1.5, 2.5)),
    }
)


def asked(**more: Any) -> Plan:
    frame = {"targets": [{"entity": "Crash", "role": "primary", "id": "primary"}], **more}
    return compile_frame(Frame.model_validate(frame), PACK)


def both(world: Any, plan: Plan) -> tuple[list[str], list[str]]:
    """The rows as texts: by the database, and by the program."""
    key = [column.kind for column in plan.columns].index("key")
    write = feature_text(plan.columns, key)
    with execute(world, plan, row_limit=None, template=feature_template(plan.columns, key)) as execution:
        spelled = list(chain.from_iterable(execution.texts()))
    with execute(world, plan, row_limit=None) as execution:
        return spelled, [write(row) for row in execution]


@pytest.fixture(scope="module")
def world(make_world: Callable[[str], Any]) -> Any:
    return make_world("gf_spelled")


@settings(max_examples=8, deadline=None)
@given(st.lists(CRASHES, min_size=15, max_size=30))
def test_any_values(world: Any, crashes: list[dict[str, Any]]) -> None:
    rows = {f'x:{number} "\\{number}': row for number, row in enumerate(crashes)}
    world.fill({"Crash": rows})
    spelled, written = both(world, asked())
    assert spelled == written
    assert len(spelled) == len(rows)


def test_measures_ties_and_links(world: Any) -> None:
    near = {"geometry": shapely.Point(0, 0), "town_key": 't:"1"', "severity": "Fatal injury"}
    world.fill(
        {
            "Crash": {"c:1": near, "c:2": near, "c:3": {"geometry": None}},
            "School": {
                f"s:{n}": {"geometry": shapely.Point(n, 0.123456), "name": HOSTILE[n]} for n in range(4)
            },
            "Town": {'t:"1"': {"name": 'A "town"', "geometry": shapely.box(-9, -9, 9, 9)}},
        }
    )
    counted: dict[str, Any] = {
        "targets": [
            {"entity": "School", "role": "primary", "id": "primary"},
            {"entity": "Crash", "role": "support", "id": "support"},
        ],
        "spatial_constraints": [
            {
                "relation": "within_distance",
                "target_role": "support",
                "reference_role": "primary",
                "distance_m": 2.0,
            }
        ],
        "measures": [{"measure": "crash_count", "target_role": "support", "name": 'crashes "%s" \U0001f6b2'}],
        "ranking": {
            "metric": 'crashes "%s" \U0001f6b2',
            "target_role": "primary",
            "order": "highest",
            "top_n": 2,
            "include_ties": True,
        },
    }
    for frame in (counted, {**counted, "ranking": {**counted["ranking"], "top_n": None}}):
        plan = compile_frame(Frame.model_validate(frame), PACK)
        assert can_be_spelled(plan)
        spelled, written = both(world, plan)
        assert spelled == written
        assert '"crashes \\"%s\\" \U0001f6b2":2' in spelled[0]
    spelled, written = both(world, asked())
    assert spelled == written
    assert '"town":"A \\"town\\""' in spelled[0]


def test_only_what_has_one_spelling() -> None:
    of_crash = {"measure": "mean", "field": "persons_injured", "target_role": "primary", "name": "mean"}
    rank = {"metric": "mean", "target_role": "primary", "order": "highest"}
    roads = {"targets": [{"entity": "Road", "role": "primary", "id": "primary"}]}
    assert can_be_spelled(asked())
    # A mean may be as large as it likes, and so may the length of a road.
    assert not can_be_spelled(asked(measures=[of_crash], ranking={**rank, "top_n": None}))
    assert not can_be_spelled(compile_frame(Frame.model_validate(roads), PACK))
    # What is cut says whether it was cut inside a tie; groups may have no key.
    assert not can_be_spelled(asked(measures=[of_crash], ranking={**rank, "top_n": 3}))
    assert not can_be_spelled(asked(group_by=[{"target_role": "primary", "time": "year"}]))


@pytest.fixture(scope="module")
def many(make_world: Callable[[str], Any]) -> Any:
    """A world with more crashes than come at a time."""
    made = make_world("gf_spelled_many")
    made.fill({"Crash": {}})
    with made.owner.begin() as connection:
        insert = sa.text(
            "INSERT INTO gf_spelled_many.crash (key, source, row_digest)"
            " SELECT 'm:' || lpad(n::text, 6, '0'), repeat('m', 400), '' FROM generate_series(1, :n) n"
        )
        connection.execute(insert, {"n": 30 * BATCH})
    return made


def texts(world: Any, **options: Any) -> Any:
    plan = asked()
    return execute(world, plan, row_limit=None, template=feature_template(plan.columns, 0), **options)


def test_a_reader_of_texts_may_take_its_time(many: Any) -> None:
    with texts(many, timeout_s=1.5) as execution:
        assert execution.tally.returned == 30 * BATCH
        blocks = execution.texts()
        first = next(blocks)
        time.sleep(1.7)
        assert len(first) + sum(map(len, blocks)) == 30 * BATCH


def test_texts_that_nobody_reads_are_no_longer_made(many: Any) -> None:
    with texts(many) as execution:
        next(execution.texts())
    with texts(many) as execution:
        assert sum(map(len, execution.texts())) == 30 * BATCH


def test_texts_keep_to_the_budget(many: Any) -> None:
    with texts(many, timeout_s=30) as execution:
        execution.tally  # noqa: B018 - takes its part of the budget
        execution._session._left = 0.0001
        with pytest.raises(DatabaseError, match="did not finish the answer within 30 seconds"):
            list(execution.texts())
    with texts(many) as execution:
        assert execution.tally.returned == 30 * BATCH


def test_texts_are_cancelled(many: Any) -> None:
    with texts(many) as execution:
        blocks = execution.texts()
        next(blocks)
        many.database.cancel()
        with pytest.raises(DatabaseError, match="was cancelled"):
            list(blocks)


def test_a_connection_lost_amid_texts(many: Any) -> None:
    with texts(many) as execution:
        with execution._session.asking() as connection:
            pid = connection.info.backend_pid
        blocks = execution.texts()
        next(blocks)
        with many.owner.begin() as other:
            other.execute(sa.text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
        with pytest.raises(DatabaseError, match="connection to the database was lost"):
            list(blocks)


def test_texts_of_another_dataset_are_noticed(many: Any) -> None:
    with texts(many) as execution:
        assert execution.tally.returned == 30 * BATCH
        with execution._session.asking() as connection:
            connection.execute(b"SELECT 1")
        text, parameters = execution._texts
        execution._texts = (f"SELECT * FROM ({text}) t LIMIT 5", parameters)
        with pytest.raises(DatasetError, match="loaded anew while it was read"):
            list(execution.texts())


def test_rows_are_not_texts(many: Any) -> None:
    with execute(many, asked(), row_limit=1) as execution, pytest.raises(DatabaseError, match="as they are"):
        next(execution.texts())
