"""A small made-up state in which every rule is decided somewhere, as a dataset while it is needed."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Sequence, Set
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import cycle, islice

import shapely
import sqlalchemy as sa
from shapely.geometry.base import BaseGeometry
from sqlalchemy.schema import DropSchema

from groundframe.eval.random_frames.relations import BEYOND_M, DISTANCES
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import TEMPORARY, dataset_names, dataset_schema
from groundframe.postgis.load.loading import FileSummary, RowSource, load_dataset
from groundframe.postgis.load.rows import Row
from groundframe.postgis.load.synthetic import SyntheticState, generate
from groundframe.schema.model import Entity, Pack

__all__ = ["Ground", "loaded_for_now", "loaded_ground"]

SHARE = 8
"""The small state has so many times as many features."""

GRID = 1024
"""Steps to the metre on which all geometry lies."""

_NAME = "oracle_ground_"
_TRY_LOCK = sa.text("SELECT pg_try_advisory_lock(hashtextextended(:name, 0))")
_LOCK = sa.text("SELECT pg_advisory_lock(hashtextextended(:name, 0))")
_UNLOCK = sa.text("SELECT pg_advisory_unlock_all()")

SITES, CORNERS, EVERY = 2, 12, 5
PLACELESS_EVERY = 10
SOURCES_EVERY = 3


@dataclass(eq=False)
class Ground:
    """Rows of the synthetic state, some of them where a rule is decided.

    Events lie exactly at distances that are drawn, and a fraction of a millimetre beyond; on corners of
    areas, which several cover; on sites. Sites lie where others do, so that they are equally near. Some
    points lie nowhere, and half of these state no area either. Rows are dealt to all sources that the pack
    knows of the entity, each with the fields that it provides.
    """

    pack: Pack
    seed: int = 1

    @cached_property
    def _state(self) -> SyntheticState:
        state = generate(self.pack, seed=self.seed, size="small")
        areas = state.plan.layer("areas").entity
        state.sizes.update({name: count // SHARE for name, count in state.sizes.items() if name != areas})
        return state

    @property
    def reports(self) -> Sequence[FileSummary]:
        """The reports of the state's layers."""
        return self._state.reports

    def rows(self, entity: str) -> Iterator[Row]:
        """The rows of an entity."""
        rows: Iterator[Row] = self._state.rows(entity)
        known = self.pack.entity(entity)
        if known.date_field is not None:
            rows = self._events(rows)
        elif known.geometry == ("point",):
            rows = _doubled(rows)
        if "point" in known.geometry:
            rows = _placeless(rows, {link.stated_field for link in known.links})
        return self._dealt(known, rows)

    def _events(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Every fifth goes to the next spot where something is decided, twice to the first of them."""
        spots = iter([*islice(self._spots(), 2), *self._spots()])
        for number, row in enumerate(rows):
            spot = next(spots, None) if number % EVERY == 0 and row.geometry is not None else None
            yield row if spot is None else replace(row, geometry=spot)

    def _spots(self) -> Iterator[BaseGeometry]:
        sites = [
            row.geometry
            for entity in self.pack.entities
            if entity.geometry == ("point",) and entity.date_field is None
            for row in islice(self._state.rows(entity.name), SITES)
            if row.geometry is not None
        ]
        yield from sites
        areas = [row.geometry for row in self._state.rows(self._state.plan.layer("areas").entity)]
        for area in islice((area for area in areas if area is not None), CORNERS):
            yield shapely.Point(shapely.get_coordinates(area)[0])
        for site in sites:
            for distance in DISTANCES:
                for beyond in BEYOND_M:
                    yield beside(site, distance, beyond)

    def _dealt(self, entity: Entity, rows: Iterator[Row]) -> Iterator[Row]:
        others = [one for one in self.pack.sources if one.entity == entity.name and not one.synthetic]
        dealt = cycle(others)
        for number, row in enumerate(rows):
            if not others or number % SOURCES_EVERY:
                yield row
                continue
            source = next(dealt)
            values = {name: value for name, value in row.values.items() if name in source.provides}
            yield replace(row, source=source.name, key=f"{source.name}:{number}", values=values)


def beside(site: BaseGeometry, distance: float, beyond: float) -> BaseGeometry:
    """A point on the grid, so far from the site to a fraction of a tenth of a millimetre.

    Examples
    --------
    >>> round(beside(shapely.Point(0, 0), 500.0, 0.0004).distance(shapely.Point(0, 0)), 6)
    500.0004
    """
    aside = math.sqrt((distance + beyond) ** 2 - distance**2)
    (x, y) = shapely.get_coordinates(site)[0]
    return shapely.Point(x + distance, y + round(aside * GRID) / GRID)


def _placeless(rows: Iterator[Row], stated: Set[str | None]) -> Iterator[Row]:
    """Some rows without a place, and every other of these without what it states of where it is."""
    for number, row in enumerate(rows):
        if number % PLACELESS_EVERY == 1:
            named = number % (2 * PLACELESS_EVERY) == 1
            values = {name: value for name, value in row.values.items() if named or name not in stated}
            row = replace(row, geometry=None, values=values)
        yield row


def _doubled(rows: Iterator[Row]) -> Iterator[Row]:
    """Every fifth row where the one before it is."""
    before: Row | None = None
    for number, row in enumerate(rows):
        if number % EVERY == EVERY - 1 and before is not None and row.geometry is not None:
            row = replace(row, geometry=before.geometry)
        before = row
        yield row


def loaded_ground(database: Database, pack: Pack, seed: int = 1) -> AbstractContextManager[str]:
    """The name of a dataset that holds the ground, and is dropped in the end."""
    return loaded_for_now(database, pack, Ground(pack, seed), _NAME)


@contextmanager
def loaded_for_now(database: Database, pack: Pack, rows: RowSource, prefix: str) -> Iterator[str]:
    """The name, which has `prefix` in it, of a dataset that holds the rows, and is dropped in the end.

    A lock says that it is in use, so that what a killed run has left is known, and dropped by the next.
    """
    prefix = f"{TEMPORARY}{prefix}"
    name = f"{prefix}{os.getpid()}"
    with database.connect() as connection:
        for left in dataset_names(database):
            if left.startswith(prefix) and connection.scalar(_TRY_LOCK, {"name": left}):
                _drop(database, left)
        connection.execute(_LOCK, {"name": name})
        connection.commit()
        try:
            load_dataset(database, pack, name, rows)
            yield name
        finally:
            _drop(database, name)
            connection.execute(_UNLOCK)


def _drop(database: Database, name: str) -> None:
    with database.begin() as connection:
        connection.execute(DropSchema(dataset_schema(name), cascade=True, if_exists=True))
