"""The golden frames of this repository; whether they hold, the plugin for pytest tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundframe.golden.file import ENDING, Golden, read_golden

FOLDER = Path(__file__).resolve().parents[2] / "eval" / "golden"
PUBLISHED = sorted((FOLDER / "published").glob("*.json"))
GOLDENS = sorted(FOLDER.rglob(f"*{ENDING}"))


def feature(name: str) -> Golden:
    return read_golden(FOLDER / "features" / f"{name}{ENDING}")


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_a_published_frame_is_golden(path: Path) -> None:
    golden = read_golden(path.with_name(path.stem + ENDING))
    assert golden.frame == json.loads(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", GOLDENS, ids=lambda path: path.name.removesuffix(ENDING))
def test_every_stage_is_held_of_the_demo_in_a_few_rows(path: Path) -> None:
    golden = read_golden(path)
    assert golden.dataset == "demo"
    assert None not in (golden.repairs, golden.anchors, golden.checked_frame, golden.plan, golden.sql)
    assert golden.result is not None
    assert 0 < len(golden.result.head) <= 5
    assert golden.text() == path.read_text(encoding="utf-8"), "written by hand: run --groundframe-update"


def test_features_show_what_their_names_say() -> None:
    assert len(feature("repairs").repairs or ()) >= 2
    chosen = feature("choice")
    assert chosen.choices
    assert [anchor["basis"] for anchor in chosen.anchors or ()] == ["chosen"]
    assert {anchor["origin"] for anchor in feature("anchors").anchors or ()} == {"dataset", "gazetteer"}
    assert (feature("negation").frame or {})["spatial_constraints"][0]["negate"]
    assert len((feature("group_by").checked_frame or {})["group_by"]) == 2
    assert "area" in (feature("area").frame or {})["references"][0]
    assert "Nearest" in {node["op"] for node in (feature("nearest").plan or {}).values()}
