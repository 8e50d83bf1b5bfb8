"""Pairs of features that are close, every pair measured; boxes only spare measuring what is far apart."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from groundframe.eval.oracle.feature import Feature

__all__ = ["TOLERANCE_M", "close_pairs", "distances_near", "geometries_of", "touching_pairs"]

TOLERANCE_M = 0.0005
"""``within r`` is d <= r + this (DESIGN §7.1)."""

Numbers = NDArray[np.intp]
Measures = NDArray[np.float64]


def close_pairs(
    ones: Sequence[Feature], others: Sequence[Feature], distance: float
) -> Iterator[tuple[Feature, Feature, float]]:
    """Located features within the distance of each other (with the tolerance), and how far they are."""
    here, there = _located(ones), _located(others)
    left, right, distances = _measured(here, there, distance)
    close = distances <= distance + TOLERANCE_M
    for one, other, far in zip(left[close], right[close], distances[close].tolist(), strict=True):
        yield here[one], there[other], far


def distances_near(ones: Sequence[Feature], others: Sequence[Feature], distance: float) -> Measures:
    """How far located features are from each other, of all pairs that are so near and of some more."""
    return _measured(_located(ones), _located(others), distance)[2]


def touching_pairs(ones: Sequence[Feature], others: Sequence[Feature]) -> Iterator[tuple[Feature, Feature]]:
    """Located features that have a point in common."""
    here, there = _located(ones), _located(others)
    left, right = _boxes_meet(here, there, 0.0)
    covers = geometries_of(there)
    shapely.prepare(covers)
    touch = shapely.intersects(covers[right], geometries_of(here)[left])
    for one, other in zip(left[touch], right[touch], strict=True):
        yield here[one], there[other]


def _measured(
    here: list[Feature], there: list[Feature], distance: float
) -> tuple[Numbers, Numbers, Measures]:
    left, right = _boxes_meet(here, there, distance)
    return left, right, shapely.distance(geometries_of(here)[left], geometries_of(there)[right])


def _boxes_meet(here: list[Feature], there: list[Feature], distance: float) -> tuple[Numbers, Numbers]:
    """Numbers of the pairs whose boxes come within the distance and a metre more."""
    bounds = shapely.bounds(geometries_of(here)).reshape(-1, 4)
    margin = distance + 1.0
    west, south, east, north = (bounds + np.array([-margin, -margin, margin, margin])).T
    tree = shapely.STRtree(geometries_of(there))
    pairs: NDArray[np.intp] = tree.query(shapely.box(west, south, east, north))
    return pairs[0], pairs[1]


def _located(features: Sequence[Feature]) -> list[Feature]:
    return [feature for feature in features if feature.geometry is not None]


def geometries_of(features: list[Feature]) -> NDArray[np.object_]:
    """The geometries as an array, for shapely to go through at once."""
    geometries = np.empty(len(features), dtype=object)
    geometries[:] = [feature.geometry for feature in features]
    return geometries
