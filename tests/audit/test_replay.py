"""Replays: the same answer, or a clear account of what differs, stage by stage."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import psycopg
import pytest
from shapely import affinity

import groundframe as gf
from groundframe.audit import making
from groundframe.audit.sealing import seal_of
from groundframe.postgis.connect import Database
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.postgis.load.synthetic import generate
from groundframe.schema.packs import load_pack

ROOT = Path(__file__).resolve().parents[2]
SCHOOLS = ROOT / "examples" / "boston_schools.json"
PACK = load_pack("massachusetts")
Data = dict[str, Any]


@pytest.fixture(scope="module")
def gis(demo_url: str) -> Iterator[gf.Connection]:
    with gf.connect(demo_url) as connection:
        yield connection


@pytest.fixture(scope="module")
def record(gis: gf.Connection) -> Data:
    """A record as its reader has it."""
    audit: Data = json.loads(json.dumps(gis.run(SCHOOLS).audit()))
    return audit


class Revised:
    """The small state after a year: a school has closed, one has another name, one has moved half a metre."""

    reports: Sequence[Any] = ()

    def __init__(self, gone: str, renamed: str, moved: str) -> None:
        self.gone, self.renamed, self.moved = gone, renamed, moved
        self._state = generate(PACK, size="small")

    def rows(self, entity: str) -> Iterator[Row]:
        for row in self._state.rows(entity):
            if row.key == self.renamed:
                yield replace(row, values={**row.values, "name": "Renamed"})
            elif row.key == self.moved and row.geometry is not None:
                yield replace(row, geometry=affinity.translate(row.geometry, 0.5, 0))
            elif row.key != self.gone:
                yield row


@pytest.fixture(scope="module")
def other(gis: gf.Connection, make_database: Callable[..., str]) -> Iterator[Data]:
    """A later version of the data, and what was done to which school."""
    url = make_database()
    names = ("renamed", "gone", "moved")
    done = dict(zip(names, (feature["id"] for feature in gis.run(ranked(3))), strict=True))
    with Database(url) as database:
        load_dataset(database, PACK, "demo", Revised(**done))
    with gf.connect(url) as later:
        yield {"gis": later, **done}


def ranked(top_n: int | None) -> Data:
    frame: Data = json.loads(SCHOOLS.read_text(encoding="utf-8"))
    return {**frame, "ranking": {**frame["ranking"], "top_n": top_n}}


def sealed(record: Data, **parts: Any) -> Data:
    """The record with other parts, as if it had been made so."""
    changed = {**record, **parts}
    return {**changed, "record_digest": seal_of(changed)}


def test_the_same_in_every_form(gis: gf.Connection, record: Data, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(json.dumps(record), encoding="utf-8")
    for form in (record, path, str(path), path.read_text(encoding="utf-8"), path.read_bytes()):
        replay = gis.replay(form)
        assert replay.same
        assert replay.verdict() == "The answer is the same."
        assert replay.as_dict()["differences"] == {}


def test_other_data(gis: gf.Connection, other: Data) -> None:
    replay = other["gis"].replay(gis.run(ranked(None)).audit())
    assert not replay.same
    assert replay.verdict() == "The answer is another: the data are not those of the record."
    found = replay.differences
    assert list(found) == ["data", "counts", "rows", "answer", "digest"]
    versions = [connection.dataset.data_version[:12] for connection in (gis, other["gis"])]
    assert found["data"] == ["data version {} → {}".format(*versions)]
    matched = replay.recorded["counts"]["matched"]
    assert f"matched: {matched} → {matched - 1}" in found["counts"]
    gone, renamed, moved = found["rows"]
    assert gone.startswith(f"went: {other['gone']} (")
    assert renamed.startswith(f"changed: {other['renamed']} (")
    assert renamed.endswith(' → "Renamed"')
    assert moved.startswith(f"changed: {other['moved']} (")
    assert moved.endswith("), geometry")


def test_rows_that_came_are_named(gis: gf.Connection, other: Data) -> None:
    replay = gis.replay(other["gis"].run(ranked(None)).audit())
    assert replay.differences["rows"][0].startswith(f"came: {other['gone']} (")


def test_rows_beyond_those_of_the_record(
    gis: gf.Connection, other: Data, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(making, "ROWS", 1)
    replay = other["gis"].replay(gis.run(ranked(None)).audit())
    assert replay.differences["rows"][-1] == "only the first 1 rows could be compared"


def test_a_frame_without_an_answer_any_more(other: Data, record: Data) -> None:
    with_name = {**ranked(5), "references": [{"entity": "School", "names": ["Nowhere School of Nothing"]}]}
    replay = other["gis"].replay(sealed(record, frame=with_name))
    assert not replay.same
    assert list(replay.differences) == ["data", "answer"]
    assert "Nowhere School of Nothing" in replay.differences["answer"][0]
    assert replay.as_dict()["digest"] is None


def test_a_record_that_never_was_so(gis: gf.Connection, record: Data) -> None:
    replay = gis.replay(sealed(record, digest="0" * 64))
    assert not replay.same
    assert list(replay.differences) == ["digest"]
    assert "though data and versions are the same" in replay.verdict()


def test_every_stage_is_told(record: Data) -> None:
    """What another program, pack or validator would have recorded, and what the account says of it."""
    repair = {"rule": "scope_names", "path": "/targets/2", "before": "Bostn", "after": "Boston"}
    plan = json.loads(json.dumps(record["plan"]))
    (join,) = (node for node in plan["nodes"] if node["op"] == "Join")
    join["relations"][0]["metres"] = 400
    town = record["anchors"][0]["chosen"][0]
    rows = record["sql"]["rows"]
    cases: list[tuple[Data, str, str]] = [
        ({"pack": {**record["pack"], "version": "9.0.0"}}, "versions", "pack: .* 9.0.0"),
        ({"pack": {**record["pack"], "digest": "0" * 64}}, "versions", "content"),
        ({"versions": {**record["versions"], "postgis": "2.0"}}, "versions", 'postgis: "2.0" → '),
        (
            {"repairs": [{**repair, "safety": "safe", "score": 0.8, "message": "Read."}]},
            "repairs",
            'gone: scope_names at /targets/2, "Bostn" → "Boston"',
        ),
        ({"normalised": record["normalised"][1:]}, "repairs", "normalised, new: part_ids"),
        (
            {"anchors": [{**record["anchors"][0], "chosen": [{**town, "key": "x:1"}]}]},
            "anchors",
            "'Boston' at /targets/2/names/0: .*x:1",
        ),
        (
            {"checked_frame": {**record["checked_frame"], "supported": False}},
            "checked frame",
            "/supported: false gone",
        ),
        ({"plan": plan}, "plan", "Join changed: /relations/0/metres: 400 → 500"),
        ({"plan": {**plan, "nodes": record["plan"]["nodes"][:-1]}}, "plan", "added"),
        (
            {"sql": {**record["sql"], "rows": {**rows, "text": rows["text"] + " OFFSET 1"}}},
            "sql",
            "rows, line .*OFFSET 1",
        ),
        (
            {"sql": {**record["sql"], "rows": {**rows, "parameters": {**rows["parameters"], "p1": 1}}}},
            "sql",
            "rows, parameter p1: 1 → 500.0005",
        ),
        ({"counts": {**record["counts"], "matched": 7}}, "counts", "matched: 7 → "),
        ({"notes": ["Something."]}, "answer", 'notes/0: "Something." gone'),
    ]
    for parts, stage, pattern in cases:
        replay = gf.Replay(record | parts, record)
        assert replay.same, parts
        assert replay.verdict() == "The answer is the same; how it came about differs."
        assert list(replay.differences) == [stage]
        text = "\n".join(replay.differences[stage])
        assert re.search(pattern, text), text


def test_recorded_sql_is_never_run(gis: gf.Connection, demo_url: str, record: Data) -> None:
    drop = {"text": "DROP SCHEMA gf_demo CASCADE", "parameters": {}}
    replay = gis.replay(sealed(record, sql={"rows": drop, "counts": drop}))
    assert replay.same
    assert list(replay.differences) == ["sql"]
    with psycopg.connect(demo_url) as connection:
        assert connection.execute("SELECT to_regnamespace('gf_demo')").fetchone() != (None,)


def test_another_order_of_rows(record: Data) -> None:
    first, second, *others = record["result"]["rows"]
    result = {**record["result"], "rows": [second, first, *others]}
    (line,) = gf.Replay({**record, "result": result}, record).differences["rows"]
    assert line.startswith(f"the order is another, from {second.partition(' ')[2]} (")
