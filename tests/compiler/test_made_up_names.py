"""Names that a frame makes up for measures are names of columns, whatever they are made of."""

from __future__ import annotations

from typing import Any

import pytest

LONG = "n" * 150
NAMES = [
    ("a", "b"),
    (f"{LONG}1", f"{LONG}2"),  # PostgreSQL cuts identifiers off after 63 bytes
    ('x"; DROP SCHEMA gf_world; --', "%(p1)s %s 100%"),
    ("nul\0", "\u202eÄ\n"),
    ("_m2", "_m1"),
    ("crash_count", "count"),
]


@pytest.mark.parametrize(("count", "killed"), NAMES)
@pytest.mark.parametrize("grouped", [False, True])
def test_made_up_names(world: Any, count: str, killed: str, grouped: bool) -> None:
    answer = world.ask(
        {
            "targets": [
                {"entity": "Town", "role": "primary", "id": "primary"},
                {"entity": "Crash", "role": "support", "id": "it's"},
            ],
            "spatial_constraints": [
                {"relation": "within", "target_role": "it's", "reference_role": "primary"}
            ],
            "measures": [
                {"measure": "crash_count", "target_role": "it's", "name": count},
                {"measure": "persons_killed", "target_role": "it's", "name": killed},
            ],
            "group_by": [{"target_role": "primary", "field": "county"}] if grouped else [],
            "having": [{"measure": count, "operator": "gte", "value": 1}],
            "ranking": {"metric": killed, "target_role": "primary", "order": "highest", "top_n": 2},
        }
    )
    # Town A has six crashes that it is linked to and two killed, town B four and two.
    assert answer.column(count) == ([10] if grouped else [6, 4])
    assert answer.column(killed) == ([4] if grouped else [2, 2])
