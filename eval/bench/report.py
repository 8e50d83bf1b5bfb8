"""The figures of a bench: as data, and as a table in Markdown."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from typing import Any

from groundframe.eval.bench.by_hand import Best, Bound, Straightforward
from groundframe.eval.bench.engine import Groundframe
from groundframe.eval.bench.running import Figures

__all__ = ["OWN", "Report", "surroundings"]

OWN = Groundframe.name


@dataclass(frozen=True)
class Report:
    """All figures of a run.

    Attributes
    ----------
    about : dict
        What was measured, and where.
    """

    about: dict[str, Any]
    figures: Sequence[Figures]

    @property
    def classes(self) -> list[str]:
        """The classes, in the order of the run."""
        return list(dict.fromkeys(one.case.spec.name for one in self.figures))

    @property
    def contestants(self) -> list[str]:
        """Who took part, groundframe first and the bound last."""
        found = dict.fromkeys(one.contestant for one in self.figures)
        return sorted(found, key=lambda name: (name != OWN, name == Bound.name))

    def find(self, spec: str, contestant: str, variant: str = "fixed") -> Figures | None:
        """The figures of one contestant for one case."""
        for one in self.figures:
            if (one.case.spec.name, one.contestant, one.case.variant) == (spec, contestant, variant):
                return one
        return None

    def ratio(self, spec: str, contestant: str, variant: str = "fixed") -> float | None:
        """How many times as long as groundframe a contestant needs; at least, where it was cut off."""
        own, other = self.find(spec, OWN, variant), self.find(spec, contestant, variant)
        if own is None or other is None or not own.total_s:
            return None
        needed = other.total_s if other.total_s is not None else other.cut_off
        return None if needed is None else needed / own.total_s

    def is_cut_off(self, spec: str, contestant: str) -> bool:
        """Whether a contestant was cut off at the limit in the class's own case."""
        figures = self.find(spec, contestant)
        return figures is not None and figures.cut_off is not None

    def drawn_ratio(self, spec: str, contestant: str) -> float | None:
        """The median of the ratios over what was drawn."""
        variants = dict.fromkeys(one.case.variant for one in self.figures if one.case.spec.name == spec)
        found = [self.ratio(spec, contestant, variant) for variant in variants if variant != "fixed"]
        known = [one for one in found if one is not None]
        return median(known) if known else None

    def compile_p95_s(self, *, first: bool = False) -> float | None:
        """Seconds from a checked frame to SQL that one in twenty exceeds; `first`: of new cases."""
        if first:
            every = [one.first_compile_s for one in self.figures if one.first_compile_s is not None]
        else:
            every = [second for one in self.figures for second in one.compile_s]
        return quantiles(every, n=20)[-1] if len(every) > 1 else None

    def as_dict(self) -> dict[str, Any]:
        """The figures as JSON-ready data."""
        compiled, first = self.compile_p95_s(), self.compile_p95_s(first=True)
        return {
            "about": self.about,
            "compile_p95_ms": None if compiled is None else round(1000 * compiled, 2),
            "first_compile_p95_ms": None if first is None else round(1000 * first, 2),
            "ratios": {
                spec: {
                    name: {
                        "fixed": _rounded(self.ratio(spec, name)),
                        "drawn": _rounded(self.drawn_ratio(spec, name)),
                    }
                    for name in self.contestants
                    if name != OWN
                }
                for spec in self.classes
            },
            "figures": [one.as_dict() for one in self.figures],
        }

    def markdown(self) -> str:
        """Tables of milliseconds and of ratios."""
        return "\n".join([*self._milliseconds(), "", *self._ratios(), "", *self._summary(), ""])

    def _milliseconds(self) -> list[str]:
        names = self.contestants
        lines = [_line(["ms", "rows", *names]), _line(["---", *("---:" for _ in range(len(names) + 1))])]
        for spec in self.classes:
            own = self.find(spec, OWN)
            cells = [spec, "" if own is None or own.rows is None else f"{own.rows:,}"]
            lines.append(_line([*cells, *(_time(self.find(spec, name)) for name in names)]))
        return lines

    def _ratios(self) -> list[str]:
        names = [name for name in self.contestants if name != OWN]
        lines = [_line(["times groundframe", *names]), _line(["---", *("---:" for _ in names)])]
        for spec in self.classes:
            cells = []
            for name in names:
                fixed, drawn = self.ratio(spec, name), self.drawn_ratio(spec, name)
                more = "> " if self.is_cut_off(spec, name) else ""
                cells.append(_times(fixed, more) + (f" ({_times(drawn)})" if drawn else ""))
            lines.append(_line([spec, *cells]))
        return lines

    def _summary(self) -> list[str]:
        plain = [one for spec in self.classes if (one := self.ratio(spec, Straightforward.name))]
        hand = [1 / one for spec in self.classes if (one := self.ratio(spec, Best.name))]
        lines = []
        if plain:
            times = f"{median(plain):,.0f} times as long at the median, {min(plain):,.1f} at least"
            lines.append(f"Straightforward SQL takes {times}; what was cut off counts with the limit.")
        if hand:
            times = f"{median(hand):.2f} at the median, {max(hand):.2f} at most"
            lines.append(f"Of the time of statements by hand it is {times}.")
        compiled, first = self.compile_p95_s(), self.compile_p95_s(first=True)
        if compiled is not None and first is not None:
            lines.append(
                f"From frame to SQL: {1000 * compiled:.1f} ms at the 95th percentile, "
                f"{1000 * first:.1f} ms where a process meets a case for the first time."
            )
        if "load" in self.about:
            busy = ", ".join(f"{one:g}" for one in self.about["load"])
            lines.append(
                f"Of {self.about['processors']} processors; load of the last 1, 5 and 15 minutes: {busy}."
            )
        return lines


def surroundings() -> dict[str, Any]:
    """How busy the machine was, which tells how much the milliseconds say."""
    return {"processors": os.cpu_count(), "load": [round(one, 2) for one in os.getloadavg()]}


def _line(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"


def _time(figures: Figures | None) -> str:
    if figures is None:
        return "-"
    if figures.total_s is None:
        return f"> {1000 * (figures.cut_off or 0):,.0f}"
    return f"{1000 * figures.total_s:,.{1 if figures.total_s < 0.01 else 0}f}"


def _times(ratio: float | None, more: str = "") -> str:
    if ratio is None:
        return "-"
    return f"{more}{ratio:,.{2 if ratio < 3 else 1 if ratio < 20 else 0}f}"


def _rounded(ratio: float | None) -> float | None:
    return None if ratio is None else round(ratio, 3)
