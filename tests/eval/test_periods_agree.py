"""The fewest of a part of the time: PostGIS and the oracle agree on what has none."""

from __future__ import annotations

from typing import Any

import pytest

from groundframe.eval.subject import Subject
from groundframe.frames.terms import TIME_BUCKETS
from groundframe.validator.outcomes import Checked


@pytest.mark.parametrize("measure", ["crash_count", "persons_killed"])
@pytest.mark.parametrize(
    "when", [{}, {"years": [2023, 2024]}, {"hours": {"from": "20:00", "to": "06:00"}}], ids=str
)
@pytest.mark.parametrize("bucket", TIME_BUCKETS)
def test_fewest(ground: Subject, bucket: str, when: dict[str, Any], measure: str) -> None:
    outcome = ground.check(
        {
            "targets": [
                {"entity": "Crash", "role": "primary"},
                {"entity": "Town", "role": "scope", "names": ["Quincy"]},
            ],
            "attribute_constraints": [{"concept": "fatal_crash"}],
            "temporal_constraints": [{"target_role": "primary", **when}] if when else [],
            "measures": [{"measure": measure, "target_role": "primary"}],
            "group_by": [{"target_role": "primary", "time": bucket}],
            "ranking": {"metric": measure, "order": "lowest", "top_n": None},
        }
    )
    assert isinstance(outcome, Checked)
    expected, different = ground.compare(outcome.frame)
    assert different == []
    assert expected.rows[0].measures[measure] == 0
    assert all(None not in row.group for row in expected.rows)
