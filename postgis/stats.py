"""What a dataset holds in the database: tables with their sizes, links, stored neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import sqlalchemy as sa

from groundframe.compiler.physical import Near, Physical
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.load.counted import counted_tables

__all__ = ["DatasetStats", "TableStats", "dataset_stats"]


@dataclass(frozen=True, slots=True)
class TableStats:
    """One table.

    Parameters
    ----------
    kind : str
        ``rows`` of an entity, its ``narrow`` table, ``pairs`` of two, or ``counts`` of pairs or links.
    what : str
        The entity or entities, with the distance up to which there are pairs.
    rows : int
        As the load has counted them.
    bytes, index_bytes : int
        On disk: the table, and its indexes.
    """

    kind: str
    what: str
    table: str
    rows: int
    bytes: int
    index_bytes: int


@dataclass(frozen=True, slots=True)
class DatasetStats:
    """A dataset in the database.

    Parameters
    ----------
    tables : tuple of TableStats
        Those of the entities, then narrow ones, pairs and counts, as the pack orders them.
    links : tuple of (entity, link, linked rows, rows)
        How many rows have each link.
    newest : tuple of (entity, source's title, day)
        The newest date of each source whose rows have one, as ISO text.
    outdated : str
        A sentence where the pack defines concepts otherwise by now; else empty.
    missing, former : tuple of str
        Pairs that the pack declares and the dataset lacks, and those that the pack no longer declares so.
    """

    tables: tuple[TableStats, ...]
    links: tuple[tuple[str, str, int, int], ...]
    newest: tuple[tuple[str, str, str], ...]
    outdated: str
    missing: tuple[str, ...]
    former: tuple[str, ...]


def dataset_stats(dataset: Dataset) -> DatasetStats:
    """Sizes and freshness of everything that a load has made."""
    sizes = _sizes(dataset)
    physical = dataset.physical
    rows: dict[str, int] = {entity.name: 0 for entity in dataset.pack.entities}
    for source in dataset.report["sources"]:
        rows[source["entity"]] += source["rows"]
    tables = [
        TableStats("rows", entity.name, entity.table, rows[entity.name], *sizes[entity.table])
        for entity in dataset.pack.entities
    ]
    for name, narrow in physical.entities.items():
        tables.append(TableStats("narrow", name, narrow.table, narrow.rows, *sizes[narrow.table]))
    tables += [
        TableStats("pairs", _said(near), near.table, near.rows, *sizes[near.table]) for near in physical.pairs
    ]
    tables += [TableStats("counts", what, name, rows, *sizes[name]) for name, what, rows in _counted(dataset)]
    declared = {_said(near) for near in Physical.of(dataset.pack).pairs}
    there = {_said(near) for near in physical.pairs}
    return DatasetStats(
        tuple(tables),
        tuple(_links(dataset)),
        tuple((one["entity"], one["title"], one["last"]) for one in dataset.report["sources"] if one["last"]),
        dataset.outdated,
        tuple(sorted(declared - there)),
        tuple(sorted(there - declared)),
    )


def _said(near: Near) -> str:
    return f"{near.a} and {near.b} within {near.metres:g} m"


def _counted(dataset: Dataset) -> Iterator[tuple[str, str, int]]:
    """The tables of what a load has counted, with what they count and their rows."""
    with dataset.database.connect() as connection:
        for one in counted_tables(dataset.physical):
            counted = sa.select(sa.func.count()).select_from(sa.table(one.table, schema=dataset.schema))
            yield one.table, one.what, connection.scalar(counted) or 0


def _sizes(dataset: Dataset) -> dict[str, tuple[int, int]]:
    """Bytes of each table of the schema, and of its indexes."""
    statement = sa.text(
        "SELECT c.relname, pg_table_size(c.oid), pg_indexes_size(c.oid) FROM pg_class c"
        " WHERE c.relnamespace = to_regnamespace(:schema) AND c.relkind = 'r'"
    )
    with dataset.database.connect() as connection:
        found = connection.execute(statement, {"schema": dataset.schema})
        return {name: (table, indexes) for name, table, indexes in found}


def _links(dataset: Dataset) -> Iterator[tuple[str, str, int, int]]:
    for link in dataset.report["links"]:
        total = sum(link["basis"].values())
        yield link["entity"], link["link"], total - link["basis"].get("none", 0), total
