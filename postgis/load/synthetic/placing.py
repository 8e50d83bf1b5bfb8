"""Where point features are: beside streets, across them, or wherever a crash can happen."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely

from groundframe.postgis.load.columns import Floats, Ints, Mask, Objects
from groundframe.postgis.load.plane import snap_coordinates
from groundframe.postgis.load.synthetic.columns import draw, shuffled_share
from groundframe.postgis.load.synthetic.lattice import RANKS
from groundframe.postgis.load.synthetic.network import Network, line_strings
from groundframe.postgis.load.synthetic.tiling import Tiling
from groundframe.schema.demo import Layer

__all__ = ["Placed", "place_crossings", "place_events", "place_sites"]

# Crossings lie this far from their node and are this long to each side.
_FROM_NODE_M = 9.0
_HALF_CROSSING_M = 6.0
# Events along a street lie about this far from its line and never further than the second figure; those off
# every street lie beside the middle of a segment, at a distance in the third range.
_BESIDE_M = 3.0
_BESIDE_AT_MOST_M = 11.0
_OFF_M = (20.0, 36.0)
# Remote sites are this far from their street.
_REMOTE_M = (900.0, 2500.0)
# Parts into which the edge of an area is cut exactly.
_EDGE_PARTS = 1024


@dataclass(frozen=True, eq=False)
class Placed:
    """Features by their segment.

    Attributes
    ----------
    geometries : array
        None without coordinates.
    segment, node : arrays
        The segment each belongs to, and the node nearest on it.
    at_node, ordinary : arrays of bool
        Whether it is at the node, and whether it is where one expects it: mapped, and by its segment.
    """

    geometries: Objects
    segment: Ints
    node: Ints
    at_node: Mask
    ordinary: Mask


def _segments(layer: Layer, network: Network, shares: Floats, count: int, rng: np.random.Generator) -> Ints:
    """A segment for each feature: areas by their share, then by rank and, where they clump, by chance."""
    own = np.array([layer.ranks.get(rank, 0.0) for rank in RANKS])[network.rank]
    if layer.clumping:
        own *= 1 - layer.clumping + layer.clumping * rng.gamma(1 / layer.clumping, size=len(own))
    own[network.area < 0] = 0
    in_area = np.bincount(np.maximum(network.area, 0), weights=own, minlength=len(shares))
    return draw(own * (shares / np.maximum(in_area, 1e-9))[network.area], count, rng)


def _nearer_end(network: Network, segment: Ints, along: Floats) -> Ints:
    nodes: Ints = network.ends[segment, (along > 0.5).astype(np.int64)]
    return nodes


def _points(coordinates: Floats, without: Ints) -> Objects:
    points = np.asarray(shapely.points(snap_coordinates(coordinates)), dtype=object)
    points[without] = None
    return points


def place_sites(
    layer: Layer, network: Network, shares: Floats, count: int, rng: np.random.Generator
) -> Placed:
    """Points beside streets."""
    segment = _segments(layer, network, shares, count, rng)
    along = rng.uniform(0.15, 0.85, count)
    offset = rng.uniform(*layer.offset_m, count)
    remote = shuffled_share(layer.remote, count, rng)
    offset[remote] = rng.uniform(*_REMOTE_M, len(remote))
    offset *= rng.choice([-1.0, 1.0], count)
    where = network.points(segment, along) + offset[:, None] * network.normals(segment)
    without = shuffled_share(layer.unlocated, count, rng)
    ordinary = np.ones(count, dtype=bool)
    ordinary[without] = ordinary[remote] = False
    node = _nearer_end(network, segment, along)
    return Placed(_points(where, without), segment, node, np.zeros(count, dtype=bool), ordinary)


def place_crossings(
    layer: Layer, network: Network, shares: Floats, count: int, rng: np.random.Generator
) -> Placed:
    """Short lines, or points, across a street near one of its nodes."""
    segment = _segments(layer, network, shares, count, rng)
    end = rng.integers(0, 2, count)
    length = shapely.length(network.lines()[segment])
    along = np.where(end == 0, _FROM_NODE_M / length, 1 - _FROM_NODE_M / length)
    middle = network.points(segment, along)
    half = _HALF_CROSSING_M * network.normals(segment)
    lines = line_strings(snap_coordinates(np.stack([middle - half, middle + half], axis=1)))
    as_point = shuffled_share(layer.points, count, rng)
    lines[as_point] = shapely.points(snap_coordinates(middle[as_point]))
    every = np.ones(count, dtype=bool)
    return Placed(lines, segment, network.ends[segment, end], every, every)


def place_events(
    layer: Layer,
    network: Network,
    tiling: Tiling,
    shares: Floats,
    ring_centres: Objects,
    count: int,
    rng: np.random.Generator,
) -> Placed:
    """Points on nodes, along streets, off them, on borders, and at an exact distance from others.

    The kinds are runs of one random order of all features, so that each has its share.
    """
    segment = _segments(layer, network, shares, count, rng)
    along = rng.uniform(0.04, 0.96, count)
    beside = np.clip(rng.normal(0, _BESIDE_M, count), -_BESIDE_AT_MOST_M, _BESIDE_AT_MOST_M)
    order = rng.permutation(count)
    ring_share = layer.rings.share if layer.rings and len(ring_centres) else 0.0
    cuts = np.cumsum([layer.at_nodes, layer.off_street, layer.on_border, ring_share, layer.unlocated]) * count
    on_node, off, on_border, on_ring, without, _ = np.split(order, np.ceil(cuts).astype(np.int64))

    along[off] = rng.uniform(0.35, 0.65, len(off))
    beside[off] = rng.uniform(*_OFF_M, len(off)) * rng.choice([-1.0, 1.0], len(off))
    where = network.points(segment, along) + beside[:, None] * network.normals(segment)
    node = _nearer_end(network, segment, along)
    where[on_node] = network.nodes[node[on_node]]
    at_node = np.zeros(count, dtype=bool)
    at_node[on_node] = True

    where[on_border] = _on_borders(network, tiling, len(on_border), rng)
    if layer.rings:
        distance = layer.rings.distance_m
        steps = np.array([[distance, 0], [-distance, 0], [0, distance], [0, -distance]])
        centre = rng.integers(0, max(len(ring_centres), 1), len(on_ring))
        where[on_ring] = shapely.get_coordinates(ring_centres[centre])
        where[on_ring] += steps[rng.integers(0, 4, len(on_ring))]
    moved = np.concatenate([on_border, on_ring])
    segment[moved] = _nearest(network, where[moved])
    node[moved] = network.ends[segment[moved], 0]
    ordinary = np.ones(count, dtype=bool)
    ordinary[without] = ordinary[off] = ordinary[moved] = False
    return Placed(_points(where, without), segment, node, at_node, ordinary)


def _nearest(network: Network, points: Floats) -> Ints:
    """The nearest segment of each point."""
    if not len(points):
        return np.empty(0, dtype=np.int64)
    pairs = shapely.STRtree(network.lines()).query_nearest(shapely.points(points), all_matches=False)
    found: Ints = pairs[1]
    return found


def _on_borders(network: Network, tiling: Tiling, count: int, rng: np.random.Generator) -> Floats:
    """Points exactly on borders of two areas, near where a street crosses them if any does."""
    edges = tiling.borders
    if not count or not len(edges):
        return np.empty((0, 2))
    lines = line_strings(edges.reshape(-1, 2, 2))
    highways = network.lines()[network.rank == RANKS.index("highway")]
    edge, highway = shapely.STRtree(highways).query(lines, predicate="crosses")
    if len(edge):
        chosen = rng.integers(0, len(edge), count)
        edge = edge[chosen]
        crossing = shapely.intersection(lines[edge], highways[highway[chosen]])
        part = np.rint(shapely.line_locate_point(lines[edge], crossing, normalized=True) * _EDGE_PARTS)
        part += rng.integers(-2, 3, count)
    else:
        edge = rng.integers(0, len(edges), count)
        part = rng.integers(0, _EDGE_PARTS + 1, count).astype(float)
    part = np.clip(part, 0, _EDGE_PARTS)
    first, second = edges[edge, :2], edges[edge, 2:]
    points: Floats = first + (second - first) * (part / _EDGE_PARTS)[:, None]
    return points
