"""Plain JSON for programs that want no geometry: columns, rows as objects, the record."""

from __future__ import annotations

from typing import BinaryIO

from groundframe.formats.geojson import MEMBER
from groundframe.formats.result import Result, position
from groundframe.serialise import encode

__all__ = ["write"]


def write(result: Result, out: BinaryIO) -> None:
    """Write the result, one row a line; longitude and latitude as in CSV."""
    columns = [
        {"name": column.name, "label": column.label, "unit": column.unit or None} for column in result.columns
    ]
    names = [column.name for column in result.columns]
    out.write(f'{{"columns":{encode(columns)},"rows":['.encode())
    separator = "\n"
    for row in result.rows():
        longitude, latitude = position(row[-1])
        content = dict(zip(names, row, strict=False), longitude=longitude, latitude=latitude)
        out.write(f"{separator}{encode(content)}".encode())
        separator = ",\n"
    out.write(f'\n],"{MEMBER}":{encode(result.record())}}}\n'.encode())
