"""The commands themselves: help, versions, wrong options, and what needs no data."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

import groundframe as gf
from groundframe.cli import main
from groundframe.schema.packs import pack_names

ROOT = Path(__file__).resolve().parents[2]
FRAME = ROOT / "examples" / "boston_schools.json"
COMMANDS = ["run", "validate", "explain", "schema", "load", "db"]


def test_version(cli: Any) -> None:
    ran = cli("--version")
    assert ran.code == 0
    assert ran.out.startswith("groundframe 0.")


@pytest.mark.parametrize("command", [[], *[[name] for name in COMMANDS], ["db", "start"]])
def test_help(cli: Any, command: list[str]) -> None:
    ran = cli(*command, "--help")
    assert ran.code == 0
    assert "Usage: groundframe" in ran.out


def test_no_command_shows_the_help(cli: Any) -> None:
    for arguments in ([], ["db"]):
        ran = cli(*arguments)
        assert ran.code == 2
        assert "Usage: groundframe" in ran.out
        assert ran.err == ""


def test_help_lists_every_command(cli: Any) -> None:
    out = cli("--help").out
    assert all(f" {name} " in out for name in COMMANDS)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["rnu"], "rnu"),
        (["run"], "FRAME"),
        (["run", FRAME, "--colour"], "--colour"),
        (["run", FRAME, "--format", "shp"], "shp"),
        (["run", FRAME, "-o", "x.shp"], "x.shp"),
        (["run", FRAME, "--limit", "0"], "--limit"),
        (["run", FRAME, "--limit", "many"], "--limit"),
        (["run", FRAME, "--choose", "nonsense"], "nonsense"),
        (["load"], "demo|PACK"),
        (["load", "demo", "--data", "."], "--data"),
        (["load", pack_names()[0]], "--data"),
        (["load", pack_names()[0], "--data", ".", "--seed", "1"], "--seed"),
        (["db", "explode"], "explode"),
    ],
)
def test_usage_errors(cli: Any, demo: str, arguments: list[Any], said: str) -> None:
    ran = cli(*arguments)
    assert ran.code == 2
    assert said in ran.sentence()


def test_unknown_pack(cli: Any) -> None:
    for arguments in (["schema", "--pack", "atlantis"], ["load", "atlantis", "--data", "."]):
        ran = cli(*arguments)
        assert ran.code == 1
        assert "There is no schema pack 'atlantis'." in ran.sentence()


def test_schema(cli: Any) -> None:
    name = pack_names()[0]
    page = cli("schema", "--pack", name, "--format", "markdown")
    assert page.out == (ROOT / "docs" / "packs" / f"{name}.md").read_text(encoding="utf-8")
    assert json.loads(cli("schema", "--pack", name, "--format", "json").out)["name"] == name
    schema = json.loads(cli("schema", "--pack", name, "--json-schema").out)
    assert schema["additionalProperties"] is False


def test_database_that_does_not_run(cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("GROUNDFRAME_HOME", str(tmp_path / "home"))
    assert "absent" in cli("db", "status").out
    assert cli("db", "stop").code == 0
    ran = cli("db", "url")
    assert ran.code == 1
    assert ran.sentence() == "The local server does not run. Start it: groundframe db start"


def test_unexpected_errors_are_one_sentence(cli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_: object) -> str:
        raise ZeroDivisionError("what\never")

    monkeypatch.setattr("groundframe.reference.reference_page", fail)
    ran = cli("schema")
    assert ran.code == 1
    assert "(ZeroDivisionError: what ever). Please report it" in ran.sentence()


def _program(*arguments: Any, **options: Any) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", "import sys; from groundframe.cli import main; sys.exit(main())"]
    return subprocess.Popen(
        [*command, *map(str, arguments)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=ROOT,
        env={**os.environ, **options.pop("env", {})},
        **options,
    )


def _leave_early(*arguments: Any, patience_s: int = 30) -> None:
    """Run a command whose output is read no further than its beginning; it ends well and says nothing."""
    process = _program(*arguments)
    assert process.stdout is not None
    assert process.stderr is not None
    process.stdout.read(10)
    process.stdout.close()
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait(timeout=patience_s) == 0


def test_reader_that_has_seen_enough() -> None:
    _leave_early("schema", "--format", "json")


def test_reader_that_has_seen_enough_loses_no_record(tmp_path: Path, demo: str) -> None:
    record = tmp_path / "record.json"
    frame = tmp_path / "frame.json"
    frame.write_text(json.dumps({"targets": [{"entity": "Crash", "role": "primary"}]}))
    _leave_early("run", frame, "--format", "geojson", "--record", record, patience_s=60)
    with gf.connect(demo) as gis:
        assert gis.replay(record).same


def test_interrupt(tmp_path: Path) -> None:
    frame = tmp_path / "frame.json"
    os.mkfifo(frame)
    process = _program("run", frame)
    with frame.open("wb"):  # opens when the command has opened its end, and waits for the frame
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=60)
    assert process.returncode == 130
    assert err == b""


GROUNDFRAME = "import sys; from groundframe.cli.main import main; sys.exit(main(['schema', '--json-schema']))"


def test_a_closed_pipe_is_no_error() -> None:
    ends = os.pipe()
    os.close(ends[0])
    ran = subprocess.run([sys.executable, "-uc", GROUNDFRAME], stdout=ends[1], stderr=subprocess.PIPE)
    os.close(ends[1])
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full here")
def test_a_full_disk_is_said() -> None:
    with Path("/dev/full").open("wb") as full:
        ran = subprocess.run([sys.executable, "-c", GROUNDFRAME], stdout=full, stderr=subprocess.PIPE)
    assert ran.returncode == 1
    assert ran.stderr.decode().strip() == "Standard output cannot be written: No space left on device."


def test_what_a_library_makes_of_an_interruption_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fails(*_: object, **__: object) -> int:
        raise ImportError("half imported")

    monkeypatch.setattr(sys.modules["groundframe.cli.main"], "app", fails)
    assert main(["schema"]) == 1
    assert "half imported" in capsys.readouterr().err
    monkeypatch.setattr("groundframe.entry._SEEN", [2])
    assert main(["schema"]) == 130
    assert capsys.readouterr().err == ""
