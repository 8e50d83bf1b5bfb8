"""Bound parameters of one statement: equal values share one, named in order of appearance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

from groundframe.compiler.relations import TOLERANCE_M

__all__ = ["Binds", "Parameter"]


@dataclass(frozen=True, slots=True)
class Parameter:
    """What a parameter is made of.

    Attributes
    ----------
    kind : type
        That of its type in SQL.
    expanding : bool
        Whether it is the list on the right of IN.
    part : Any
        What of the plan it goes by (:mod:`groundframe.compiler.lowering.shape`): a value, or a tuple of keys.
        None where every statement of the same shape has the same.
    added : float
        What is added to it.
    """

    kind: type
    expanding: bool
    part: Any = None
    added: float = 0.0

    def value(self, part: Any) -> Any:
        """The value for another such part of a plan."""
        if isinstance(part, tuple):
            return part if self.expanding else part[0]
        return part + self.added if self.added else part


class Binds:
    """Makes the parameters of one statement.

    Names count up, so that the same plan gives the same SQL; lists of ten thousand keys that are used in
    several places are sent once.

    Attributes
    ----------
    mixed : bool
        Whether two different things share a parameter because their values happen to be equal.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], sa.BindParameter[Any]] = {}
        self._parameters: dict[tuple[Any, ...], Parameter] = {}
        self.mixed = False

    def value(
        self, value: Any, kind: TypeEngine[Any] | None = None, *, part: Any = None
    ) -> sa.BindParameter[Any]:
        """The parameter for one value; without `kind` it is a text."""
        kind = kind if kind is not None else sa.Text()
        return self._bind(value, kind, Parameter(type(kind), expanding=False, part=part))

    def values(
        self, values: Sequence[Any], kind: TypeEngine[Any], *, part: Any = None
    ) -> sa.BindParameter[Any]:
        """The parameter for the list on the right of IN."""
        return self._bind(tuple(values), kind, Parameter(type(kind), expanding=True, part=part))

    def within(self, metres: float) -> sa.BindParameter[Any]:
        """The parameter for "at most so many metres" (DESIGN §7.1)."""
        made = Parameter(sa.Double, expanding=False, part=metres, added=TOLERANCE_M)
        return self._bind(metres + TOLERANCE_M, sa.Double(), made)

    @property
    def parameters(self) -> dict[str, tuple[Any, Parameter]]:
        """By name the values, and what they are made of."""
        return {self._made[key].key: (key[1], parameter) for key, parameter in self._parameters.items()}

    def _bind(self, value: Any, kind: TypeEngine[Any], made: Parameter) -> sa.BindParameter[Any]:
        key = (type(value), value, type(kind), made.expanding)
        if key not in self._made:
            name = f"p{len(self._made) + 1}"
            self._parameters[key] = made
            self._made[key] = sa.bindparam(
                name, list(value) if made.expanding else value, type_=kind, expanding=made.expanding
            )
        elif self._parameters[key] != made:
            self.mixed = True
        return self._made[key]
