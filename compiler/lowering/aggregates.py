"""Measures as SQL: over the features of a group, or of a single feature."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from groundframe.compiler.lowering.binds import Binds
from groundframe.compiler.lowering.constructs import ExactMean, ExactSum, Median, PeriodText
from groundframe.compiler.lowering.logic import truth
from groundframe.compiler.lowering.uses import Use
from groundframe.compiler.measures import Measured
from groundframe.compiler.ops import GroupKey
from groundframe.compiler.predicates import Equals
from groundframe.errors import PlanError

__all__ = ["aggregate", "decoded", "group_key", "single"]

Expression = sa.ColumnElement[Any]


def aggregate(item: Measured, use: Use, binds: Binds, mm: Expression | None = None) -> Expression:
    """A measure over the features of a group."""
    if item.function == "distance":
        if mm is None:
            raise PlanError("There is no distance to measure.")
        return sa.cast(sa.func.min(mm), sa.Double) / sa.literal_column("1000.0", sa.Double)
    if item.function == "count" or item.field is None:
        return use.count(None if item.where is None else truth(item.where, use, binds))
    value = _value(item, use, binds)
    match item.function:
        case "sum":
            exact = isinstance(use[item.field].type, sa.Integer)
            return sa.func.coalesce(sa.func.sum(value) if exact else ExactSum(value), _zero())
        case "weighted_count":
            return sa.func.coalesce(sa.func.sum(value), _zero())
        case "mean":
            return ExactMean(value)
        case "median":
            return Median(value)
        case "min":
            return sa.func.min(value)
        case "max":
            return sa.func.max(value)
    raise PlanError(f"There is no measure '{item.function}'.")


def single(item: Measured, use: Use, binds: Binds) -> Expression:
    """A measure over one feature."""
    if item.function == "count" or item.field is None:
        if item.where is None:
            return _one()
        return sa.case((truth(item.where, use, binds), _one()), else_=_zero())
    value = _value(item, use, binds)
    return sa.func.coalesce(value, _zero()) if item.zero else value


def _value(item: Measured, use: Use, binds: Binds) -> Expression:
    """What a feature brings in; NULL for one that is not taken."""
    if item.field is None:
        raise PlanError(f"Measure '{item.name}' has no field.")
    value: Expression
    if item.function == "weighted_count":
        weights = [
            (truth(Equals(item.field, (named,)), use, binds), binds.value(weight, sa.Integer()))
            for named, weight in item.weights
        ]
        value = sa.case(*weights, else_=_zero())
    else:
        value = use[item.field]
    return value if item.where is None else sa.case((truth(item.where, use, binds), value))


def _zero() -> Expression:
    return sa.literal_column("0", sa.Integer)


def _one() -> Expression:
    return sa.literal_column("1", sa.Integer)


def group_key(key: GroupKey, use: Use, binds: Binds, element: Expression | None = None) -> Expression:
    """A key of groups; `element` is one value of a list."""
    match key.kind:
        case "key":
            return use.id
        case "link":
            return use.linked(key.field)
        case "field" | "list":
            if element is not None:
                return _folded(element, key.unknown, binds)
            coded = use.coded(key.field)
            if coded is None:
                return _folded(use[key.field], key.unknown, binds)
            column, values = coded
            return _folded(column, [values.index(value) for value in key.unknown], binds)
        case "quarter" | "month":
            return PeriodText(key.kind, use[key.field])
        case "date":
            return use[key.field]
        case "year" | "month_of_year" | "weekday" | "hour":
            return use.part(key.part, key.field)


def _folded(value: Expression, unknown: Sequence[str] | Sequence[int], binds: Binds) -> Expression:
    """The value, with all that mean unknown taken as the first of them."""
    if not unknown:
        return value
    kind = sa.Integer() if isinstance(unknown[0], int) else sa.Text()
    first = binds.value(unknown[0], kind)
    if len(unknown) == 1:
        return sa.func.coalesce(value, first)
    is_unknown = value.is_(None) | value.in_(binds.values(unknown, kind))
    return sa.case((is_unknown, first), else_=value)


def decoded(code: Expression, values: Sequence[str], binds: Binds) -> Expression:
    """The value that a code stands for."""
    if not values:
        return sa.null().cast(sa.Text)
    return sa.case(
        *((code == binds.value(n, sa.Integer()), binds.value(name)) for n, name in enumerate(values))
    )
