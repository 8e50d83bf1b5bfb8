"""Frames in, files and a manifest out; what is finished is not done again."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

import groundframe as gf
from groundframe.batch.pool import BatchProgress

SCRIPT = Path(__file__).with_name("kill_and_resume.py")


def primary(entity: str, *towns: str, **parts: Any) -> dict[str, Any]:
    scope = [{"entity": "Town", "role": "scope", "names": [*towns]}] if towns else []
    return {"targets": [{"entity": entity, "role": "primary"}, *scope], **parts}


SCHOOLS = primary("School", "Boston")
TOWNS = primary("Town", question="Which towns are there?")
BY_SEVERITY = primary(
    "Crash",
    "Quincy",
    measures=[{"measure": "crash_count", "target_role": "primary"}],
    group_by=[{"target_role": "primary", "field": "severity"}],
)
WRONG = primary("Spaceship")
NO_JSON = '{"targets": ['
FRAMES: list[Any] = [SCHOOLS, NO_JSON, TOWNS, WRONG, BY_SEVERITY]


def written(folder: Path) -> dict[str, bytes]:
    """What stays the same from run to run."""
    own = {"timings.jsonl", ".journal.jsonl"}
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in own}


def made(folder: Path) -> dict[str, int]:
    """When the files of the answers were made."""
    return {path.name: path.stat().st_mtime_ns for path in folder.glob("0*")}


def manifest(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "manifest.jsonl").read_bytes().splitlines()]


class Told:
    """Keeps what a batch says."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self.lines: list[int] = []

    def __call__(self, progress: BatchProgress) -> None:
        if progress.text:
            self.texts.append(progress.text)
        if progress.entry:
            self.lines.append(progress.entry["line"])


def test_every_frame_has_a_line_and_every_answer_a_file(gis: gf.Connection, tmp_path: Path) -> None:
    report = gis.batch(FRAMES, tmp_path)
    assert (dict(report.states), report.ok, report.exit_code) == ({"done": 3, "rejected": 2}, False, 1)
    lines = manifest(tmp_path)
    assert report.entries == lines
    assert [(line["line"], line["state"]) for line in lines] == [
        (1, "done"), (2, "rejected"), (3, "done"), (4, "rejected"), (5, "done"),
    ]  # fmt: skip
    for line, frame in ((lines[0], SCHOOLS), (lines[2], TOWNS), (lines[4], BY_SEVERITY)):
        answer = gis.run(frame, row_limit=None)
        assert line["digest"] == answer.digest
        assert line["counts"] == json.loads(json.dumps(answer.counts))
        content = (tmp_path / line["file"]).read_bytes()
        assert line["sha256"] == {line["file"]: hashlib.sha256(content).hexdigest()}
        assert json.loads(content) == answer.geojson()
    assert [line["file"] for line in lines if "file" in line] == [
        "00001.geojson", "00003-which-towns-are-there.geojson", "00005.geojson",
    ]  # fmt: skip
    assert lines[1]["issues"][0]["code"] == "not_json"
    assert lines[3]["issues"][0]["path"] == "/targets/0/entity"
    assert str(report) == f"{tmp_path}: 5 frames, 3 done, 2 rejected."


@pytest.mark.parametrize("form", ["geojson", "csv", "xlsx", "gpkg", "parquet", "json"])
def test_the_number_of_workers_changes_no_byte(gis: gf.Connection, tmp_path: Path, form: str) -> None:
    for workers in (1, 4):
        report = gis.batch(FRAMES, tmp_path / str(workers), format=form, workers=workers)
        assert report.states["done"] == 3
    one, four = written(tmp_path / "1"), written(tmp_path / "4")
    assert one == four
    assert len([name for name in one if name.startswith("0")]) == (6 if form == "csv" else 3)


def test_what_is_finished_is_not_done_again(gis: gf.Connection, tmp_path: Path) -> None:
    gis.batch(FRAMES, tmp_path)
    before, times = written(tmp_path), made(tmp_path)
    told = Told()
    report = gis.batch(FRAMES, tmp_path, progress=told)
    assert report.reused == 5
    assert (written(tmp_path), made(tmp_path)) == (before, times)
    assert told.texts == ["Finished before: 5 of 5 frames."]
    assert told.lines == []


def test_changed_files_and_frames_are_answered_again(gis: gf.Connection, tmp_path: Path) -> None:
    gis.batch([SCHOOLS, TOWNS, BY_SEVERITY, WRONG], tmp_path)
    before, times = written(tmp_path), made(tmp_path)
    (tmp_path / "00001.geojson").write_text("tampered with")
    told = Told()
    fixed = primary("Crosswalk", "Boston", question="Crosswalks?")
    report = gis.batch([SCHOOLS, TOWNS, fixed, WRONG, WRONG], tmp_path, progress=told)
    assert sorted(told.lines) == [1, 3, 5]
    assert told.texts[0] == "Answered again, as files are missing or were changed: 1 frame."
    assert report.reused == 2
    after = written(tmp_path)
    assert after["00001.geojson"] == before["00001.geojson"]
    town = "00002-which-towns-are-there.geojson"
    assert made(tmp_path)[town] == times[town]
    assert "00003.geojson" not in after
    assert "00003-crosswalks.geojson" in after
    assert told.texts[-1] == "Removed files of earlier runs that belong to no frame any more: 1."


def test_another_format_or_limit_is_another_batch(gis: gf.Connection, tmp_path: Path) -> None:
    gis.batch([TOWNS, BY_SEVERITY], tmp_path)
    told = Told()
    gis.batch([TOWNS, BY_SEVERITY], tmp_path, format="csv", row_limit=2, progress=told)
    changes = "the format was geojson and is csv; the limit of rows was none and is 2"
    assert told.texts[0] == f"All frames are answered again: {changes}."
    assert sorted(written(tmp_path)) == [
        "00001-which-towns-are-there.csv", "00001-which-towns-are-there.csv.about.json",
        "00002.csv", "00002.csv.about.json", "batch.json", "manifest.jsonl",
    ]  # fmt: skip
    assert manifest(tmp_path)[0]["counts"]["truncated"] is True


def test_other_data_are_asked_anew(demo_url: str, tmp_path: Path) -> None:
    told = Told()
    with gf.connect(demo_url) as gis:
        gis.batch([SCHOOLS, WRONG], tmp_path)
    with psycopg.connect(demo_url, autocommit=True) as connection:
        row = connection.execute("SELECT data_version FROM gf_demo.dataset").fetchone()
        connection.execute("UPDATE gf_demo.dataset SET data_version = 'another'")
        try:
            with gf.connect(demo_url) as gis:
                report = gis.batch([SCHOOLS, WRONG], tmp_path, progress=told)
        finally:
            connection.execute("UPDATE gf_demo.dataset SET data_version = %s", row)
    assert report.reused == 0
    assert told.texts == ["All frames are answered again: the data were others."]


def test_folders_of_others_are_left_alone(gis: gf.Connection, tmp_path: Path) -> None:
    (tmp_path / "manifest.jsonl").write_text("mine")
    with pytest.raises(gf.UsageError, match=r"holds other files, such as 'manifest\.jsonl'"):
        gis.batch([TOWNS], tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == ["manifest.jsonl"]
    with pytest.raises(gf.OutputError, match="cannot be used"):
        gis.batch([TOWNS], tmp_path / "manifest.jsonl")


def test_a_batch_of_other_frames_must_be_meant(gis: gf.Connection, tmp_path: Path) -> None:
    gis.batch([TOWNS], tmp_path)
    before = written(tmp_path)
    with pytest.raises(gf.UsageError, match="a batch of other frames"):
        gis.batch([SCHOOLS], tmp_path)
    assert written(tmp_path) == before
    gis.batch([SCHOOLS], tmp_path, restart=True)
    assert sorted(written(tmp_path)) == ["00001.geojson", "batch.json", "manifest.jsonl"]


def test_two_batches_do_not_work_in_one_folder(gis: gf.Connection, tmp_path: Path) -> None:
    def meanwhile(progress: BatchProgress) -> None:
        with pytest.raises(gf.UsageError, match="Another batch works in"):
            gis.batch([TOWNS], tmp_path)

    assert gis.batch([TOWNS], tmp_path, progress=meanwhile).ok


def test_fail_fast_ends_at_the_first_that_is_not_answered(gis: gf.Connection, tmp_path: Path) -> None:
    for workers in (1, 4):
        folder = tmp_path / str(workers)
        report = gis.batch(FRAMES, folder, workers=workers, fail_fast=True)
        assert [line["state"] for line in manifest(folder)] == ["done", "rejected"]
        assert str(report) == f"{folder}: 5 frames, 1 done, 1 rejected, 3 not looked at."
        assert report.exit_code == 1
    assert gis.batch(FRAMES, tmp_path / "4").states == {"done": 3, "rejected": 2}


def test_interrupted_batches_end_between_two_lines(gis: gf.Connection, tmp_path: Path) -> None:
    frames = [primary("Crash", town) for town in ("Boston", "Quincy", "Lenox", "Amherst", "Hadley")]
    gis.batch(frames, tmp_path / "whole")
    told = Told()

    def interrupt(progress: BatchProgress) -> None:
        told(progress)
        if progress.done == 2 and not progress.text:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.raises(KeyboardInterrupt):
        gis.batch(frames, tmp_path / "stopped", workers=1, progress=interrupt)
    assert told.texts == [
        "Interrupted. What is finished stays; run the same batch again: it goes on from there."
    ]
    whole, stopped = written(tmp_path / "whole"), written(tmp_path / "stopped")
    assert whole["manifest.jsonl"].startswith(stopped["manifest.jsonl"])
    assert len(stopped["manifest.jsonl"].splitlines()) == 2
    assert not [name for name in stopped if name.startswith(".")]
    assert gis.batch(frames, tmp_path / "stopped").reused >= 2
    assert written(tmp_path / "stopped") == whole


def test_a_killed_batch_goes_on_where_it_was(demo_url: str) -> None:
    ran = subprocess.run(
        [sys.executable, SCRIPT, "--frames", "40"],
        env={**os.environ, "DATABASE_URL": demo_url},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr
    assert [line.partition(":")[0] for line in ran.stdout.splitlines()[1:]] == ["1 workers", "4 workers"]
