"""A state without the events of its last month, and these alone: what is added to what is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

import numpy as np

from groundframe.postgis.load.loading import FileSummary
from groundframe.postgis.load.rows import Row, RowBlock
from groundframe.postgis.load.synthetic.state import SyntheticState
from groundframe.schema.source import Source

__all__ = ["LastMonth"]


@dataclass(frozen=True)
class LastMonth:
    """Some rows of a state.

    Parameters
    ----------
    alone : bool
        The events of the last month alone, or all but these.
    held : mapping of str to sequence of RowBlock, optional
        The rows of each entity, where they were made up already.
    """

    state: SyntheticState
    alone: bool
    held: Mapping[str, Sequence[RowBlock]] | None = None

    def made_up(self) -> LastMonth:
        """The same with its rows at hand, as those of a file are; for a month they are few."""
        names = [entity.name for entity in self.state.pack.entities]
        return replace(self, held={name: tuple(self.blocks(name)) for name in names})

    @property
    def reports(self) -> Sequence[FileSummary]:
        """Those of the state."""
        return self.state.reports

    @property
    def month(self) -> date:
        """The first day of the month in which the events end."""
        entity = self.state.plan.layer("events").entity
        (last,) = {source.coverage.last for source in self._sources(entity)}
        assert last is not None  # noqa: S101 - synthetic events have a period
        return last.replace(day=1)

    def _sources(self, entity: str) -> Iterator[Source]:
        return (one for one in self.state.pack.sources if one.synthetic and one.entity == entity)

    def rows(self, entity: str) -> Iterator[Row]:
        """The rows of an entity."""
        for block in self.blocks(entity):
            yield from block.rows()

    def blocks(self, entity: str) -> Iterator[RowBlock]:
        """The same by column."""
        if self.held is not None:
            yield from self.held[entity]
            return
        field = self.state.pack.entity(entity).date_field
        events = entity == self.state.plan.layer("events").entity
        for block in self.state.blocks(entity):
            if not events or field is None:
                yield from () if self.alone else (block,)
                continue
            dates = block.columns[field]
            late = [isinstance(day, date) and day >= self.month for day in dates.table]
            chosen = np.flatnonzero(np.array(late)[dates.codes] == self.alone)
            columns = {name: column.at(chosen) for name, column in block.columns.items()}
            keys = [block.keys[place] for place in chosen]
            yield RowBlock(block.entity, block.source, keys, columns, block.geometries[chosen])
