"""The tables of a dataset, made from the pack as docs/checked_frames.md lays them out."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa
from geoalchemy2 import Geometry
from sqlalchemy.dialects.postgresql import ARRAY, JSONB
from sqlalchemy.schema import CreateIndex
from sqlalchemy.types import TypeEngine

from groundframe.errors import PackError
from groundframe.schema.model import Entity, EntityField, Pack

__all__ = [
    "FORMAT",
    "Tables",
    "dataset_table",
    "key_and_indexes",
    "make_tables",
    "row_columns",
    "stored_fields",
]

FORMAT = 3
"""Counts up when a table of a dataset changes its layout or its meaning."""

_DIMENSIONS = {"point": 0, "line": 1, "polygon": 2}
_TABLE_OF_DATASET = "dataset"
_LONGEST_NAME = 63  # PostgreSQL cuts off what is longer


@dataclass(frozen=True, slots=True)
class Tables:
    """The tables of one dataset.

    Attributes
    ----------
    dataset : sqlalchemy.Table
        The one row about the dataset.
    entities : mapping of str to sqlalchemy.Table
        The table of each entity of the pack, by canonical entity name, in the pack's order.
    """

    dataset: sa.Table
    entities: Mapping[str, sa.Table]


def make_tables(pack: Pack, schema: str) -> Tables:
    """The tables of `pack` in the database schema `schema`.

    Raises
    ------
    PackError
        When two columns or two tables would have the same name.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> town = make_tables(load_pack("massachusetts"), "gf_demo").entities["Town"]
    >>> town.fullname, [column.name for column in town.columns][:4]
    ('gf_demo.town', ['id', 'key', 'source', 'name'])
    """
    metadata = sa.MetaData(schema=schema)
    names = [_TABLE_OF_DATASET, *(entity.table for entity in pack.entities)]
    for name in names:
        if names.count(name) > 1:
            raise PackError(
                f"{pack.name}: two tables would be named '{name}'.", "Rename one of the entities' tables."
            )
    entities = {entity.name: _entity_table(metadata, pack, entity) for entity in pack.entities}
    return Tables(dataset_table(schema, metadata), entities)


def dataset_table(schema: str, metadata: sa.MetaData | None = None) -> sa.Table:
    """The table with the one row about a dataset; it is the same for every pack."""
    return sa.Table(
        _TABLE_OF_DATASET,
        metadata if metadata is not None else sa.MetaData(),
        sa.Column("format", sa.Integer, nullable=False),
        sa.Column("pack", sa.Text, nullable=False),
        sa.Column("pack_version", sa.Text, nullable=False),
        sa.Column("pack_digest", sa.Text, nullable=False),
        sa.Column("data_version", sa.Text, nullable=False),
        sa.Column("synthetic", sa.Boolean, nullable=False),
        sa.Column("report", JSONB, nullable=False),
        sa.Column("physical", JSONB, nullable=False, server_default=sa.text("'{}'")),
        schema=schema,
    )


def row_columns(pack: Pack, entity: Entity) -> list[sa.Column[Any]]:
    """Fresh columns for a row as it is loaded, before anything is linked or carried."""
    return [
        sa.Column("key", _text(), nullable=False),
        sa.Column("source", _text(), nullable=False),
        *(sa.Column(field.name, _column_type(field)) for field in stored_fields(entity)),
        sa.Column("geom", Geometry("GEOMETRY", srid=pack.srid, spatial_index=False)),
        sa.Column("geom_wgs", Geometry("GEOMETRY", srid=4326, spatial_index=False)),
        sa.Column("row_digest", _text(), nullable=False),
    ]


def stored_fields(entity: Entity) -> tuple[EntityField, ...]:
    """The fields with a column of their own: all but the one that the column ``source`` already is."""
    return tuple(field for field in entity.fields if field.name != "source")


def key_and_indexes(table: sa.Table) -> tuple[sa.schema.AddConstraint, tuple[CreateIndex, ...]]:
    """What makes the table's primary key and its indexes, which is quicker once the rows are there."""
    indexes = sorted(table.indexes, key=lambda index: str(index.name))
    return sa.schema.AddConstraint(table.primary_key), tuple(map(CreateIndex, indexes))


def _entity_table(metadata: sa.MetaData, pack: Pack, entity: Entity) -> sa.Table:
    # Numbers follow the order of the rows, which is that of space.
    number: sa.Column[Any] = sa.Column("id", sa.Integer, sa.Identity(), nullable=False)
    columns = [number, *row_columns(pack, entity), *_computed_columns(entity)]
    names = [column.name for column in columns]
    for name in names:
        if names.count(name) > 1:
            raise PackError(
                f"{pack.name}: {entity.name} would have two columns named '{name}'.",
                "Rename the field or the link.",
            )
        if len(name) > _LONGEST_NAME:
            raise PackError(
                f"{pack.name}: the column {entity.name}.{name} has too long a name.", "Shorten it."
            )
    table = sa.Table(entity.table, metadata, *columns, *_checks(entity), sa.PrimaryKeyConstraint("key"))
    for place, (column, method) in enumerate(_indexed(entity), start=1):
        # Numbered, because a name made of two identifiers may be longer than PostgreSQL allows.
        name = f"{entity.table[:50]}_idx{place:02}"
        sa.Index(name, table.c[column], postgresql_using=method, unique=column == "id")
    # Keeps the primary key out of CREATE TABLE, see key_and_indexes.
    sa.schema.AddConstraint(table.primary_key)
    return table


def _computed_columns(entity: Entity) -> Iterator[sa.Column[Any]]:
    for link in entity.links:
        yield sa.Column(f"{link.name}_key", _text())
        yield sa.Column(f"{link.name}_basis", _text())
        if link.rule == "nearest":
            yield sa.Column(f"{link.name}_distance_m", sa.Double)
    for field in entity.fields:
        if field.carries is not None:
            yield sa.Column(f"{field.name}_reported", _column_type(field))
            yield sa.Column(f"{field.name}_basis", _text())


def _indexed(entity: Entity) -> Iterator[tuple[str, str]]:
    """Columns with an index of their own, and the method; what else is searched by is in the narrow table."""
    yield "id", "btree"
    if entity.date_field is None:
        yield "geom", "gist"
    for field in entity.fields:
        if field.name == entity.name_field:
            yield field.name, "btree"
        elif field.type == "category_list":
            yield field.name, "gin"


def _checks(entity: Entity) -> Iterator[sa.CheckConstraint]:
    """What a row must keep to whatever made it: right kind of geometry, none empty, numbers in range."""
    geom: sa.ColumnClause[Any] = sa.column("geom")
    dimensions = sorted(_DIMENSIONS[kind] for kind in entity.geometry)
    yield sa.CheckConstraint(
        sa.and_(sa.func.ST_Dimension(geom).in_(dimensions), sa.not_(sa.func.ST_IsEmpty(geom)))
    )
    for field in entity.fields:
        value: sa.ColumnClause[Any] = sa.column(field.name, _column_type(field))
        if field.minimum is not None:
            yield sa.CheckConstraint(value >= field.minimum)
        if field.maximum is not None:
            yield sa.CheckConstraint(value <= field.maximum)


def _text() -> sa.Text:
    return sa.Text(collation="C")


def _column_type(field: EntityField) -> TypeEngine[Any]:
    kinds: dict[str, TypeEngine[Any]] = {
        "category": _text(),
        "text": _text(),
        "category_list": ARRAY(sa.Text),
        "number": sa.Double(),
        "integer": sa.Integer(),
        "date": sa.Date(),
        "time_of_day": sa.Time(),
        "boolean": sa.Boolean(),
    }
    return kinds[field.type]
