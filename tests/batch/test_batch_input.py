"""What a batch reads, and what it calls its files."""

from __future__ import annotations

import io
import json
import os
import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import groundframe as gf
from groundframe.batch.naming import file_stems, numbered_stem
from groundframe.batch.reading import read_jobs

TOWNS = {"targets": [{"entity": "Town", "role": "primary"}]}
SAFE = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_-]{0,79}")
DEVICES = {"con", "prn", "aux", "nul", "com1", "lpt9"}


def test_lines_keep_their_numbers(tmp_path: Path) -> None:
    path = tmp_path / "frames.jsonl"
    text = f"\ufeff{json.dumps(TOWNS)}\r\n\n   \n{json.dumps({**TOWNS, 'question': 'Wohin? Ä'})}\nnonsense"
    path.write_text(text, encoding="utf-8", newline="")
    jobs = read_jobs(path)
    assert [(job.line, job.stem, job.question) for job in jobs] == [
        (1, "00001", ""), (4, "00004-wohin-a", "Wohin? Ä"), (5, "00005", ""),
    ]  # fmt: skip
    assert [job.digest for job in read_jobs(io.BytesIO(path.read_bytes()))] == [job.digest for job in jobs]


def test_an_endless_line_is_one_bad_frame(gis: gf.Connection, tmp_path: Path) -> None:
    path = tmp_path / "frames.jsonl"
    deep, twice = "[" * 5_000 + "]" * 5_000, '{"frame": {"targets": [], "targets": []}}'
    wide = json.dumps({**TOWNS, "notes": "x" * 3_000_000})
    path.write_text(
        "\n".join((wide, deep, json.dumps(TOWNS), twice, '{"id": 1}', '"text"', "\ud800")),
        "utf-8",
        "surrogatepass",
    )
    report = gis.batch(path, tmp_path / "out")
    assert [entry["state"] for entry in report.entries] == [*["rejected"] * 2, "done", *["rejected"] * 4]
    codes = [entry["issues"][0]["code"] for entry in report.entries if entry["state"] == "rejected"]
    assert codes == ["too_large", "too_deep", "doubled_key", "no_primary", "not_an_object", "not_utf8"]


def test_a_folder_gives_files_of_the_same_names(gis: gf.Connection, tmp_path: Path) -> None:
    folder = tmp_path / "frames"
    folder.mkdir()
    for name in ("G1_01", "schools in boston", "batch"):
        (folder / f"{name}.json").write_text(json.dumps(TOWNS, indent=2), encoding="utf-8")
    (folder / "notes.txt").write_text("no frame")
    (folder / "broken.JSON").symlink_to("nowhere")
    (folder / "bad.json").write_bytes(b"\xff")
    report = gis.batch(folder, tmp_path / "out", format="json")
    assert [(entry["line"], entry["name"], entry["state"]) for entry in report.entries] == [
        (1, "G1_01.json", "done"),
        (2, "bad.json", "rejected"),
        (3, "batch.json", "done"),
        (4, "schools in boston.json", "done"),
    ]  # fmt: skip
    files = sorted(entry["file"] for entry in report.entries if "file" in entry)
    assert files[0] == "G1_01.json"
    assert [re.sub(r"[0-9a-f]{12}", "#", name) for name in files[1:]] == [
        "batch-#.json",
        "schools-in-boston-#.json",
    ]
    assert json.loads((tmp_path / "out" / "batch.json").read_bytes())["format"] == "json"


def test_a_file_that_cannot_be_read_costs_no_other(gis: gf.Connection, tmp_path: Path) -> None:
    good = tmp_path / "good.json"
    good.write_text(json.dumps(TOWNS), encoding="utf-8")
    report = gis.batch(
        [good, tmp_path / "none.json", str(good), TOWNS, json.dumps(TOWNS), gf.Frame(**TOWNS)], tmp_path / "o"
    )
    assert [entry["state"] for entry in report.entries] == ["done", "rejected", *["done"] * 4]
    assert report.entries[1]["issues"][0]["code"] == "unreadable"
    assert len({entry["digest"] for entry in report.entries if "digest" in entry}) == 1


@pytest.mark.parametrize(
    ("source", "said"),
    [
        ("none.jsonl", "cannot be read (No such file or directory)"),
        ("none.json", "cannot be read (No such file or directory)"),
        ("empty.jsonl", "There is no frame in"),
        ("folder", "There is no file *.json in"),
        ([], "There is no frame to answer"),
        (TOWNS, "takes frames in a list"),
        ([{"targets": {1, 2}}], "Frame 1 of the list is none"),
        ([5], "Frame 1 of the list is none"),
    ],
)
def test_nothing_to_answer_is_one_sentence(tmp_path: Path, source: Any, said: str) -> None:
    (tmp_path / "empty.jsonl").write_text("\n \n")
    (tmp_path / "folder").mkdir()
    with pytest.raises(gf.UsageError) as caught:
        read_jobs(tmp_path / source if isinstance(source, str) else source)
    assert said in str(caught.value)


@pytest.mark.parametrize(
    "text",
    [
        "../../etc/passwd",
        "C:\\x",
        "con",
        "a\x00b",
        "." * 300,
        'Ünïcode / ?*|<>:"',
        "\u202etxt.exe",
        "-rf",
        "",
    ],
)
def test_no_text_leaves_the_folder(text: str) -> None:
    assert SAFE.fullmatch(numbered_stem(3, text))
    (stem,) = file_stems([text])
    assert SAFE.fullmatch(stem)
    assert stem not in DEVICES


@settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.lists(st.text(st.characters(codec="utf-8"), max_size=90), unique=True, max_size=6))
def test_no_two_files_get_one_name(names: list[str]) -> None:
    names += [stem for stem in file_stems(names) if stem not in names]
    stems = file_stems(names)
    assert len({stem.casefold() for stem in stems}) == len(names)
    assert all(SAFE.fullmatch(stem) and stem.casefold() not in DEVICES for stem in stems)


def test_file_names_of_any_bytes_are_taken(tmp_path: Path) -> None:
    folder = os.fsencode(tmp_path)
    for name in (b"caf\xe9.json", "café.json".encode()):
        with open(os.path.join(folder, name), "wb") as file:  # noqa: PTH118, PTH123 - bytes
            file.write(json.dumps(TOWNS).encode())
    stems = [job.stem for job in read_jobs(tmp_path)]
    assert len(set(stems)) == 2
    assert all(SAFE.fullmatch(stem) for stem in stems)
