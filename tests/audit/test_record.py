"""Audit records: what they hold, and that they are as the published JSON Schema says."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import jsonschema
import psycopg
import pytest

import groundframe as gf
from groundframe.audit import making
from groundframe.audit.sealing import seal_of
from groundframe.audit.shape import record_schema
from groundframe.eval.published import published_frames
from groundframe.formats.geojson import feature_text
from groundframe.postgis.execute import execute

ROOT = Path(__file__).resolve().parents[2]
SCHEMA = ROOT / "docs" / "record.schema.json"
SCHOOLS = ROOT / "examples" / "boston_schools.json"
ALL_CRASHES = {"targets": [{"entity": "Crash", "role": "primary"}]}
SQUARE = [[-71.12, 42.30], [-71.02, 42.30], [-71.02, 42.38], [-71.12, 42.38], [-71.12, 42.30]]
PUBLISHED = published_frames()
VARIED: Mapping[str, Any] = {
    **{path.stem: path for path in sorted((ROOT / "examples").glob("*.json"))},
    **{name: PUBLISHED[name] for name in ("G4_01", "G5_01", "G6_05", "G7_02", "G8_03", "G9_14")},
    "area": {**ALL_CRASHES, "references": [{"area": {"type": "Polygon", "coordinates": [SQUARE]}}]},
    "groups": {
        **ALL_CRASHES,
        "group_by": [
            {"target_role": "primary", "entity": "Town"},
            {"target_role": "primary", "time": "weekday"},
        ],
    },
    "nothing": {
        **ALL_CRASHES,
        "temporal_constraints": [{"target_role": "primary", "from": "1990-01-01", "to": "1990-01-02"}],
    },
    "deep": {
        **ALL_CRASHES,
        "attribute_constraints": [
            {"any_of": [{"any_of": [{"target_role": "primary", "field": "severity", "operator": "is_null"}]}]}
        ],
    },
}


@pytest.fixture(scope="module")
def gis(demo_url: str) -> Iterator[gf.Connection]:
    with gf.connect(demo_url) as connection:
        yield connection


@pytest.fixture(scope="module")
def published() -> jsonschema.protocols.Validator:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    jsonschema.Draft202012Validator.check_schema(schema)
    return jsonschema.Draft202012Validator(schema)


def test_published_schema_is_up_to_date() -> None:
    assert json.loads(SCHEMA.read_text(encoding="utf-8")) == record_schema(), (
        "run: groundframe schema --record-schema > docs/record.schema.json"
    )


@pytest.mark.parametrize("name", VARIED)
def test_records_are_as_published_and_replay(
    gis: gf.Connection, published: jsonschema.protocols.Validator, tmp_path: Path, name: str
) -> None:
    path = tmp_path / "record.json"
    gis.run(VARIED[name]).write_record(path)
    published.validate(json.loads(path.read_text(encoding="utf-8")))
    replay = gis.replay(path)
    assert replay.same
    assert replay.differences == {}


def test_the_schema_refuses_what_is_no_record(
    gis: gf.Connection, published: jsonschema.protocols.Validator
) -> None:
    audit = gis.run(SCHOOLS).audit()
    assert published.is_valid(json.loads(json.dumps(audit)))
    for wrong in (
        {"record_version": 2},
        {"digest": "abc"},
        {"more": 1},
        {"row_limit": 0},
        {"frame": {"targets": [{"entity": "Crash"}]}},
        {"counts": {**audit["counts"], "matched": "19"}},
    ):
        assert not published.is_valid(json.loads(json.dumps({**audit, **wrong}))), wrong


def test_the_schema_demands_every_part(gis: gf.Connection, published: jsonschema.protocols.Validator) -> None:
    audit = json.loads(json.dumps(gis.run(SCHOOLS).audit()))
    for name in audit:
        assert not published.is_valid({part: audit[part] for part in audit if part != name}), name


def test_what_a_record_holds(gis: gf.Connection) -> None:
    answer = gis.run(ROOT / "examples" / "misspelt.json")
    audit = answer.audit()
    (repair,) = audit["repairs"]
    assert (repair["before"], repair["after"]) == ("Bostn", "Boston")
    assert audit["frame"]["targets"][2]["names"] == ["Bostn"]
    assert audit["checked_frame"]["targets"][2]["names"] == ["Boston"]
    (anchor,) = audit["anchors"]
    assert anchor["asked"] == "Bostn"
    assert anchor["chosen"][0]["key"] in audit["checked_frame"]["targets"][2]["keys"]
    nodes = {node["id"]: node for node in audit["plan"]["nodes"]}
    assert all(name in nodes for node in nodes.values() for name in node["inputs"])
    assert all(node["type"] for node in nodes.values())
    assert audit["counts"] == answer.counts
    assert audit["data_version"] == gis.dataset.data_version
    assert audit["answer"]["warnings"] == answer.record()["warnings"]
    assert audit["digest"] == answer.digest == answer.geojson()["groundframe"]["digest"]
    assert audit["timings"]["database_s"] > 0
    assert audit["timings"]["validate_s"] > 0
    assert audit["timings"]["compile_s"] > 0


def test_versions_are_those_of_the_server(gis: gf.Connection, demo_url: str) -> None:
    with psycopg.connect(demo_url) as connection:
        row = connection.execute(
            "SELECT current_setting('server_version_num')::int, postgis_lib_version(), postgis_geos_version()"
        ).fetchone()
    assert row is not None
    versions = gis.run(SCHOOLS).audit()["versions"]
    major, minor = (int(part) for part in versions["postgresql"].split("."))
    assert major * 10_000 + minor == row[0]
    assert versions["postgis"] == row[1]
    assert row[2].startswith(versions["geos"])
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert versions["groundframe"] == project["version"]
    assert {"python", "proj", "sqlalchemy", "geoalchemy2", "psycopg", "shapely"} <= versions.keys()
    assert all("/" not in text for text in versions.values())


def test_the_statements_are_those_that_were_sent(gis: gf.Connection) -> None:
    query = gis.compile(SCHOOLS)
    audit = gis.execute(query, 7).audit()
    sent = execute(gis.dataset, query.plan, row_limit=7)
    schema = f"{gis.dataset.schema}."
    assert schema in sent.sql
    assert audit["sql"]["rows"]["text"] == sent.sql.replace(schema, "")
    assert audit["sql"]["counts"]["text"] == sent.tally_sql.replace(schema, "")
    assert audit["sql"]["rows"]["parameters"] == json.loads(json.dumps(sent.parameters))


def test_choices_and_what_was_offered(gis: gf.Connection, demo_url: str) -> None:
    with psycopg.connect(demo_url) as connection:
        row = connection.execute(
            "SELECT name, array_agg(key ORDER BY key) FROM gf_demo.school GROUP BY name HAVING count(*) > 1 "
            "ORDER BY name"
        ).fetchone()
    assert row is not None
    name, keys = row
    frame = {**ALL_CRASHES, "references": [{"entity": "School", "names": [name]}]}
    path = "/references/0/names/0"
    audits = [gis.run(frame, choices={path: key}).audit() for key in keys]
    for key, audit in zip(keys, audits, strict=True):
        assert audit["choices"] == {path: key}
        (anchor,) = audit["anchors"]
        assert [one["key"] for one in anchor["chosen"]] == [key]
        assert sorted(one["key"] for one in anchor["offered"]) == keys
        assert gis.replay(audit).same
    assert audits[0]["digest"] != audits[1]["digest"]


def test_rows_and_head(gis: gf.Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(making, "ROWS", 4)
    monkeypatch.setattr(making, "HEAD", 2)
    for limit in (5, None):
        answer = gis.run(ALL_CRASHES, row_limit=limit)
        audit = answer.audit()
        keys = [feature["id"] for feature in answer]
        assert [line.partition(" ")[2] for line in audit["result"]["rows"]] == keys[:4]
        assert [row["key"] for row in audit["result"]["head"]] == keys[:2]
        assert audit["row_limit"] == limit
        assert audit["digest"] == answer.digest
        assert gis.replay(audit).same


def test_no_clock_and_no_name_of_a_database_in_what_is_digested(gis: gf.Connection) -> None:
    first, second = (gis.run(SCHOOLS).audit() for _ in range(2))
    assert first["record_digest"] == second["record_digest"] == seal_of(second)
    assert {**first, "timings": None} == {**second, "timings": None}
    assert "gf_demo" not in json.dumps(first)


def test_a_row_s_digest_does_not_know_its_rank(gis: gf.Connection) -> None:
    """A row that comes in above others must not make them look changed."""
    frame = json.loads(SCHOOLS.read_text(encoding="utf-8"))
    more = gis.run({**frame, "ranking": {**frame["ranking"], "order": "lowest", "top_n": None}})
    less = gis.run({**frame, "ranking": {**frame["ranking"], "top_n": None}})
    assert [row["rank"] for row in more.audit()["result"]["head"]] == list(
        range(1, more.counts["returned"] + 1)
    )
    assert sorted(more.audit()["result"]["rows"]) == sorted(less.audit()["result"]["rows"])
    text = feature_text(more.columns, more.id_index)
    assert sorted(map(text, more.rows())) != sorted(map(text, less.rows()))
