"""What an answer shows of features, beside what it measures, as the oracle has it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import shapely
from pyproj import Transformer
from shapely.geometry.base import BaseGeometry

from groundframe.compiler.columns import Column
from groundframe.eval.oracle import Feature, OracleRow, World
from groundframe.frames.model import Frame

__all__ = ["misplaced", "shown_of_feature", "shown_of_group"]

SAME_DEGREES = 2e-7
"""Positions are written with seven decimals."""


def shown_of_feature(world: World, feature: Feature, columns: Sequence[Column]) -> dict[str, Any]:
    """Its fields with their bases, and the names of what it is linked to, by column."""
    entity = world.pack.entity(feature.entity)
    shown: dict[str, Any] = {}
    for column in columns:
        if column.kind in ("label", "field"):
            shown[column.name] = feature.values.get(column.name)
        elif column.kind == "basis":
            shown[column.name] = feature.bases[column.name.removesuffix("_basis")]
        elif column.kind == "link":
            key = feature.links[column.name]
            shown[column.name] = None if key is None else name_of(world, entity.link(column.name).to, key)
    return shown


def shown_of_group(world: World, frame: Frame, row: OracleRow) -> dict[str, Any]:
    """The names of the linked features that a row is grouped by, by column."""
    entity = world.pack.entity(next(target.entity for target in frame.targets if target.role == "primary"))
    shown: dict[str, Any] = {}
    for by, key in zip(frame.group_by, row.group, strict=True):
        if by.entity is not None:
            name = f"(no {world.pack.entity(by.entity).label})"
            link = entity.links_to(by.entity)[0].name
            shown[link] = name if key is None else name_of(world, by.entity, str(key)) or key
    return shown


def name_of(world: World, entity: str, key: str) -> Any:
    """What a feature is called: its name, or its key where the entity has no names."""
    field = world.pack.entity(entity).name_field
    return world.features[entity][key].values.get(field) if field else key


def misplaced(world: World, features: Sequence[Feature | None], texts: Sequence[str | None]) -> list[int]:
    """Numbers of the rows, from 1, whose GeoJSON is not where the feature is."""
    expected: list[BaseGeometry | None] = [None if one is None else one.geometry for one in features]
    there = [number for number, geometry in enumerate(expected) if geometry is not None]
    wrong = [n for n, text in enumerate(texts) if (text is None) != (expected[n] is None)]
    both = [number for number in there if texts[number] is not None]
    to_degrees = Transformer.from_pipeline(world.pack.pipeline)
    plane = np.array([expected[number] for number in both], dtype=object)
    degrees = shapely.transform(
        plane,
        lambda points: np.column_stack(to_degrees.transform(points[:, 0], points[:, 1], direction="INVERSE")),
    )
    given = shapely.from_geojson([texts[number] for number in both])
    apart = shapely.hausdorff_distance(degrees, given)
    wrong += [number for number, far in zip(both, apart.tolist(), strict=True) if not far < SAME_DEGREES]
    return [number + 1 for number in sorted(wrong)]
