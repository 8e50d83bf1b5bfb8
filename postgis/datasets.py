"""Datasets of a database: finding, choosing and opening them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from threading import Event
from typing import Any

import sqlalchemy as sa
from sqlalchemy.dialects.postgresql import OID

from groundframe.compiler.physical import Physical
from groundframe.errors import DatasetError, UsageError
from groundframe.postgis.connect import Database
from groundframe.postgis.definitions import definitions, first_difference
from groundframe.postgis.reader import role_of
from groundframe.postgis.spelling import compile_sql
from groundframe.postgis.tables import FORMAT, Tables, dataset_table, make_tables
from groundframe.schema.model import Pack
from groundframe.schema.packs import load_pack

__all__ = [
    "TEMPORARY",
    "Dataset",
    "check_dataset_name",
    "dataset_names",
    "dataset_schema",
    "open_dataset",
    "require_dataset",
]

PREFIX = "gf_"
TEMPORARY = "tmp_"
"""So begin names of datasets that are there for the time of a run; none is chosen without being named."""


@dataclass(frozen=True)
class Dataset:
    """One dataset, open for questions.

    Attributes
    ----------
    schema : str
        The database schema that holds it.
    data_version : str
        SHA-256 of the pack's digest and the sorted canonical rows.
    synthetic : bool
        Whether any row is of a source that the pack declares synthetic.
    report : mapping
        The load report: files, sources with their rows, period and coverage, links, overlaps.
    physical : Physical
        What the dataset holds so that answers come quickly.
    facts : mapping
        What the load has noted of that.
    oid : int
        What PostgreSQL calls the schema; another one after the dataset was replaced.
    replaced : Event
        Set once a load was found to have replaced the dataset.
    """

    database: Database
    name: str
    pack: Pack
    data_version: str
    synthetic: bool
    report: Mapping[str, Any] = field(repr=False)
    physical: Physical = field(repr=False)
    facts: Mapping[str, Any] = field(repr=False)
    oid: int
    replaced: Event = field(default_factory=Event, repr=False, compare=False)

    @property
    def schema(self) -> str:
        """The database schema that holds the dataset."""
        return dataset_schema(self.name)

    @cached_property
    def outdated(self) -> str:
        """A sentence where the pack defines concepts otherwise than at the time of the load; else empty."""
        columns = [name for narrow in self.physical.entities.values() for name in narrow.outdated]
        if not columns:
            return ""
        more = f" and {len(columns) - 1} more" if len(columns) > 1 else ""
        return (
            f"The pack defines the concept behind {columns[0]}{more} otherwise than when dataset "
            f"'{self.name}' was loaded: answers go by the pack, and are slower until it is loaded again."
        )

    @cached_property
    def tables(self) -> Tables:
        """The dataset's tables with all their columns."""
        return make_tables(self.pack, self.schema)

    @cached_property
    def _now(self) -> tuple[str, dict[str, Any]]:
        """The statement that tells what the dataset is by now, written out once as every answer needs it."""
        # Rows that were added change the version; a load that replaces the tables need not.
        table = dataset_table(self.schema)
        oid = sa.func.to_regnamespace(sa.literal(self.schema)).cast(OID)
        return compile_sql(sa.select(oid, table.c.data_version))

    def verify(self, connection: sa.Connection) -> None:
        """Raise when a load has replaced the dataset since it was opened.

        A transaction that reads more than once calls this after its last read: names of tables are looked up
        anew by every statement, so a later one may meet the new tables, whose rows its snapshot does not see.
        """
        text, parameters = self._now
        current = connection.exec_driver_sql(text, parameters).one_or_none()
        if current is None or tuple(current) != (self.oid, self.data_version):
            self.replaced.set()
            raise DatasetError(
                f"Dataset '{self.name}' was loaded anew in the meantime.", "Run the frame again."
            )


def dataset_schema(name: str) -> str:
    """The database schema of the dataset of that name."""
    return PREFIX + name


def check_dataset_name(name: str) -> None:
    """Raise unless `name` can name a dataset."""
    plain = name.isascii() and name.isidentifier() and name == name.lower() and not name.startswith("_")
    if not plain or len(name) > 48:
        raise UsageError(
            f"A dataset cannot be named '{name[:60]}'.",
            "Use up to 48 of a-z, 0-9 and _, beginning with a letter.",
        )


def dataset_names(database: Database) -> tuple[str, ...]:
    """Names of the datasets in the database that its role may read, sorted."""
    with database.connect() as connection:
        return _names(connection)


def require_dataset(database: Database, name: str) -> None:
    """Raise unless the database holds a dataset of that name.

    Raises
    ------
    UsageError
        When no dataset can have the name.
    DatasetError
        When there is none of the name.
    """
    check_dataset_name(name)
    _require_among(name, dataset_names(database))


def _require_among(name: str, known: Sequence[str]) -> None:
    if name not in known:
        raise DatasetError(f"There is no dataset '{name}'.", f"Datasets: {', '.join(known) or 'none'}.")


def open_dataset(database: Database, name: str | None = None, *, pack: Pack | None = None) -> Dataset:
    """Open the dataset of that name, or the only one that is there to stay.

    Parameters
    ----------
    pack : Pack, optional
        The pack it was loaded with; by default the one of that name that comes with groundframe.

    Raises
    ------
    UsageError
        When there are several and none was named.
    DatasetError
        When there is none, or it was loaded under another pack, or another version of it or of groundframe.
    DatabaseError
        When the database cannot be reached or has no PostGIS.
    """
    if name is not None:
        check_dataset_name(name)
    with database.connect() as connection:
        database.require_postgis(connection)
        names = _names(connection)
        if not names or name not in (None, *names):
            _check_rights(connection, name)
        if name is None:
            names = tuple(one for one in names if not one.startswith(TEMPORARY))
        if not names:
            raise DatasetError("The database holds no data yet.", "Load some: groundframe load demo")
        if name is None and len(names) > 1:
            raise UsageError(
                f"There are several datasets: {', '.join(names)}.",
                "Choose one with --dataset NAME; drop one with: groundframe db drop NAME",
            )
        chosen = names[0] if name is None else name
        _require_among(chosen, names)
        schema = dataset_schema(chosen)
        row = _described(connection, chosen)
        oid = connection.scalar(sa.text("SELECT to_regnamespace(:name)::oid"), {"name": schema})
        pack = pack or load_pack(row.pack)
        if pack.name != row.pack:
            raise DatasetError(
                f"Dataset '{chosen}' is of the pack '{row.pack}', not '{pack.name}'.",
                "Choose another dataset.",
            )
    _check_fit(chosen, pack, row)
    physical = Physical.of(pack, row.physical)
    return Dataset(
        database, chosen, pack, row.data_version, row.synthetic, row.report, physical, row.physical, oid
    )


def _names(connection: sa.Connection, *, readable: bool = True) -> tuple[str, ...]:
    found: Sequence[str] = connection.scalars(
        sa.text(
            """
            SELECT substr(n.nspname, length(:prefix) + 1)
            FROM pg_namespace n JOIN pg_class c ON c.relnamespace = n.oid
            WHERE starts_with(n.nspname, :prefix) AND c.relname = :table AND c.relkind = 'r'
              AND (has_schema_privilege(n.oid, 'USAGE') AND has_table_privilege(c.oid, 'SELECT')) = :readable
            """
        ),
        {"prefix": PREFIX, "table": dataset_table("").name, "readable": readable},
    ).all()
    return tuple(sorted(found))


def _check_rights(connection: sa.Connection, name: str | None) -> None:
    """Raise when the dataset, or any where none is named, is there but not for the role that asks."""
    closed = _names(connection, readable=False)
    if closed and name in (None, *closed):
        raise DatasetError(
            f"The role '{role_of(connection)}' may not read the dataset '{name or closed[0]}'.",
            "Let it read all of them: groundframe db init-role",
        )


def _described(connection: sa.Connection, name: str) -> sa.Row[Any]:
    """The dataset's one row. Of another layout it may lack columns, so the layout is asked for first."""
    table = dataset_table(dataset_schema(name))
    first = connection.execute(sa.select(table.c.format, table.c.pack, table.c.synthetic)).one()
    if first.format != FORMAT:
        again = _again(name, first.pack, first.synthetic)
        raise DatasetError(f"Dataset '{name}' was loaded by another version of groundframe.", again)
    return connection.execute(sa.select(table)).one()


def _again(name: str, pack: str, synthetic: bool) -> str:
    what = "demo" if synthetic else f"{pack} --data FOLDER"
    return f"Load it again: groundframe load {what} --dataset {name}"


def _check_fit(name: str, pack: Pack, row: sa.Row[Any]) -> None:
    """Refuse a dataset whose rows were made by other definitions than those of the pack of today."""
    again = _again(name, pack.name, row.synthetic)
    if int(row.pack_version.split(".", 1)[0]) != pack.major():
        raise DatasetError(
            f"Dataset '{name}' was loaded under version {row.pack_version} of the pack '{pack.name}', "
            f"which is now at {pack.version}.",
            again,
        )
    if row.pack_digest != pack.digest:
        stored = row.physical.get("definitions", {})
        other = first_difference(stored, definitions(pack))
        if other is not None:
            what = f"defined {other} as it does now" if other in stored else f"had {other}"
            raise DatasetError(f"Dataset '{name}' was loaded before pack '{pack.name}' {what}.", again)
