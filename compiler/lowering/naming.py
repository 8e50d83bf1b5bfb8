"""Names that a frame has made up do not reach SQL: its measures go by numbers there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from groundframe.compiler.measures import AGGREGATES, Measured, split_measures
from groundframe.compiler.op import Op
from groundframe.compiler.ops import Aggregate, Attach, Complete, Having, Rank, Show
from groundframe.compiler.plan import Plan
from groundframe.compiler.tally import TallyItem
from groundframe.schema.model import Pack

__all__ = ["with_own_names"]


def with_own_names(plan: Plan) -> Plan:
    """The same plan in which every measure bears a name of the pack, or a number.

    An identifier of SQL is quoted, but it is cut off after 63 bytes and takes no NUL, and no text of a frame
    belongs there at all.
    """
    measured = (column.name for column in plan.columns if column.kind in ("measure", "split"))
    made_up = [name for name in measured if name not in _known(plan.pack)]
    if not made_up:
        return plan
    # No name of a pack begins like that.
    names = {name: f"_m{number}" for number, name in enumerate(made_up, start=1)}
    renaming = _Renaming(names)
    return replace(
        plan,
        output=renaming.visit(plan.output),
        columns=tuple(replace(column, name=renaming.name(column.name)) for column in plan.columns),
        tally=tuple(TallyItem(item.kind, item.role, renaming.visit(item.op)) for item in plan.tally),
    )


def _known(pack: Pack) -> frozenset[str]:
    """Names of measures that do not come from a frame."""
    splits = (made.name for entity in pack.entities for made, _ in split_measures(entity))
    return frozenset((*AGGREGATES, *(measure.name for measure in pack.measures), *splits))


class _Renaming:
    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._done: dict[Op, Op] = {}

    def name(self, name: str) -> str:
        return self._names.get(name, name)

    def visit(self, op: Op) -> Any:
        """The operation with other names, in it and all below."""
        if op not in self._done:
            self._done[op] = op.with_inputs(self.visit, **self._own(op))
        return self._done[op]

    def _own(self, op: Op) -> dict[str, Any]:
        """The fields of an operation that hold names."""
        match op:
            case Aggregate():
                return {"measures": self._measures(op.measures)}
            case Attach() | Complete():
                return {"own": self._measures(op.own)}
            case Having():
                return {"conditions": tuple((self.name(name), *test) for name, *test in op.conditions)}
            case Rank():
                return {"by": self.name(op.by)}
            case Show():
                return {"columns": tuple(map(self.name, op.columns))}
        return {}

    def _measures(self, measures: Iterable[Measured]) -> tuple[Measured, ...]:
        return tuple(replace(item, name=self.name(item.name)) for item in measures)
