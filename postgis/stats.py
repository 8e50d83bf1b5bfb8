"""What a dataset holds in the database: tables with their sizes, links, stored neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import sqlalchemy as sa

from groundframe.compiler.near import Near
from groundframe.compiler.physical import Physical
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.load.counted import counted_tables

__all__ = ["DatasetStats", "TableStats", "dataset_stats"]


@dataclass(frozen=True, slots=True)
class TableStats:
    """One table.

    Parameters
    ----------
    kind : str
        ``rows`` of an entity, its ``narrow`` table, ``texts`` of its features, ``pairs`` of two, or
        ``counts`` of pairs or links.
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
        Those of the entities, then narrow ones and texts, pairs and counts, as the pack orders them.
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
        if narrow.written is not None:
            tables.append(TableStats("texts", name, narrow.texts, narrow.rows, *sizes[narrow.texts]))
    tables += [
        TableStats("pairs", _said(near), near.table, near.rows, *sizes[near.table]) for near in physical.pairs
    ]
    tables += _counts(dataset, sizes)
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


def _counts(dataset: Dataset, sizes: Mapping[str, tuple[int, int]]) -> Iterator[TableStats]:
    """What a load has counted; the tables of several concepts, or of several parts of the time, as one."""
    found: dict[tuple[str, str], list[str]] = {}
    for one in counted_tables(dataset.physical):
        if one.flagged is None:
            found[one.what, one.table] = [one.table]
        else:
            every = one.table.removesuffix(one.flagged[-1])
            found.setdefault((f"{one.what}, by concept", f"{every}*"), []).append(one.table)
    for name, narrow in dataset.physical.entities.items():
        if narrow.summed:
            found[f"{name} by kind", narrow.sums] = [narrow.sums]
        if narrow.grouped and narrow.groupings:
            found[f"{name} by parts of the time", f"{narrow.table}_by_*"] = list(narrow.groupings)
    with dataset.database.connect() as connection:
        for (what, shown), tables in found.items():
            listed = [sa.table(table, schema=dataset.schema) for table in tables]
            rows = [sa.select(sa.func.count()).select_from(table) for table in listed]
            held, indexes = (sum(part) for part in zip(*(sizes[table] for table in tables), strict=True))
            total = sum(connection.scalar(one) or 0 for one in rows)
            yield TableStats("counts", what, shown, total, held, indexes)


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
