"""Several spans of hours: PostGIS and the oracle agree, whatever passes midnight and whatever the weekday."""

from __future__ import annotations

from typing import Any

import pytest

from groundframe.eval.subject import Subject
from groundframe.validator.outcomes import Checked

SPANS: list[Any] = [
    "rush hour",
    "7am-9am and 10pm to 2am",
    [{"from": "22:00", "to": "02:00"}, {"from": "01:00", "to": "03:00"}],
    [{"from": "20:00", "to": "24:00"}, {"from": "00:00", "to": "06:00"}],
]


@pytest.mark.parametrize("weekdays", [[], ["sat", "sun"], ["mon"]], ids=["any day", "weekend", "monday"])
@pytest.mark.parametrize("hours", SPANS, ids=str)
def test_spans(ground: Subject, hours: Any, weekdays: list[str]) -> None:
    outcome = ground.check(
        {
            "targets": [{"entity": "Crash", "role": "primary"}],
            "temporal_constraints": [{"target_role": "primary", "hours": hours, "weekdays": weekdays}],
        }
    )
    assert isinstance(outcome, Checked)
    assert len(outcome.frame.temporal_constraints[0].spans()) == 2
    assert ground.compare(outcome.frame)[1] == []
