"""Databases that go away, disks that are full, frames that break something: what costs one, and what all."""

from __future__ import annotations

import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Event
from typing import Any

import psycopg
import pytest
from psycopg import sql

import groundframe as gf
from groundframe import answer
from groundframe.batch.lifeline import Lifeline
from groundframe.batch.lines import LineFile, read_lines
from groundframe.batch.pool import BatchProgress
from groundframe.postgis.connect import Database
from groundframe.record import make_record

Frame = dict[str, Any]


@pytest.fixture(scope="module")
def frames(gis: gf.Connection) -> list[Frame]:
    """The crashes of one town each."""
    towns = gis.run({"targets": [{"entity": "Town", "role": "primary"}]}, row_limit=20)
    names = [feature["properties"]["name"] for feature in towns]
    crash, scope = {"entity": "Crash", "role": "primary"}, {"entity": "Town", "role": "scope"}
    return [{"targets": [crash, {**scope, "names": [name]}]} for name in names]


def written(folder: Path) -> dict[str, bytes]:
    own = {"timings.jsonl", ".journal.jsonl"}
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name not in own}


@contextmanager
def administration(url: str) -> Iterator[tuple[psycopg.Connection[Any], str]]:
    """A connection to the server beside the database of that URL, whose name is given, too."""
    name = psycopg.conninfo.conninfo_to_dict(url)["dbname"]
    with psycopg.connect(url, dbname="postgres", autocommit=True) as connection:
        yield connection, str(name)


def cut(connection: psycopg.Connection[Any], name: str) -> None:
    """Cut every connection to a database."""
    connection.execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = %s", [name])


@contextmanager
def closed(url: str) -> Iterator[None]:
    """Nobody can connect to the database, and who is connected is cut off."""
    allow = sql.SQL("ALTER DATABASE {} ALLOW_CONNECTIONS {}")
    with administration(url) as (connection, name):
        connection.execute(allow.format(sql.Identifier(name), sql.Literal(False)))
        try:
            cut(connection, name)
            yield
        finally:
            connection.execute(allow.format(sql.Identifier(name), sql.Literal(True)))


@pytest.mark.parametrize("workers", [1, 4])
def test_a_lost_connection_costs_no_frame(
    gis: gf.Connection, demo_url: str, tmp_path: Path, workers: int, frames: list[Frame]
) -> None:
    gis.batch(frames, tmp_path / "whole")
    ahead = [1, 5]
    with administration(demo_url) as (connection, name):

        def interfere(progress: BatchProgress) -> None:
            # Once each: that a connection was lost is told as progress, too.
            if ahead and progress.done >= ahead[0]:
                ahead.pop(0)
                cut(connection, name)

        report = gis.batch(frames, tmp_path / "cut", workers=workers, progress=interfere)
    assert report.ok, report.entries
    assert written(tmp_path / "cut") == written(tmp_path / "whole")


def test_a_database_that_is_gone_fails_the_rest_at_once(
    gis: gf.Connection, demo_url: str, tmp_path: Path, frames: list[Frame]
) -> None:
    gis.batch(frames, tmp_path / "whole")
    told: list[str] = []
    with pytest.MonkeyPatch.context() as patch:
        stack: list[Any] = []

        def close(progress: BatchProgress) -> None:
            told.append(progress.text)
            if progress.done == 3 and not stack:
                stack.append(closed(demo_url))
                stack[0].__enter__()

        patch.setattr("groundframe.batch.lifeline._FIRST_PAUSE_S", 0.05)
        try:
            report = gis.batch(frames, tmp_path / "cut", workers=2, patience_s=0.2, progress=close)
        finally:
            stack[0].__exit__(None, None, None)
    done = report.states["done"]
    assert 3 <= done < len(frames)
    assert report.states == {"done": done, "failed": len(frames) - done}
    sentences = {issue["message"] for entry in report.entries for issue in entry.get("issues", ())}
    (sentence,) = sentences
    assert sentence.startswith("No database answers at ")
    assert sum(bool(text) for text in told) == 1
    assert "Waiting for it, 0.2 seconds at most." in next(text for text in told if text)
    again = gis.batch(frames, tmp_path / "cut")
    assert (again.ok, again.reused) == (True, done)
    assert written(tmp_path / "cut") == written(tmp_path / "whole")


def test_a_frame_that_always_loses_the_connection_fails_alone(demo_url: str) -> None:
    tries = []

    def work() -> None:
        tries.append(1)
        raise gf.UnreachableError("The connection to the database was lost.", "Try again.")

    with Database(demo_url) as database:
        lifeline = Lifeline(database, 5.0, Event(), lambda _: None)
        with pytest.raises(gf.DatabaseError, match="lost 3 times over this frame") as caught:
            lifeline.hold(work)
        assert not isinstance(caught.value, gf.UnreachableError)
        assert len(tries) == 3
        assert lifeline.hold(lambda: 5) == 5


def test_a_frame_that_takes_too_long_is_tried_again_next_time(
    demo_url: str, tmp_path: Path, frames: list[Frame]
) -> None:
    with gf.connect(demo_url, timeout_s=0.001) as impatient:
        report = impatient.batch(frames[:2], tmp_path)
    assert report.states == {"failed": 2}
    assert "did not finish the answer" in report.entries[0]["issues"][0]["message"]
    with gf.connect(demo_url) as patient:
        assert patient.batch(frames[:2], tmp_path).ok


def test_a_fault_of_the_program_costs_one_frame(
    gis: gf.Connection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frames: list[Frame]
) -> None:
    def faulty(query: Any, *rest: Any) -> Any:
        if list(query.checked.received.targets[1].names) == frames[2]["targets"][1]["names"]:
            raise KeyError("oops")
        return make_record(query, *rest)

    monkeypatch.setattr(answer, "make_record", faulty)
    report = gis.batch(frames[:4], tmp_path)
    assert [entry["state"] for entry in report.entries] == ["done", "done", "failed", "done"]
    assert "did not expect (KeyError: 'oops')" in report.entries[2]["issues"][0]["message"]


def test_a_load_in_between_is_said(
    gis: gf.Connection, demo_url: str, tmp_path: Path, frames: list[Frame]
) -> None:
    rename = sql.SQL("ALTER SCHEMA {} RENAME TO {}")
    away, back = (sql.Identifier(name) for name in ("gf_demo", "gf_elsewhere"))
    with psycopg.connect(demo_url, autocommit=True) as connection:

        def load(progress: BatchProgress) -> None:
            if progress.done == 1:
                connection.execute(rename.format(away, back))
                connection.execute(sql.SQL("CREATE SCHEMA {}").format(away))

        try:
            report = gis.batch(frames[:3], tmp_path, workers=1, progress=load)
        finally:
            connection.execute(sql.SQL("DROP SCHEMA {}").format(away))
            connection.execute(rename.format(back, away))
    states = [entry["state"] for entry in report.entries]
    assert states[0] == "done"
    assert states[-1] == "failed"


def test_one_answer_that_is_too_large_costs_no_other(
    gis: gf.Connection, tmp_path: Path, frames: list[Frame]
) -> None:
    report = gis.batch(frames, tmp_path / "whole")
    sizes = sorted((tmp_path / "whole" / entry["file"]).stat().st_size for entry in report.entries)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (sizes[-1] - 1, hard))
    try:
        report = gis.batch(frames, tmp_path / "limited")
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert report.states == {"done": len(frames) - 1, "failed": 1}
    (failed,) = (entry for entry in report.entries if entry["state"] == "failed")
    assert failed["issues"][0]["message"].endswith("cannot be written: File too large.")
    assert not list((tmp_path / "limited").glob(".groundframe-*"))


FULL = pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")


@FULL
@pytest.mark.parametrize("workers", [1, 4])
def test_a_full_disk_ends_the_batch_with_one_sentence(
    gis: gf.Connection, tmp_path: Path, workers: int, frames: list[Frame]
) -> None:
    gis.batch(frames, tmp_path / "whole")
    out = tmp_path / "out"
    gis.batch(frames[:2], out)
    (out / "00004.geojson").symlink_to("/dev/full")
    with pytest.raises(gf.OutputError) as caught:
        gis.batch(frames, out, workers=workers)
    assert str(caught.value) == (
        f"'{out / '00004.geojson'}' cannot be written: No space left on device. "
        "What is finished stays. Make room, and run the same batch again: it goes on from there."
    )
    (out / "00004.geojson").unlink()
    left = written(out)
    assert written(tmp_path / "whole")["manifest.jsonl"].startswith(left["manifest.jsonl"])
    assert not [name for name in left if name.startswith(".")]
    assert gis.batch(frames, out).reused >= 2
    assert written(out) == written(tmp_path / "whole")


@FULL
@pytest.mark.parametrize("name", ["manifest.jsonl", "batch.json"])
def test_a_full_disk_under_the_manifest(
    gis: gf.Connection, tmp_path: Path, name: str, frames: list[Frame]
) -> None:
    gis.batch(frames[:1], tmp_path)
    (tmp_path / name).unlink()
    (tmp_path / name).symlink_to("/dev/full")
    with pytest.raises(gf.OutputError, match=rf"{name}' cannot be written: No space left on device"):
        gis.batch(frames[:1], tmp_path)


def test_a_line_that_finds_no_room_is_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "x.jsonl"
    lines = LineFile(path)
    lines.add({"a": 1})
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (20, hard))
    try:
        with pytest.raises(gf.OutputError, match="File too large"):
            lines.add({"b": "x" * 100})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_text() == '{"a":1}\n'
    lines.add({"c": 3})
    lines.close()
    assert read_lines(path) == [{"a": 1}, {"c": 3}]


@pytest.mark.parametrize("torn", [b"", b'{"a', b"x" * 200_000])
def test_what_a_killed_process_began_is_cut_off(tmp_path: Path, torn: bytes) -> None:
    path = tmp_path / "x.jsonl"
    whole = b"".join(b'{"a":%d}\n' % number for number in range(5))
    path.write_bytes(whole + torn)
    assert len(read_lines(path)) == 5
    lines = LineFile(path)
    lines.add({"a": 5})
    lines.close()
    assert path.read_bytes() == whole + b'{"a":5}\n'


def test_a_folder_that_cannot_be_written_to(gis: gf.Connection, tmp_path: Path, frames: list[Frame]) -> None:
    (tmp_path / "file").write_text("x")
    with pytest.raises(gf.OutputError, match="cannot be used: Not a directory"):
        gis.batch(frames, tmp_path / "file" / "out")


def test_a_journal_cannot_reach_out_of_the_folder(
    gis: gf.Connection, tmp_path: Path, frames: list[Frame]
) -> None:
    victim = tmp_path / "victim"
    victim.write_text("precious")
    out = tmp_path / "out"
    gis.batch(frames[:1], out)
    entry = {**read_lines(out / ".journal.jsonl")[0]["entry"], "sha256": {"../victim": "0"}}
    with (out / ".journal.jsonl").open("a") as journal:
        journal.write(json.dumps({"key": "x", "entry": entry}) + "\n[]\n{}\nnonsense\n")
    assert gis.batch(frames[:1], out).reused == 1
    gis.batch(frames[1:2], out, restart=True)
    assert victim.read_text() == "precious"
