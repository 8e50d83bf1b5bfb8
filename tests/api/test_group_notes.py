"""What is said of rows that are groups."""

from __future__ import annotations

from typing import Any

import pytest

from groundframe.frames.model import Frame
from groundframe.group_notes import group_notes
from groundframe.schema.packs import load_pack

MIDNIGHT = "00:00-00:59 has the crashes at exactly 00:00, which some reports write for an unknown time."
NONE = "Any weekday of the data is compared, with 0 where none are like that"
FEWEST = f"{NONE}; crashes of unknown weekday are not."


@pytest.mark.parametrize(
    ("groups", "order", "notes"),
    [
        ([{"time": "hour"}], None, [MIDNIGHT]),
        ([{"time": "weekday"}], None, []),
        ([{"time": "weekday"}], "highest", []),
        (
            [{"time": "weekday"}],
            "lowest",
            [FEWEST],
        ),
        (
            [{"field": "severity"}],
            "lowest",
            ["Groups without any crashes have no row: they are not compared."],
        ),
        (
            [{"time": "hour"}, {"entity": "Town"}],
            "lowest",
            [MIDNIGHT, "Groups without any crashes have no row: they are not compared."],
        ),
    ],
)
def test_notes(groups: list[dict[str, Any]], order: str | None, notes: list[str]) -> None:
    document: dict[str, Any] = {
        "targets": [{"entity": "Crash", "role": "primary", "id": "primary"}],
        "measures": [{"measure": "crash_count", "target_role": "primary", "name": "crash_count"}],
        "group_by": [{"target_role": "primary", **one} for one in groups],
    }
    if order is not None:
        document["ranking"] = {"metric": "crash_count", "order": order}
    assert list(group_notes(Frame.model_validate(document), load_pack("massachusetts"))) == notes
