"""Relations between two uses, or a use and a constant geometry, as SQL."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from groundframe.compiler.lowering.binds import Binds
from groundframe.compiler.lowering.constructs import CoveredBy, Intersects, Near, Shape
from groundframe.compiler.lowering.uses import Use
from groundframe.compiler.ops import Constant
from groundframe.compiler.relations import (
    Contains,
    LinksFrom,
    LinksTo,
    Relation,
    Within,
    WithinDistance,
)
from groundframe.compiler.relations import Intersects as Touches
from groundframe.errors import PlanError

__all__ = ["geometric", "related", "shape_of"]

Clause = sa.ColumnElement[bool]


def related(relation: Relation, left: Use, right: Use, binds: Binds) -> Clause:
    """The condition of a relation between two uses."""
    match relation:
        case LinksTo(link):
            return left.linked(link) == right.id
        case LinksFrom(link):
            return right.linked(link) == left.id
    return geometric(relation, left.geom, right.geom, binds)


def geometric(relation: Relation, left: Any, right: Any, binds: Binds) -> Clause:
    """The condition of a relation between two geometries."""
    match relation:
        case WithinDistance(metres):
            return Near(left, right, binds.within(metres))
        case Within():
            return CoveredBy(left, right)
        case Contains():
            return CoveredBy(right, left)
        case Touches():
            return Intersects(left, right)
    raise PlanError(f"{type(relation).__name__} needs no geometry.")


def shape_of(op: Constant, binds: Binds) -> sa.ColumnElement[Any]:
    """A constant geometry."""
    return Shape(binds.value(op.wkb, sa.LargeBinary(), part=op.wkb), binds.value(op.srid, sa.Integer()))
