"""GeoParquet 1.1: typed columns, the geometry as well-known binary, the record in the file's own metadata.

Rows are streamed, and the same result gives the same bytes. Groups, which have no geometry, make a plain
Parquet file.
"""

from __future__ import annotations

from typing import Any, BinaryIO

import pyarrow.parquet as pq

from groundframe.formats.arrow import ArrowRows, free_name
from groundframe.formats.geojson import MEMBER
from groundframe.formats.result import Column, Result
from groundframe.serialise import encode

__all__ = ["write"]


def write(result: Result, out: BinaryIO) -> None:
    """Write the result as GeoParquet."""
    names = [column.name for column in result.columns]
    geometry = free_name("geometry", names)
    rows = ArrowRows(result, names, geometry, about=_about)
    with pq.ParquetWriter(out, rows.schema, compression="zstd") as writer:
        for batch in rows.batches():
            writer.write_batch(batch)
        about = {MEMBER: encode(result.record())}
        if rows.spatial:
            about["geo"] = encode(_geo(rows, geometry))
        writer.add_key_value_metadata(about)


def _about(column: Column) -> dict[str, str]:
    return {"label": column.label, **({"unit": column.unit} if column.unit else {})}


def _geo(rows: ArrowRows, geometry: str) -> dict[str, Any]:
    """What GeoParquet wants to know; without ``crs`` it is WGS 84, longitude first."""
    column: dict[str, Any] = {
        "encoding": "WKB",
        "geometry_types": sorted(rows.shapes),
        "orientation": "counterclockwise",
        "edges": "planar",
    }
    if rows.bounds is not None:
        column["bbox"] = rows.bounds
    return {"version": "1.1.0", "primary_column": geometry, "columns": {geometry: column}}
