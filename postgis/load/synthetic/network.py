"""The streets of the state: a lattice in every area, and highways between neighbours."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
import shapely

from groundframe.postgis.load.columns import Floats, Ints, Objects
from groundframe.postgis.load.plane import snap_coordinates
from groundframe.postgis.load.synthetic.lattice import RANKS, Lattice, Piece, Spots
from groundframe.postgis.load.synthetic.tiling import Tiling
from groundframe.schema.demo import DemoPlan

__all__ = ["Network", "build_network", "line_strings"]

# Highways are cut into segments of at most this length, bent a little; a lattice has 1.8 segments per node.
_HIGHWAY_SEGMENT_M = 235.0
_BEND_M = 12.0
_SEGMENTS_PER_NODE = 1.8
# A further built-up place is this large beside its area's centre.
_FURTHER_PLACE = 0.4


@dataclass(frozen=True, eq=False)
class Network:
    """Segments between nodes.

    Attributes
    ----------
    nodes : array (n, 2)
        Snapped coordinates; segments that meet share them exactly.
    ends : array (m, 2)
        Nodes of each segment.
    area, street, rank : arrays (m,)
        Numbers of the area, of the street (an index of its name in `streets`) and of the rank.
    """

    nodes: Floats
    ends: Ints
    area: Ints
    street: Ints
    rank: Ints
    streets: list[str]

    def points(self, segments: Ints, along: Floats) -> Floats:
        """Coordinates at these parts (0 to 1) of segments."""
        first, second = (self.nodes[self.ends[segments, end]] for end in (0, 1))
        points: Floats = first + along[:, None] * (second - first)
        return points

    def normals(self, segments: Ints) -> Floats:
        """Unit vectors to the left of segments."""
        first, second = (self.nodes[self.ends[segments, end]] for end in (0, 1))
        span = second - first
        normals: Floats = np.column_stack([-span[:, 1], span[:, 0]]) / np.hypot(*span.T)[:, None]
        return normals

    def lines(self) -> Objects:
        """The segments as geometry."""
        return line_strings(self.nodes[self.ends])

    def degrees(self) -> Ints:
        """How many segment ends meet at each node."""
        return np.bincount(self.ends.ravel(), minlength=len(self.nodes)).astype(np.int64)

    def meeting(self) -> Ints:
        """For each node two differently named streets that meet there; -1 where there is only one."""
        names = np.unique(np.array(self.streets), return_inverse=True)[1]
        node, street = self.ends.ravel(), np.repeat(self.street, 2)
        at_node = np.unique(np.column_stack([node, names[street], street]), axis=0)
        _, first = np.unique(at_node[:, :2], axis=0, return_index=True)
        at_node = at_node[first]
        nodes, start, times = np.unique(at_node[:, 0], return_index=True, return_counts=True)
        found = np.full((len(self.nodes), 2), -1, dtype=np.int64)
        found[nodes, 0] = at_node[start, 2]
        several = times > 1
        found[nodes[several], 1] = at_node[start[several] + 1, 2]
        return found


def line_strings(coordinates: Floats) -> Objects:
    """Lines through runs of coordinates (n, points, 2)."""
    return np.asarray(shapely.linestrings(coordinates), dtype=object)


def build_network(
    plan: DemoPlan, tiling: Tiling, shares: Floats, segments: int, rng: np.random.Generator
) -> Network:
    """About `segments` segments; `shares` is how much of the lattices each area gets."""
    pairs = _neighbours(tiling, plan.streets.highway_reach_m)
    reaches = _reaches(tiling, shares)
    lattices = [_lattice(tiling, area, reaches, plan, rng) for area in range(len(tiling.areas))]
    between = sum(_apart(tiling, a, b) for a, b in pairs) * 0.7 / _HIGHWAY_SEGMENT_M
    wanted = int(max(segments - between, segments / 2) / _SEGMENTS_PER_NODE)
    spots, radius = _spots(tiling, lattices, wanted)
    pieces = [
        lattice.piece(found, radius, plan.streets, rng)
        for lattice, found in zip(lattices, spots, strict=True)
    ]
    network, area_of_node = _joined(pieces)
    return _tidy(_with_highways(network, area_of_node, tiling, plan, pairs, rng), tiling)


def _apart(tiling: Tiling, a: int, b: int) -> float:
    return float(np.hypot(*(tiling.centre(a) - tiling.centre(b))))


def _neighbours(tiling: Tiling, reach_m: float) -> list[tuple[int, int]]:
    """Pairs of areas with a common border whose centres are near each other."""
    pairs = np.unique(np.sort(tiling.sides, axis=1), axis=0).tolist()
    return [(a, b) for a, b in pairs if _apart(tiling, a, b) <= reach_m]


def _reaches(tiling: Tiling, shares: Floats) -> Floats:
    """Relative radius of the streets around each built-up place."""
    first = np.diff(tiling.area_of, prepend=-1) > 0
    part = np.where(first, 1.0, _FURTHER_PLACE)
    in_area = np.bincount(tiling.area_of, weights=part)
    reaches: Floats = np.sqrt(shares[tiling.area_of] * part / in_area[tiling.area_of])
    return reaches


def _lattice(tiling: Tiling, area: int, reaches: Floats, plan: DemoPlan, rng: np.random.Generator) -> Lattice:
    low, high = plan.streets.spacing_m
    width, height = rng.uniform(low, high, 2)
    turn = rng.uniform(0, np.pi / 2)
    axes = np.array([[np.cos(turn), np.sin(turn)], [-np.sin(turn), np.cos(turn)]]) * [[width], [height]]
    own = tiling.area_of == area
    return Lattice(area, tiling.centres[own], reaches[own], axes)


def _spots(tiling: Tiling, lattices: list[Lattice], wanted: int) -> tuple[list[Spots], float]:
    """Places for nodes, and the radius within which there are `wanted` of them.

    The first guess takes every built-up place as a full circle; they overlap and end at borders, so that it
    may be short.
    """
    per_unit = sum(
        np.pi * (lattice.reaches**2).sum() / abs(np.linalg.det(lattice.axes)) for lattice in lattices
    )
    radius = 1.3 * np.sqrt(wanted / per_unit)
    while True:
        spots = [lattice.spots(tiling, radius) for lattice in lattices]
        outness = np.concatenate([found.outness for found in spots])
        if len(outness) >= wanted:
            return spots, float(np.sqrt(np.partition(outness, wanted - 1)[wanted - 1]))
        radius *= 1.3


def _joined(pieces: list[Piece]) -> tuple[Network, Ints]:
    """One network of all pieces, and the area of each node."""
    nodes_before = np.cumsum([0, *(len(piece.nodes) for piece in pieces)])
    names_before = np.cumsum([0, *(len(piece.names) for piece in pieces)])
    network = Network(
        nodes=np.concatenate([piece.nodes for piece in pieces]),
        ends=np.concatenate(
            [piece.ends + before for piece, before in zip(pieces, nodes_before, strict=False)]
        ),
        area=np.repeat(np.arange(len(pieces)), [len(piece.ends) for piece in pieces]),
        street=np.concatenate(
            [piece.street + before for piece, before in zip(pieces, names_before, strict=False)]
        ),
        rank=np.concatenate([piece.rank for piece in pieces]),
        streets=[name for piece in pieces for name in piece.names],
    )
    return network, np.repeat(np.arange(len(pieces)), [len(piece.nodes) for piece in pieces])


def _with_highways(
    network: Network,
    area_of_node: Ints,
    tiling: Tiling,
    plan: DemoPlan,
    pairs: list[tuple[int, int]],
    rng: np.random.Generator,
) -> Network:
    """The network with a chain of segments between the nearest nodes of each pair."""
    nodes, ends, streets = [network.nodes], [network.ends], [network.street]
    used = network.degrees() > 0
    members = [np.flatnonzero(used & (area_of_node == area)) for area in range(len(tiling.areas))]
    count, added = len(network.nodes), 0
    for number, (a, b) in enumerate(pairs):
        if not len(members[a]) or not len(members[b]):
            continue
        first, last = (
            own[np.argmin(((network.nodes[own] - tiling.centre(other)) ** 2).sum(axis=1))]
            for own, other in ((members[a], b), (members[b], a))
        )
        span = network.nodes[last] - network.nodes[first]
        pieces = max(1, int(np.ceil(np.hypot(*span) / _HIGHWAY_SEGMENT_M)))
        bends = rng.uniform(-_BEND_M, _BEND_M, (pieces - 1, 2))
        along = np.arange(1, pieces)[:, None] / pieces
        nodes.append(snap_coordinates(network.nodes[first] + along * span + bends))
        chain = np.array([first, *range(count, count + pieces - 1), last], dtype=np.int64)
        ends.append(np.column_stack([chain[:-1], chain[1:]]))
        streets.append(np.full(pieces, len(network.streets) + number))
        count, added = count + pieces - 1, added + pieces
    names = plan.streets.highways
    highway = np.full(added, RANKS.index("highway"))
    return Network(
        nodes=np.concatenate(nodes),
        ends=np.concatenate(ends),
        area=np.concatenate([network.area, np.full(added, -1)]),
        street=np.concatenate(streets),
        rank=np.concatenate([network.rank, highway]),
        streets=[*network.streets, *(names[number % len(names)] for number in range(len(pairs)))],
    )


def _tidy(network: Network, tiling: Tiling) -> Network:
    """The network with the area of its highways, and without nodes where no segment ends."""
    used = network.degrees() > 0
    renumbered = np.cumsum(used) - 1
    found = tiling.area_at(network.points(np.arange(len(network.ends)), np.full(len(network.ends), 0.5)))
    area = np.where(network.area < 0, found, network.area)
    return replace(network, nodes=network.nodes[used], ends=renumbered[network.ends], area=area)
