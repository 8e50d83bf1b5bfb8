"""Which stage of a golden frame changed, and how, in lines that a reviewer can act on."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from groundframe.differences.stages import plan_differences, repair_differences, text_differences
from groundframe.differences.values import differences
from groundframe.golden.file import Golden, Result, Statement
from groundframe.golden.rows import row_changes

__all__ = ["Change", "changes", "headline"]


@dataclass(frozen=True, slots=True)
class Change:
    """What changed at one stage, a line each."""

    stage: str
    lines: tuple[str, ...]


def changes(before: Golden, after: Golden) -> tuple[Change, ...]:
    """What changed, each stage before those that follow from it; what the file does not hold is left out."""
    found = (
        ("frame", _values(before.frame, after.frame)),
        ("repairs", _repairs(before, after)),
        ("anchors", _values(before.anchors, after.anchors)),
        ("checked frame", _values(before.checked_frame, after.checked_frame)),
        ("plan", _plan(before, after)),
        ("SQL", _sql(before, after)),
        ("data", _data(before, after)),
        ("result", _result(before.result, after.result)),
    )
    listed = ((stage, tuple(lines)) for stage, lines in found)
    return tuple(Change(stage, lines) for stage, lines in listed if lines)


def headline(found: Sequence[Change]) -> str:
    """The first stage that changed, and what followed from it.

    Examples
    --------
    >>> headline([Change("plan", ("…",)), Change("SQL", ("…",))])
    'the plan changed first; the SQL follows. The result is the same.'
    >>> headline([Change("data", ("…",)), Change("result", ("…",))])
    'the data changed first; the result follows.'
    >>> headline([Change("data", ("…",))])
    'the data changed. The result is the same.'
    """
    names = [change.stage for change in found]
    other_data = "data" in names[1:] and len(names) > 1
    first, *others = [name for name in names if name != "data" or not other_data]
    text = f"the {first} changed"
    if others:
        text += f" first; {_and(others)} follow{'s' if len(others) == 1 else ''}"
    sentences = [text]
    if other_data:
        sentences.append("The data changed as well")
    if "result" not in names:
        sentences.append("The result is the same")
    return ". ".join(sentences) + "."


def _and(names: Sequence[str]) -> str:
    listed = [f"the {name}" for name in names]
    return " and ".join(filter(None, (", ".join(listed[:-1]), listed[-1])))


def _values(before: Any, after: Any) -> Iterator[str]:
    if before is not None:
        yield from differences(before, after)


def _repairs(before: Golden, after: Golden) -> Iterator[str]:
    if before.repairs is not None:
        yield from repair_differences(before.repairs, after.repairs or ())


def _plan(before: Golden, after: Golden) -> Iterator[str]:
    if before.plan is not None:
        old, new = (
            [{"id": name, **node} for name, node in (golden.plan or {}).items()] for golden in (before, after)
        )
        yield from plan_differences(old, new)


def _sql(before: Golden, after: Golden) -> Iterator[str]:
    """The statements of the engine that answered; those of others stay as they are recorded."""
    for engine, statements in (after.sql or {}).items() if before.sql is not None else ():
        if engine not in (before.sql or {}):
            yield f"{engine}: nothing is recorded for this engine"
            continue
        for name, new in statements.items():
            old = (before.sql or {})[engine].get(name, Statement(text=""))
            what = f"{engine}, {name}"
            yield from (f"{what}, {line}" for line in text_differences(old.text, new.text))
            yield from (
                f"{what}, parameter {line[1:]}" for line in differences(old.parameters, new.parameters)
            )


def _data(before: Golden, after: Golden) -> Iterator[str]:
    if before.data_version is not None and before.data_version != after.data_version:
        yield f"data version {_short(before.data_version)} → {_short(after.data_version)}"
        packs = [f"{pack.name} {pack.version}" if pack else "" for pack in (before.pack, after.pack)]
        if packs[0] != packs[1]:
            yield f"pack {packs[0] or 'unknown'} → {packs[1]}"


def _short(version: str | None) -> str:
    return (version or "")[:12]


def _result(before: Result | None, after: Result | None) -> Iterable[str]:
    if before is None or after is None or before.digest == after.digest:
        return ()
    lines = [f"counts{line}" for line in differences(before.counts, after.counts)]
    lines += row_changes(before, after)
    return lines or [f"neither the counts nor the first {len(after.head)} rows changed: others did"]
