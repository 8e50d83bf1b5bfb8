"""Statements of plans as text: those of one shape are lowered and spelled once per process.

What is kept is text, and where its values come from; no value that a frame gave, and no result.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from groundframe.compiler.lowering import (
    Binds,
    Template,
    Traits,
    lower,
    lower_spelled,
    lower_tally,
    lower_written,
    shape_of,
)
from groundframe.compiler.lowering.binds import Parameter
from groundframe.compiler.plan import Plan
from groundframe.postgis.spelling import compile_sql
from groundframe.postgis.written import are_written

__all__ = ["Statement", "counts", "spelled", "statements"]

_MOST = 500
"""Shapes that are kept; then all are forgotten."""
_LONGEST = 100_000
"""Characters of the longest text that is kept: a list of thousands of keys does not come again."""

Statement = tuple[str, dict[str, Any]]
"""Text and parameters."""


@dataclass(frozen=True, slots=True)
class _Open:
    """A statement whose values are left open.

    Attributes
    ----------
    given : tuple of (name, place, parameter)
        For each open parameter the place of what it goes by among the values of a plan.
    fixed : frozenset
        Type, value, type in SQL and kind of all other parameters.
    names : tuple of (name, parameter, element)
        All parameters in their order: of which of the statement's own they are, and which element of a list.
    constants : mapping
        The values of those that are of no open one.
    """

    text: str
    given: tuple[tuple[str, int, Parameter], ...]
    fixed: frozenset[Any]
    names: tuple[tuple[str, str | None, int | None], ...]
    constants: Mapping[str, Any]

    def filled(self, values: tuple[Any, ...]) -> Statement | None:
        """The statement with the values of a plan; None where some are equal that never were."""
        found = {name: parameter.value(values[place]) for name, place, parameter in self.given}
        met = {_identity(found[name], parameter) for name, _, parameter in self.given}
        if len(met) < len(self.given) or not met.isdisjoint(self.fixed):
            return None
        return self.text, {
            name: self.constants[name]
            if own is None
            else (found[own] if element is None else found[own][element])
            for name, own, element in self.names
        }


@dataclass(frozen=True, slots=True)
class _Known:
    """Statements of a shape; they hold what they were made for, so that nothing else takes its place."""

    made_for: tuple[Any, ...]
    statements: tuple[_Open, ...]


_KNOWN: dict[Hashable, _Known] = {}
_Made = tuple[sa.Select[Any] | sa.CompoundSelect[Any], Binds]


def statements(
    plan: Plan, row_limit: int | None, traits: Traits, schema: str | None
) -> tuple[Statement, Statement]:
    """The statements of the rows and of the tally."""

    def made() -> list[_Made]:
        lowered = lower(plan, traits, schema)
        rows = lowered.rows if row_limit is None else lowered.rows.limit(row_limit)
        return [(rows, lowered.rows_binds), (lowered.tally, lowered.tally_binds)]

    rows, tally = _by_shape(plan, ("both", row_limit), traits, schema, made)
    return rows, tally


def counts(plan: Plan, traits: Traits, schema: str | None) -> Statement:
    """The statement of the tally alone."""
    (tally,) = _by_shape(plan, "tally", traits, schema, lambda: [lower_tally(plan, traits, schema)])
    return tally


def _by_shape(
    plan: Plan, which: Hashable, traits: Traits, schema: str | None, lowered: Callable[[], list[_Made]]
) -> tuple[Statement, ...]:
    """Statements of a plan; they are lowered where none of its shape are known."""
    shape, values = shape_of(plan)
    made_for = (plan.pack, plan.physical, traits)
    key = (tuple(map(id, made_for)), schema, which, shape)
    known = _KNOWN.get(key)
    if known is not None:
        filled = [one.filled(values) for one in known.statements]
        if None not in filled:
            return tuple(one for one in filled if one is not None)
    parts = lowered()
    made = tuple(compile_sql(statement) for statement, _ in parts)
    fit = all(len(text) <= _LONGEST for text, _ in made) and not any(binds.mixed for _, binds in parts)
    if known is None and fit:
        opened = tuple(_opened(one, binds, values) for one, (_, binds) in zip(made, parts, strict=True))
        if len(_KNOWN) >= _MOST:
            _KNOWN.clear()
        _KNOWN[key] = _Known(made_for, opened)
    return made


def spelled(plan: Plan, template: Template, traits: Traits, schema: str | None) -> Statement:
    """The statement that gives each row as one text."""
    table = are_written(plan, template, traits)
    if table is not None:
        return compile_sql(lower_written(plan, table, traits, schema))
    return compile_sql(lower_spelled(plan, template, traits, schema))


def _opened(made: Statement, binds: Binds, values: tuple[Any, ...]) -> _Open:
    """A statement without the values of its plan."""
    text, parameters = made
    places = {(type(value), value): place for place, value in reversed(list(enumerate(values)))}
    given: list[tuple[str, int, Parameter]] = []
    fixed: set[Any] = set()
    elements: dict[str, tuple[str, int | None]] = {}
    for name, (value, parameter) in binds.parameters.items():
        if parameter.part is None:
            fixed.add(_identity(value, parameter))
            continue
        given.append((name, places[type(parameter.part), parameter.part], parameter))
        if parameter.expanding:
            # So SQLAlchemy names the elements of a list.
            elements |= {f"{name}_{place + 1}": (name, place) for place in range(len(value))}
        else:
            elements[name] = (name, None)
    names = tuple((name, *elements.get(name, (None, None))) for name in parameters)
    constants = {name: value for name, value in parameters.items() if name not in elements}
    # What goes by a plan is not kept.
    bare = tuple(
        (name, place, Parameter(one.kind, one.expanding, added=one.added)) for name, place, one in given
    )
    return _Open(text, bare, frozenset(fixed), names, constants)


def _identity(value: Any, parameter: Parameter) -> Any:
    """By what parameters are told apart."""
    return type(value), value, parameter.kind, parameter.expanding
