"""How many connections an answer takes goes by how much there is to count."""

from __future__ import annotations

import pytest

import groundframe as gf
from groundframe.compiler import compile_frame
from groundframe.frames.model import Frame
from groundframe.postgis import execute as executing
from groundframe.postgis.execute import execute

FRAME = {
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
}


@pytest.mark.parametrize(("much", "connections"), [(executing.MUCH, 1), (100, 2)])
def test_a_second_connection_counts_where_there_is_much(
    demo_url: str, much: int, connections: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(executing, "MUCH", much)
    with gf.connect(demo_url) as gis:
        dataset = gis.dataset
        plan = compile_frame(Frame.model_validate(FRAME), dataset.pack, dataset.physical)
        with execute(dataset, plan, row_limit=None) as execution:
            assert dataset.database.engine.pool.checkedout() == connections  # type: ignore[attr-defined]
            assert execution.tally.returned > 0
