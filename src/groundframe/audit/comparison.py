"""Comparing a recorded answer with the one that the frame gives now, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from groundframe.audit.rows import row_differences
from groundframe.differences.stages import plan_differences, repair_differences, text_differences
from groundframe.differences.values import differences
from groundframe.formats.sql import laid_out

__all__ = ["Replay"]

Record = Mapping[str, Any]
_MOST = 20


@dataclass(frozen=True)
class Replay:
    """What became of a recorded answer.

    Attributes
    ----------
    recorded : mapping
        The audit record.
    now : mapping
        The audit record of the same frame with the same choices, run again. Where there is no answer any
        more, only the data version, the pack and the versions.
    failure : str
        Why there is no answer any more; empty where there is one.
    """

    recorded: Record
    now: Record
    failure: str = ""

    @property
    def same(self) -> bool:
        """Whether the result is the same to the byte."""
        return not self.failure and bool(self.recorded["digest"] == self.now["digest"])

    @cached_property
    def differences(self) -> dict[str, list[str]]:
        """What differs, in words: stage to sentences, in the order in which an answer comes about.

        The same result may have come about in another way, so that there are differences without a
        different result.
        """
        if self.failure:
            found = {stage: list(STAGES[stage](self.recorded, self.now)) for stage in _BEFORE_THE_FRAME}
            found["answer"] = [f"The frame has no answer any more: {self.failure}"]
        else:
            found = {stage: list(tell(self.recorded, self.now)) for stage, tell in STAGES.items()}
        return {stage: _cut(texts) for stage, texts in found.items() if texts}

    def verdict(self) -> str:
        """The outcome in one sentence."""
        if self.same:
            how = "; how it came about differs" if self.differences else ""
            return f"The answer is the same{how}."
        if "data" in self.differences:
            return "The answer is another: the data are not those of the record."
        if "versions" in self.differences:
            return "The answer is another: the data are the same, but not the versions."
        why = "though data and versions are the same, so the record does not tell what its frame gives."
        return f"The answer is another, {why}"

    def as_dict(self) -> dict[str, Any]:
        """The comparison as JSON-ready data."""
        return {
            "same": self.same,
            "verdict": self.verdict(),
            "recorded_digest": self.recorded["digest"],
            "digest": self.now.get("digest"),
            "differences": self.differences,
        }


def _data(recorded: Record, now: Record) -> Iterator[str]:
    if recorded["data_version"] != now["data_version"]:
        yield f"data version {recorded['data_version'][:12]} → {now['data_version'][:12]}"
    if recorded["synthetic"] != now["synthetic"]:
        yield f"synthetic data: {_yes(recorded['synthetic'])} → {_yes(now['synthetic'])}"


def _yes(value: bool) -> str:
    return "yes" if value else "no"


def _versions(recorded: Record, now: Record) -> Iterator[str]:
    before, after = (
        {"pack": f"{record['pack']['name']} {record['pack']['version']}", **record["versions"]}
        for record in (recorded, now)
    )
    yield from _inner(differences(before, after))
    if before["pack"] == after["pack"] and recorded["pack"]["digest"] != now["pack"]["digest"]:
        yield f"pack: the content of {after['pack']} is another"


def _repairs(recorded: Record, now: Record) -> Iterator[str]:
    yield from repair_differences(recorded["repairs"], now["repairs"])
    for line in repair_differences(recorded["normalised"], now["normalised"]):
        yield f"normalised, {line}"


def _anchors(recorded: Record, now: Record) -> Iterator[str]:
    before, after = (
        {f"'{one['asked']}' at {one['path']}": _taken(one) for one in record["anchors"]}
        for record in (recorded, now)
    )
    yield from _inner(differences(before, after))


def _taken(anchor: Mapping[str, Any]) -> str:
    return "; ".join(f"{candidate['label']}, {candidate['key']}" for candidate in anchor["chosen"])


def _frame(recorded: Record, now: Record) -> Iterator[str]:
    return differences(recorded["checked_frame"], now["checked_frame"])


def _plan(recorded: Record, now: Record) -> Iterator[str]:
    yield from plan_differences(recorded["plan"]["nodes"], now["plan"]["nodes"])
    for name in ("columns", "geometry", "rules"):
        yield from _inner(differences(recorded["plan"][name], now["plan"][name], f"/{name}"))


def _sql(recorded: Record, now: Record) -> Iterator[str]:
    for name, after in now["sql"].items():
        before = recorded["sql"][name]
        for line in text_differences(laid_out(before["text"]), laid_out(after["text"])):
            yield f"{name}, {line}"
        for line in _inner(differences(before["parameters"], after["parameters"])):
            yield f"{name}, parameter {line}"


def _counts(recorded: Record, now: Record) -> Iterator[str]:
    return _inner(differences(recorded["counts"], now["counts"]))


def _answer(recorded: Record, now: Record) -> Iterator[str]:
    before, after = ({**record["answer"], "notes": record["notes"]} for record in (recorded, now))
    return _inner(differences(before, after))


def _digest(recorded: Record, now: Record) -> Iterator[str]:
    if recorded["digest"] != now["digest"]:
        yield f"{recorded['digest']} → {now['digest']}"


def _inner(lines: Iterable[str]) -> Iterator[str]:
    """Differences of a part that has a name of its own: without the first stroke of their pointers."""
    return (line.removeprefix("/") for line in lines)


STAGES: Mapping[str, Callable[[Record, Record], Iterator[str]]] = {
    "data": _data,
    "versions": _versions,
    "repairs": _repairs,
    "anchors": _anchors,
    "checked frame": _frame,
    "plan": _plan,
    "sql": _sql,
    "counts": _counts,
    "rows": row_differences,
    "answer": _answer,
    "digest": _digest,
}
"""In the order in which one follows from the other: what tells the differences of each stage."""

_BEFORE_THE_FRAME = ("data", "versions")


def _cut(texts: list[str]) -> list[str]:
    return texts if len(texts) <= _MOST else [*texts[:_MOST], f"… and {len(texts) - _MOST:,} more."]
