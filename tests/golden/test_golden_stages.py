"""What is said of a golden frame whose answer is another: which stage changed first, and how."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from groundframe.golden.checking import Verdict
from groundframe.golden.file import Golden
from groundframe.golden.stages import Change, changes, headline

SCAN = {"step": "all schools", "op": "Scan", "entity": "School"}
WHERE = {"step": "schools of n1 in Boston", "op": "Where", "inputs": ["n1"], "town": "Boston"}
SHOW = {"step": "show n2", "op": "Show", "inputs": ["n2"]}
CONTENT: dict[str, Any] = {
    "golden": 1,
    "dataset": "demo",
    "pack": {"name": "massachusetts", "version": "1.0.0"},
    "frame": {"targets": [{"entity": "School", "role": "primary"}], "ranking": {"top_n": 5}},
    "repairs": [
        {"rule": "scope_names", "path": "/a", "before": "Bostn", "after": "Boston", "message": "It is."}
    ],
    "anchors": [{"path": "/a", "asked": "Bostn", "chosen": ["Boston (town)"]}],
    "checked_frame": {"spatial_constraints": [{"relation": "within", "distance_m": 500.0}]},
    "plan": {"n1": SCAN, "n2": WHERE, "n3": SHOW},
    "sql": {"postgis": {"rows": {"text": "SELECT a\nFROM t", "parameters": {"p1": 500.0005}}}},
    "data_version": "0123456789abcdef",
    "result": {
        "digest": "1" * 64,
        "counts": {"matched": 9, "not_mapped": {"support": 2}},
        "columns": ["rank", "key", "name", "n"],
        "head": [[1, "s:1", "Blake School", 15], [2, "s:2", None, 9]],
    },
}


def differing(**parts: Any) -> dict[str, list[str]]:
    """The changes where the answer of today has other parts."""
    today = Golden.model_validate(CONTENT | parts)
    return {change.stage: list(change.lines) for change in changes(Golden.model_validate(CONTENT), today)}


def result(**parts: Any) -> dict[str, Any]:
    return {**CONTENT["result"], "digest": "2" * 64, **parts}


def test_nothing_differs() -> None:
    assert differing() == {}


def test_sentences_and_layout_do_not_count() -> None:
    reworded = [CONTENT["repairs"][0] | {"message": "Put right."}]
    sql = {"postgis": {"rows": {"text": "SELECT\n  a\nFROM t", "parameters": {"p1": 500.0005}}}}
    plan = CONTENT["plan"] | {"n1": SCAN | {"step": "every school"}}
    assert differing(repairs=reworded, sql=sql, plan=plan, program="groundframe 9") == {}


CHANGED = {
    "a value of the frame": (
        {"frame": CONTENT["frame"] | {"ranking": {"top_n": 3}}},
        {"frame": ["/ranking/top_n: 5 → 3"]},
    ),
    "a repair less": (
        {"repairs": []},
        {"repairs": ['gone: scope_names at /a, "Bostn" → "Boston"']},
    ),
    "another repair": (
        {"repairs": [CONTENT["repairs"][0] | {"after": "Boxford"}]},
        {
            "repairs": [
                'changed: scope_names at /a, "Bostn" → "Boston"; now scope_names at /a, "Bostn" → "Boxford"'
            ]
        },
    ),
    "an anchor": (
        {"anchors": [CONTENT["anchors"][0] | {"chosen": ["Boxford (town)"]}]},
        {"anchors": ['/0/chosen/0: "Boston (town)" → "Boxford (town)"']},
    ),
    "a key of the checked frame": (
        {"checked_frame": {"spatial_constraints": [{"relation": "within", "distance_m": 300.0}]}},
        {"checked frame": ["/spatial_constraints/0/distance_m: 500.0 → 300.0"]},
    ),
    "a node changed": (
        {"plan": CONTENT["plan"] | {"n2": WHERE | {"town": "Quincy"}}},
        {"plan": ['n2 Where changed: /town: "Boston" → "Quincy"']},
    ),
    "a node gone": (
        {"plan": {"n1": SCAN, "n2": SHOW | {"inputs": ["n1"]}}},
        {
            "plan": [
                "n2 Where gone: schools of n1 in Boston",
                "n2 Show takes n1 instead of the n2 that is gone",
            ]
        },
    ),
    "a node added": (
        {"plan": {"n1": SCAN, "n2": WHERE, "n3": WHERE | {"town": "Q", "step": "of n2"}, "n4": SHOW}},
        {"plan": ["n3 Where added: of n2"]},
    ),
    "a line of the SQL": (
        {"sql": {"postgis": {"rows": {"text": "SELECT a, b\nFROM t", "parameters": {"p1": 300.0005}}}}},
        {
            "SQL": [
                "postgis, rows, line 1: - SELECT a",
                "postgis, rows, line 1: + SELECT a, b",
                "postgis, rows, parameter p1: 500.0005 → 300.0005",
            ]
        },
    ),
    "another engine": (
        {"sql": {"other": {"rows": {"text": "SELECT a"}}}},
        {"SQL": ["other: nothing is recorded for this engine"]},
    ),
    "the data": (
        {"data_version": "fedcba9876543210", "pack": {"name": "massachusetts", "version": "1.1.0"}},
        {
            "data": [
                "data version 0123456789ab → fedcba987654",
                "pack massachusetts 1.0.0 → massachusetts 1.1.0",
            ]
        },
    ),
    "counts and values": (
        {
            "result": result(
                counts={"matched": 8, "not_mapped": {}},
                head=[[1, "s:1", "Blake School", 14], [2, "s:2", None, 9]],
            )
        },
        {
            "result": [
                "counts/matched: 9 → 8",
                "counts/not_mapped/support: 2 gone",
                'row "s:1" (Blake School): n 15 → 14',
            ]
        },
    ),
    "rows": (
        {"result": result(head=[[1, "s:2", None, 9], [2, "s:3", "New School", 8]])},
        {
            "result": [
                'row "s:2": rank 2 → 1',
                'row "s:1" (Blake School) is no more among the first 2',
                'row "s:3" (New School) is new among the first 2',
            ]
        },
    ),
    "columns": (
        {"result": result(columns=["rank", "key", "n"], head=[[1, "s:1", 15], [2, "s:2", 9]])},
        {"result": ['columns/2: "name" gone']},
    ),
    "rows that are not shown": (
        {"result": result()},
        {"result": ["neither the counts nor the first 2 rows changed: others did"]},
    ),
}


@pytest.mark.parametrize(("parts", "said"), CHANGED.values(), ids=CHANGED)
def test_what_is_said_of_a_stage(parts: dict[str, Any], said: dict[str, list[str]]) -> None:
    assert differing(**parts) == said


def test_order_without_a_rank() -> None:
    rows = [["a", 3], ["b", 3]]
    before, after = (
        Golden.model_validate({"golden": 1, "result": result(digest=digest, columns=["key", "n"], head=head)})
        for digest, head in (("1", rows), ("2", rows[::-1]))
    )
    assert [change.lines for change in changes(before, after)] == [
        ('the order of the first rows: "a", "b" → "b", "a"',)
    ]


def test_groups_are_told_apart_by_as_many_columns_as_it_takes() -> None:
    before, after = (
        Golden.model_validate(
            {
                "golden": 1,
                "result": result(
                    digest=str(n),
                    columns=["town", "year", "n"],
                    head=[["Boston", 2023, 4], ["Boston", 2024, n]],
                ),
            }
        )
        for n in (5, 6)
    )
    assert [change.lines for change in changes(before, after)] == [('row "Boston", 2024: n 5 → 6',)]


def test_stages_that_are_not_held_are_not_compared() -> None:
    held = {"golden": 1, "frame": CONTENT["frame"], "result": CONTENT["result"]}
    today = Golden.model_validate(CONTENT | {"plan": {}, "sql": {}, "repairs": [], "data_version": "f"})
    assert changes(Golden.model_validate(held), today) == ()


HEADLINES = {
    ("plan",): "the plan changed. The result is the same.",
    ("result",): "the result changed.",
    ("plan", "SQL"): "the plan changed first; the SQL follows. The result is the same.",
    ("repairs", "checked frame", "plan", "SQL", "result"): (
        "the repairs changed first; the checked frame, the plan, the SQL and the result follow."
    ),
    ("data",): "the data changed. The result is the same.",
    ("data", "result"): "the data changed first; the result follows.",
    ("plan", "data", "result"): "the plan changed first; the result follows. The data changed as well.",
}


@pytest.mark.parametrize(("stages", "said"), HEADLINES.items(), ids=map(" ".join, HEADLINES))
def test_the_first_stage_is_named(stages: tuple[str, ...], said: str) -> None:
    assert headline([Change(stage, ("…",)) for stage in stages]) == said


def test_a_long_stage_is_cut() -> None:
    verdict = Verdict(Path("a.golden.yaml"), (Change("SQL", tuple(map(str, range(1234)))),))
    lines = list(verdict.lines())
    assert lines[0] == "a.golden.yaml: the SQL changed. The result is the same."
    assert len(lines) == 15
    assert lines[-1] == "    … and 1,222 more"


def test_other_data_with_the_same_answer_hold() -> None:
    assert Verdict(Path("a"), (Change("data", ("…",)),)).holds
    assert not Verdict(Path("a"), (Change("data", ("…",)), Change("result", ("…",)))).holds
