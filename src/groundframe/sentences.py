"""One sentence that answers: composed from the checked frame and the result, without a model."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import islice
from typing import Any

from groundframe.answer import Answer
from groundframe.compiler.columns import Column
from groundframe.compiler.measures import AGGREGATES
from groundframe.formats.cells import group_of
from groundframe.formats.notes import number, number_of
from groundframe.formats.result import Record

__all__ = ["sentence"]

_SHOWN = 3
_FEW = 4
"""Groups that are told one by one."""
_MILLION = 1e6
_WHOLE: Mapping[str, Callable[[Sequence[Any]], Any]] = {"sum": sum, "max": max, "min": min}
_OF = re.compile(f"^({'|'.join(AGGREGATES)}) of ")


def sentence(answer: Answer) -> str:
    """The answer as one sentence; every number in it is one of the result."""
    record = answer.record()
    if not record["counts"]["returned"]:
        # Why there are none may be that nothing is known.
        return " ".join([f"No {_primary(record)['many']} meet this.", *record["notes"]])
    measures = [column for column in answer.columns if column.kind == "measure"]
    names = [column.name for column in answer.columns]
    rows = [dict(zip(names, row, strict=False)) for row in islice(answer.rows(), _SHOWN + 1)]
    ranked = any(column.kind == "rank" for column in answer.columns)
    if ranked and measures:
        by = next((column for column in measures if column.name == answer.ranked_by), measures[0])
        return _leaders(answer, rows, by)
    if len(rows) == 1 and measures:
        values = " and ".join(_value(rows[0][column.name], column, record) for column in measures)
        return f"{_name(answer, rows[0])}: {values}.{_without(answer)}"
    if record["grouped"]:
        return f"{_groups(answer, measures)}{_without(answer)}"
    total = record["compared"]
    met = f"{number_of(total, _primary(record))} {'meets' if total == 1 else 'meet'} this"
    if len(measures) == 1 and 1 < total <= _FEW:
        return f"{met}: {_one_by_one(answer, measures[0])}."
    return f"{met}{_split(record)}."


def _primary(record: Record) -> Mapping[str, str]:
    """What the features that are asked for are called."""
    words: Mapping[str, str] = next(iter(record["targets"].values()))
    return words


def _leaders(answer: Answer, rows: Sequence[dict[str, Any]], measure: Column) -> str:
    record = answer.record()
    values = [row[measure.name] for row in rows]
    first = sum(value == values[0] for value in values)
    names = [_name(answer, row) for row in rows[:_SHOWN]]
    cut = first == len(rows) and record["counts"]["ties_at_cut"]
    leaders = [*names[:first], *(["others"] if cut or first > _SHOWN else [])]
    said = _value(values[0], measure, record)
    if len(leaders) > 1:
        said = f"{', '.join(leaders[:-1])} and {leaders[-1]} come first with {said} each"
    else:
        said = f"{leaders[0]} comes first with {said}"
    rest = zip(names[first:], values[first:], strict=False)
    if others := ", ".join(f"{name} ({_plain(value)})" for name, value in rest):
        said += f"; then {others}"
    total = record["compared"]
    return f"{said}. {number_of(total, record['rows'])} {'was' if total == 1 else 'were'} compared."


def _groups(answer: Answer, measures: Sequence[Column]) -> str:
    record = answer.record()
    groups = number_of(record["compared"], record["rows"])
    many = _primary(record)["many"]
    if len(measures) == 1 and record["compared"] <= _FEW:
        groups = f"{groups}: {_one_by_one(answer, measures[0])}"
    place = next((i for i, column in enumerate(answer.columns) if column.label == column.unit == many), None)
    # Only where groups neither share a feature nor leave one out is their sum the number of features.
    if place is not None and sum(row[place] for row in answer.rows()) == record["counts"]["matched"]:
        return f"{number_of(record['counts']['matched'], _primary(record))} in {groups}."
    if answer.whole and not record["counts"]["truncated"]:
        place = next(i for i, column in enumerate(answer.columns) if column.kind == "measure")
        values = [row[place] for row in answer.rows() if row[place] is not None]
        whole = _WHOLE[answer.whole](values) if values else None
        return f"{_value(whole, measures[0], record)} in {groups}."
    return f"There {'is' if record['compared'] == 1 else 'are'} {groups}."


def _one_by_one(answer: Answer, measure: Column) -> str:
    """Each row with its number: "Quincy (12), Boston (8)"."""
    names = [column.name for column in answer.columns]
    rows = (dict(zip(names, row, strict=False)) for row in answer.rows())
    return ", ".join(f"{_name(answer, row)} ({_plain(row[measure.name])})" for row in rows)


def _without(answer: Answer) -> str:
    """The places held against each other that have no row."""
    record, columns = answer.record(), answer.columns
    place = next((i for i, column in enumerate(columns) if column.kind == "group"), None)
    named = [one["chosen"][0] for one in record["anchors"] if one["path"].startswith("/targets/")]
    if place is None or answer.bounded or record["counts"]["truncated"] or len(named) < 2:
        return ""
    kind, there = columns[place].label, {row[place] for row in answer.rows()}
    missing = [one["name"] for one in named if one["kind"] == kind and one["name"] not in there]
    return f" None in {' or '.join(missing)}." if missing else ""


def _split(record: Record) -> str:
    """The features by severity, where it is these alone that were counted by it."""
    primary = next(iter(record["targets"]))
    split: Mapping[str, int] = next(
        (one["values"] for one in record["counts"]["split"] if one["target"] == primary), {}
    )
    if sum(split.values()) != record["compared"]:
        return ""
    return ": " + ", ".join(f"{number(count)} {label}" for label, count in split.items() if count)


def _name(answer: Answer, row: dict[str, Any]) -> str:
    """What a row is called: the feature's name, or the values that it is grouped by."""
    groups = [column for column in answer.columns if column.kind == "group"]
    label = next((column for column in answer.columns if column.kind == "label"), None)
    if groups:
        return ", ".join(
            "unknown" if row[column.name] is None else group_of(column.label, row[column.name])
            for column in groups
        )
    named = row.get(label.name) if label else None
    return str(named or row.get("key"))


def _value(value: Any, column: Column, record: Record) -> str:
    """A number with what it is of: "1 fatal crash", "12 mph (mean of speed limit)"."""
    said = _plain(value)
    called = next((item["label"] for item in record["counted"] if item["name"] == column.name), column.label)
    if not column.unit or not f" {called} ".count(f" {column.unit} "):
        # What is the most of a single feature is simply its own.
        label = called if record["grouped"] else _OF.sub("", called)
        return f"{said} {column.unit} ({label})" if column.unit else f"{said} ({label})"
    if value == 1:
        if column.unit.endswith("s"):
            called = f" {called}".replace(
                f" {column.unit} ", f" {column.unit[:-1]} "
            ).strip()  # "1 person killed"
        for words in record["targets"].values():
            if called.endswith(words["many"]):
                return f"{said} {called.removesuffix(words['many'])}{words['one']}"
    return f"{said} {called}"


def _plain(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.6g}" if abs(value) < _MILLION else number(round(value))
    return "unknown" if value is None else number(value)
