"""docs/validation.md lists every rule; the reported faults lead to cases that exist."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from groundframe.validator.findings import Phase
from groundframe.validator.rules import RULES

ROOT = Path(__file__).resolve().parents[2]
FAULTS = yaml.safe_load((ROOT / "tests" / "cases" / "field_reports.yaml").read_text(encoding="utf-8"))


def table() -> str:
    """The rules by phase, as the page shows them."""
    lines = []
    for phase in Phase:
        lines += [
            f"### {phase.name.capitalize()}",
            "",
            "| rule | what is wrong | why it is put right, or not |",
        ]
        lines.append("| --- | --- | --- |")
        for rule in (rule for rule in RULES if rule.phase == phase):
            only = "" if rule.safety else " *(reports only)*"
            lines.append(f"| `{rule.id}` | {rule.name}{only} | {rule.rationale} |")
        lines.append("")
    return "\n".join(lines)


def test_the_page_lists_the_rules() -> None:
    assert table() in (ROOT / "docs" / "validation.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("fault", FAULTS, ids=lambda fault: fault["fault"][:50])
def test_a_reported_fault_has_its_cases(fault: dict[str, list[str]]) -> None:
    assert fault["cases"]
    for name in fault["cases"]:
        rule, _, title = name.partition(": ")
        cases = yaml.safe_load(
            (ROOT / "tests" / "cases" / "rules" / f"{rule}.yaml").read_text(encoding="utf-8")
        )
        assert title in {case["title"] for case in cases}, name


@pytest.mark.shared_data
def test_faults_are_those_of_the_list(shared_data: Path) -> None:
    listed = (shared_data.parent / "cases" / "field_reports.md").read_text(encoding="utf-8")
    assert [fault["fault"] for fault in FAULTS if f"| {fault['fault']} |" not in listed] == []
