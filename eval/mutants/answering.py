"""Answering frames whose answers are known, in a process of its own: in a copy of the package."""

from __future__ import annotations

import json
import os
import pickle
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from groundframe.compiler.compile import compile_frame
from groundframe.eval.oracle import OracleAnswer
from groundframe.eval.random_frames.sketch import Data
from groundframe.eval.random_frames.trial import answered_otherwise
from groundframe.eval.subject import Subject
from groundframe.frames.model import Frame
from groundframe.frames.reading import read_frame
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.postgis.execute import statements

__all__ = ["Case", "asked_of", "first_difference", "main"]


@dataclass(frozen=True, slots=True)
class Case:
    """A checked frame, what the package without a fault asks the database for it, and the oracle's answer."""

    frame: Data
    asked: Any
    expected: OracleAnswer


def asked_of(subject: Subject, frame: Frame) -> Any:
    """The statements of a frame with their values, and the columns that they give.

    The answer to the same on the same data is the same.
    """
    plan = compile_frame(frame, subject.dataset.pack, subject.dataset.physical)
    return statements(plan, None, schema=subject.dataset.schema), plan.columns


def first_difference(subject: Subject, cases: Iterable[Case]) -> tuple[int, str] | None:
    """The number of the first case that is answered otherwise, and how; None where there is none.

    What asks the database the same as without a fault is not asked again.
    """
    for number, case in enumerate(cases):
        frame = read_frame(case.frame)
        try:
            same = asked_of(subject, frame) == case.asked
        except Exception:
            # It cannot be answered either, and how not is said below.
            same = False
        wrong = [] if same else answered_otherwise(subject, frame, case.expected)
        if wrong:
            return number, wrong[0]
    return None


def main(judged: str, dataset: str) -> None:
    """Print as JSON what differs first; the cases are pickled in a file, DATABASE_URL is the database."""
    # The file is from the process that started this one.
    cases: list[Case] = pickle.loads(Path(judged).read_bytes())  # noqa: S301
    with Database(os.environ["DATABASE_URL"], reading=True, pool_size=2) as database:
        subject = Subject(open_dataset(database, dataset))
        sys.stdout.write(json.dumps(first_difference(subject, cases)))
