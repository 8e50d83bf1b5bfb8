"""Bound parameters of one statement: equal values share one, named in order of appearance."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

__all__ = ["Binds"]


class Binds:
    """Makes the parameters of one statement.

    Names count up, so that the same plan gives the same SQL; lists of ten thousand keys that are used in
    several places are sent once.
    """

    def __init__(self) -> None:
        self._made: dict[tuple[Any, ...], sa.BindParameter[Any]] = {}

    def value(self, value: Any, kind: TypeEngine[Any] | None = None) -> sa.BindParameter[Any]:
        """The parameter for one value; without `kind` it is a text."""
        return self._bind(value, kind if kind is not None else sa.Text(), expanding=False)

    def values(self, values: Sequence[Any], kind: TypeEngine[Any]) -> sa.BindParameter[Any]:
        """The parameter for the list on the right of IN."""
        return self._bind(tuple(values), kind, expanding=True)

    def _bind(self, value: Any, kind: TypeEngine[Any], *, expanding: bool) -> sa.BindParameter[Any]:
        key = (type(value), value, type(kind), expanding)
        if key not in self._made:
            name = f"p{len(self._made) + 1}"
            self._made[key] = sa.bindparam(
                name, list(value) if expanding else value, type_=kind, expanding=expanding
            )
        return self._made[key]
