"""The shape of a plan: all of it that decides the text of its statements.

Two plans of one shape differ only in values that a frame gives (keys, distances, limits, texts, places), and
in nothing that lowering goes by. Their statements differ in bound values only.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable
from dataclasses import is_dataclass
from typing import Any

from groundframe.compiler.estimates import sizes
from groundframe.compiler.op import Op, field_names
from groundframe.compiler.physical import Physical
from groundframe.compiler.plan import Plan
from groundframe.compiler.predicates import (
    And,
    Compare,
    IsUnknown,
    KeyIn,
    LinkIn,
    NearAny,
    Not,
    Or,
    Possible,
    Stored,
    TextContains,
)
from groundframe.compiler.relations import Listed, WithinDistance
from groundframe.compiler.types import Features

__all__ = ["shape_of"]

_PLAIN = frozenset({str, int, bool, float, type(None)})


def shape_of(plan: Plan) -> tuple[Hashable, tuple[Any, ...]]:
    """The shape, without the pack and what the dataset holds, and the values that it leaves open."""
    shape = _Shape(plan.physical)
    output = shape.of(plan.output)
    tally = tuple((item.kind, item.role, shape.of(item.op)) for item in plan.tally)
    values = tuple(shape.values)
    # Which of the values are equal: equal ones share a parameter, and what is alike is done once.
    first: dict[Any, int] = {}
    alike = tuple(first.setdefault((type(value), value), place) for place, value in enumerate(values))
    return (tuple(shape.steps), output, tally, plan.columns, plan.geometry, alike), values


class _Shape:
    """The steps of a plan, each once, and the values met on the way."""

    def __init__(self, physical: Physical | None) -> None:
        self.steps: list[Hashable] = []
        self.values: list[Any] = []
        self._physical = physical
        # Sums are asked otherwise for all that a load has measured.
        self._reaches = {near.metres for near in physical.pairs} if physical is not None else set()
        self._known: dict[Op, int] = {}

    def of(self, part: Any) -> Hashable:
        """The shape of a part of a plan: an operation, a predicate, a relation, or whatever they hold."""
        if type(part) in _PLAIN:
            return type(part), part
        match part:
            case Op():
                return self._step(part)
            case tuple():
                return self._each(part)
            case And(parts) | Or(parts):
                return type(part), self._each(parts)
            case Not(inner) | IsUnknown(inner) | Possible(inner):
                return type(part), self.of(inner)
            case Stored(column):
                return Stored, column
            case KeyIn(keys):
                return self._open(part, keys, len(keys))
            case LinkIn(link, keys):
                return self._open(part, keys, link, len(keys))
            case Compare(field, comparison, value, unknown) if not isinstance(value, int):
                return self._open(part, value, field, comparison, type(value).__name__, unknown)
            case TextContains(field, value, unknown):
                return self._open(part, value, field, unknown)
            case NearAny(entity, metres):
                return self._open(part, metres, entity, metres in self._reaches)
            case WithinDistance(metres):
                return self._open(part, metres)
            case Listed(metres, table, left):
                return self._open(part, metres, table, left)
            case bytes():
                return self._open(part, part)
        if is_dataclass(part):
            return type(part), self._each(getattr(part, name) for name in field_names(part))
        return type(part), part

    def _each(self, parts: Iterable[Any]) -> Hashable:
        return tuple([self.of(one) for one in parts])

    def _open(self, part: Any, value: Any, *rest: Hashable) -> Hashable:
        self.values.append(value)
        return type(part), rest

    def _step(self, op: Op) -> int:
        if op not in self._known:
            content = [self.of(getattr(op, name)) for name in field_names(op)]
            estimated = None
            if self._physical is not None and isinstance(op.output, Features):
                estimated = sizes(op, self._physical)
            self.steps.append((type(op), tuple(content), estimated))
            self._known[op] = len(self._known)
        return self._known[op]
