"""Narrow tables, pairs and the passes that use them, one by one and together, change no answer."""

from __future__ import annotations

from dataclasses import replace
from importlib import import_module
from random import Random
from typing import Any

import pytest

from groundframe.compiler import PASSES, compile_frame
from groundframe.compiler.lowering import NEUTRAL, Traits
from groundframe.compiler.ops import Complete, Join, Op
from groundframe.compiler.passes import Pass
from groundframe.compiler.passes.use_stored_counts import use_stored_counts
from groundframe.compiler.physical import Physical
from groundframe.compiler.plan import Plan
from groundframe.compiler.predicates import NearAny, Stored
from groundframe.compiler.relations import Listed
from groundframe.eval.random_frames.drawing import draw_frame
from groundframe.eval.subject import Subject
from groundframe.frames.model import Frame
from groundframe.postgis.execute import Tally, execute
from groundframe.postgis.rewrites import POSTGIS
from groundframe.schema.model import Pack
from groundframe.validator.outcomes import Checked


def frame(*parts: dict[str, Any], top_n: int = 3, **more: Any) -> dict[str, Any]:
    """A frame that uses one of the things below, whatever is drawn."""
    return {
        "targets": list(parts),
        "ranking": {
            "metric": "crash_count",
            "target_role": "primary",
            "order": "highest",
            "top_n": top_n,
        },
        **more,
    }


def near(one: str, other: str, metres: float, **more: Any) -> dict[str, Any]:
    return {
        "relation": "within_distance",
        "target_role": one,
        "reference_role": other,
        "distance_m": metres,
        **more,
    }


SCHOOL, STOP, ROAD = ({"entity": name, "role": "primary"} for name in ("School", "BusStop", "Road"))
TOWN = {"entity": "Town", "role": "primary"}
CRASH = {"entity": "Crash", "role": "support"}
LINKED = {"relation": "on", "target_role": "support", "reference_role": "primary"}
FIXED = [
    frame(ROAD, CRASH, spatial_constraints=[LINKED]),
    frame(SCHOOL, CRASH, spatial_constraints=[near("support", "primary", 400)]),
    frame(
        SCHOOL,
        CRASH,
        spatial_constraints=[near("support", "primary", 500)],
        attribute_constraints=[{"target_role": "support", "concept": "injury_crash"}],
    ),
    frame(
        STOP,
        CRASH,
        {"entity": "Road", "role": "filter"},
        spatial_constraints=[near("support", "primary", 100), near("filter", "primary", 30)],
        attribute_constraints=[
            {"target_role": "filter", "field": "speed_limit", "operator": "gt", "value": 20}
        ],
    ),
    frame(ROAD, CRASH, spatial_constraints=[near("support", "primary", 20)], top_n=5),
    frame(ROAD, CRASH, top_n=1000),
    frame(
        TOWN,
        CRASH,
        {"entity": "School", "role": "filter"},
        spatial_constraints=[
            {"relation": "within", "target_role": "support", "reference_role": "primary"},
            near("support", "filter", 300),
        ],
    ),
    frame(
        SCHOOL,
        CRASH,
        {"entity": "Crosswalk", "role": "filter"},
        spatial_constraints=[near("support", "primary", 300), near("filter", "primary", 100, negate=True)],
    ),
]


def answered(subject: Subject, plan: Plan, traits: Traits) -> tuple[list[Any], Tally]:
    with execute(subject.dataset, plan, row_limit=None, traits=traits) as execution:
        return list(execution), execution.tally


def checked(subject: Subject) -> list[Frame]:
    drawn = (draw_frame(subject.world, Random(seed).choice) for seed in range(1000, 1008))
    outcomes = [subject.check(given) for given in (*FIXED, *drawn)]
    return [outcome.frame for outcome in outcomes if isinstance(outcome, Checked)]


def test_no_pass_changes_an_answer_of_a_dataset(ground: Subject) -> None:
    pack, physical = ground.dataset.pack, ground.dataset.physical
    assert physical is not None
    variants: list[tuple[str, tuple[Pass, ...], Traits]] = [
        ("narrow tables alone", (), NEUTRAL),
        *((f"without {left.__name__}", _but(left), POSTGIS) for left in dict.fromkeys(PASSES)),
        ("all", PASSES, POSTGIS),
    ]
    for one in checked(ground):
        plain = answered(ground, compile_frame(one, pack, passes=()), NEUTRAL)
        for name, passes, traits in variants:
            plan = compile_frame(one, pack, physical, passes=passes)
            assert answered(ground, plan, traits) == plain, (name, one)


def _but(left: Pass) -> tuple[Pass, ...]:
    return tuple(change for change in PASSES if change is not left)


@pytest.fixture(scope="module")
def used(ground: Subject) -> set[str]:
    """What the plans of the fixed frames use."""
    dataset, found = ground.dataset, set[str]()
    # As many features as a state has, so that the estimates choose as they would there.
    large = _enlarged(dataset.pack, dataset.physical)
    for given in FIXED:
        outcome = ground.check(given)
        assert isinstance(outcome, Checked), outcome
        plan = compile_frame(outcome.frame, dataset.pack, large)
        for _, data in plan.dag.nodes(data=True):
            found |= set(_uses(data["op"]))
    return found


def _enlarged(pack: Pack, physical: Physical | None) -> Physical:
    assert physical is not None
    grown = {name: replace(narrow, rows=narrow.rows * 50) for name, narrow in physical.entities.items()}
    return replace(physical, entities=grown)


def _uses(op: Op) -> list[str]:
    found = ["a ranking that is completed"] if isinstance(op, Complete) else []
    if isinstance(op, Join) and any(isinstance(relation, Listed) for relation in op.relations):
        found.append("stored pairs")
    text = repr(getattr(op, "predicate", None))
    found += [kind.__name__ for kind in (Stored, NearAny) if f"{kind.__name__}(" in text]
    return found


def test_the_frames_put_every_one_of_them_to_use(used: set[str]) -> None:
    assert used == {"a ranking that is completed", "stored pairs", "Stored", "NearAny"}


RANKED = [
    frame(ROAD, CRASH, spatial_constraints=[relation], attribute_constraints=given, top_n=top_n)
    for relation in (LINKED, *(near("support", "primary", metres) for metres in (12.5, 20, 30)))
    for given in ([], [{"target_role": "support", "concept": "fatal_crash"}])
    for top_n in (1, 4, 500)
]


@pytest.mark.parametrize("always", [False, True])
def test_the_highest_by_stored_counts_are_the_highest(
    ground: Subject, monkeypatch: pytest.MonkeyPatch, always: bool
) -> None:
    if always:  # however little the stored counts say
        module = import_module(use_stored_counts.__module__)
        monkeypatch.setattr(module, "_LEAST", 1e-9)
        monkeypatch.setattr(module, "_TIMES", 0)
        monkeypatch.setattr(module, "LISTED", 0)
        monkeypatch.setattr(module, "ceil", lambda number: 1)
    pack, physical = ground.dataset.pack, ground.dataset.physical
    bounded = set()
    for given in RANKED:
        outcome = ground.check(given)
        assert isinstance(outcome, Checked)
        plain = compile_frame(outcome.frame, pack, physical, passes=_but(use_stored_counts))
        plan = compile_frame(outcome.frame, pack, physical)
        assert plan.ranking is not None
        assert answered(ground, plan, POSTGIS) == answered(ground, plain, POSTGIS), given
        bounded.add(plan.ranking.bound and plan.ranking.bound.exact)
    # Of so small a ground all is counted, unless it is exact.
    assert bounded >= ({True, False} if always else {True, None})
