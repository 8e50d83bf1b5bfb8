"""No database, one without PostGIS, without data, with data of another pack version."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest

ROOT = Path(__file__).resolve().parents[2]
FRAME = ROOT / "examples" / "boston_schools.json"
COMMANDS = pytest.mark.parametrize("command", ["run", "validate", "explain"])


@pytest.fixture(scope="module")
def own_demo(make_database: Callable[..., str], load_demo: Callable[[str], str]) -> str:
    """A demo that tests may break; each leaves it as broken as it likes."""
    return load_demo(make_database())


@COMMANDS
def test_no_database_yet(cli: Any, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str) -> None:
    monkeypatch.delenv("DATABASE_URL", raising=False)
    monkeypatch.setenv("GROUNDFRAME_HOME", str(tmp_path / "home"))
    ran = cli(command, FRAME)
    assert ran.code == 1
    assert ran.sentence() == "There is no database yet. Make one with data: groundframe load demo"


@COMMANDS
def test_nobody_answers(cli: Any, monkeypatch: pytest.MonkeyPatch, command: str) -> None:
    monkeypatch.setenv("DATABASE_URL", "postgresql://someone:secret@127.0.0.1:1/nowhere")
    ran = cli(command, FRAME)
    assert ran.code == 1
    assert ran.sentence().startswith("No database answers at postgresql://someone:***@127.0.0.1:1/nowhere")
    assert "secret" not in ran.err


@pytest.mark.parametrize("url", ["nonsense", "mysql://x/y", "postgresql://[x/y"])
def test_url_that_is_none(cli: Any, monkeypatch: pytest.MonkeyPatch, url: str) -> None:
    monkeypatch.setenv("DATABASE_URL", url)
    ran = cli("run", FRAME)
    assert ran.code == 1
    assert "postgresql://" in ran.sentence()


@COMMANDS
def test_without_postgis(
    cli: Any, monkeypatch: pytest.MonkeyPatch, make_database: Callable[..., str], command: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", make_database(postgis=False))
    ran = cli(command, FRAME)
    assert ran.code == 1
    assert "has no PostGIS" in ran.sentence()


@COMMANDS
def test_without_data(
    cli: Any, monkeypatch: pytest.MonkeyPatch, make_database: Callable[..., str], command: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", make_database())
    ran = cli(command, FRAME)
    assert ran.code == 1
    assert ran.sentence() == "The database holds no data yet. Load some: groundframe load demo"


@COMMANDS
def test_dataset_of_another_pack_version(
    cli: Any, monkeypatch: pytest.MonkeyPatch, own_demo: str, command: str
) -> None:
    with psycopg.connect(own_demo, autocommit=True) as connection:
        connection.execute("UPDATE gf_demo.dataset SET pack_version = '0.9.0'")
    monkeypatch.setenv("DATABASE_URL", own_demo)
    ran = cli(command, FRAME)
    assert ran.code == 1
    assert "version 0.9.0" in ran.sentence()
    assert "groundframe load demo" in ran.sentence()


def test_dataset_that_is_not_there(cli: Any, demo: str) -> None:
    ran = cli("run", FRAME, "--dataset", "other")
    assert ran.code == 1
    assert ran.sentence() == "There is no dataset 'other'. Datasets: demo."


@pytest.mark.parametrize("name", ["x; drop", "Ä", "", "a" * 60])
def test_dataset_that_cannot_be(cli: Any, demo: str, name: str) -> None:
    assert cli("run", FRAME, "--dataset", name).code == 2


def test_broken_tables_are_one_sentence(cli: Any, monkeypatch: pytest.MonkeyPatch, own_demo: str) -> None:
    with psycopg.connect(own_demo, autocommit=True) as connection:
        connection.execute("DROP TABLE gf_demo.school CASCADE")
    monkeypatch.setenv("DATABASE_URL", own_demo)
    ran = cli("run", FRAME)
    assert ran.code == 1
    assert len(ran.sentence()) < 400
