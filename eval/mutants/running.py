"""Planting faults in copies of the package and comparing the answers of each copy with the oracle's."""

from __future__ import annotations

import json
import os
import pickle
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Literal

from groundframe.eval.mutants.answering import Case, asked_of
from groundframe.eval.mutants.faults import PACKAGE, Fault, FaultError, faulty_source
from groundframe.eval.random_frames.trials import run_trials
from groundframe.eval.subject import Subject
from groundframe.frames.reading import read_frame
from groundframe.postgis.datasets import Dataset

__all__ = ["Result", "judged_cases", "run_faults"]

Fate = Literal["caught", "survived", "broken"]

_OTHER_PACKAGE = 70
_RUN = f"""\
import sys
import groundframe
if not groundframe.__file__.startswith(sys.argv[1]):
    sys.exit({_OTHER_PACKAGE})
from groundframe.eval.mutants.answering import main
main(*sys.argv[2:])
"""


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


def judged_cases(dataset: Dataset, seed: int, frames: int, *, jobs: int = 1) -> Iterator[Case]:
    """The first so many frames of a seed with the oracle's answers, which the package as it is must give.

    Raises
    ------
    FaultError
        When it does not: with faults in it nothing would be shown.
    """
    subject = Subject(dataset)
    for trial in run_trials(dataset, seed, frames, jobs=jobs, simplify=False):
        if trial.differences or trial.expected is None:
            said = f"frame {trial.number}: {trial.differences[0]}"
            raise FaultError(
                f"Without a fault the answers differ from the oracle's: {said}", "Mend this first."
            )
        yield Case(trial.frame, asked_of(subject, read_frame(trial.frame)), trial.expected)


def run_faults(
    faults: Sequence[Fault], cases: Sequence[Case], dataset: Dataset, *, jobs: int = 1
) -> Iterator[Result]:
    """Plant each fault and say what became of it, in order.

    Parameters
    ----------
    cases : sequence of Case
        What :func:`judged_cases` gave for the dataset.

    Raises
    ------
    FaultError
        When a fault cannot be planted.
    """
    sources = [faulty_source(fault) for fault in faults]
    with TemporaryDirectory(prefix="groundframe-faults-") as name, ThreadPoolExecutor(jobs) as pool:
        judged = Path(name) / "cases"
        judged.write_bytes(pickle.dumps(list(cases)))
        yield from pool.map(partial(_planted, dataset, judged), faults, sources)


def _planted(dataset: Dataset, judged: Path, fault: Fault, source: str) -> Result:
    with _copy() as folder:
        (folder / PACKAGE.name / fault.file).write_text(source, encoding="utf-8")
        ran = subprocess.run(
            [sys.executable, "-c", _RUN, str(folder), str(judged), dataset.name],
            env={**os.environ, "PYTHONPATH": str(folder), "DATABASE_URL": dataset.database.url},
            capture_output=True,
            text=True,
            check=False,
        )
    try:
        differs = json.loads(ran.stdout)
    except ValueError:
        said = ran.stderr.strip().rpartition("\n")[2] or f"exit code {ran.returncode}"
        return Result(fault, "broken", None, said)
    return Result(fault, "caught", *differs) if differs else Result(fault, "survived", None, "")


@contextmanager
def _copy() -> Iterator[Path]:
    """The folder of a copy of the package."""
    with TemporaryDirectory(prefix="groundframe-fault-") as name:
        folder = Path(name).resolve()
        shutil.copytree(PACKAGE, folder / PACKAGE.name, ignore=shutil.ignore_patterns("__pycache__"))
        yield folder
