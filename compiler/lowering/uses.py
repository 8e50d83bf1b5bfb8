"""One use of an entity's table in a statement: a fresh alias with just the columns that are asked for."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.types import TypeEngine

from groundframe.schema.model import Entity

__all__ = ["Use"]

_TYPES: dict[str, TypeEngine[Any]] = {
    "category": sa.Text(),
    "text": sa.Text(),
    "number": sa.Double(),
    "integer": sa.Integer(),
    "date": sa.Date(),
    "time_of_day": sa.Time(),
    "boolean": sa.Boolean(),
}
_GEOMETRY = ("geom", "geom_wgs")


class Use:
    """An alias of the table of an entity.

    Columns are made when asked for: aliasing a table with all its columns takes longer than compiling the
    rest.
    """

    def __init__(self, entity: Entity, schema: str | None, number: int) -> None:
        self.entity = entity
        self.source = sa.table(entity.table, schema=schema).alias(f"{entity.table[:50]}_{number}")
        self._columns: dict[str, sa.ColumnClause[Any]] = {}

    def __getitem__(self, name: str) -> sa.ColumnClause[Any]:
        """The column of that name; identifiers come from the pack only."""
        if name not in self._columns:
            column: sa.ColumnClause[Any] = sa.column(name, self._type(name))
            column.table = self.source
            self._columns[name] = column
        return self._columns[name]

    @property
    def key(self) -> sa.ColumnClause[Any]:
        """The feature's key."""
        return self["key"]

    @property
    def geom(self) -> sa.ColumnClause[Any]:
        """The geometry on the plane."""
        return self["geom"]

    def _type(self, name: str) -> TypeEngine[Any]:
        if name in _GEOMETRY:
            return sa.types.NULLTYPE
        for field in self.entity.fields:
            if field.name == name and field.type in _TYPES:
                return _TYPES[field.type]
        known = any(field.name == name for field in self.entity.fields)
        return sa.types.NULLTYPE if known else sa.Text()
