"""The streets of one area: part of a lattice, with gaps and one avenue across."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from groundframe.postgis.load.columns import Floats, Ints
from groundframe.postgis.load.plane import snap_coordinates
from groundframe.postgis.load.synthetic.tiling import Tiling
from groundframe.schema.demo import Rank, Streets

__all__ = ["RANKS", "Lattice", "Piece", "Spots"]

RANKS: tuple[Rank, ...] = ("main", "through", "side", "highway")

# Nodes keep away from the border and are moved by a part of the spacing; of lesser streets, some segments are
# missing.
_MARGIN_M = 15.0
_JITTER = 0.1
_GAPS = 0.08
_THROUGH_EVERY = 3
_LONGEST_M = 250.0


@dataclass(frozen=True, eq=False)
class Spots:
    """Places for nodes: lattice numbers, coordinates, and how far out (squared, in relative radii)."""

    numbers: Ints
    points: Floats
    outness: Floats


@dataclass(frozen=True, eq=False)
class Piece:
    """Streets of one area; `ends` count its own nodes and `street` its own `names`."""

    nodes: Floats
    ends: Ints
    street: Ints
    rank: Ints
    names: list[str]


@dataclass(frozen=True, eq=False)
class Lattice:
    """The lattice of an area: node (0, 0) is its centre, `axes` lead to the nodes (1, 0) and (0, 1)."""

    area: int
    centres: Floats
    reaches: Floats
    axes: Floats

    def spots(self, tiling: Tiling, radius: float) -> Spots:
        """Places for nodes within `radius` times the reach of one of the area's built-up places."""
        corners = np.array([[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]])
        around = self.centres[:, None] + radius * self.reaches[:, None, None] * corners
        seen = (around.reshape(-1, 2) - self.centres[0]) @ np.linalg.inv(self.axes)
        low, high = np.floor(seen.min(axis=0)).astype(int), np.ceil(seen.max(axis=0)).astype(int)
        columns, rows = np.meshgrid(
            np.arange(low[0], high[0] + 1), np.arange(low[1], high[1] + 1), indexing="ij"
        )
        numbers = np.column_stack([columns.ravel(), rows.ravel()]).astype(np.int64)
        points = self.centres[0] + numbers @ self.axes
        from_centres = ((points[:, None] - self.centres[None]) ** 2).sum(axis=2)
        outness: Floats = (from_centres / self.reaches**2).min(axis=1)
        inner = shapely.buffer(tiling.polygons[self.area], -_MARGIN_M)
        shapely.prepare(inner)
        kept = np.flatnonzero(outness <= radius**2)
        kept = kept[shapely.contains_xy(inner, points[kept])]
        return Spots(numbers[kept], points[kept], outness[kept])

    def piece(self, spots: Spots, radius: float, streets: Streets, rng: np.random.Generator) -> Piece:
        """The streets between the spots within that radius."""
        near = spots.outness <= radius**2
        numbers = spots.numbers[near]
        moves = rng.uniform(-_JITTER, _JITTER, (len(numbers), 2)) @ self.axes
        nodes = snap_coordinates(spots.points[near] + moves)
        if not len(nodes):
            nothing = np.empty(0, dtype=np.int64)
            return Piece(nodes, nothing.reshape(0, 2), nothing, nothing, [])
        low = numbers.min(axis=0)
        grid = np.full(numbers.max(axis=0) - low + 2, -1, dtype=np.int64)
        grid[tuple((numbers - low).T)] = np.arange(len(nodes))

        # Streets along the first axis, along the second, and the avenue that cuts through the cells (k, k).
        shifts = ((1, 0), (0, 1), (1, 1))
        wide, high = (int(size) for size in grid.shape)
        ends, street, line = [], [], []
        for way, (right, up) in enumerate(shifts):
            before, after = grid[: wide - right, : high - up], grid[right:, up:]
            i, j = np.nonzero((before >= 0) & (after >= 0))
            number = (j + low[1], i + low[0], i + low[0] - j - low[1])[way]
            ends.append(np.column_stack([before[i, j], after[i, j]]))
            street.append((j, high + i, np.full_like(i, high + wide))[way])
            line.append(number)
        all_ends, all_streets, lines = np.concatenate(ends), np.concatenate(street), np.concatenate(line)
        avenue = all_streets == high + wide
        rank = np.select([lines == 0, lines % _THROUGH_EVERY == 0], [0, 1], 2)
        spans = np.hypot(*(nodes[all_ends[:, 1]] - nodes[all_ends[:, 0]]).T)
        stays = np.where(avenue, rank == 0, (rank == 0) | (rng.random(len(rank)) >= _GAPS))
        stays &= spans <= _LONGEST_M
        names = self._names(high, wide, low, streets, rng)
        return Piece(nodes, all_ends[stays], all_streets[stays], rank[stays], names)

    def _names(
        self, high: int, wide: int, low: Ints, streets: Streets, rng: np.random.Generator
    ) -> list[str]:
        """Names of the streets along the first axis, then along the second, then of the avenue."""
        every = [f"{stem} {ending}" for stem in streets.stems for ending in streets.endings]
        order = rng.permutation(len(every))
        names = [every[order[number % len(every)]] for number in range(high + wide)]
        second, across = rng.permutation(len(streets.main))[:2]
        for number, name in ((-low[1], streets.first), (high - low[0], streets.main[second])):
            if 0 <= number < len(names):
                names[number] = name
        return [*names, streets.main[across]]
