"""``groundframe validate`` says of every case of a rule what the case says."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from groundframe.schema.packs import load_pack

CASES = Path(__file__).resolve().parents[1] / "cases" / "rules"
NAMED = {
    field.name for entity in load_pack("massachusetts").entities for field in entity.fields if field.names
}
"""Fields that hold names, which are looked up in a dataset."""


def needs_names(case: dict[str, Any]) -> list[str]:
    """The entities whose names a case looks up; ``*`` where it asks for other data."""
    frame = case["frame"]
    parts = [*frame.get("targets", ()), *({"entity": "Place", **one} for one in frame.get("references", ()))]
    named = [str(part["entity"]) for part in parts if part.keys() & {"names", "keys"}]
    text = json.dumps([frame.get("temporal_constraints"), frame.get("attribute_constraints")])
    named_fields = "name" in text or any(f'"{name}"' in text for name in NAMED)
    data = case.get("dataset", "full") == "sparse" or "note" in case or '"last' in text or named_fields
    return [*named, *(["*"] if data or "choices" in case or "before March" in text else [])]


def load(rule: Path) -> list[Any]:
    return [
        pytest.param(case, id=f"{rule.stem}: {case['title']}")
        for case in yaml.safe_load(rule.read_text(encoding="utf-8"))
    ]


EVERY = [case for rule in sorted(CASES.glob("*.yaml")) for case in load(rule)]
NAMELESS = [case for case in EVERY if not needs_names(case.values[0])]
# The demo has no town that begins with Mount.
NOT_IN_THE_DEMO = {"scope_names: Mt. is Mount"}
TOWNS = [
    case for case in EVERY if set(needs_names(case.values[0])) == {"Town"} and case.id not in NOT_IN_THE_DEMO
]


def agrees(case: dict[str, Any], ran: Any) -> None:
    said = json.loads(ran.out)
    if "issues" in case:
        assert ran.code == 1
        assert said["status"] == ("unsupported" if case.get("unsupported") else "rejected")
        assert {issue["path"]: issue["code"] for issue in said["issues"]} == case["issues"]
    elif "ask" in case:
        assert (ran.code, said["status"]) == (3, "needs_choice")
        assert {choice["path"] for choice in said["choices"]} == set(case["ask"])
    else:
        assert (ran.code, said["status"]) == (0, "checked")
        assert [repair["path"] for repair in said["repairs"]] == case.get("repaired", [])


@pytest.mark.parametrize("case", NAMELESS)
def test_without_a_database(case: dict[str, Any], cli: Any) -> None:
    frame = json.dumps(case["frame"], default=str).encode()
    agrees(case, cli("validate", "-", "--pack", "massachusetts", stdin=frame))


@pytest.mark.parametrize("case", TOWNS)
def test_on_the_demo(case: dict[str, Any], cli: Any, demo: str) -> None:
    """Cases that name only towns: those of the demo bear the real names."""
    agrees(case, cli("validate", "-", stdin=json.dumps(case["frame"], default=str).encode()))


def test_most_cases_are_compared() -> None:
    assert len(NAMELESS) + len(TOWNS) >= 250
