"""The explicit list of packages is complete, and what is installed is what the tree holds."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from importlib.metadata import version
from pathlib import Path

import groundframe

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src" / "groundframe"
PYPROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
SETUPTOOLS = PYPROJECT["tool"]["setuptools"]


def _stages() -> set[str]:
    return {link.name for link in SOURCE.iterdir() if link.is_symlink()}


def _python_files(name: str) -> dict[Path, str]:
    """Every file of that name pattern in the stages and the source folder, with its package."""
    found: dict[Path, str] = {}
    for folder in (SOURCE, *(ROOT / stage for stage in _stages())):
        inside = () if folder == SOURCE else (folder.name,)
        for path in folder.rglob(name):
            parts = path.relative_to(folder).parts[:-1]
            # Reached through a link of the source folder the same file would appear twice.
            if folder != SOURCE or not (parts and parts[0] in _stages()):
                found[path] = ".".join(("groundframe", *inside, *parts))
    return found


def test_packages_are_listed() -> None:
    """A package missing in the list would be missing in the wheel."""
    listed = SETUPTOOLS["packages"]
    assert sorted(listed) == sorted(_python_files("__init__.py").values())
    assert listed == sorted(listed)


def test_every_module_is_in_a_package() -> None:
    """A folder of modules without ``__init__.py`` would be left out of the wheel unseen."""
    packages = set(_python_files("__init__.py").values())
    assert {module: name for module, name in _python_files("*.py").items() if name not in packages} == {}


def test_stages_are_linked() -> None:
    """Each folder of a stage has a relative link in the source folder."""
    for stage in _stages():
        assert (SOURCE / stage).readlink() == Path("..") / ".." / stage
    assert _stages() == {"compiler", "eval", "frames", "postgis", "schema", "validator"}


def test_the_clone_does_not_hide_the_package(tmp_path: Path) -> None:
    """A script in the folder that holds the clone imports the package, not the clone's folder."""
    (tmp_path / "groundframe").mkdir()
    script = tmp_path / "script.py"
    script.write_text("import groundframe; print(groundframe.connect.__name__)")
    ran = subprocess.run([sys.executable, script], capture_output=True, text=True, cwd=tmp_path)
    assert (ran.stdout.strip(), ran.stderr) == ("connect", "")


def test_pack_files_are_packaged() -> None:
    """Each file of a schema pack is matched by the package data."""
    patterns = SETUPTOOLS["package-data"]["groundframe.schema"]
    matched = {path for pattern in patterns for path in (ROOT / "schema").glob(pattern)}
    files = {
        path
        for path in (ROOT / "schema" / "packs").rglob("*")
        if path.is_file() and path.suffix not in {".py", ".pyc"}
    }
    assert files <= matched


def test_types_are_declared() -> None:
    """The marker of typed packages lies where type checkers look for it."""
    assert (Path(groundframe.__file__).parent / "py.typed").exists()


def test_version() -> None:
    """The installed distribution is the one of this tree."""
    assert version("groundframe") == PYPROJECT["project"]["version"]
