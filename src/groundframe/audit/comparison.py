"""Comparing a recorded answer with the one that the frame gives now, stage by stage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from groundframe.audit.rows import row_differences
from groundframe.differences.stages import plan_differences, repair_differences, text_differences
from groundframe.differences.values import differences
from groundframe.formats.sql import laid_out

__all__ = ["stage_differences"]

Record = Mapping[str, Any]
_MOST = 20


def stage_differences(recorded: Record, now: Record, failure: str = "") -> dict[str, list[str]]:
    """What differs between two audit records, in words: stage to lines.

    Parameters
    ----------
    failure : str
        Why there is no answer now; then `now` holds the data version, the pack and the versions only.
    """
    stages = {stage: STAGES[stage] for stage in ("data", "versions")} if failure else STAGES
    found = {stage: list(tell(recorded, now)) for stage, tell in stages.items()}
    if failure:
        found["answer"] = [f"The frame has no answer any more: {failure}"]
    return {stage: lines if stage == "rows" else _cut(lines) for stage, lines in found.items() if lines}


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


def _cut(lines: list[str]) -> list[str]:
    return lines if len(lines) <= _MOST else [*lines[:_MOST], f"… and {len(lines) - _MOST:,} more."]
