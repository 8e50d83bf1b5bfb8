"""The compiled frame: what is computed, what is shown, and what the answer must say about it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from groundframe.compiler.columns import Column
from groundframe.compiler.graph import Graph, as_data, build_graph
from groundframe.compiler.ops import Complete, Rank, Show
from groundframe.compiler.physical import Physical
from groundframe.compiler.tally import TallyItem
from groundframe.frames.model import Frame
from groundframe.schema.model import Pack

__all__ = ["Plan"]


@dataclass(frozen=True)
class Plan:
    """A compiled frame.

    Attributes
    ----------
    output : Show
        The operation whose rows are the answer.
    columns : tuple of Column
        The columns of the rows, in order, without the geometry.
    geometry : bool
        Whether rows have a geometry; it may be missing for single ones.
    rules : mapping
        What the answer must state: reference system, tolerance, distances, definitions.
    tally : tuple of TallyItem
        What is counted beside the rows.
    physical : Physical or None
        The narrow tables and pairs that the statements may use.
    """

    frame: Frame
    pack: Pack
    output: Show
    columns: tuple[Column, ...]
    geometry: bool
    rules: Mapping[str, Any]
    tally: tuple[TallyItem, ...]
    physical: Physical | None = None

    @property
    def ranking(self) -> Rank | None:
        """The operation that ranks and cuts the rows, if there is one."""
        rows = self.output.input
        if isinstance(rows, Complete):
            rows = rows.input
        return rows if isinstance(rows, Rank) else None

    @cached_property
    def dag(self) -> Graph:
        """The graph of the rows: nodes ``n1``, ``n2``, … with ``op`` and ordered ``inputs``, inputs first."""
        return build_graph([self.output])

    def as_dict(self) -> dict[str, Any]:
        """The plan as JSON-ready data."""
        return {
            "columns": [column.as_dict() for column in self.columns],
            "geometry": self.geometry,
            "nodes": as_data(self.dag),
            "rules": dict(self.rules),
        }
