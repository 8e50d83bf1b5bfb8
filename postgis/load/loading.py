"""Loading a dataset: rows in, a finished schema swapped in, or nothing changed at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Protocol, runtime_checkable

import psycopg
import sqlalchemy as sa
from sqlalchemy.schema import CreateSchema, DropSchema

from groundframe.errors import LoadError
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import (
    Dataset,
    check_dataset_name,
    dataset_names,
    dataset_schema,
    open_dataset,
)
from groundframe.postgis.definitions import readings
from groundframe.postgis.load.ahead import ReadAhead
from groundframe.postgis.load.arrange import arrange, describe, vacuum
from groundframe.postgis.load.build import Build, entity_order
from groundframe.postgis.load.encode import Encoder
from groundframe.postgis.load.extend import extension
from groundframe.postgis.load.finish import finish
from groundframe.postgis.load.links import compute_links
from groundframe.postgis.load.nodes import network_nodes
from groundframe.postgis.load.rows import Row, RowBlock
from groundframe.postgis.load.staging import Progress, StagedRows, keep, stage
from groundframe.postgis.load.summary import LinkSummary, LoadReport, SourceSummary
from groundframe.postgis.load.survey import links_of, overlaps_of, sources_of
from groundframe.postgis.load.swap import (
    drop_replaced,
    locked_for_load,
    under_construction,
)
from groundframe.postgis.version import compute_data_version
from groundframe.schema.model import Entity, Pack

__all__ = ["FileSummary", "RowSource", "load_dataset"]


class FileSummary(Protocol):
    """The report of one file."""

    def as_dict(self) -> dict[str, Any]:
        """The report as JSON-ready data."""
        ...


class RowSource(Protocol):
    """Where rows come from: the files of a folder, or a generator."""

    @property
    def reports(self) -> Sequence[FileSummary]:
        """The reports of the files, complete once all rows were taken."""
        ...

    def rows(self, entity: str) -> Iterable[Row]:
        """The rows of an entity; none when the source has none."""
        ...


@runtime_checkable
class BlockSource(Protocol):
    """A source of rows that also gives them by column, which is quicker."""

    def blocks(self, entity: str) -> Iterable[RowBlock]:
        """The rows of an entity; none when the source has none."""
        ...


def load_dataset(
    database: Database,
    pack: Pack,
    name: str,
    rows: RowSource,
    *,
    add: bool = False,
    progress: Progress | None = None,
) -> LoadReport:
    """Load rows into the dataset of that name.

    New tables are made aside and take the place of the old ones at the very end, by renaming schemas, so that
    a failed load changes nothing, and running queries finish on the old tables. Rows to add that change no
    other go into the tables that are there, in one transaction, and running queries finish without them.

    Parameters
    ----------
    add : bool
        Keep the rows that the dataset holds. Without it the dataset is replaced by exactly what is given.
    progress : callable, optional
        Called with what is being done and how many rows of it are done.

    Raises
    ------
    LoadError
        When there are no rows, a key comes with different contents, another load runs, or the files of what
        is to be added to are read otherwise by now.
    DatabaseError
        When the database cannot be reached, has no PostGIS, or does not permit it.
    DatasetError
        When the dataset to add to was loaded under other definitions of the pack.
    """
    check_dataset_name(name)
    tell: Progress = progress or (lambda what, done: None)
    with database.connect() as connection:
        database.require_postgis(connection)
        with locked_for_load(connection, name):
            old = _existing(database, connection, pack, name, add=add)
            # A load that was killed may have left something.
            connection.execute(DropSchema(under_construction(name), cascade=True, if_exists=True))
            connection.execute(CreateSchema(under_construction(name)))
            try:
                report = _load(database, connection, pack, name, rows, old, tell)
            except (psycopg.DataError, psycopg.IntegrityError) as error:
                reason = str(error).strip().partition("\n")[0]
                raise LoadError(
                    f"The database refuses a row: {reason}.", "Check the files; nothing was loaded."
                ) from error
    if report.changed:
        drop_replaced(database)
    return report


def _load(
    database: Database,
    connection: sa.Connection,
    pack: Pack,
    name: str,
    source: RowSource,
    old: Dataset | None,
    tell: Progress,
) -> LoadReport:
    """Read all that is given, and bring it into the tables that there are or into new ones."""
    workshop = under_construction(name)
    build = Build(connection, pack, workshop)
    given = [entity for entity in entity_order(pack) if entity.derived is None]
    with ReadAhead(pack, given, lambda entity: _given(source, entity)) as ahead:
        counts: list[StagedRows] = []
        if old is not None:
            # Whether tables must be made anew shows when all rows are there.
            counts += (
                stage(build, entity, ahead.batches(entity), old=old.schema, progress=tell) for entity in given
            )
            living = Build(connection, pack, old.schema, workshop)
            addition = extension(living, old, counts)
            if addition is not None:
                links, sources, facts = addition.add(tell)
                report = _report(living, name, source, old, counts, links, sources)
                if report.changed:
                    describe(living, report, facts)
                    connection.execute(DropSchema(workshop, cascade=True))
                    connection.commit()
                    vacuum(database, old.schema)
                return report
        links = _make_entities(build, ahead, old, counts, tell)
    sources = [summary for entity in pack.entities for summary in sources_of(build, entity)]
    report = _report(build, name, source, old, counts, links, sources)
    if report.changed:
        arrange(database, build, report, tell)
    return report


def _existing(
    database: Database, connection: sa.Connection, pack: Pack, name: str, *, add: bool
) -> Dataset | None:
    """The dataset to add to, if there is one; raise where something else has its place."""
    schema = dataset_schema(name)
    if connection.scalar(sa.text("SELECT to_regnamespace(:schema)::oid"), {"schema": schema}) is None:
        return None
    if name not in dataset_names(database):
        raise LoadError(
            f"The schema '{schema}' exists in the database and is no dataset.", "Choose another name."
        )
    if not add:
        return None
    old = open_dataset(database, name, pack=pack)
    _check_readings(old)
    return old


def _check_readings(old: Dataset) -> None:
    """Refuse to add to rows that would be others if their files were read today."""
    stored, now = old.facts.get("readings", {}), readings(old.pack)
    for source in old.report["sources"]:
        name = source["source"]
        if name in now and stored.get(name) != now[name]:
            raise LoadError(
                f"The dataset holds rows of '{name}', whose files the pack reads otherwise by now.",
                "Load all the files again without adding, which replaces the dataset.",
            )


def _make_entities(
    build: Build, ahead: ReadAhead, old: Dataset | None, counts: list[StagedRows], tell: Progress
) -> list[LinkSummary]:
    """Make the tables of all entities, each while the rows of the next are read; counts what is staged."""
    links: list[LinkSummary] = []
    derived: list[StagedRows] = []
    for entity in entity_order(build.pack):
        if entity.derived is not None:
            nodes: Iterable[RowBlock] = ()
            tell(f"deriving {entity.plural}", 0)
            if build.has_rows(build.table(entity.derived.from_entity)):
                nodes = network_nodes(build, entity, entity.derived)
            batches = Encoder(build.pack, entity).batches(nodes)
            derived.append(stage(build, entity, batches, old=None, progress=tell))
        elif old is not None:
            keep(build, entity, old.schema)
        else:
            counts.append(stage(build, entity, ahead.batches(entity), old=None, progress=tell))
        tell(f"linking {entity.plural}", 0)
        links += _finish(build, entity)
    counts += derived
    if not any(build.has_rows(build.table(entity)) for entity in build.pack.entities):
        raise LoadError("There are no rows to load.", "Name a folder with files that the pack knows.")
    return links


def _given(source: RowSource, entity: str) -> Iterable[Row | RowBlock]:
    return source.blocks(entity) if isinstance(source, BlockSource) else source.rows(entity)


def _finish(build: Build, entity: Entity) -> Iterator[LinkSummary]:
    finish(build, entity, compute_links(build, entity))
    yield from links_of(build, entity)


def _report(
    build: Build,
    name: str,
    source: RowSource,
    old: Dataset | None,
    counts: Sequence[StagedRows],
    links: Sequence[LinkSummary],
    sources: Sequence[SourceSummary],
) -> LoadReport:
    pack = build.pack
    version = compute_data_version(build.cursor.connection, pack, build.tables)
    overlaps = [
        overlap
        for entity in pack.entities
        if len({summary.source for summary in sources if summary.entity == entity.name}) > 1
        for overlap in overlaps_of(build, entity)
    ]
    before = list(old.report["files"]) if old is not None else []
    files = [report.as_dict() for report in source.reports]
    return LoadReport(
        dataset=name,
        pack=pack.name,
        pack_version=pack.version,
        data_version=version,
        synthetic=any(summary.synthetic for summary in sources),
        changed=old is None or old.data_version != version,
        files=before + [file for file in files if file not in before],
        rows=counts,
        sources=sources,
        links=links,
        overlaps=overlaps,
    )
