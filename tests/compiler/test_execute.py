"""Execution: one snapshot, streaming, limits, time, and errors in one sentence."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import psycopg
import pytest
import sqlalchemy as sa

from groundframe.compiler import compile_frame
from groundframe.compiler.ops import Show, Where
from groundframe.compiler.plan import Plan
from groundframe.compiler.predicates import KeyIn
from groundframe.errors import DatabaseError, DatasetError
from groundframe.frames.model import Frame
from groundframe.postgis.connect import Database
from groundframe.postgis.execute import BATCH, Execution, Tally, analyze, execute
from groundframe.postgis.reader import let_read

CRASHES = {"targets": [{"entity": "Crash", "role": "primary", "id": "primary"}]}
MANY = 2 * BATCH + 17


@pytest.fixture(scope="module")
def many(make_world: Callable[[str], Any]) -> Any:
    """A world with more crashes than one batch holds."""
    made = make_world("gf_many")
    made.fill({"Crash": {}})
    with made.owner.begin() as connection:
        insert = sa.text(
            "INSERT INTO gf_many.crash (key, source, row_digest, geom)"
            " SELECT 'm:' || lpad(n::text, 6, '0'), 'm', '',"
            " ST_SetSRID(ST_MakePoint(200000 + n, 900000), 26986)"
            " FROM generate_series(1, :n) n"
        )
        connection.execute(insert, {"n": MANY})
    return made


@pytest.fixture
def plan(many: Any) -> Plan:
    return compile_frame(Frame.model_validate(CRASHES), many.pack)


def test_all_rows_are_streamed_in_order(many: Any, plan: Plan) -> None:
    with execute(many, plan, row_limit=None) as execution:
        keys = [row[0] for row in execution]
        tally = execution.tally
    assert keys == [f"m:{n:06}" for n in range(1, MANY + 1)]
    assert (tally.true_total, tally.returned, tally.truncated) == (MANY, MANY, False)


def test_a_limit_cuts_and_says_so(many: Any, plan: Plan) -> None:
    with execute(many, plan, row_limit=5) as execution:
        before = execution.tally
        rows = list(execution)
        assert execution.tally is before
    assert len(rows) == 5
    assert len(rows[0]) == len(plan.columns) + 1
    assert before.as_dict() == {
        "matched": MANY,
        "true_total": MANY,
        "returned": 5,
        "truncated": True,
        "not_mapped": {},
        "unknown_left_out": {},
        "ties_at_cut": False,
        "midnight": {},
        "split": {"primary": {"fatal": 0, "injury": 0, "property damage only": 0, "unknown": MANY}},
        "sources": {"primary": {"m": MANY}},
    }


def test_rows_and_tally_are_of_one_snapshot(many: Any, plan: Plan) -> None:
    with execute(many, plan, row_limit=None) as execution:
        first = next(iter(execution))
        with many.owner.begin() as connection:
            connection.execute(sa.text("DELETE FROM gf_many.crash WHERE key = 'm:002000'"))
        assert first[0] == "m:000001"
        assert execution.tally.matched == MANY
    with many.owner.begin() as connection:
        connection.execute(
            sa.text("INSERT INTO gf_many.crash (key, source, row_digest) VALUES ('m:002000', 'm', '')")
        )


def test_nothing_can_be_written(many: Any, plan: Plan) -> None:
    with execute(many, plan) as execution, execution._session.asking() as connection:
        shown = connection.execute("SHOW transaction_isolation").fetchone()
        assert shown == ("repeatable read",)
        with pytest.raises(psycopg.errors.ReadOnlySqlTransaction):
            connection.execute("CREATE TABLE gf_many.x ()")


def test_settings_end_with_the_transaction(many: Any, plan: Plan) -> None:
    names = [
        "statement_timeout",
        "lock_timeout",
        "idle_in_transaction_session_timeout",
        "cursor_tuple_fraction",
    ]

    def shown(connection: psycopg.Connection[Any]) -> list[str]:
        found = []
        for name in names:
            row = connection.execute(f"SHOW {name}".encode()).fetchone()
            assert row is not None
            found.append(row[0])
        return found

    with many.database.connect() as before:
        usual = before.scalar(sa.text("SHOW statement_timeout"))
    with execute(many, plan, timeout_s=7) as execution, execution._session.asking() as connection:
        assert shown(connection) == ["7s", "5s", "10min", "1"]
        row = connection.execute("SELECT current_setting('plan_cache_mode')").fetchone()
        assert row == ("force_custom_plan",)
    with many.database.connect() as after:
        assert after.scalar(sa.text("SHOW statement_timeout")) == usual


def test_a_closed_answer_says_so(many: Any, plan: Plan) -> None:
    with execute(many, plan, row_limit=None) as execution:
        rows = iter(execution)
        next(rows)
    with pytest.raises(DatabaseError, match="is closed"):
        list(rows)
    with pytest.raises(DatabaseError, match="is closed"):
        _ = execution.tally


@pytest.fixture
def slow(many: Any) -> Iterator[Callable[[float], None]]:
    """Make every row of the crashes take its time."""
    with many.owner.begin() as connection:
        connection.execute(sa.text("ALTER TABLE gf_many.crash RENAME TO crash_rows"))

    def make(seconds: float) -> None:
        with many.owner.begin() as connection:
            connection.execute(
                sa.text(
                    "CREATE VIEW gf_many.crash AS SELECT r.* FROM gf_many.crash_rows r,"
                    f" LATERAL (SELECT pg_sleep({seconds}) WHERE r.key <> '') s"
                )
            )
            let_read(connection, "gf_many")

    yield make
    with many.owner.begin() as connection:
        connection.execute(sa.text("DROP VIEW IF EXISTS gf_many.crash"))
        connection.execute(sa.text("ALTER TABLE gf_many.crash_rows RENAME TO crash"))


def test_a_slow_statement_is_stopped(many: Any, plan: Plan, slow: Callable[[float], None]) -> None:
    slow(0.01)  # some twenty seconds for all
    began = time.monotonic()
    with (
        pytest.raises(DatabaseError, match=r"did not finish the answer within 0\.4 seconds\. Narrow"),
        execute(many, plan, timeout_s=0.4),
    ):
        pass
    assert time.monotonic() - began < 5
    # The connection is good for the next one.
    one = compile_frame(
        Frame.model_validate({"targets": [{**CRASHES["targets"][0], "keys": ["m:000007"]}]}), many.pack
    )
    with execute(many, one) as execution:
        assert [row[0] for row in execution] == ["m:000007"]


def read_all(execution: Execution) -> Tally:
    assert sum(1 for _ in execution) == MANY
    return execution.tally


def test_the_budget_is_for_everything_together(many: Any, plan: Plan, slow: Callable[[float], None]) -> None:
    """The server's timeout starts anew with each statement and fetch; the budget does not."""
    slow(0.001)  # rows and tally take some 2.2 s each
    with (
        pytest.raises(DatabaseError, match="did not finish the answer within 3 seconds"),
        execute(many, plan, row_limit=None, timeout_s=3) as execution,
    ):
        read_all(execution)


def test_a_reader_may_take_its_time(many: Any, plan: Plan) -> None:
    with execute(many, plan, row_limit=None, timeout_s=2) as execution:
        rows = iter(execution)
        next(rows)
        time.sleep(2.2)
        assert len(list(rows)) == MANY - 1


def test_connection_lost_between_two_batches(many: Any, plan: Plan) -> None:
    with execute(many, plan, row_limit=None) as execution:
        rows = iter(execution)
        next(rows)
        with execution._session.asking() as connection:
            pid = connection.info.backend_pid
        with many.owner.begin() as other:
            other.execute(sa.text("SELECT pg_terminate_backend(:pid, 5000)"), {"pid": pid})
        with pytest.raises(DatabaseError, match="connection to the database was lost"):
            list(rows)
    # The pool replaces it.
    with execute(many, plan, row_limit=1) as execution:
        assert len(list(execution)) == 1


def test_a_dataset_that_was_replaced(many: Any, plan: Plan) -> None:
    class Replaced:
        database = many.database
        schema = many.schema

        def verify(self, connection: sa.Connection) -> None:
            raise DatasetError("It was loaded anew.")

    with pytest.raises(DatasetError, match="loaded anew"), execute(Replaced(), plan):
        pass


def test_no_free_connection(make_world: Callable[[str], Any], many: Any, plan: Plan) -> None:
    url = many.database.engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with Database(url, reading=True, pool_size=1, acquire_timeout=0.2) as small:
        world = replace(many, database=small)
        with (
            execute(world, plan),
            pytest.raises(DatabaseError, match="All 1 connections"),
            execute(world, plan),
        ):
            pass


def test_analyze_counts_what_leaves_each_node(world: Any) -> None:
    frame = {
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
        "ranking": {"metric": "crash_count", "target_role": "primary", "order": "highest", "top_n": 2},
    }
    plan = compile_frame(Frame.model_validate(frame), world.pack)
    found = analyze(world, plan)
    by_op = {type(plan.dag.nodes[name]["op"]).__name__: count for name, count in found.items()}
    # Five schools, four on the map; twelve pairs over three of them; the first two are kept.
    assert found["n1"] == 5
    assert by_op == {"Scan": 11, "Where": 4, "Join": 12, "Aggregate": 3, "Attach": 4, "Rank": 2, "Show": 2}


def test_ten_thousand_keys_in_several_places(many: Any, plan: Plan) -> None:
    keys = tuple(f"m:{n:06}" for n in range(1, 10_001))
    given = Where(plan.output.input, KeyIn(keys))
    both = Where(given, KeyIn(keys))
    wide = replace(plan, output=Show(both, plan.output.columns))
    with execute(many, wide, row_limit=None) as execution:
        assert sum(1 for _ in execution) == MANY
        # Sent once each, not once per place.
        assert len(execution.parameters) < 10_010


def test_values_are_never_part_of_the_text(world: Any) -> None:
    nasty = "'; DROP TABLE crash; --%s %(x)s"
    frame = {
        "targets": [{"entity": "School", "role": "primary", "id": "primary", "keys": [nasty, "s:1"]}],
        "attribute_constraints": [
            {"target_role": "primary", "field": "name", "operator": "ne", "value": nasty},
        ],
    }
    plan = compile_frame(Frame.model_validate(frame), world.pack)
    with execute(world, plan) as execution:
        assert [row[0] for row in execution] == ["s:1"]
        assert nasty not in execution.sql + execution.tally_sql
        assert nasty in execution.parameters.values()


def test_geometry_is_rfc_7946_text(make_world: Callable[[str], Any]) -> None:
    made = make_world("gf_shapes")
    made.fill({"School": {"s:1": {}, "s:2": {}}})
    with made.owner.begin() as connection:
        connection.execute(
            sa.text(
                "UPDATE gf_shapes.school SET geom_wgs ="
                " ST_SetSRID(ST_MakePoint(-71.12345678, 42.00000001), 4326) WHERE key = 's:1'"
            )
        )
    answer = made.ask({"targets": [{"entity": "School", "role": "primary", "id": "primary"}]})
    assert answer.column("geometry") == ['{"type":"Point","coordinates":[-71.1234568,42]}', None]
