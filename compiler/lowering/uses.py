"""One use of an entity in a statement: a fresh alias with just the columns that are asked for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.types import TypeEngine

from groundframe.compiler.lowering.binds import Binds
from groundframe.compiler.lowering.constructs import CodePoints, DatePart
from groundframe.compiler.physical import Narrow
from groundframe.errors import PlanError
from groundframe.schema.model import Entity

__all__ = ["Use", "among"]

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


class _Rows(sa.TableClause):
    """The narrowest of an entity's tables that has all columns asked for, known when it is written out.

    The narrow table has the indexes for searching, so that what it has is taken from it; the entity's own
    table beside it gives the rest, joined by number.
    """

    inherit_cache = False

    def __init__(
        self, entity: Entity, schema: str | None, narrow: Narrow | None, grouped: str | None
    ) -> None:
        super().__init__(entity.table, schema=schema)
        self.narrow = narrow
        self.grouped = grouped
        self.asked: dict[str, None] = {}
        self.wide = False

    def found(self) -> Any:
        """What to select from."""
        if self.grouped is not None:
            return sa.table(self.grouped, schema=self.schema)
        wide = sa.table(self.name, schema=self.schema)
        if self.narrow is None or self.wide:
            return wide
        narrow = sa.table(self.narrow.table, schema=self.schema)
        there = self.narrow.columns
        rest = [name for name in self.asked if name not in there]
        if not rest:
            return narrow
        if all(name == "id" for name in self.asked if name in there):
            return wide
        one, other = narrow.alias("n"), wide.alias("w")
        columns = [_column(name, one if name in there else other) for name in self.asked]
        return (
            sa.select(*columns)
            .select_from(one.join(other, _column("id", one) == _column("id", other)))
            .self_group()
        )


def _column(name: str, table: sa.FromClause) -> sa.ColumnClause[Any]:
    column: sa.ColumnClause[Any] = sa.column(name)
    column.table = table
    return column


@compiles(_Rows)
def _write(element: _Rows, compiler: Any, **options: Any) -> str:
    text: str = compiler.process(element.found(), **{**options, "asfrom": True})
    return text


class Use:
    """An alias of an entity's rows.

    Columns are made when asked for: aliasing a table with all its columns takes longer than compiling the
    rest.

    Parameters
    ----------
    narrow : Narrow, optional
        The entity's narrow table, where there is one.
    given : ColumnElement, optional
        A column of something else that holds the feature's number, so that the entity's rows are needed only
        for other columns.
    held : mapping, optional
        Columns of the same that hold what the narrow table has under these names.
    grouped : str, optional
        A table with some of the narrow table's columns, in which a row is many features.
    """

    def __init__(
        self,
        entity: Entity,
        schema: str | None,
        number: int,
        narrow: Narrow | None = None,
        given: sa.ColumnElement[Any] | None = None,
        held: Mapping[str, sa.ColumnClause[Any]] | None = None,
        grouped: str | None = None,
    ) -> None:
        self.entity = entity
        self._given = given
        self.narrow = narrow
        self._rows = _Rows(entity, schema, narrow, grouped)
        self.source = self._rows.alias(f"{entity.table[:50]}_{number}")
        self._columns: dict[str, sa.ColumnClause[Any]] = dict(held or {})

    def __getitem__(self, name: str) -> sa.ColumnClause[Any]:
        """The column of that name; identifiers come from the pack only."""
        return self._column(name, self._type(name))

    def _column(self, name: str, kind: TypeEngine[Any]) -> sa.ColumnClause[Any]:
        if name not in self._columns:
            column: sa.ColumnClause[Any] = sa.column(name, kind)
            column.table = self.source
            self._columns[name] = column
            self._rows.asked[name] = None
        return self._columns[name]

    def count(self, where: sa.ColumnElement[bool] | None = None) -> sa.ColumnElement[Any]:
        """How many features the rows are, or of them those that meet a condition."""
        grouped = self._rows.grouped is not None
        found = sa.func.sum(self._column("n", sa.Integer())) if grouped else sa.func.count()
        which = found if where is None else found.filter(where)
        # The sum of nothing is unknown.
        return sa.func.coalesce(which, sa.literal_column("0", sa.Integer)) if grouped else which

    @property
    def key(self) -> sa.ColumnClause[Any]:
        """The feature's key."""
        return self["key"]

    @property
    def geom(self) -> sa.ColumnClause[Any]:
        """The geometry on the plane."""
        return self["geom"]

    @property
    def id(self) -> sa.ColumnElement[Any]:
        """What tells features apart within a statement: the number, or else the key."""
        return self._own_id() if self._given is None else self._given

    def _own_id(self) -> sa.ColumnClause[Any]:
        return self.key if self.narrow is None else self._column("id", sa.Integer())

    @property
    def outer(self) -> tuple[sa.FromClause, ...]:
        """What a statement beside the feature may refer to."""
        table = getattr(self._given, "table", None)
        return (self.source,) if table is None else (self.source, table)

    @property
    def anchored(self) -> bool:
        """Whether something else holds the number already."""
        return self._given is not None

    def step(self) -> tuple[sa.FromClause, sa.ColumnElement[bool]] | None:
        """What joins the rows to the given number; None when nothing of them is asked for."""
        if self._given is None or not self._rows.asked:
            return None
        return self.source, self._own_id() == self._given

    @property
    def wide(self) -> bool:
        """Whether all columns come from the entity's own table."""
        return self._rows.wide

    def show(self) -> None:
        """Take shown columns, the only ones from now on, of what is found by number from its own table."""
        self._rows.wide = self._rows.asked.keys() <= {"id"}

    @property
    def order(self) -> sa.ColumnElement[Any]:
        """What sorts features by their keys' code points."""
        return CodePoints(self.key) if self.narrow is None else self._column("key_order", sa.Integer())

    def linked(self, link: str) -> sa.ColumnClause[Any]:
        """The linked feature, told apart as by :attr:`id`."""
        return self[f"{link}_key"] if self.narrow is None else self._column(f"{link}_id", sa.Integer())

    def coded(self, name: str) -> tuple[sa.ColumnClause[Any], tuple[str, ...]] | None:
        """A category field's column of codes and the values they stand for; None where there are none."""
        values = self.narrow.values(name) if self.narrow is not None else None
        return None if values is None else (self._column(f"{name}_code", sa.Integer()), values)

    def part(self, part: str, name: str) -> sa.ColumnElement[Any]:
        """A part of the date or the time in a field."""
        stored = self.narrow.part(part, name) if self.narrow is not None else None
        return DatePart(part, self[name]) if stored is None else self._column(stored, sa.Integer())

    def is_one_of(self, keys: Sequence[str], binds: Binds) -> sa.ColumnElement[bool]:
        """Whether the feature has one of the keys."""
        if self.narrow is None:
            return among(self.key, keys, binds, part=keys)
        return self._among(self.id, self.entity, keys, binds)

    def leads_to(self, link: str, keys: Sequence[str], binds: Binds) -> sa.ColumnElement[bool]:
        """Whether the link's feature has one of the keys."""
        if self.narrow is None:
            return among(self.linked(link), keys, binds, part=keys)
        target = self.narrow.pack.entity(self.entity.link(link).to)
        return self._among(self.linked(link), target, keys, binds)

    def _among(
        self, number: sa.ColumnElement[int], entity: Entity, keys: Sequence[str], binds: Binds
    ) -> sa.ColumnElement[bool]:
        """Whether a number is that of a feature with one of the keys."""
        named = sa.table(
            entity.table, sa.column("id", sa.Integer()), sa.column("key"), schema=self._rows.schema
        )
        wanted = among(named.c.key, keys, binds, part=keys)
        if len(keys) == 1:
            # Known before anything is searched, so that it goes into every index; without the key no number.
            one = sa.func.coalesce(sa.func.max(named.c.id), sa.literal_column("-1", sa.Integer))
            return number == sa.select(one).where(wanted).scalar_subquery()
        return number.in_(sa.select(named.c.id).where(wanted)) if keys else sa.false()

    def near(self, other: str) -> sa.ColumnClause[Any]:
        """How many metres away the nearest feature of another entity is, NULL where none is in reach."""
        if self.narrow is None:
            raise PlanError(f"How near {other} is to {self.entity.name} is not stored.")
        return self._column(self.narrow.near_column(other), sa.Double())

    def flag(self, name: str) -> sa.ColumnClause[Any]:
        """A truth that only the narrow table has."""
        return self._column(name, sa.Boolean())

    def _type(self, name: str) -> TypeEngine[Any]:
        if name in _GEOMETRY:
            return sa.types.NULLTYPE
        for field in self.entity.fields:
            if field.name == name and field.type in _TYPES:
                return _TYPES[field.type]
        known = any(field.name == name for field in self.entity.fields)
        return sa.types.NULLTYPE if known else sa.Text()


def among(
    column: sa.ColumnClause[Any], values: Sequence[Any], binds: Binds, *, part: Any = None
) -> sa.ColumnElement[bool]:
    """Whether the column has one of the values; `part` as for :class:`Binds`."""
    if not values:
        return sa.false()
    if isinstance(column.type, sa.Boolean) and len(values) == 1:
        return column if values[0] else sa.not_(column)
    if len(values) == 1:
        return column == binds.value(values[0], column.type, part=part)
    return column.in_(binds.values(values, column.type, part=part))
