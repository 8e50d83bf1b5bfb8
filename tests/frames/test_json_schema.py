"""The JSON Schema: what it accepts is read, and what is checked validates."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from jsonschema import Draft202012Validator

from groundframe.frames import terms
from groundframe.frames.json_schema import frame_schema
from groundframe.frames.reading import read_frame
from groundframe.schema.packs import load_pack
from groundframe.validator import vocabulary
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Checked

PACK = load_pack("massachusetts")
SCHEMA = Draft202012Validator(frame_schema(PACK))
PUBLISHED = sorted((Path(__file__).resolve().parents[2] / "eval" / "golden" / "published").glob("*.json"))


def test_it_is_a_schema_and_stable() -> None:
    Draft202012Validator.check_schema(SCHEMA.schema)
    assert json.dumps(frame_schema(PACK)) == json.dumps(frame_schema(PACK))


@pytest.mark.parametrize("path", PUBLISHED, ids=lambda path: path.stem)
def test_planners_frames_and_their_checked_ones_validate(path: Path) -> None:
    document = json.loads(path.read_text(encoding="utf-8"))
    SCHEMA.validate(document)
    outcome = validate(read_frame(document), PACK)
    assert isinstance(outcome, Checked)
    SCHEMA.validate(outcome.frame.model_dump(mode="json", by_alias=True))


@pytest.mark.parametrize(
    "wrong",
    [
        {"targets": [{"entity": "Volcano", "role": "primary"}]},
        {"targets": [{"entity": "Crash", "role": "anchor"}]},
        {"targets": [{"entity": "Crash", "role": "primary", "colour": "red"}]},
        {"attribute_constraints": [{"field": "severity", "operator": "eq", "value": "spicy"}]},
        {"attribute_constraints": [{"field": "stated_town", "operator": "eq", "value": "x"}]},
        {"attribute_constraints": [{"field": "severity", "operator": "=", "value": "Unknown"}]},
        {"spatial_constraints": [{"relation": "orbits", "target_role": "a", "reference_role": "b"}]},
        {"measures": [{"measure": "happiness"}]},
        {"ranking": {"metric": "crash_count", "order": "sideways"}},
        {"outputs": ["hologram"]},
    ],
)
def test_what_is_wrong_does_not_validate(wrong: dict[str, Any]) -> None:
    assert list(SCHEMA.iter_errors(wrong))


def test_groups_of_values_validate() -> None:
    SCHEMA.validate(
        {"attribute_constraints": [{"field": "first_harmful_event", "operator": "eq", "value": "animal"}]}
    )


def test_terms_are_those_of_the_validator() -> None:
    assert vocabulary.RELATIONS.canonical == terms.RELATIONS
    assert vocabulary.ROLES.canonical == (*terms.TARGET_ROLES, "anchor")
    assert vocabulary.AGGREGATES.canonical == terms.AGGREGATES
    assert vocabulary.TIME_BUCKETS.canonical == terms.TIME_BUCKETS
    assert vocabulary.UNITS.canonical == terms.PERIOD_UNITS
    assert vocabulary.WEEKDAYS.canonical == terms.WEEKDAYS
    assert vocabulary.ORDERS.canonical == terms.ORDERS
    assert vocabulary.OUTPUTS.canonical == terms.OUTPUTS
