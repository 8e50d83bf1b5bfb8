"""Large answers are read from what a load has written, byte for byte what the program would write."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import chain
from typing import Any

import pytest

import groundframe as gf
from groundframe.compiler.lowering import feature_template
from groundframe.compiler.plan import Plan
from groundframe.formats.geojson import feature_text
from groundframe.postgis.execute import execute

NEAR = {"relation": "within_distance", "target_role": "primary", "reference_role": "filter"}
CRASH, SCHOOL = {"entity": "Crash", "role": "primary"}, {"entity": "School", "role": "filter"}
FRAMES: list[dict[str, Any]] = [
    {"targets": [CRASH]},
    {"targets": [CRASH, {"entity": "Town", "role": "scope", "names": ["Boston"]}]},
    {
        "targets": [CRASH, SCHOOL],
        "spatial_constraints": [{**NEAR, "distance_m": 300}],
        "attribute_constraints": [{"target_role": "primary", "concept": "pedestrian_crash"}],
    },
    {
        "targets": [CRASH, SCHOOL],
        "spatial_constraints": [{**NEAR, "distance_m": 200, "negate": True}],
        "temporal_constraints": [{"target_role": "primary", "from": "2023-01-01"}],
    },
]


@pytest.fixture(scope="module")
def gis(demo_url: str) -> Iterator[gf.Connection]:
    with gf.connect(demo_url) as connection:
        yield connection


@pytest.mark.parametrize("frame", FRAMES)
def test_what_was_written_is_what_would_be(gis: gf.Connection, frame: dict[str, Any]) -> None:
    plan = gis.compile(frame).plan
    text = feature_text(plan.columns, 0)
    with execute(gis.dataset, plan, row_limit=None) as execution:
        expected = [text(row) for row in execution]
    assert written(gis, plan) == (True, expected)
    assert expected


def test_what_was_written_otherwise_is_written_anew(gis: gf.Connection) -> None:
    plan = gis.compile(FRAMES[1]).plan
    assert plan.physical is not None
    crashes = replace(plan.physical.entities["Crash"], written="by another version")
    physical = replace(plan.physical, entities={**plan.physical.entities, "Crash": crashes})
    assert written(gis, replace(plan, physical=physical)) == (False, written(gis, plan)[1])


def written(gis: gf.Connection, plan: Plan) -> tuple[bool, list[str]]:
    """Whether the texts are read from those of the load, and what they are."""
    template = feature_template(plan.columns, 0)
    with execute(gis.dataset, plan, row_limit=None, template=template) as execution:
        assert execution._texts is not None
        return "narrow_crash_texts" in execution._texts[0], list(chain.from_iterable(execution.texts()))
