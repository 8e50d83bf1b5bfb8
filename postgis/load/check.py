"""Comparing a dataset with official totals by area and year."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from typing import Any

import sqlalchemy as sa

from groundframe.postgis.datasets import Dataset
from groundframe.postgis.load.matching import NameMatcher
from groundframe.postgis.load.totals import OfficialTotals

__all__ = ["TotalCheck", "check_totals"]


@dataclass(frozen=True, slots=True)
class TotalCheck:
    """One official total beside what is loaded.

    Parameters
    ----------
    area : str
        The area as the workbook names it.
    official, loaded : int
        The official count, and the rows whose link leads to the area.
    stated : int or None
        The rows that state the area, wherever they lie; None when rows state nothing.
    known_area : bool
        Whether the dataset has a feature of that name.
    sources : tuple of str
        The sources that the loaded rows come from.
    complete : tuple of str
        The sources in the dataset that the pack declares complete for this area and the whole year. Without
        one the two counts cannot be expected to agree.
    """

    file: str
    area: str
    year: int
    official: int
    loaded: int
    stated: int | None
    known_area: bool
    sources: tuple[str, ...]
    complete: tuple[str, ...]

    @property
    def difference(self) -> int:
        """How many more are loaded than were officially counted."""
        return self.loaded - self.official


def check_totals(dataset: Dataset, totals: Iterable[OfficialTotals]) -> tuple[TotalCheck, ...]:
    """Compare the dataset with official totals, by file, area and year.

    Only years are compared in which the dataset has rows. A count by link differs from one by what rows state
    by those that an agency placed in one area and that lie in another.
    """
    return tuple(check for total in totals for check in _check(dataset, total))


def _check(dataset: Dataset, total: OfficialTotals) -> Iterable[TotalCheck]:
    entity = dataset.pack.entity(total.totals.entity)
    link = entity.link(total.totals.link)
    areas = dataset.pack.entity(link.to)
    if entity.date_field is None or areas.name_field is None:
        return
    table, area_table = dataset.tables.entities[entity.name], dataset.tables.entities[areas.name]
    name, day = area_table.c[areas.name_field], table.c[entity.date_field]
    joined = table.outerjoin(area_table, area_table.c.key == table.c[f"{link.name}_key"])
    with dataset.database.connect() as connection:
        names = connection.scalars(sa.select(name).where(name.is_not(None)).distinct()).all()
        matcher = NameMatcher(dataset.pack, areas.name, names)
        loaded = _counts(connection, joined, name, day, table.c.source, matcher)
        stated = (
            _counts(connection, table, table.c[link.stated_field], day, table.c.source, matcher)
            if link.stated_field
            else None
        )
    years = {year for _, year in loaded}
    listed = [source for source in dataset.report["sources"] if source["entity"] == entity.name]
    for (area, year), official in sorted(total.counts.items()):
        if year not in years:
            continue
        folded = matcher.match(area)
        place = (folded or "", year)
        by_source = loaded.get(place, {})
        yield TotalCheck(
            file=total.file,
            area=area,
            year=year,
            official=official,
            loaded=sum(by_source.values()),
            stated=None if stated is None else sum(stated.get(place, {}).values()),
            known_area=folded is not None,
            sources=tuple(sorted(by_source)),
            complete=tuple(
                source["source"] for source in listed if folded and _complete(source, folded, year, matcher)
            ),
        )


def _counts(
    connection: sa.Connection,
    origin: sa.FromClause,
    name: sa.ColumnElement[Any],
    day: sa.ColumnElement[Any],
    source: sa.ColumnElement[Any],
    matcher: NameMatcher,
) -> Mapping[tuple[str, int], Mapping[str, int]]:
    """Rows by folded name of the area and year, then by source."""
    year = sa.cast(sa.extract("year", day), sa.Integer)
    counted = (
        sa.select(name, year, source, sa.func.count())
        .select_from(origin)
        .where(day.is_not(None))
        .group_by(name, year, source)
    )
    counts: dict[tuple[str, int], dict[str, int]] = defaultdict(dict)
    for area, in_year, of_source, count in connection.execute(counted):
        folded = matcher.match(area) if area else None
        if folded is None:
            continue
        by_source = counts[folded, in_year]
        by_source[of_source] = by_source.get(of_source, 0) + count
    return counts


def _complete(source: Mapping[str, Any], area: str, year: int, matcher: NameMatcher) -> bool:
    """Whether a source is declared to hold everything of the area and year.

    A coverage whose area is the name of one of the areas is of that one; any other is of them all.
    """
    coverage = source["coverage"]
    if coverage is None or coverage["completeness"] != "complete":
        return False
    first, last = (date.fromisoformat(day) if (day := coverage[end]) else None for end in ("first", "last"))
    if (first and first > date(year, 1, 1)) or (last and last < date(year, 12, 31)):
        return False
    return matcher.match(coverage["area"]) in (None, area)
