"""An open file as a table: its columns, and its rows a batch at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from groundframe.postgis.load.plane import Geometries

__all__ = ["BATCH", "Batch", "Table"]

BATCH = 20_000
Cells = Mapping[str, Sequence[Any]]


@dataclass(frozen=True, slots=True)
class Batch:
    """Some consecutive rows of a file, column by column.

    ``numbers`` are those of the rows in the file (1 is the first row); ``geometries`` is None where the
    format has none.
    """

    numbers: Sequence[int]
    cells: Cells
    geometries: Geometries | None = None

    @property
    def size(self) -> int:
        """How many rows it has."""
        return len(self.numbers)


@dataclass(frozen=True, slots=True)
class Table:
    """An open file.

    Attributes
    ----------
    columns : tuple of str
        Its columns.
    crs : str or None
        The reference system that the file declares, as ``EPSG:<code>`` where it has a code.
    batches : callable
        Takes the wanted columns, and whether the geometry is wanted, and gives the rows; may be called again.
    notes : list of str
        What the driver had to say while it opened or read the file.
    """

    columns: tuple[str, ...]
    crs: str | None
    batches: Callable[[Sequence[str], bool], Iterator[Batch]]
    notes: list[str] = field(default_factory=list)
