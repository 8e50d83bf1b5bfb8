"""``groundframe run``, ``validate`` and ``explain`` on the small synthetic state."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import psycopg
import pytest

ROOT = Path(__file__).resolve().parents[2]
FRAME = ROOT / "examples" / "boston_schools.json"
CRASHES = b'{"targets": [{"entity": "Crash", "role": "primary"}]}'


def test_table(cli: Any, demo: str) -> None:
    ran = cli("run", FRAME)
    assert ran.code == 0
    lines = ran.out.splitlines()
    assert lines[0] == "Synthetic data: everything here is invented."
    assert lines[1].startswith("5 of ")
    assert ran.err == ""


@pytest.mark.parametrize("form", ["geojson", "csv", "json", "table", "xlsx"])
def test_formats_to_file_and_output(cli: Any, demo: str, tmp_path: Path, form: str) -> None:
    path = tmp_path / "answer"
    ran = cli("run", FRAME, "-o", path, "--format", form)
    assert ran.code == 0
    assert ran.out == ""
    assert "5 of " in ran.err
    assert "distinct crashes" in ran.err
    if form != "xlsx":
        written = path.read_bytes().decode().replace("\r\n", "\n")
        assert cli("run", FRAME, "-o", "-", "--format", form).out.replace("\r\n", "\n") == written


def test_output_on_a_terminal_is_limited_and_says_so(cli: Any, demo: str, tmp_path: Path) -> None:
    shown = json.loads(cli("run", "-", "--format", "json", "--limit", "3", stdin=CRASHES).out)
    assert len(shown["rows"]) == 3
    assert shown["groundframe"]["counts"]["truncated"] is True
    path = tmp_path / "all.json"
    assert cli("run", "-", "-o", path, stdin=CRASHES).code == 0
    whole = json.loads(path.read_bytes())
    assert len(whole["rows"]) == shown["groundframe"]["counts"]["true_total"]


def test_unwritable_output(cli: Any, demo: str, tmp_path: Path) -> None:
    ran = cli("run", FRAME, "-o", tmp_path / "no" / "a.csv")
    assert ran.code == 1
    folder = tmp_path / "no"
    assert ran.sentence() == (
        f"'{folder / 'a.csv'}' cannot be written: there is no folder '{folder}'. Make it, or name another."
    )


def test_a_record_that_cannot_be_written_leaves_no_answer(cli: Any, demo: str, tmp_path: Path) -> None:
    answer = tmp_path / "a.csv"
    ran = cli("run", FRAME, "-o", answer, "--record", tmp_path)
    assert ran.code == 1
    assert ran.sentence() == f"'{tmp_path}' cannot be written: it is a folder. Name a file in it."
    assert not answer.exists()


def test_full_disk(cli: Any, demo: str) -> None:
    if not Path("/dev/full").exists():
        pytest.skip("there is no /dev/full here")
    ran = cli("run", FRAME, "-o", "/dev/full", "--format", "csv")
    assert ran.code == 1
    assert ran.sentence() == "'/dev/full' cannot be written: No space left on device."


def test_validate(cli: Any, demo: str) -> None:
    ran = cli("validate", FRAME)
    assert ran.code == 0
    content = json.loads(ran.out)
    assert content["status"] == "checked"
    assert content["repairs"] == []
    again = cli("validate", "-", stdin=json.dumps(content["frame"]).encode())
    assert json.loads(again.out)["frame"] == content["frame"]


def test_validate_without_a_database(cli: Any) -> None:
    ran = cli("validate", FRAME, "--pack", "massachusetts")
    assert ran.code == 0
    assert json.loads(ran.out)["notes"]


@pytest.mark.parametrize(
    ("options", "begins"),
    [
        ([], "  n1  all schools\n"),
        (["--format", "dot"], "digraph plan {\n"),
        (["--format", "sql"], "-- rows\n"),
        (["--format", "json"], "{\n"),
    ],
)
def test_explain(cli: Any, demo: str, options: list[str], begins: str) -> None:
    ran = cli("explain", FRAME, *options)
    assert ran.code == 0
    assert ran.out.startswith(begins)


def test_explain_analyze_counts_rows(cli: Any, demo: str) -> None:
    with psycopg.connect(demo) as connection:
        row = connection.execute("SELECT count(*) FROM gf_demo.school").fetchone()
    assert row is not None
    assert cli("explain", FRAME, "--analyze").out.splitlines()[0].endswith(f"all schools  [{row[0]:,}]")
    assert cli("explain", FRAME, "--analyze", "--format", "dot").code == 2


@pytest.fixture
def namesakes(demo: str) -> str:
    """A name that several schools of the small state bear."""
    with psycopg.connect(demo) as connection:
        row = connection.execute(
            "SELECT name FROM gf_demo.school GROUP BY name HAVING count(*) > 1 ORDER BY name"
        ).fetchone()
    if row is None:
        pytest.fail("the small state has no two schools of one name")
    return str(row[0])


def near(school: str) -> dict[str, Any]:
    return {
        "targets": [{"entity": "Crash", "role": "primary"}],
        "references": [{"entity": "School", "role": "anchor", "names": [school]}],
        "spatial_constraints": [
            {
                "relation": "within_distance",
                "target_role": "primary",
                "reference_role": "anchor",
                "distance_m": 500,
            },
        ],
    }


def test_choice_without_a_terminal(cli: Any, demo: str, namesakes: str) -> None:
    frame = json.dumps(near(namesakes)).encode()
    for command in ("run", "validate", "explain"):
        ran = cli(command, "-", stdin=frame)
        assert ran.code == 3
        assert "--choose" in ran.sentence()
        (choice,) = json.loads(ran.out)["choices"]
        assert len(choice["candidates"]) > 1
        option = f"{choice['path']}={choice['candidates'][1]['key']}"
        assert cli(command, "-", "--choose", option, stdin=frame).code == 0


def test_the_record_keeps_what_was_offered_and_chosen(cli: Any, demo: str, namesakes: str) -> None:
    frame = near(namesakes)
    frame["references"].insert(0, {"names": ["Amherst Center"], "id": "center", "role": "anchor"})
    (choice,) = json.loads(cli("run", "-", stdin=json.dumps(frame).encode()).out)["choices"]
    assert choice["path"] == "/references/1/names/0"
    for candidate in choice["candidates"]:
        assert (candidate["kind"], candidate["name"]) == ("school", namesakes)
        assert candidate["town"] != ""
        assert candidate["point"]["type"] == "Point"
        assert candidate["distance_from"] == "Amherst Center"
        assert candidate["label"].endswith(" from Amherst Center")
    key = choice["candidates"][1]["key"]
    option = f"{choice['path']}={key}"
    ran = cli("run", "-", "--format", "json", "--choose", option, stdin=json.dumps(frame).encode())
    assert ran.code == 0, ran.err
    (anchor,) = (
        one for one in json.loads(ran.out)["groundframe"]["anchors"] if one["path"] == choice["path"]
    )
    assert [one["key"] for one in anchor["chosen"]] == [key]
    assert anchor["offered"] == choice["candidates"]


def test_choice_on_a_terminal(demo: str, namesakes: str, tmp_path: Path) -> None:
    path = tmp_path / "frame.json"
    path.write_text(json.dumps(near(namesakes)), encoding="utf-8")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            "import sys; from groundframe.cli import main; sys.exit(main())",
            "run",
            str(path),
        ],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "DATABASE_URL": demo},
    )
    os.close(theirs)
    os.write(ours, b"nonsense\n1\n")
    out, _ = process.communicate(timeout=120)
    said = os.read(ours, 100_000).decode()
    os.close(ours)
    assert process.returncode == 0, said
    assert "  1  " in said
    assert "  2  " in said
    assert "Type a number from 1 to" in said
    assert out.decode().startswith("Synthetic data")


@pytest.fixture(scope="module")
def evil(make_database: Any, load_demo: Any) -> str:
    """A demo in which the names of the schools try to steer the terminal."""
    url: str = load_demo(make_database())
    with psycopg.connect(url, autocommit=True) as connection:
        connection.execute("UPDATE gf_demo.school SET name = E'\\x1b[2J\\u202eevil\\x07\\u009b31m\\r' || key")
    return url


SCHOOLS = '{"targets": [{"entity": "School", "role": "primary"}]}'
STEERING = {"\x1b", "\u202e", "\x07", "\x9b"}


def test_terminal_output_has_no_control_characters(
    cli: Any, evil: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", evil)
    ran = cli("run", "-", stdin=SCHOOLS.encode())
    assert "[2Jevil" in ran.out
    assert not set(ran.out) & STEERING


def test_messages_have_no_control_characters(cli: Any, demo: str) -> None:
    """What a frame says comes back in messages, in words and as JSON."""
    frame = json.dumps({"targets": [{"entity": "\x1b[2J\u202e\x9bSchol\x07", "role": "primary"}]})
    for command in ("run", "validate", "explain"):
        ran = cli(command, "-", stdin=frame.encode())
        assert ran.code == 1
        assert "Schol" in ran.err
        assert not set(ran.out + ran.err) & STEERING


@pytest.mark.parametrize("form", ["csv", "geojson", "json"])
def test_files_shown_on_a_terminal(evil: str, form: str, tmp_path: Path) -> None:
    """A file keeps every character; on a terminal those that could steer it are escaped."""
    path = tmp_path / "frame.json"
    path.write_text(SCHOOLS)
    ours, theirs = pty.openpty()
    program = "import sys; from groundframe.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", program, "run", str(path), "--format", form, "--limit", "3"],
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env={**os.environ, "DATABASE_URL": evil, "PYTHONIOENCODING": "utf-8"},
    )
    os.close(theirs)
    shown = b""
    with contextlib.suppress(OSError):  # how the end looks from here
        while data := os.read(ours, 100_000):
            shown += data
    os.close(ours)
    assert process.wait(60) == 0
    text = shown.decode()
    assert "[2J\\u202eevil" in text
    assert not set(text) & STEERING


def test_nothing_is_written_over_what_is_read(cli: Any, demo: str, tmp_path: Path) -> None:
    frame, record = tmp_path / "frame.json", tmp_path / "record.json"
    frame.write_bytes(FRAME.read_bytes())
    for options in (("-o", frame, "--format", "json"), ("--record", frame)):
        ran = cli("run", frame, *options)
        assert ran.code == 2
        assert ran.sentence() == f"'{frame}' is what is read, and would be written over. Name another file."
    assert cli("run", frame, "--record", record).code == 0
    kept = record.read_bytes()
    assert cli("replay", record, "-o", record).code == 2
    assert (frame.read_bytes(), record.read_bytes()) == (FRAME.read_bytes(), kept)
