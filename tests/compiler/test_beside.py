"""Counts that are made on a second connection while the rows come."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from groundframe.compiler import compile_frame
from groundframe.compiler.lowering import feature_template
from groundframe.compiler.plan import Plan
from groundframe.errors import DatabaseError
from groundframe.frames.model import Frame
from groundframe.postgis.connect import Database
from groundframe.postgis.execute import Execution, execute

MANY = 2500
CRASHES = {"targets": [{"entity": "Crash", "role": "primary", "id": "primary"}]}
MEASURED = {
    "targets": [
        {"entity": "School", "role": "primary", "id": "primary"},
        {"entity": "Crash", "role": "support", "id": "support"},
    ],
    "spatial_constraints": [
        {
            "relation": "within_distance",
            "target_role": "support",
            "reference_role": "primary",
            "distance_m": 250,
        }
    ],
    "measures": [{"measure": "crash_count", "target_role": "support", "name": "crash_count"}],
    "having": [{"measure": "crash_count", "operator": "gte", "value": 1}],
}


@pytest.fixture(scope="module")
def many(make_world: Callable[[str], Any]) -> Any:
    """A world with three schools and many crashes around the first."""
    made = make_world("gf_beside")
    made.fill({"School": {}, "Crash": {}})
    with made.owner.begin() as connection:
        for table, count, step in (("school", 3, 100_000), ("crash", MANY, 0)):
            insert = sa.text(
                f"INSERT INTO gf_beside.{table} (key, source, row_digest, geom)"
                " SELECT :table || lpad(n::text, 6, '0'), 'm', '',"
                " ST_SetSRID(ST_MakePoint(200000 + n * :step, 900000), 26986)"
                " FROM generate_series(0, :n - 1) n"
            )
            connection.execute(insert, {"table": table, "n": count, "step": step})
    return made


@pytest.fixture
def database(many: Any) -> Iterator[Database]:
    """A pool of its own, whose connections nobody else has."""
    url = many.database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with Database(url, reading=True, pool_size=3, acquire_timeout=0.2) as found:
        yield found


@pytest.fixture
def world(many: Any, database: Database) -> Any:
    return replace(many, database=database)


def plan_of(world: Any, frame: dict[str, Any]) -> Plan:
    return compile_frame(Frame.model_validate(frame), world.pack)


def busy(world: Any) -> int:
    return int(world.database.engine.pool.checkedout())


def read(execution: Execution, *, texts: bool) -> int:
    return sum(map(len, execution.texts())) if texts else len(list(execution))


@pytest.mark.parametrize("frame", [CRASHES, MEASURED])
@pytest.mark.parametrize("limit", [None, 2, 100_000])
@pytest.mark.parametrize("texts", [False, True])
def test_counts_are_the_same_beside_and_after(
    world: Any, frame: dict[str, Any], limit: int | None, texts: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if texts and limit == 2:
        pytest.skip("texts are of all rows")
    plan = plan_of(world, frame)
    template = feature_template(plan.columns, 0) if texts else None
    found = []
    for alone in (True, False):
        if not alone:
            monkeypatch.setattr(Database, "used_by_one", False)
        with execute(world, plan, row_limit=limit, template=template) as execution:
            found.append((read(execution, texts=texts), execution.tally))
    assert found[0] == found[1]
    assert found[0][0] == found[0][1].returned


def test_the_second_connection_is_given_back_with_the_counts(world: Any) -> None:
    with execute(world, plan_of(world, MEASURED), row_limit=None) as execution:
        assert busy(world) == 2
        assert execution.tally.true_total == 1
        assert busy(world) == 1
        assert len(list(execution)) == 1
    assert busy(world) == 0


def test_who_shares_the_pool_counts_after_the_rows(world: Any) -> None:
    with world.database.connect(), execute(world, plan_of(world, MEASURED), row_limit=None) as execution:
        assert busy(world) == 2
        assert execution.tally.true_total == 1


def test_of_two_connections_one_is_left(many: Any) -> None:
    url = many.database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with Database(url, reading=True, pool_size=2, acquire_timeout=0.2) as small:
        world = replace(many, database=small)
        with execute(world, plan_of(world, MEASURED), row_limit=None) as execution, small.connect():
            assert execution.tally.true_total == 1


def test_counts_see_what_the_rows_see(world: Any) -> None:
    plan = plan_of(world, MEASURED)
    with execute(world, plan, row_limit=None) as execution, world.owner.begin() as owner:
        owner.execute(sa.text("UPDATE gf_beside.school SET geom = NULL"))
        owner.commit()
        assert execution.tally.true_total == 1
        assert len(list(execution)) == 1
    with world.owner.begin() as owner:
        put = "ST_SetSRID(ST_MakePoint(200000 + 100000 * right(key, 1)::int, 900000), 26986)"
        owner.execute(sa.text(f"UPDATE gf_beside.school SET geom = {put}"))


@pytest.mark.parametrize("frame", [CRASHES, MEASURED])
def test_counts_can_be_had_before_all_texts(world: Any, frame: dict[str, Any]) -> None:
    plan = plan_of(world, frame)
    with execute(world, plan, row_limit=None, template=feature_template(plan.columns, 0)) as execution:
        texts = execution.texts()
        first = next(texts)
        assert execution.tally.returned == len(first) + sum(map(len, texts))


def test_a_lost_second_connection_loses_nothing(world: Any, many: Any) -> None:
    with execute(world, plan_of(world, MEASURED), row_limit=None) as execution:
        beside = execution._beside
        assert beside is not None
        with psycopg.connect(many.owner.url) as owner:
            owner.execute("SELECT pg_terminate_backend(%s)", [beside._connection.info.backend_pid])
        assert execution.tally.true_total == 1
        assert len(list(execution)) == 1
    assert busy(world) == 0


def test_counting_that_takes_too_long_is_stopped(world: Any, slow_counts: None) -> None:
    with (
        pytest.raises(DatabaseError, match=r"did not finish the answer within 0\.4 seconds"),
        execute(world, plan_of(world, MEASURED), row_limit=None, timeout_s=0.4) as execution,
    ):
        execution.tally  # noqa: B018 - asked for its error
    assert busy(world) == 0


def test_what_nobody_waits_for_is_not_counted(world: Any, many: Any, slow_counts: None) -> None:
    with execute(world, plan_of(world, MEASURED), row_limit=None) as execution:
        assert execution._beside is not None
    with psycopg.connect(many.owner.url) as owner:
        running = (
            "SELECT count(*) FROM pg_stat_activity"
            " WHERE state = 'active' AND query LIKE '%pg_sleep%' AND pid <> pg_backend_pid()"
        )
        assert owner.execute(running).fetchone() == (0,)
    assert busy(world) == 0


@pytest.fixture
def slow_counts(monkeypatch: pytest.MonkeyPatch) -> None:
    """Counting takes long, by a statement that sleeps first."""
    counting = Execution._counting

    def slow(self: Execution, items: Any) -> Any:
        text, parameters = counting(self, items)
        return (
            f"WITH asleep AS MATERIALIZED (SELECT pg_sleep(20)) SELECT counts.* FROM asleep, ({text}) counts",
            parameters,
        )

    monkeypatch.setattr(Execution, "_counting", slow)
