"""Plans of synthetic states that do not fit their pack."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundframe.errors import PackError
from groundframe.schema import demo
from groundframe.schema.demo import load_demo
from groundframe.schema.packs import PACKS, load_pack

PACK = load_pack("massachusetts")


def written(folder: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str) -> None:
    """Use the pack's plan with one thing changed."""
    text = (PACKS / PACK.name / "demo.yaml").read_text()
    assert before in text
    (folder / PACK.name).mkdir()
    (folder / PACK.name / "demo.yaml").write_text(text.replace(before, after, 1))
    monkeypatch.setattr(demo, "PACKS", folder)


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("{0: 62, 1: 24", "{none: 62, 1: 24", "Crash/persons_injured.*'none'"),
        ("Fatal injury: 0.5", "Deadly: 0.5", "Crash/severity: 'Deadly' is no value of severity"),
        ("      junction_type:", "      junction_kind:", "Crash/junction_kind: is not a field"),
        ('      stop_id: {text: "{n}", blank: 0.005}\n', "", "BusStop/stop_id: has no plan"),
        ("areas: [Worcester]", "areas: [Worster]", "School/name: there is no area 'Worster'"),
        ("  - area: Amherst\n", "  - area: Amhurst\n", "hotspots: there is no area 'Amhurst'"),
        ("{Fatal injury: 2}", "{Fatal: 2}", "hotspots/Amherst: 'Fatal' is no value"),
        ("Crosswalk: 300, ", "", "sizes/small: there must be a number for each of"),
        ("kind: crossings", "kind: bridges", "layers/4/kind"),
        ("{copy: street, blank: 0.02}", "{copy: street, text: x}", "layers/1/fields/name.*exactly one"),
    ],
)
def test_a_plan_that_does_not_fit_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, before: str, after: str, message: str
) -> None:
    written(tmp_path, monkeypatch, before, after)
    with pytest.raises(PackError, match=message):
        load_demo(PACK)


def test_a_pack_without_a_plan_says_what_to_do() -> None:
    with pytest.raises(PackError, match=r"no synthetic state.*--data"):
        load_demo(PACK.model_copy(update={"name": "elsewhere"}))
