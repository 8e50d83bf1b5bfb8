"""Whether an engine's answer is the oracle's, row for row and count for count."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from groundframe.compiler.columns import Column
from groundframe.eval.oracle import Feature, OracleAnswer, OracleRow, World
from groundframe.eval.shown import misplaced, shown_of_feature, shown_of_group
from groundframe.frames.model import Frame
from groundframe.postgis.execute import Execution, Tally
from groundframe.schema.model import EntityField, Pack

__all__ = ["differences"]

SHOWN = 3
"""So many rows that differ are told; the rest is counted."""


def differences(world: World, frame: Frame, expected: OracleAnswer, execution: Execution) -> list[str]:
    """What differs between the oracle's answer and an execution, in words; nothing when they agree.

    Parameters
    ----------
    frame : Frame
        The checked frame that both answered.
    execution : Execution
        Entered and not yet read.
    """
    columns = execution.columns
    given = list(execution)
    rows = [_as_given(columns, row) for row in given]
    wanted = [_expected(world, frame, columns, row) for row in expected.rows]
    found = _row_differences(wanted, rows)
    if not found and execution.plan.geometry:
        features = [_feature(world, frame, row) for row in expected.rows]
        texts = [None if row[-1] is None else str(row[-1]) for row in given]
        found = [f"row {number} lies elsewhere" for number in misplaced(world, features, texts)][:SHOWN]
    return [*found, *_count_differences(world.pack, frame, expected, execution.tally)]


def _as_given(columns: Sequence[Column], row: Sequence[Any]) -> dict[str, Any]:
    return {column.name: _plain(value) for column, value in zip(columns, row[:-1], strict=True)}


def _expected(world: World, frame: Frame, columns: Sequence[Column], row: OracleRow) -> dict[str, Any]:
    """The oracle's row under the names of the columns."""
    shown: dict[str, Any] = dict(row.measures)
    names = [one.name for one in columns if one.kind == "group" or (one.kind == "key" and row.key is None)]
    names = [name for name in names if f"{name}_key" not in names]
    shown.update(zip(names, row.group, strict=True))
    feature = _feature(world, frame, row)
    if row.key is None:
        shown |= shown_of_group(world, frame, row)
    elif feature is not None:
        shown |= {"key": row.key, **shown_of_feature(world, feature, columns)}
    if row.rank is not None:
        shown["rank"] = row.rank
    if row.distance_m is not None:
        shown["distance"] = row.distance_m
    entities = {target.id: target.entity for target in frame.targets}
    for role, counts in row.split.items():
        field = _split_field(world.pack, entities[role])
        if field is None:
            continue
        labelled = _labelled(field, counts)
        own = [one for one in columns if one.kind == "split" and one.name.startswith(f"{role}_{field.name}_")]
        own = own or [one for one in columns if one.kind == "split" and one.name.startswith(f"{field.name}_")]
        shown.update({column.name: labelled.get(column.label, 0) for column in own})
    return {name: _plain(value) for name, value in shown.items()}


def _feature(world: World, frame: Frame, row: OracleRow) -> Feature | None:
    """The feature that a row is, or the one that its group is named after."""
    if row.key is not None:
        primary = next(target.entity for target in frame.targets if target.role == "primary")
        return world.features[primary][row.key]
    entity = frame.group_by[0].entity
    key = row.group[0]
    return None if entity is None or key is None else world.features[entity][str(key)]


def _row_differences(wanted: list[dict[str, Any]], rows: list[dict[str, Any]]) -> list[str]:
    found = [f"{len(rows)} rows instead of {len(wanted)}"] if len(rows) != len(wanted) else []
    wrong = [
        f"row {number}: {_said(row, want)} instead of {_said(want, row)}"
        for number, (want, row) in enumerate(zip(wanted, rows, strict=False), start=1)
        if not _same(want, row)
    ]
    rest = [f"{len(wrong) - SHOWN} more rows differ"] if len(wrong) > SHOWN else []
    return [*found, *wrong[:SHOWN], *rest]


def _same(want: Mapping[str, Any], row: Mapping[str, Any]) -> bool:
    return want.keys() == row.keys() and all(_equal(value, row[name]) for name, value in want.items())


def _said(row: Mapping[str, Any], other: Mapping[str, Any]) -> dict[str, Any]:
    """Which row it is, and what is not as in the other."""
    return {
        name: value
        for name, value in row.items()
        if name == "key" or name not in other or not _equal(value, other[name])
    }


def _equal(one: Any, other: Any) -> bool:
    """Equal; numbers that were divided or measured within the last digits, all others exactly."""
    if isinstance(one, float) or isinstance(other, float):
        numbers = isinstance(one, int | float) and isinstance(other, int | float)
        return numbers and math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9)
    return bool(one == other)


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(value)
    return value.isoformat() if hasattr(value, "isoformat") else value


def _count_differences(pack: Pack, frame: Frame, expected: OracleAnswer, tally: Tally) -> list[str]:
    entities = {str(target.id): target.entity for target in frame.targets}
    split = {
        role: _labelled(field, part.split)
        for role, part in expected.taking_part.items()
        if (field := _split_field(pack, entities[role])) is not None
    }
    midnight = {
        role: part.midnight for role, part in expected.taking_part.items() if part.midnight is not None
    }
    pairs = {
        "matched": (expected.matched, tally.matched),
        "true_total": (len(expected.rows), tally.true_total),
        "not_mapped": (_counted(expected.not_mapped), _counted(tally.not_mapped)),
        "unknown_left_out": (_counted(expected.unknown_left_out), _counted(tally.unknown_left_out)),
        "ties_at_cut": (expected.ties_at_cut, tally.ties_at_cut),
        "midnight": (midnight, dict(tally.midnight)),
        "split": (_nested(split), _nested(tally.split)),
        "sources": (
            _nested({role: part.sources for role, part in expected.taking_part.items()}),
            _nested(tally.sources),
        ),
    }
    return [f"{name}: {got} instead of {want}" for name, (want, got) in pairs.items() if want != got]


def _counted(counts: Mapping[str, int]) -> dict[str, int]:
    return {name: count for name, count in counts.items() if count}


def _nested(counts: Mapping[str, Mapping[str, int]]) -> dict[str, dict[str, int]]:
    return {role: inner for role, known in counts.items() if (inner := _counted(known))}


def _split_field(pack: Pack, entity: str) -> EntityField | None:
    known = pack.entity(entity)
    return None if known.split_field is None else known.field(known.split_field)


def _labelled(field: EntityField, counts: Mapping[str, int]) -> dict[str, int]:
    labels = {value.value: value.label or value.value for value in field.values}
    return {labels.get(value, value): count for value, count in counts.items()}
