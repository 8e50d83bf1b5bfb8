"""Frames in, answers out: the Python API on the small synthetic state."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import openpyxl
import psycopg
import pyarrow.parquet as pq
import pyogrio
import pytest

import groundframe as gf
from groundframe.postgis.connect import Database
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.synthetic import generate
from groundframe.serialise import encode

ROOT = Path(__file__).resolve().parents[2]
EXAMPLES = sorted((ROOT / "examples").glob("*.json"))
SCHOOLS = ROOT / "examples" / "boston_schools.json"
ALL_CRASHES = {"targets": [{"entity": "Crash", "role": "primary"}]}
BY_SEVERITY = {
    **ALL_CRASHES,
    "measures": [{"measure": "crash_count", "target_role": "primary"}],
    "group_by": [{"target_role": "primary", "field": "severity"}],
}


@pytest.fixture(scope="module")
def gis(demo_url: str) -> Iterator[gf.Connection]:
    with gf.connect(demo_url) as connection:
        yield connection


@pytest.fixture(scope="module")
def crashes(demo_url: str) -> int:
    """How many crashes there are, asked in plain SQL."""
    with psycopg.connect(demo_url) as connection:
        row = connection.execute("SELECT count(*) FROM gf_demo.crash").fetchone()
    assert row is not None
    return int(row[0])


def test_public_names() -> None:
    assert all(hasattr(gf, name) for name in gf.__all__)
    assert sorted(gf.__all__) == gf.__all__
    assert set(gf.__all__) <= set(dir(gf))
    assert not hasattr(gf, "nothing_of_that_name")


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_examples_have_answers(gis: gf.Connection, path: Path) -> None:
    answer = gis.run(path)
    content = answer.geojson()
    assert content["features"]
    assert len(content["features"]) == answer.counts["returned"]
    assert content["groundframe"]["synthetic"] is True
    assert answer.table().startswith("Synthetic data: everything here is invented.\n")


def test_a_frame_can_come_in_any_form(gis: gf.Connection) -> None:
    text = SCHOOLS.read_text(encoding="utf-8")
    forms: list[Any] = [
        SCHOOLS,
        str(SCHOOLS),
        text,
        text.encode(),
        json.loads(text),
        gf.Frame.model_validate_json(text),
    ]
    assert len({gis.run(form).digest for form in forms}) == 1


def test_steps_by_themselves(gis: gf.Connection) -> None:
    outcome = gis.validate(SCHOOLS)
    assert isinstance(outcome, gf.Checked)
    answer = gis.execute(gis.compile(outcome))
    assert answer.digest == gis.run(SCHOOLS).digest
    again = gis.validate(outcome.frame)
    assert isinstance(again, gf.Checked)
    assert not again.repairs


def test_features(gis: gf.Connection) -> None:
    answer = gis.run(SCHOOLS)
    features = list(answer)
    assert features == answer.geojson()["features"]
    names = [column.name for column in answer.columns]
    for feature, row in zip(features, answer.rows(), strict=True):
        values = dict(zip(names, row, strict=False))
        assert feature["id"] == values["key"]
        assert feature["properties"]["crash_count"] == values["crash_count"]
        assert feature["geometry"] == json.loads(row[-1])
    counts = [feature["properties"]["crash_count"] for feature in features]
    assert counts == sorted(counts, reverse=True)


def test_groups_are_no_features(gis: gf.Connection, crashes: int) -> None:
    content = gis.run(BY_SEVERITY).geojson()
    assert all("id" not in feature for feature in content["features"])
    assert sum(feature["properties"]["crash_count"] for feature in content["features"]) == crashes


def test_row_limit_is_never_silent(gis: gf.Connection, crashes: int) -> None:
    answer = gis.run(ALL_CRASHES, row_limit=7)
    assert len(list(answer.rows())) == 7
    assert answer.counts["truncated"] is True
    assert answer.counts["true_total"] == crashes
    assert f"Truncated: the first 7 of {crashes:,} rows." in answer.table(width=200)


@pytest.mark.parametrize("limit", [0, -1, 2**64])
def test_a_row_limit_is_positive(gis: gf.Connection, limit: int) -> None:
    with pytest.raises(gf.UsageError, match=f"^{limit} rows cannot be asked for"):
        gis.run(ALL_CRASHES, row_limit=limit)


@pytest.mark.parametrize(
    "entity", ["Crash", "Road", "Intersection", "School", "Crosswalk", "BusStop", "Town"]
)
def test_what_the_database_writes_is_what_the_program_writes(
    gis: gf.Connection, entity: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def written() -> tuple[bytes, str]:
        out = io.BytesIO()
        answer = gis.run({"targets": [{"entity": entity, "role": "primary"}]}, row_limit=None)
        answer.write_to(out, "geojson")
        return out.getvalue(), answer.digest

    by_database = written()
    monkeypatch.setattr(gf.Answer, "features", lambda _: None)
    assert written() == by_database


def test_all_rows_are_streamed(gis: gf.Connection, crashes: int) -> None:
    answer = gis.run(ALL_CRASHES, row_limit=None)
    rows = answer.rows()
    assert next(rows) != next(rows)
    rows.close()  # type: ignore[attr-defined]
    keys = [row[0] for row in answer.rows()]
    assert len(keys) == len(set(keys)) == crashes
    assert keys == sorted(keys)
    assert answer.counts["truncated"] is False
    assert answer.digest == gis.run(ALL_CRASHES, row_limit=crashes).digest


def test_rows_without_coordinates_have_no_geometry(gis: gf.Connection, demo_url: str) -> None:
    with psycopg.connect(demo_url) as connection:
        row = connection.execute("SELECT count(*) FROM gf_demo.crash WHERE geom IS NULL").fetchone()
    assert row is not None
    missing = sum(feature["geometry"] is None for feature in gis.run(ALL_CRASHES))
    assert missing == row[0] > 0


def test_every_format(gis: gf.Connection, tmp_path: Path) -> None:
    answer = gis.run(SCHOOLS)
    expected = [feature["id"] for feature in answer]
    for name in ("a.geojson", "a.csv", "a.xlsx", "a.txt", "a.json", "a.gpkg", "a.parquet"):
        answer.write(tmp_path / name)
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "a.csv", "a.csv.about.json", "a.geojson", "a.gpkg", "a.json", "a.parquet", "a.txt", "a.xlsx",
    ]  # fmt: skip
    content = json.loads((tmp_path / "a.geojson").read_text(encoding="utf-8"))
    assert content == answer.geojson()
    with (tmp_path / "a.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["key"] for row in rows] == expected
    assert [float(row["longitude"]) for row in rows] == [
        feature["geometry"]["coordinates"][0] for feature in content["features"]
    ]
    about = json.loads((tmp_path / "a.csv.about.json").read_text(encoding="utf-8"))
    assert about == content["groundframe"]
    assert about["digest"] == answer.digest == gis.run(SCHOOLS).digest
    sheet = openpyxl.load_workbook(tmp_path / "a.xlsx")["answer"]
    assert [row[1] for row in sheet.iter_rows(min_row=2, values_only=True)] == expected
    plain = json.loads((tmp_path / "a.json").read_bytes())
    assert [row["key"] for row in plain["rows"]] == expected
    table = pq.ParquetFile(tmp_path / "a.parquet")
    assert table.read(["key"])["key"].to_pylist() == expected
    layer = pyogrio.read_info(tmp_path / "a.gpkg")
    assert (layer["geometry_type"], layer["features"]) == ("Point", len(expected))
    for record in (
        plain["groundframe"],
        json.loads(table.metadata.metadata[b"groundframe"]),
        json.loads(layer["layer_metadata"]["groundframe"]),
    ):
        assert record == about


def test_record_says_what_was_done(gis: gf.Connection) -> None:
    record = gis.run(SCHOOLS).record()
    assert record["counted"][0]["definition"] == "distinct crashes"
    assert record["rules"]["srid"] == gis.pack.srid
    assert "Crashes counted for schools: within 500 m." in record["rules"]["in_words"]
    (split,) = record["counts"]["split"]
    assert sum(split["values"].values()) == sum(record["counts"]["sources"]["support"].values())
    assert {source["entity"] for source in record["sources"]} == {"School", "Crash"}
    assert record["pack"]["digest"] == gis.pack.digest


def test_an_empty_answer_has_a_reason(gis: gf.Connection) -> None:
    number = {"target_role": "primary", "field": "crash_number", "value": "none has it"}
    frame = {"targets": [{"entity": "Crash", "role": "primary"}], "attribute_constraints": [number]}
    *_, warning = gis.run(frame).record()["warnings"]
    assert warning.startswith("No crashes are like that. Loaded crashes: Synthetic crashes (synthetic state")


def test_a_zero_for_want_of_values_says_so(gis: gf.Connection) -> None:
    frame = {
        "targets": [{"entity": "School", "role": "primary"}, {"entity": "Crash", "role": "support"}],
        "spatial_constraints": [
            {"relation": "within_distance", "target_role": "support", "reference_role": "primary",
             "distance_m": 500},
        ],
        "attribute_constraints": [
            {"target_role": "support", "field": "persons_killed", "operator": "is_null"},
            {"target_role": "support", "concept": "fatal_crash", "variant": "by_persons_killed"},
        ],
        "ranking": {"metric": "crash_count", "top_n": 3},
    }  # fmt: skip
    answer = gis.run(frame)
    assert [feature["properties"]["crash_count"] for feature in answer] == [0, 0, 0]
    warning = answer.record()["warnings"][1]
    assert warning.startswith("Not known, which is not none: ")
    assert warning.endswith(" lack a value that was asked for (persons killed, fatal crash).")


def test_what_must_be_absent_is_not_missing(gis: gf.Connection) -> None:
    frame = json.loads((ROOT / "examples" / "towns_without_fatal_crash.json").read_text(encoding="utf-8"))
    everywhere = {"field": "severity", "operator": "not_null", "target_role": "filter"}
    for conditions in (frame["attribute_constraints"], [everywhere]):
        warnings = gis.run(frame | {"attribute_constraints": conditions}).record()["warnings"]
        assert not any("crashes lack" in text or "No crashes are" in text for text in warnings)


def test_audit_is_json_and_names_no_database(gis: gf.Connection) -> None:
    audit = gis.run(SCHOOLS).audit()
    assert json.loads(encode(audit))["digest"] == audit["digest"]
    assert audit["frame"]["attribute_constraints"][0]["field"] == "first_hrmf"
    assert audit["checked_frame"]["attribute_constraints"][0]["field"] == "first_harmful_event"
    assert audit["plan"]["nodes"]


def test_same_data_under_another_name_same_bytes(
    gis: gf.Connection, make_database: Callable[..., str], tmp_path: Path
) -> None:
    url = make_database()
    pack = gf.load_pack("massachusetts")
    with Database(url) as database:
        load_dataset(database, pack, "other", generate(pack, size="small"))
    gis.run(SCHOOLS).write(tmp_path / "one.geojson")
    with gf.connect(url) as other:
        other.run(SCHOOLS).write(tmp_path / "two.geojson")
    assert (tmp_path / "one.geojson").read_bytes() == (tmp_path / "two.geojson").read_bytes()


def test_a_second_pass_over_other_data_is_refused(
    make_database: Callable[..., str], load_demo: Callable[[str], str]
) -> None:
    url = load_demo(make_database())
    pack = gf.load_pack("massachusetts")
    with gf.connect(url) as gis:
        answer = gis.run(ALL_CRASHES, row_limit=None)
        digest = answer.digest
        with Database(url) as database:
            load_dataset(database, pack, "demo", generate(pack, size="small", seed=2))
        with pytest.raises(gf.DatasetError, match="loaded anew"):
            list(answer.rows())
        assert gis.run(ALL_CRASHES, row_limit=None).digest != digest


def test_a_query_is_compiled_for_the_data_that_were_there(
    make_database: Callable[..., str], load_demo: Callable[[str], str]
) -> None:
    url = load_demo(make_database())
    pack = gf.load_pack("massachusetts")
    with gf.connect(url) as gis:
        query, before = gis.compile(SCHOOLS), gis.dataset.data_version
        with Database(url) as database:
            load_dataset(database, pack, "demo", generate(pack, size="small", seed=2))
        with pytest.raises(gf.DatasetError, match="loaded anew"):
            list(gis.execute(query))
        with pytest.raises(gf.DatasetError, match="Compile the frame again"):
            gis.execute(query)
        assert len(list(gis.execute(gis.compile(SCHOOLS)))) == 5
        assert gis.dataset.data_version != before


def test_errors_carry_what_a_program_needs(gis: gf.Connection, demo_url: str) -> None:
    with pytest.raises(gf.RejectedError) as rejected:
        gis.run({"targets": [{"entity": "Xyzzy", "role": "primary"}]})
    assert (rejected.value.code, rejected.value.exit_code) == ("rejected", 1)
    assert rejected.value.issues[0].path == "/targets/0/entity"
    with pytest.raises(gf.FrameError):
        gis.run("[]")
    with pytest.raises(gf.FrameError, match="cannot be read"):
        gis.run("no/such/file.json")
    with gf.connect(demo_url, "other") as other, pytest.raises(gf.DatasetError, match="no dataset 'other'"):
        other.run(SCHOOLS)


def test_names_are_not_needed_to_validate() -> None:
    outcome = gf.validate(SCHOOLS, pack="massachusetts")
    assert isinstance(outcome, gf.Checked)
    assert any("names" in note.casefold() for note in outcome.notes)
