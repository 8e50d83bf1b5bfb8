"""Operations, types, graphs: what cannot be built, and what stays the same."""

from __future__ import annotations

import dataclasses
import json
from functools import partial
from typing import Any

import networkx as nx
import pytest
import shapely

from groundframe.compiler import compile_frame
from groundframe.compiler.checks import check_graph
from groundframe.compiler.explain import as_dot, as_json, in_words
from groundframe.compiler.graph import build_graph
from groundframe.compiler.measures import Measured
from groundframe.compiler.ops import (
    Aggregate,
    Attach,
    Compose,
    Constant,
    Count,
    GroupKey,
    Having,
    Join,
    Nearest,
    Rank,
    Scan,
    Semi,
    Show,
    Where,
    rewrite,
)
from groundframe.compiler.predicates import KeyIn
from groundframe.compiler.relations import LinksTo, Within, WithinDistance
from groundframe.compiler.types import Scalar
from groundframe.errors import PlanError
from groundframe.frames.model import Frame
from groundframe.schema.model import Pack

SCHOOLS = Scan("School", ("point",), 26986)
CRASHES = Scan("Crash", ("point",), 26986)
ELSEWHERE = Scan("Crash", ("point",), 2249)
PLACE = Constant(shapely.to_wkb(shapely.Point(1, 2)), "point", 26986)
NEAR = Join(SCHOOLS, CRASHES, (WithinDistance(5),))
KEY = (GroupKey("key", "key"),)
COUNT = Measured("n", "count")


@pytest.mark.parametrize(
    ("build", "words"),
    [
        (lambda: Scan("School", ("point",), 0), "no SRID"),
        (lambda: Constant(b"", "point", 26986), "needs a shape"),
        (lambda: Where(NEAR, KeyIn(("a",))), "takes features, not Pairs"),
        (lambda: Where(PLACE, KeyIn(("a",))), "takes features, not Region"),
        (lambda: Join(SCHOOLS, ELSEWHERE, (Within(),)), "SRID 26986 .* does not match SRID 2249"),
        (lambda: Nearest(SCHOOLS, ELSEWHERE, 3), "SRID 26986 .* does not match"),
        (lambda: Join(SCHOOLS, CRASHES, ()), "without a relation"),
        (lambda: Join(SCHOOLS, PLACE, (LinksTo("town"),)), "has no links"),
        (lambda: Join(SCHOOLS, NEAR, (Within(),)), "features or a region"),
        (lambda: Nearest(SCHOOLS, CRASHES, 0), "0 nearest"),
        (lambda: Semi(CRASHES, NEAR), "not the left of"),
        (lambda: Compose(NEAR, NEAR), "common middle"),
        (lambda: Aggregate(CRASHES, (), (COUNT,)), "need a key"),
        (lambda: Aggregate(PLACE, KEY, (COUNT,)), "made of features or pairs"),
        (lambda: Aggregate(CRASHES, KEY, (Measured("key", "count"),)), "one name"),
        (lambda: Attach(NEAR, (), ()), "takes features"),
        (lambda: Rank(CRASHES, "n", "highest"), "takes groups"),
        (lambda: Rank(Aggregate(CRASHES, KEY, (COUNT,)), "m", "highest"), "no measure 'm'"),
        (lambda: Rank(Aggregate(CRASHES, KEY, (COUNT,)), "n", "highest", 0), "first 0 are none"),
        (lambda: Having(Aggregate(CRASHES, KEY, (COUNT,)), (("m", "gt", 1.0),)), "no measure 'm'"),
        (lambda: Show(NEAR, ()), "cannot be shown"),
        (lambda: Measured("n", "sum"), "sum of field 'None'"),
        (lambda: Measured("n", "count", "severity"), "count of field 'severity'"),
    ],
)
def test_an_ill_typed_operation_cannot_be_built(build: Any, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        build()


def test_operations_are_frozen_and_equal_by_content() -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        SCHOOLS.srid = 1  # type: ignore[misc]
    assert Scan("School", ("point",), 26986) == SCHOOLS
    assert hash(Scan("School", ("point",), 26986)) == hash(SCHOOLS)
    assert SCHOOLS != CRASHES
    assert SCHOOLS != "School"


def test_a_second_edge_between_the_same_two_is_kept() -> None:
    """Schools near schools: a DiGraph has one edge, the operation two inputs."""
    graph = build_graph([Semi(SCHOOLS, Join(SCHOOLS, SCHOOLS, (WithinDistance(5),)))])
    assert list(graph) == ["n1", "n2", "n3"]
    assert graph.nodes["n2"]["inputs"] == ("n1", "n1")
    assert graph.nodes["n3"]["inputs"] == ("n1", "n2")
    assert graph.number_of_edges() == 3
    assert check_graph(graph) == "n3"


def test_deep_plans_take_no_exponential_time() -> None:
    op: Any = SCHOOLS
    for number in range(60):
        op = Semi(op, Join(op, CRASHES, (WithinDistance(float(number)),)))
    moved = partial(dataclasses.replace, srid=2249)
    again = rewrite(op, moved, Scan)
    assert len(build_graph([op])) == len(build_graph([again])) == 122
    assert again != op


def damaged(change: Any) -> nx.DiGraph[str]:
    graph = build_graph([Show(Semi(SCHOOLS, NEAR), ())])
    change(graph)
    return graph


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda graph: graph.remove_node("n2"), "takes n2, which does not exist"),
        (lambda graph: graph.add_edge("n9", "n5"), "n9 is named as an input and does not exist"),
        (lambda graph: graph.add_edge("n2", "n5"), "edges into n5 are not its inputs"),
        (lambda graph: graph.add_node("n9", op=CRASHES, inputs=()), "one output, not 2"),
        (lambda graph: graph.nodes["n1"].update(op=ELSEWHERE), "takes Features.*, and n1 gives Features"),
        (lambda graph: graph.add_node("n2", op=Scan("Crash", ("line",), 26986)), "takes Features"),
    ],
)
def test_a_damaged_graph_is_refused(change: Any, words: str) -> None:
    with pytest.raises(PlanError, match=words):
        check_graph(damaged(change))


def test_more_rules_of_the_graph() -> None:
    with pytest.raises(PlanError, match="is no output of a plan"):
        check_graph(build_graph([NEAR]))
    with pytest.raises(PlanError, match="is no output of a plan"):
        check_graph(build_graph([SCHOOLS]), (Scalar,))
    assert check_graph(build_graph([Count(SCHOOLS)]), (Scalar,)) == "n2"
    with pytest.raises(PlanError, match="one output, not 2"):
        check_graph(build_graph([SCHOOLS, CRASHES]))
    graph = build_graph([Semi(SCHOOLS, NEAR)])
    graph.nodes["n1"]["op"] = Semi(SCHOOLS, NEAR)
    graph.nodes["n1"]["inputs"] = ("n1", "n3")
    graph.add_edges_from([("n1", "n1"), ("n3", "n1")])
    with pytest.raises(PlanError, match="in a circle"):
        check_graph(graph)


FRAME = Frame.model_validate(
    {
        "targets": [
            {"entity": "School", "role": "primary", "id": "primary"},
            {"entity": "Crash", "role": "support", "id": "support"},
            {"entity": "Town", "role": "scope", "id": "scope", "keys": ["t:a"]},
        ],
        "spatial_constraints": [
            {"relation": "within", "target_role": "primary", "reference_role": "scope"},
            {
                "relation": "within_distance",
                "target_role": "support",
                "reference_role": "primary",
                "distance_m": 500,
            },
        ],
        "attribute_constraints": [{"target_role": "support", "concept": "fatal_crash"}],
        "temporal_constraints": [{"target_role": "support", "hours": {"from": "22:00", "to": "02:00"}}],
        "measures": [{"measure": "crash_count", "target_role": "support", "name": "crash_count"}],
        "ranking": {"metric": "crash_count", "target_role": "primary", "order": "highest", "top_n": 5},
    }
)


def test_the_same_frame_gives_the_same_plan(pack: Pack) -> None:
    first, second = compile_frame(FRAME, pack), compile_frame(FRAME, pack)
    assert as_json(first) == as_json(second)
    assert json.loads(as_json(first)) == json.loads(json.dumps(first.as_dict()))
    names = list(first.dag)
    assert names == [f"n{number}" for number in range(1, len(names) + 1)]
    position = {name: number for number, name in enumerate(names)}
    assert all(position[before] < position[after] for before, after in first.dag.edges)


def test_a_plan_in_words_and_as_a_drawing(pack: Pack) -> None:
    plan = compile_frame(FRAME, pack)
    words = in_words(plan)
    assert "all schools" in words
    assert "where the place is known and the town is 't:a'" in words
    assert "severity is 'Fatal injury'" in words
    assert "lies within 500 m of" in words
    assert "by crash_count, highest first, then key, the first 5" in words
    counted = in_words(plan, dict.fromkeys(plan.dag, 1234))
    assert counted.count("[1,234]") == len(plan.dag)
    drawing = as_dot(plan)
    assert drawing.startswith("digraph plan {")
    assert drawing.count("->") == sum(len(data["inputs"]) for _, data in plan.dag.nodes(data=True))


def test_the_answer_can_state_its_rules(pack: Pack) -> None:
    rules = compile_frame(FRAME, pack).rules
    assert rules["srid"] == 26986
    assert rules["tolerance_m"] == 0.0005
    assert rules["relations"] == [
        {"between": ["primary", "support"], "distance_m": 500.0, "counted": True},
        {"between": ["primary", "scope"], "link": "town"},
    ]
    assert rules["concepts"] == [
        {
            "target": "support",
            "concept": "fatal_crash",
            "label": "fatal crash",
            "variant": "by_severity",
            "definition": "severity is a fatal injury",
        }
    ]
    assert rules["measures"][0]["unit"] == "crashes"
