"""Statements that are filled into a known shape are those that lowering would make."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

import groundframe.eval
from groundframe.compiler.compile import compile_frame
from groundframe.compiler.lowering import NEUTRAL, Traits, lower, shape_of
from groundframe.compiler.physical import Physical
from groundframe.compiler.plan import Plan
from groundframe.frames.model import Frame
from groundframe.postgis import shapes
from groundframe.postgis.rewrites import POSTGIS
from groundframe.postgis.spelling import compile_sql
from groundframe.schema.packs import load_pack

PACK = load_pack("massachusetts")
PHYSICAL = Physical.of(PACK)
GOLDEN = Path(groundframe.eval.__file__).parent / "golden"
FEW = (5, 20, 500)
"""Numbers that are often equal, to each other and to what a ranking shows."""


@pytest.fixture(scope="module")
def frames() -> list[Any]:
    """Checked frames of every kind that is kept."""
    texts = (path.read_text() for path in sorted(GOLDEN.rglob("*.golden.yaml")))
    read = (yaml.load(text, Loader=yaml.CSafeLoader)["checked_frame"] for text in texts)
    return [frame for frame in read if frame]


def varied(part: Any, dice: random.Random) -> Any:
    """The same frame with other values."""
    if isinstance(part, list):
        return [varied(one, dice) for one in part]
    if not isinstance(part, dict):
        return part
    found = {name: varied(one, dice) for name, one in part.items()}
    for name, value in found.items():
        match name:
            case "keys":
                found[name] = [f"town:{dice.randrange(3)}" if dice.random() < 0.9 else "50" for _ in value]
            case "distance_m":
                found[name] = float(dice.choice(FEW)) + dice.choice((0.0, 0.0005))
            case "from":
                found[name] = f"20{dice.randrange(10, 20)}-01-01" if "-" in str(value) else value
            case "value" if isinstance(value, int | float) and not isinstance(value, bool):
                found[name] = type(value)(dice.choice(FEW))
            case "top_n":
                found[name] = dice.choice(FEW)
            case "coordinates" if isinstance(value, dict):
                found[name] = {**value, "latitude": 42.0 + dice.random()}
    return found


def plans(frames: list[Any]) -> Iterator[Plan]:
    dice = random.Random(5)
    for frame in frames[::2]:
        for _ in range(3):
            checked = Frame.model_validate(varied(frame, dice))
            yield compile_frame(checked, PACK, dice.choice((PHYSICAL, PHYSICAL, None)))


@pytest.mark.parametrize("traits", [POSTGIS, NEUTRAL], ids=lambda traits: traits.engine)
def test_filled_statements_are_those_that_lowering_makes(
    frames: list[Any], traits: Traits, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Any] = []

    def noted(statement: Any) -> tuple[str, dict[str, Any]]:
        made.append(statement)
        return compile_sql(statement)

    monkeypatch.setattr(shapes, "_KNOWN", {})
    monkeypatch.setattr(shapes, "compile_sql", noted)
    asked = 0
    for plan in plans(frames):
        lowered = lower(plan, traits, "gf_some")
        wanted = compile_sql(lowered.rows.limit(7)), compile_sql(lowered.tally)
        found = shapes.statements(plan, 7, traits, "gf_some")
        assert found == wanted
        assert [list(parameters) for _, parameters in found] == [list(parameters) for _, parameters in wanted]
        asked += 1
    assert len(made) / 2 < 0.8 * asked


def test_no_value_of_a_frame_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "_KNOWN", {})
    secret = "town:secret"
    frame = {
        "targets": [
            {"entity": "School", "role": "primary", "id": "primary"},
            {"entity": "Town", "role": "scope", "id": "scope", "names": ["S"], "keys": [secret]},
        ],
        "spatial_constraints": [
            {"relation": "within", "target_role": "primary", "reference_role": "scope"},
        ],
    }
    plan = compile_frame(Frame.model_validate(frame), PACK, PHYSICAL)
    statements = shapes.statements(plan, None, POSTGIS, "gf_some")
    assert all(secret in parameters.values() for _, parameters in statements)
    assert shape_of(plan)[1] == ((secret,),) * len(shape_of(plan)[1])
    ((key, known),) = shapes._KNOWN.items()
    assert secret not in repr(key) + repr(known)


def test_what_is_equal_by_chance_is_not_taken_for_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shapes, "_KNOWN", {})

    def statement(length: float, most: float) -> tuple[str, dict[str, Any]]:
        frame = {
            "targets": [{"entity": "Road", "role": "primary", "id": "primary"}],
            "attribute_constraints": [
                {"target_role": "primary", "field": "length", "operator": "gt", "value": length}
            ],
            "measures": [{"measure": "max", "field": "aadt", "target_role": "primary", "name": "busy"}],
            "having": [{"measure": "busy", "operator": "gt", "value": most}],
        }
        plan = compile_frame(Frame.model_validate(frame), PACK, PHYSICAL)
        return shapes.statements(plan, None, POSTGIS, None)[0]

    apart, same = statement(30.0, 20.0), statement(20.0, 20.0)
    assert len(same[1]) == len(apart[1]) - 1
    monkeypatch.setattr(shapes, "_KNOWN", {})
    assert statement(20.0, 20.0) == same
    assert statement(30.0, 20.0) == apart


def test_shapes_are_forgotten_when_there_are_too_many(
    frames: list[Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shapes, "_KNOWN", {})
    monkeypatch.setattr(shapes, "_MOST", 2)
    for frame in frames[:5]:
        plan = compile_frame(Frame.model_validate(frame), PACK, PHYSICAL)
        first = shapes.statements(plan, None, POSTGIS, None)
        assert shapes.statements(plan, None, POSTGIS, None) == first
        assert 1 <= len(shapes._KNOWN) <= 2
