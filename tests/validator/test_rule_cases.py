"""Every rule on its cases (tests/cases/rules/<rule>.yaml), and what every rule owes its reader."""

from __future__ import annotations

import inspect
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from groundframe.frames.names import NameIndex
from groundframe.frames.reading import read_frame
from groundframe.schema.model import Pack
from groundframe.validator.context import pointer_value
from groundframe.validator.engine import validate
from groundframe.validator.findings import Rule
from groundframe.validator.outcomes import Checked, NeedsChoice, Rejected
from groundframe.validator.rules import RULES

CASES = Path(__file__).resolve().parents[1] / "cases" / "rules"


def load() -> list[tuple[str, dict[str, Any]]]:
    found = []
    for path in sorted(CASES.glob("*.yaml")):
        found += [(path.stem, case) for case in yaml.safe_load(path.read_text(encoding="utf-8"))]
    return found


LOADED = load()


def kind_of(case: dict[str, Any]) -> str:
    """What a case shows: pass, fix, ask or reject."""
    if "issues" in case:
        return "reject"
    if "ask" in case:
        return "ask"
    return "fix" if case.get("repaired") or case.get("normalised") else "pass"


@pytest.mark.parametrize(("rule", "case"), LOADED, ids=[f"{rule}: {case['title']}" for rule, case in LOADED])
def test_case(rule: str, case: dict[str, Any], pack: Pack, names: NameIndex, sparse: NameIndex) -> None:
    index = {"full": names, "sparse": sparse, "none": None}[case.get("dataset", "full")]
    outcome = validate(read_frame(case["frame"]), pack, index, choices=case.get("choices"))
    if "issues" in case:
        assert isinstance(outcome, Rejected), outcome
        assert {issue.path: issue.code for issue in outcome.issues} == case["issues"], outcome.issues
        assert outcome.unsupported == case.get("unsupported", False)
        assert all(issue.message.endswith((".", "?")) for issue in outcome.issues)
        assert all(issue.allowed or issue.nearest or issue.action for issue in outcome.issues)
        if "nearest" in case:
            assert list(outcome.issues[0].nearest) == case["nearest"]
        if "says" in case:
            assert case["says"] in outcome.issues[0].sentence()
        return
    if "ask" in case:
        assert isinstance(outcome, NeedsChoice), outcome
        asked = {choice.id: [one.key for one in choice.candidates] for choice in outcome.choices}
        assert asked == case["ask"]
        return
    assert isinstance(outcome, Checked), outcome
    assert [record.path for record in outcome.repairs] == case.get("repaired", []), outcome.repairs
    own = [record.path for record in outcome.normalised if record.rule == rule]
    assert own == case.get("normalised", []), outcome.normalised
    document = outcome.frame.model_dump(mode="json", by_alias=True)
    for pointer, value in case.get("checked", {}).items():
        assert pointer_value(document, pointer) == value, pointer
    if "note" in case:
        assert case["note"] in " ".join(outcome.notes)
    again = validate(outcome.frame, pack, index)
    assert isinstance(again, Checked), again
    assert (again.frame, again.repairs, again.normalised) == (outcome.frame, (), ())


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_rule_is_documented_and_shown(rule: Rule) -> None:
    module = sys.modules[rule.check.__module__]
    assert module.__name__.rpartition(".")[2] == rule.id
    assert module.__doc__
    assert rule.check.__doc__
    assert rule.name
    assert rule.rationale.endswith(".")
    shown = {kind_of(case) for name, case in LOADED if name == rule.id}
    source = inspect.getsource(module)
    owed = {"pass"} | ({"fix"} if rule.safety else set()) | ({"reject"} if "Issue(" in source else set())
    assert owed <= shown, f"{rule.id} needs cases that {', '.join(sorted(owed - shown))}"


@pytest.mark.parametrize("rule", RULES, ids=lambda rule: rule.id)
def test_grade_is_honest(rule: Rule, pack: Pack, names: NameIndex) -> None:
    """The records of a rule's own cases bear its grade, or say that it was declared or chosen."""
    grades = set()
    for name, case in LOADED:
        if name == rule.id and kind_of(case) == "fix":
            outcome = validate(read_frame(case["frame"]), pack, names, choices=case.get("choices"))
            if isinstance(outcome, Checked):
                grades |= {
                    one.safety for one in (*outcome.repairs, *outcome.normalised) if one.rule == rule.id
                }
    if rule.safety is None:
        assert not grades
    else:
        assert rule.safety in grades
        assert grades <= {rule.safety, "declared", "chosen"}


def test_ids_are_unique_and_phases_in_order() -> None:
    assert len({rule.id for rule in RULES}) == len(RULES)
    assert [rule.phase for rule in RULES] == sorted(rule.phase for rule in RULES)


def test_every_case_file_has_a_rule() -> None:
    assert {name for name, _ in LOADED} == {rule.id for rule in RULES}
