"""``groundframe batch``: what it says, where, and its exit codes."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

import groundframe as gf
from groundframe.cli import batch

TOWNS = json.dumps({"targets": [{"entity": "Town", "role": "primary"}]})
WRONG = json.dumps({"targets": [{"entity": "Spaceship", "role": "primary"}]})


@pytest.fixture
def ambiguous(demo: str) -> str:
    """A frame with a name that several schools bear."""
    with gf.connect(demo) as gis:
        schools = gis.run({"targets": [{"entity": "School", "role": "primary"}]})
        names = Counter(feature["properties"]["name"] for feature in schools)
    name = min(name for name, count in names.items() if count > 1)
    crash = {"entity": "Crash", "role": "primary"}
    return json.dumps(
        {"targets": [crash], "references": [{"entity": "School", "role": "anchor", "names": [name]}]}
    )


def lines(*frames: str) -> bytes:
    return "".join(f"{frame}\n" for frame in frames).encode()


def test_everything_answered(cli: Any, demo: str, tmp_path: Path) -> None:
    ran = cli("batch", "-", "-o", tmp_path / "out", "--workers", "2", stdin=lines(*[TOWNS] * 20))
    assert (ran.code, ran.out) == (0, f"{tmp_path / 'out'}: 20 frames, 20 done.\n")
    assert ran.err.splitlines() == [f"{number} of 20 frames" for number in range(2, 21, 2)]
    again = cli("batch", "-", "-o", tmp_path / "out", stdin=lines(*[TOWNS] * 20))
    assert again.err == "Finished before: 20 of 20 frames.\n"
    assert again.out.endswith("20 done. 20 finished before.\n")


def test_what_is_not_answered_is_named(cli: Any, demo: str, tmp_path: Path) -> None:
    ran = cli("batch", "-", "-o", tmp_path / "out", "--workers", "1", stdin=lines(TOWNS, WRONG, *["{"] * 30))
    assert ran.code == 1
    said = ran.err.splitlines()
    assert said[0].startswith("Line 2, rejected: /targets/0/entity: ")
    assert said[1].startswith("Line 3, rejected: The frame is not JSON: ")
    named = [line for line in said if line.startswith("Line ")]
    assert len(named) == 20
    assert "More are not answered; the manifest lists them." in said
    assert "32 of 32 frames" in said


def test_choices_are_exit_code_3(cli: Any, demo: str, ambiguous: str, tmp_path: Path) -> None:
    frames, out = lines(TOWNS, ambiguous), tmp_path / "out"
    ran = cli("batch", "-", "-o", out, stdin=frames)
    assert ran.code == 3
    assert f"1 done, 1 waiting for a choice. Fill in {out / 'choices.jsonl'} and hand it back." in ran.out
    assert cli("batch", "-", "-o", out, "--fail-fast", stdin=lines(WRONG, ambiguous, TOWNS)).code == 1
    path = out / "choices.jsonl"
    assert cli("batch", "-", "-o", out, stdin=frames).code == 3
    path.write_text(path.read_text(encoding="utf-8").replace('"answer":null', '"answer":1'), encoding="utf-8")
    refused = cli("batch", "-", "-o", out, stdin=frames)
    assert refused.code == 2
    assert refused.sentence().endswith(f"Add --choices '{path}'.")
    assert cli("batch", "-", "-o", out, "--choices", path, stdin=frames).code == 0


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["none.jsonl"], "none.jsonl cannot be read (No such file or directory). Is it the right path?"),
        (["-"], "There is no frame to answer. Give at least one."),
        (["-", "--format", "table"], "Invalid value for '--format'"),
        (["-", "--workers", "0"], "Invalid value for '--workers'"),
        (["-", "--choices", "none"], "'none' cannot be read: No such file or directory."),
    ],
)
def test_wrong_use(cli: Any, demo: str, tmp_path: Path, arguments: list[str], said: str) -> None:
    ran = cli("batch", *arguments, "-o", tmp_path / "out", stdin=b"" if arguments == ["-"] else lines(TOWNS))
    assert ran.code == 2
    assert said in ran.sentence()
    assert not (tmp_path / "out").exists()


def test_interrupted(cli: Any, demo: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def tell(teller: batch._Teller, progress: Any, *, steps: bool) -> None:
        said(teller, progress, steps=steps)
        if progress.entry is not None:
            os.kill(os.getpid(), signal.SIGINT)

    said = batch._Teller.tell
    monkeypatch.setattr(batch._Teller, "tell", tell)
    ran = cli("batch", "-", "-o", tmp_path, "--workers", "1", stdin=lines(*[TOWNS] * 5))
    assert ran.code == 130
    assert ran.err.splitlines()[-1] == (
        "Interrupted. What is finished stays; run the same batch again: it goes on from there."
    )


def test_a_bar_on_a_terminal(demo: str, tmp_path: Path) -> None:
    (tmp_path / "frames.jsonl").write_bytes(lines(TOWNS, WRONG, TOWNS))
    ours, theirs = pty.openpty()
    code = "import sys; from groundframe.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [sys.executable, "-c", code, "batch", tmp_path / "frames.jsonl", "-o", tmp_path / "out"],
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=theirs,
        env={**os.environ, "DATABASE_URL": demo, "TERM": "xterm", "COLUMNS": "100"},
    )
    os.close(theirs)
    seen = b""
    # Reading fails when the other side is closed.
    with suppress(OSError):
        while part := os.read(ours, 10_000):
            seen += part
    os.close(ours)
    out, _ = process.communicate(timeout=120)
    assert process.returncode == 1, seen
    assert b"3/3" in seen
    assert b"Line 2, rejected" in seen
    assert b" of 3 frames" not in seen
    assert out.decode().endswith("3 frames, 2 done, 1 rejected.\n")
