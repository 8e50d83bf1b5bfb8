"""What the README shows is what the commands print.

With ``UPDATE_README=1`` in the environment a block without ``...`` is replaced by what its command prints
now.
"""

from __future__ import annotations

import doctest
import os
import re
import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from groundframe.postgis.connect import Database
from groundframe.postgis.load.loading import load_dataset
from groundframe.postgis.load.synthetic import generate
from groundframe.schema.packs import load_pack

ROOT = Path(__file__).resolve().parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
SHOWN = re.findall(r"```console\n\$ groundframe (.*)\n((?:.*\n)*?)```", README)


@pytest.fixture(scope="module")
def whole_demo(make_database: Callable[..., str]) -> str:
    """The demo as ``groundframe load demo`` makes it."""
    url = make_database()
    pack = load_pack("massachusetts")
    with Database(url) as database:
        load_dataset(database, pack, "demo", generate(pack))
    return url


@pytest.mark.slow
@pytest.mark.parametrize(("command", "shown"), SHOWN, ids=[command for command, _ in SHOWN])
def test_shown_output(
    cli: Any, whole_demo: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, command: str, shown: str
) -> None:
    monkeypatch.setenv("DATABASE_URL", whole_demo)
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    ran = cli(*shlex.split(command))
    printed = (ran.out + ran.err).replace("\r\n", "\n")
    if os.environ.get("UPDATE_README") and "\n..." not in shown:
        path = ROOT / "README.md"
        path.write_text(path.read_text(encoding="utf-8").replace(shown, printed), encoding="utf-8")
        shown = printed
    assert doctest.OutputChecker().check_output(shown, printed, doctest.ELLIPSIS), printed


def test_the_readme_shows_something() -> None:
    assert len(SHOWN) >= 5


def test_links_lead_somewhere() -> None:
    for page in (ROOT / "README.md", *(ROOT / "docs").rglob("*.md")):
        for target in re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8")):
            assert "://" in target or (page.parent / target).exists(), f"{page.name}: {target}"
