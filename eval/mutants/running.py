"""Planting faults in copies of the package and comparing each copy with the oracle."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from groundframe.eval.mutants.faults import PACKAGE, Fault, FaultError, faulty_source

__all__ = ["Ground", "Result", "run_faults"]

Fate = Literal["caught", "survived", "broken"]

_OTHER_PACKAGE = 70
_RUN = f"""\
import sys
import groundframe
from groundframe.cli import main
if not groundframe.__file__.startswith(sys.argv[1]):
    sys.exit({_OTHER_PACKAGE})
sys.exit(main(sys.argv[2:]))
"""


@dataclass(frozen=True, slots=True)
class Ground:
    """On what faults are looked for: a dataset, and the frames that are drawn about it."""

    url: str
    dataset: str
    seed: int
    frames: int


@dataclass(frozen=True, slots=True)
class Result:
    """What became of a fault.

    Parameters
    ----------
    fate : {'caught', 'survived', 'broken'}
        Broken is a copy that does not even run.
    frame : int or None
        The number of the first frame that differs.
    said : str
        How it differs, or why the copy does not run.
    """

    fault: Fault
    fate: Fate
    frame: int | None
    said: str

    def as_dict(self) -> dict[str, Any]:
        """The result as JSON-ready data."""
        return {
            "title": self.fault.title,
            "file": self.fault.file,
            "fate": self.fate,
            "frame": self.frame,
            "said": self.said,
        }


def run_faults(faults: Sequence[Fault], ground: Ground, *, jobs: int = 1) -> Iterator[Result]:
    """Plant each fault and say what became of it, in order.

    The package as it is goes first: were it to differ from the oracle, nothing would be shown.

    Raises
    ------
    FaultError
        When a fault cannot be planted, or the package differs from the oracle without any.
    """
    sources = [faulty_source(fault) for fault in faults]
    with _copy() as folder:
        fate, _, said = _fate(folder, ground)
    if fate != "survived":
        raise FaultError(f"Without a fault the frames do not pass: {said}", "Mend this first.")
    with ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(lambda fault, source: _planted(fault, source, ground), faults, sources)


def _planted(fault: Fault, source: str, ground: Ground) -> Result:
    with _copy() as folder:
        (folder / PACKAGE.name / fault.file).write_text(source, encoding="utf-8")
        return Result(fault, *_fate(folder, ground))


def _fate(folder: Path, ground: Ground) -> tuple[Fate, int | None, str]:
    """What becomes of a copy: its fate, the frame that differs, and how."""
    options = {"--dataset": ground.dataset, "--frames": ground.frames, "--seed": ground.seed}
    command = [sys.executable, "-c", _RUN, str(folder), "eval", "oracle", "--fail-fast", "--no-simplify"]
    command += [str(part) for option in options.items() for part in option]
    ran = subprocess.run(
        [*command, "--format", "json"],
        env={**os.environ, "PYTHONPATH": str(folder), "DATABASE_URL": ground.url},
        capture_output=True,
        text=True,
        check=False,
    )
    if ran.returncode == 0:
        return "survived", None, ""
    try:
        first = json.loads(ran.stdout)["differences"][0]
    except (ValueError, LookupError):
        return "broken", None, ran.stderr.strip().rpartition("\n")[2] or f"exit code {ran.returncode}"
    return "caught", first["number"], first["differences"][0]


@contextmanager
def _copy() -> Iterator[Path]:
    """The folder of a copy of the package."""
    with TemporaryDirectory(prefix="groundframe-fault-") as name:
        folder = Path(name).resolve()
        shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
        yield folder
