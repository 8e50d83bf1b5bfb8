"""A dataset's rows as Arrow tables, for the tools that work on files and in memory."""

from __future__ import annotations

import tempfile
from typing import Any

import pyarrow as pa
import pyarrow.csv
from psycopg import sql

from groundframe.eval.bench.classes import Catalogue
from groundframe.eval.bench.loading import search_in
from groundframe.postgis.datasets import Dataset

__all__ = ["GEOMETRY", "arrow_tables"]

GEOMETRY = "geom"
_TYPES = {
    "date": pa.date32(),
    "pedestrian": pa.bool_(),
    "fatal": pa.bool_(),
    "key": pa.string(),
    "name": pa.string(),
    "weekday": pa.string(),
    "speed_limit": pa.float64(),
    "m": pa.float64(),
    GEOMETRY: pa.string(),
}


def arrow_tables(dataset: Dataset, catalogue: Catalogue) -> dict[str, pa.Table]:
    """The catalogue's tables for peers, with geometry as WKB."""
    with dataset.database.connect() as connection:
        search_in(connection, dataset.schema, statement_timeout="0")
        driver: Any = connection.connection.driver_connection
        return {name: _table(driver, text) for name, text in catalogue.peer_tables.items()}


def _table(driver: Any, text: str) -> pa.Table:
    copy = sql.SQL("COPY ({query}) TO STDOUT (FORMAT csv, HEADER)").format(query=sql.SQL(text))
    with tempfile.TemporaryFile() as file:
        with driver.cursor() as cursor, cursor.copy(copy) as blocks:
            for block in blocks:
                file.write(block)
        file.seek(0)
        names = file.readline().decode().strip().split(",")
        file.seek(0)
        options = pa.csv.ConvertOptions(
            column_types={name: _TYPES.get(name, pa.int32()) for name in names},
            true_values=["t"],
            false_values=["f"],
            strings_can_be_null=True,
        )
        table = pa.csv.read_csv(file, convert_options=options)
    if GEOMETRY not in names:
        return table
    wkb = pa.array(
        [None if text is None else bytes.fromhex(text) for text in table[GEOMETRY].to_pylist()], pa.binary()
    )
    return table.set_column(names.index(GEOMETRY), GEOMETRY, wkb)
