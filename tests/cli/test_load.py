"""``groundframe load``: the report, and loads that fail."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundframe.cli.load_report import notes, print_checks

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def own_url(make_database: Callable[..., str]) -> str:
    return make_database()


def test_demo(cli: Any, own_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("DATABASE_URL", own_url)
    report = tmp_path / "report.json"
    ran = cli("load", "demo", "--crashes", "500", "--seed", "3", "--report", report)
    assert ran.code == 0
    content = json.loads(report.read_bytes())
    rows = {source["entity"]: source["rows"] for source in content["sources"]}
    assert rows["Crash"] == 500
    assert "Synthetic: everything in this dataset is invented" in ran.out
    assert f"data version {content['data_version'][:12]}" in ran.out
    assert content["dataset"] == "demo"
    assert "crashes" in ran.err.splitlines()  # plain lines of progress, as this is no terminal

    again = cli("load", "demo", "--crashes", "500", "--seed", "3", "--add")
    assert again.code == 0
    assert "held all of this already" in again.out

    assert cli("run", ROOT / "examples" / "towns_without_fatal_crash.json").code == 0

    stats = cli("db", "stats")
    assert stats.code == 0
    newest = next(source["last"] for source in content["sources"] if source["entity"] == "Crash")
    assert f"is of {newest}." in stats.out
    assert f"data version {content['data_version'][:12]}" in stats.out
    assert "of 500 rows are linked" in stats.out


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["--seed", "-1"], 2),
        (["--crashes", "0"], 2),
        (["--dataset", "no such"], 2),
    ],
)
def test_impossible_demo(
    cli: Any, own_url: str, monkeypatch: pytest.MonkeyPatch, arguments: list[str], code: int
) -> None:
    monkeypatch.setenv("DATABASE_URL", own_url)
    ran = cli("load", "demo", *arguments)
    assert ran.code == code
    assert ran.err.splitlines()[-1:] == [ran.err.splitlines()[-1]]


def test_folder_that_is_not_there(
    cli: Any, own_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", own_url)
    for folder in (tmp_path / "none", tmp_path):
        ran = cli("load", "massachusetts", "--data", folder)
        assert ran.code == 1
        assert str(folder) in ran.sentence() or folder.name in ran.sentence()


def test_broken_file_leaves_the_dataset(
    cli: Any, own_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", own_url)
    assert cli("load", "demo", "--crashes", "50").code == 0
    (tmp_path / "cambridge_police_2010_2016.csv").write_bytes(b"\x00\x01\x02 no crashes here")
    ran = cli("load", "massachusetts", "--data", tmp_path, "--dataset", "demo")
    assert ran.code == 1
    assert "cambridge_police_2010_2016.csv" in ran.sentence()
    assert cli("run", "-", stdin=b'{"targets": [{"entity": "Town", "role": "primary"}]}').code == 0


def test_a_report_takes_the_place_of_no_source(
    cli: Any, own_url: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("DATABASE_URL", own_url)
    source = tmp_path / "cambridge_police_2010_2016.csv"
    source.write_text("Crash Number\n1\n")
    ran = cli("load", "massachusetts", "--data", tmp_path, "--report", source)
    assert ran.code == 2
    assert (
        ran.sentence()
        == f"'{source}' is among the files to load, and would be written over. Name another file."
    )
    assert source.read_text() == "Crash Number\n1\n"
    for report, reason in ((tmp_path / "no" / "r.json", "there is no folder"), (tmp_path, "it is a folder")):
        ran = cli("load", "demo", "--crashes", "10", "--dataset", "unreported", "--report", report)
        assert ran.code == 1
        assert reason in ran.sentence()
    assert "unreported" not in cli("db", "status").out


def test_no_postgis(cli: Any, make_database: Callable[..., str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DATABASE_URL", make_database(postgis=False))
    ran = cli("load", "demo", "--crashes", "10")
    assert ran.code == 1
    assert "has no PostGIS" in ran.err


@pytest.mark.shared_data
@pytest.mark.slow
def test_check_compares_with_official_totals(
    cli: Any,
    make_database: Callable[..., str],
    monkeypatch: pytest.MonkeyPatch,
    shared_data: Path,
    tmp_path: Path,
) -> None:
    monkeypatch.setenv("DATABASE_URL", make_database())
    for path in (
        *(shared_data / "massachusetts" / "towns").iterdir(),
        *(shared_data / "massachusetts" / "crashes").glob("massdot_boston_201[234].csv"),
        *(shared_data / "massachusetts" / "crashes").glob("*.xls"),
    ):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    report = tmp_path / "report.json"
    ran = cli("load", "massachusetts", "--data", tmp_path, "--check", "--report", report)
    assert ran.code == 0
    assert "official totals compared" in ran.out
    boston = [check for check in json.loads(report.read_bytes())["checks"] if check["complete"]]
    assert {check["year"] for check in boston} == {2012, 2013, 2014}
    assert all(abs(check["loaded"] - check["official"]) < 0.2 * check["official"] for check in boston)


@pytest.mark.parametrize(
    ("first", "last", "warned"),
    [
        ("2017-01-01", "2017-12-31", False),
        ("1017-01-01", "2017-12-31", True),
        ("2017-02-01", "2018-01-01", True),
        (None, None, False),
    ],
)
def test_dates_beyond_the_declared_period(first: str | None, last: str | None, warned: bool) -> None:
    coverage = {"area": "Here", "first": "2017-01-01", "last": "2017-12-31", "completeness": "sample"}
    source = {"title": "Reports", "notice": "", "synthetic": False, "first": first, "last": last}
    report = {
        "dataset": "d", "pack": "p", "pack_version": "1.0.0", "data_version": "0" * 64, "synthetic": False,
        "changed": True, "files": [], "rows": [], "links": [], "overlaps": [],
        "sources": [{**source, "coverage": coverage}],
    }  # fmt: skip
    assert any("go beyond the period" in sentence for sentence in notes(report)) is warned


def test_repetitions_are_told(capsys: pytest.CaptureFixture[str]) -> None:
    came = {"entity": "Crash", "new": 400, "already_loaded": 0, "repeated": 2}
    report = {
        "dataset": "d", "pack": "p", "pack_version": "1.0.0", "data_version": "0" * 64, "synthetic": False,
        "changed": True, "files": [], "rows": [came], "links": [], "overlaps": [], "sources": [],
    }  # fmt: skip
    assert next(notes(report)) == "Crash: 2 rows repeated exactly, and loaded once."
    print_checks(())
    assert capsys.readouterr().out == "There are no official totals to compare with what is loaded.\n"
