"""Running a bench: every case put to every contestant in turn, all answers compared."""

from __future__ import annotations

import gc
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from groundframe.errors import GroundframeError
from groundframe.eval.bench.classes import Case
from groundframe.eval.bench.contestant import Answered, Contestant, TooSlowError
from groundframe.eval.bench.memory import peak_memory

__all__ = ["BenchError", "Figures", "run_cases"]

ROUNDS = 5
# Who takes this long is asked once only.
_ONCE_S = 4.0


class BenchError(GroundframeError):
    """Contestants disagree about an answer, so that their times say nothing."""


@dataclass
class Figures:
    """What one contestant needed for one case.

    Attributes
    ----------
    seconds, first_s, compile_s : list of float
        One number per round.
    first_compile_s : float or None
        From frame to SQL in the round that warms up: in this process nobody has asked for the case before.
    cut_off : float or None
        The limit in seconds at which it was cut off.
    megabytes : float or None
        By how much the process grew while it answered.
    """

    case: Case
    contestant: str
    seconds: list[float] = field(default_factory=list)
    first_s: list[float] = field(default_factory=list)
    compile_s: list[float] = field(default_factory=list)
    first_compile_s: float | None = None
    rows: int | None = None
    cut_off: float | None = None
    megabytes: float | None = None

    @property
    def total_s(self) -> float | None:
        """The median of its rounds."""
        return median(self.seconds) if self.seconds else None

    def add(self, answered: Answered) -> None:
        """Note a round."""
        self.seconds.append(answered.seconds)
        if answered.first_s is not None:
            self.first_s.append(answered.first_s)
        if answered.compile_s is not None:
            self.compile_s.append(answered.compile_s)
        self.rows = None if answered.rows is None else len(answered.rows)

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready data, in milliseconds."""
        return {
            "class": self.case.spec.name,
            "variant": self.case.variant,
            "values": dict(self.case.values),
            "filter": None if self.case.filter is None else self.case.filter.sql,
            "contestant": self.contestant,
            "ms": [round(1000 * one, 3) for one in self.seconds],
            "first_row_ms": [round(1000 * one, 3) for one in self.first_s],
            "compile_ms": [round(1000 * one, 3) for one in self.compile_s],
            "first_compile_ms": (
                None if self.first_compile_s is None else round(1000 * self.first_compile_s, 3)
            ),
            "rows": self.rows,
            "client_mb": None if self.megabytes is None else round(self.megabytes, 1),
            "cut_off_s": self.cut_off,
        }


def run_cases(
    cases: Sequence[Case],
    contestants: Sequence[Contestant],
    *,
    rounds: int = ROUNDS,
    limit_s: float,
    progress: Callable[[str, int, int], None],
) -> list[Figures]:
    """Put every case to every contestant, in turn in each round.

    The first round warms up and is not counted, unless somebody takes so long that there is no other.

    Raises
    ------
    BenchError
        When two contestants give different answers.
    """
    found: list[Figures] = []
    for number, case in enumerate(cases, 1):
        answers: dict[str, Any] = {}
        gc.collect()
        taking = [one for one in contestants if one.takes(case)]
        figures = {one.name: Figures(case, one.name) for one in taking}
        again = list(taking)
        for round_number in range((rounds if case.variant == "fixed" else 1) + 1):
            for one in list(again):
                mine = figures[one.name]
                try:
                    with peak_memory() as memory:
                        answered = one.answer(case, limit_s)
                except TooSlowError:
                    mine.cut_off = limit_s
                    again.remove(one)
                    continue
                if answered.rows is not None:
                    answers[one.name] = answered.rows
                if round_number or answered.seconds > _ONCE_S:
                    mine.add(answered)
                if not round_number:
                    mine.megabytes = memory.megabytes
                    mine.first_compile_s = answered.compile_s
                    if answered.seconds > _ONCE_S:
                        again.remove(one)
        _compare(case, answers)
        found.extend(figures.values())
        progress("cases", number, len(cases))
    return found


def _compare(case: Case, answers: dict[str, Any]) -> None:
    groups: dict[Any, list[str]] = defaultdict(list)
    for name, rows in answers.items():
        # The order of groups is a matter of taste; that of a ranking follows from its counts and keys. Not
        # all of them bother to show what counts nothing.
        groups[tuple(sorted((row for row in rows if row[-1] != 0), key=repr))].append(name)
    if len(groups) > 1:
        told = "; ".join(
            f"{', '.join(names)}: {len(rows)} rows, such as {_own(rows, groups)}"
            for rows, names in groups.items()
        )
        raise BenchError(
            f"Class {case.spec.name} ({case.variant}) has different answers. {told}.",
            "Mend the statement that is wrong; the times of others say nothing until then.",
        )


def _own(rows: Any, groups: dict[Any, list[str]]) -> str:
    """Rows that not all others have, at most three."""
    others = [set(one) for one in groups if one != rows]
    return str([row for row in rows if any(row not in other for other in others)][:3])
