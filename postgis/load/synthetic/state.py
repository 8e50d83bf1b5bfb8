"""The synthetic state as a source of rows."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from groundframe.errors import UsageError
from groundframe.postgis.load.canonical import Canonicaliser
from groundframe.postgis.load.columns import Column, Floats, Ints, Objects
from groundframe.postgis.load.report import FileReport
from groundframe.postgis.load.rows import Row, RowBlock
from groundframe.postgis.load.synthetic.filling import fill
from groundframe.postgis.load.synthetic.lattice import RANKS
from groundframe.postgis.load.synthetic.network import Network, build_network
from groundframe.postgis.load.synthetic.placing import Placed, place_crossings, place_events, place_sites
from groundframe.postgis.load.synthetic.tiling import Tiling, tile
from groundframe.schema.demo import DemoPlan, Layer, load_demo
from groundframe.schema.model import Pack
from groundframe.schema.source import Source

__all__ = ["SyntheticState", "generate"]


@dataclass(frozen=True, eq=False)
class Features:
    """The features of one layer: geometry, and columns by name (fields and others)."""

    geometries: Objects
    columns: dict[str, Column]


@dataclass(eq=False)
class SyntheticState:
    """A made-up state; the same pack, seed and sizes always make the same rows.

    Parameters
    ----------
    sizes : dict
        Number of features by entity; of the streets, about as many.

    Attributes
    ----------
    reports : list of FileReport
        One per entity whose rows were taken, complete once they were taken to their end.
    """

    pack: Pack
    plan: DemoPlan
    seed: int
    sizes: dict[str, int]
    synthetic: bool = field(default=True, init=False)
    reports: list[FileReport] = field(default_factory=list, init=False)

    def rows(self, entity: str) -> Iterator[Row]:
        """The rows of an entity; none when it is not part of the plan."""
        for block in self.blocks(entity):
            yield from block.rows()

    def blocks(self, entity: str) -> Iterator[RowBlock]:
        """The same rows by column."""
        layer = next((layer for layer in self.plan.layers if layer.entity == entity), None)
        if layer is None:
            return
        source = self._source(layer)
        report = FileReport(f"synthetic/{source.name}", source.name, entity, notes=[source.notice])
        self.reports = [other for other in self.reports if other.source != source.name] + [report]
        features = self._features(layer)
        names = [field.name for field in self.pack.entity(entity).fields if field.name in layer.fields]
        columns = {name: features.columns[name] for name in names}
        yield from Canonicaliser(self.pack, entity, source.name, report).blocks(columns, features.geometries)

    def _source(self, layer: Layer) -> Source:
        return next(s for s in self.pack.sources if s.synthetic and s.entity == layer.entity)

    def _rng(self, entity: str, step: int) -> np.random.Generator:
        """Random numbers of one step of one layer, so that layers do not depend on each other's size."""
        number = [layer.entity for layer in self.plan.layers].index(entity)
        return np.random.Generator(np.random.PCG64([self.seed, number, step]))

    def _shares(self, layer: Layer) -> Floats:
        """How much of a layer each area gets."""
        density = {spot.area: spot.density.get(layer.entity, 1.0) for spot in self.plan.hotspots}
        areas = self._tiling.areas
        return np.array([area.size**layer.spread * density.get(area.name, 1.0) for area in areas])

    @cached_property
    def _tiling(self) -> Tiling:
        layer = self.plan.layer("areas")
        return tile(self.plan, self.pack, self.sizes[layer.entity])

    @cached_property
    def _network(self) -> Network:
        layer = self.plan.layer("network")
        rng = self._rng(layer.entity, 0)
        return build_network(self.plan, self._tiling, self._shares(layer), self.sizes[layer.entity], rng)

    @cached_property
    def _streets(self) -> Features:
        layer, network = self.plan.layer("network"), self._network
        given = {
            "area": self._area_column(network.area),
            "street": Column.of(network.street, network.streets),
            "street_id": Column.of(network.street, range(len(network.streets))),
            "rank": Column.of(network.rank, RANKS),
        }
        return Features(network.lines(), self._filled(layer, given, len(network.ends)))

    def _features(self, layer: Layer) -> Features:
        if layer.kind == "areas":
            return self._areas(layer)
        if layer.kind == "network":
            return self._streets
        placed = self._placed(layer)
        columns = self._filled(layer, self._of_segments(placed), len(placed.segment))
        return Features(placed.geometries, columns)

    def _areas(self, layer: Layer) -> Features:
        areas = self._tiling.areas
        every = np.arange(len(areas))
        given = {
            "area": self._area_column(every),
            "name": self._area_column(every),
            "size": Column.of(every, [area.size for area in areas]),
        }
        for fact in sorted({fact for area in areas for fact in area.facts}):
            values = [area.facts.get(fact) for area in areas]
            codes = np.array([-1 if value is None else code for code, value in enumerate(values)])
            given[fact] = Column.of(codes, values)
        return Features(self._tiling.polygons, self._filled(layer, given, len(areas)))

    def _placed(self, layer: Layer) -> Placed:
        rng, shares, count = self._rng(layer.entity, 0), self._shares(layer), self.sizes[layer.entity]
        if layer.kind == "sites":
            return place_sites(layer, self._network, shares, count, rng)
        if layer.kind == "crossings":
            return place_crossings(layer, self._network, shares, count, rng)
        centres: Objects = np.empty(0, dtype=object)
        if layer.rings:
            around = next(other for other in self.plan.layers if other.entity == layer.rings.entity)
            centres = self._placed(around).geometries
            centres = centres[np.array([geometry is not None for geometry in centres])]
        return place_events(layer, self._network, self._tiling, shares, centres, count, rng)

    def _of_segments(self, placed: Placed) -> dict[str, Column]:
        """What features can copy from the segment and the node they belong to."""
        network, streets = self._network, self._streets
        meeting = network.meeting()[placed.node]
        here = network.street[placed.segment]
        names = np.array(network.streets, dtype=object)
        same = names[meeting[:, 0]] == names[here]
        cross = np.where(same, meeting[:, 1], meeting[:, 0])
        junction = np.where(placed.at_node, network.degrees()[placed.node], 0)
        own = self.plan.layer("network")
        copied = {f"{own.entity}.{name}": streets.columns[name].at(placed.segment) for name in own.fields}
        return {
            "area": self._area_column(network.area[placed.segment]),
            "street": Column.of(here, network.streets),
            "cross": Column.of(cross, network.streets),
            "junction": Column.of(junction, range(int(junction.max(initial=0)) + 1)),
            "rank": Column.of(network.rank[placed.segment], RANKS),
            "ordinary": Column.of(placed.ordinary.astype(np.int64), (False, True)),
            **copied,
        }

    def _area_column(self, numbers: Ints) -> Column:
        return Column.of(numbers, [area.name for area in self._tiling.areas])

    def _filled(self, layer: Layer, given: dict[str, Column], count: int) -> dict[str, Column]:
        given["n"] = Column.of(np.arange(count), range(1, count + 1))
        entity, coverage = self.pack.entity(layer.entity), self._source(layer).coverage
        return fill(self.plan, layer, entity, coverage, given, self._rng(layer.entity, 1))


def generate(pack: Pack, *, seed: int = 1, crashes: int | None = None, size: str = "demo") -> SyntheticState:
    """The synthetic state of a pack.

    Parameters
    ----------
    seed : int
        Another seed makes another state.
    crashes : int, optional
        Number of events, instead of the size's own.
    size : str
        One of the plan's sizes: ``small``, ``demo`` or ``state``.

    Raises
    ------
    PackError
        When the pack has no plan for one.
    UsageError
        When the seed, the size or the number of crashes is impossible.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> state = generate(load_pack("massachusetts"), size="small")
    >>> next(iter(state.rows("Town"))).values["name"]
    'Boston'
    """
    plan = load_demo(pack)
    if size not in plan.sizes:
        raise UsageError(f"There is no size '{size}'.", f"Sizes: {', '.join(plan.sizes)}.")
    if seed < 0:
        raise UsageError(f"A seed is a whole number from 0, not {seed}.")
    if crashes is not None and crashes < 1:
        raise UsageError(f"There must be one crash at least, not {crashes}.")
    sizes = dict(plan.sizes[size])
    if crashes is not None:
        sizes[plan.layer("events").entity] = crashes
    return SyntheticState(pack, plan, seed, sizes)
