"""Pairs in a statement, and what they are made of."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import sqlalchemy as sa

from groundframe.compiler.lowering.constructs import Millimetres
from groundframe.compiler.lowering.uses import Use
from groundframe.compiler.ops import Join, Nearest, Op
from groundframe.compiler.relations import Listed
from groundframe.compiler.types import Features
from groundframe.errors import PlanError

__all__ = ["PairUse", "are_listed", "candidates", "chooses", "entity_of"]

Clause = sa.ColumnElement[bool]


@dataclass(slots=True)
class PairUse:
    """Pairs in a statement.

    Attributes
    ----------
    joins : list of (from clause, condition) or Use
        What has to be joined, in order; nothing for sides that were there before. A use is joined by its
        number, if any of its columns is asked for.
    unique : bool
        Whether no pair comes twice.
    mm : ColumnElement or None
        Their distance, where they were chosen by it.
    """

    left: Use
    right: Use | None
    joins: list[tuple[sa.FromClause, Clause] | Use] = field(default_factory=list)
    where: list[Clause] = field(default_factory=list)
    unique: bool = True
    mm: sa.ColumnElement[Any] | None = None

    def source(self) -> sa.FromClause:
        """All that is joined, as one FROM clause; to be called when all columns have been asked for."""
        steps = [step.step() if isinstance(step, Use) else step for step in self.joins]
        (found, first), *rest = [step for step in steps if step is not None]
        self.where.append(first)
        for step, condition in rest:
            found = found.join(step, condition)
        self.joins = []
        return found


def chooses(op: Op) -> bool:
    """Whether nearest features are chosen anywhere in it."""
    seen: set[Op] = set()
    waiting = [op]
    while waiting:
        one = waiting.pop()
        if isinstance(one, Nearest):
            return True
        if one not in seen:
            seen.add(one)
            waiting.extend(one.inputs)
    return False


def are_listed(op: Op) -> bool:
    """Whether the pairs are read from a table of stored ones."""
    return isinstance(op, Join) and any(isinstance(relation, Listed) for relation in op.relations)


def entity_of(op: Op) -> str:
    """The entity of some features."""
    if not isinstance(op.output, Features):
        raise PlanError(f"{op.output} has no table.")
    return op.output.entity


def candidates(
    left: Use, reference: sa.ColumnElement[Any] | None, place: sa.ColumnElement[Any]
) -> sa.Select[Any]:
    """Rows (target, target_order, reference, mm) of the features in `left` with the place they are near."""
    none: sa.ColumnElement[Any] = sa.null().cast(sa.Text)
    return sa.select(
        left.id.label("target"),
        left.order.label("target_order"),
        (none if reference is None else reference).label("reference"),
        Millimetres(left.geom, place).label("mm"),
    )
