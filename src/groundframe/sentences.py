"""One sentence that answers: composed from the checked frame and the result, without a model."""

from __future__ import annotations

from itertools import islice
from typing import Any

from groundframe.answer import Answer
from groundframe.compiler.columns import Column
from groundframe.formats.notes import number

__all__ = ["sentence"]

_FOLLOWING = 2


def sentence(answer: Answer) -> str:
    """The answer as one sentence; every number in it is one of the result."""
    record = answer.record()
    returned = record["counts"]["returned"]
    total = record["counts"]["true_total"] if record["grouped"] else record["counts"]["matched"]
    many = record["targets"][_primary(record)]["many"]
    if not returned:
        return f"No {many} meet this."
    measures = [column for column in answer.columns if column.kind == "measure"]
    rows = [
        dict(zip((column.name for column in answer.columns), row, strict=False))
        for row in islice(answer.rows(), 1 + _FOLLOWING)
    ]
    ranked = any(column.kind == "rank" for column in answer.columns)
    if ranked and measures:
        return _leader(answer, rows, measures[0], total, record["rows"])
    if record["grouped"]:
        return _groups(answer, rows, measures, total, record["rows"])
    one = record["targets"][_primary(record)]["one"]
    met = f"1 {one} meets this" if total == 1 else f"{number(total)} {many} meet this"
    return f"{met}{_split(record)}."


def _primary(record: Any) -> str:
    return str(next(iter(record["targets"])))


def _leader(answer: Answer, rows: list[dict[str, Any]], measure: Column, total: int, what: str) -> str:
    first, *others = rows
    value = _value(first[measure.name], measure)
    said = f"{_name(answer, first)} comes first with {value}"
    if others:
        said += "; then " + ", ".join(f"{_name(answer, row)} ({_plain(row[measure.name])})" for row in others)
    return f"{said}. {number(total)} {what} were compared."


def _groups(answer: Answer, rows: list[dict[str, Any]], measures: list[Column], total: int, what: str) -> str:
    if total == 1 and measures:
        values = " and ".join(_value(rows[0][column.name], column) for column in measures)
        return f"{_name(answer, rows[0])}: {values}."
    counts = [column for column in measures if column.type == "integer"]
    if not counts or answer.record()["counts"]["truncated"]:
        return f"There are {number(total)} {what}."
    names = [column.name for column in answer.columns]
    place = names.index(counts[0].name)
    whole = sum(row[place] or 0 for row in answer.rows())
    return f"{_value(whole, counts[0])} in {number(total)} {what}."


def _split(record: Any) -> str:
    split = next((one for one in record["counts"]["split"] if one["target"] == _primary(record)), None)
    parts = (
        ", ".join(f"{number(count)} {label}" for label, count in split["values"].items() if count)
        if split
        else ""
    )
    return f": {parts}" if parts else ""


def _name(answer: Answer, row: dict[str, Any]) -> str:
    """What a row is called: the feature's name, or the values that it is grouped by."""
    groups = [column for column in answer.columns if column.kind == "group"]
    label = next((column for column in answer.columns if column.kind == "label"), None)
    if groups:
        return ", ".join(
            "unknown" if row[column.name] is None else str(row[column.name]) for column in groups
        )
    named = row.get(label.name) if label else None
    return str(named or row.get("key"))


def _value(value: Any, column: Column) -> str:
    said = _plain(value)
    unit = column.unit if column.unit and column.unit not in column.label else ""
    return f"{said} {column.label if not unit else f'{unit} ({column.label})'}"


def _plain(value: Any) -> str:
    return "unknown" if value is None else f"{value:g}" if isinstance(value, float) else number(value)
