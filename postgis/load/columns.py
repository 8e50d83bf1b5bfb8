"""Columns of many rows: what a source that knows all its rows at once hands over."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Column", "Floats", "Ints", "Mask", "Objects"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Mask = NDArray[np.bool_]
Objects = NDArray[np.object_]


@dataclass(frozen=True, eq=False)
class Column:
    """One value per row, by number of a table; -1 is NULL.

    The table ends in None, which -1 finds there.
    """

    codes: Ints
    table: Objects

    @classmethod
    def of(cls, codes: Ints, values: Iterable[object]) -> Column:
        """The column of these codes of `values`."""
        listed = [*values, None]
        table = np.empty(len(listed), dtype=object)
        # Cell by cell: numpy would take a list of tuples apart.
        for number, value in enumerate(listed):
            table[number] = value
        return cls(codes, table)

    @classmethod
    def of_each(cls, values: Iterable[object]) -> Column:
        """The column of one value per row, whether or not they differ."""
        listed = list(values)
        return cls.of(np.arange(len(listed)), listed)

    @classmethod
    def of_numbers(cls, numbers: Floats) -> Column:
        """The column of these numbers, none of them NULL."""
        table, codes = np.unique(numbers, return_inverse=True)
        return cls.of(codes, table.tolist())

    def at(self, rows: Ints) -> Column:
        """The column of these rows."""
        return Column(self.codes[rows], self.table)

    def values(self, start: int = 0, stop: int | None = None) -> list[object]:
        """The values of a run of rows."""
        found: list[object] = self.table[self.codes[start:stop]].tolist()
        return found

    def blanked(self, rows: Ints) -> Column:
        """The column with NULL in these rows."""
        codes = self.codes.copy()
        codes[rows] = -1
        return Column(codes, self.table)

    def replaced(self, rows: Ints, other: Column) -> Column:
        """The column with the values of `other` (one per row given) in these rows."""
        codes = self.codes.copy()
        codes[rows] = np.where(other.codes < 0, -1, other.codes + len(self.table))
        return Column(codes, np.concatenate([self.table, other.table]))
