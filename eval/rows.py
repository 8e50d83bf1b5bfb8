"""Rows for the oracle: what is stored of a dataset, or what a source gives, nothing linked or carried yet."""

from __future__ import annotations

from typing import Any

import shapely
import sqlalchemy as sa

from groundframe.postgis.datasets import Dataset
from groundframe.postgis.load.loading import RowSource
from groundframe.schema.model import Entity, Pack

__all__ = ["Rows", "rows_of_dataset", "rows_of_source"]

Rows = dict[str, list[dict[str, Any]]]
"""Entity name to its rows: ``key``, ``source``, ``geometry`` and the fields as reported."""


def rows_of_dataset(dataset: Dataset) -> Rows:
    """All rows of a dataset; links and carried values are left behind."""
    with dataset.database.connect() as connection:
        return {
            entity.name: [
                _row(entity, row._asdict()) for row in connection.execute(_statement(dataset, entity))
            ]
            for entity in dataset.pack.entities
        }


def rows_of_source(pack: Pack, source: RowSource) -> Rows:
    """All rows of a source of rows, without a database; entities that are derived at load have none."""
    return {
        entity.name: [
            {"key": row.key, "source": row.source, "geometry": row.geometry, **row.values}
            for row in source.rows(entity.name)
        ]
        for entity in pack.entities
    }


def _statement(dataset: Dataset, entity: Entity) -> sa.Select[Any]:
    table = dataset.tables.entities[entity.name]
    fields = (
        table.c[f"{field.name}_reported" if field.carries is not None else field.name].label(field.name)
        for field in entity.fields
        if field.name != "source"
    )
    geometry = sa.func.ST_AsBinary(table.c.geom, type_=sa.LargeBinary).label("geometry")
    return sa.select(table.c.key, table.c.source, geometry, *fields).order_by(table.c.key)


def _row(entity: Entity, row: dict[str, Any]) -> dict[str, Any]:
    lists = [field.name for field in entity.fields if field.type == "category_list"]
    values = {name: tuple(row[name]) for name in lists if row[name] is not None}
    geometry = None if row["geometry"] is None else shapely.from_wkb(row["geometry"])
    return {**row, **values, "geometry": geometry}
