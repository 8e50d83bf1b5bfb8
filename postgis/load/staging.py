"""Staging: rows as they come in, each key once, before anything is linked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import sqlalchemy as sa
from psycopg import sql
from sqlalchemy.schema import CreateTable

from groundframe.errors import LoadError
from groundframe.postgis.load.build import Build
from groundframe.postgis.load.encode import COPY_END, COPY_START, Encoder
from groundframe.postgis.load.rows import Row, RowBlock
from groundframe.postgis.tables import row_columns, stored_fields
from groundframe.schema.model import Entity

__all__ = ["Progress", "StagedRows", "stage"]

Progress = Callable[[str, int], None]
"""Called with what is being done and how many rows of it are done."""


@dataclass(frozen=True, slots=True)
class StagedRows:
    """What became of the rows of one entity.

    Parameters
    ----------
    new : int
        Rows that the dataset did not hold before.
    already_loaded : int
        Rows that it held already, with the same content.
    repeated : int
        Rows that came more than once in this load, with the same content.
    """

    entity: str
    new: int
    already_loaded: int
    repeated: int


def stage(
    build: Build, entity: Entity, rows: Iterable[Row | RowBlock], *, kept_from: str | None, progress: Progress
) -> StagedRows:
    """Bring the rows of `entity` into a staging table, together with those of the schema `kept_from`.

    Raises
    ------
    LoadError
        When a key comes with different contents.
    """
    staged = build.scratch("staged", entity)
    _create(build, entity, staged)
    if kept_from is not None:
        _keep(build, entity, staged, kept_from)
    _copy(build, entity, staged, rows, progress)
    build.run("ANALYZE {staged}", staged=staged)
    return _each_key_once(build, entity, staged)


def _create(build: Build, entity: Entity, staged: sql.Identifier) -> None:
    schema, name = staged.as_string().replace('"', "").split(".")
    table = sa.Table(
        name,
        sa.MetaData(schema=schema),
        *row_columns(build.pack, entity),
        sa.Column("row", sa.BigInteger, sa.Identity()),
        sa.Column("fresh", sa.Boolean, nullable=False, server_default=sa.true()),
        prefixes=["UNLOGGED"],
    )
    build.connection.execute(CreateTable(table))


def _keep(build: Build, entity: Entity, staged: sql.Identifier, schema: str) -> None:
    """Copy the rows that the dataset holds, with the values as they were reported."""
    fields = stored_fields(entity)
    reported = [f"{field.name}_reported" if field.carries else field.name for field in fields]
    to = ["key", "source", *(field.name for field in fields), "geom", "geom_wgs", "row_digest", "fresh"]
    kept = ["key", "source", *reported, "geom", "geom_wgs", "row_digest"]
    build.run(
        "INSERT INTO {staged} ({to}) SELECT {kept}, false FROM {old}",
        staged=staged,
        to=_names(to),
        kept=_names(kept),
        old=sql.Identifier(schema, entity.table),
    )


def _copy(
    build: Build, entity: Entity, staged: sql.Identifier, rows: Iterable[Row | RowBlock], progress: Progress
) -> None:
    encoder = Encoder(build.pack, entity)
    statement = sql.SQL("COPY {staged} ({columns}) FROM STDIN (FORMAT BINARY)").format(
        staged=staged, columns=_names(encoder.columns)
    )
    done = 0
    with build.cursor.copy(statement) as copy:
        copy.write(COPY_START)
        for count, records in encoder.batches(rows):
            copy.write(records)
            done += count
            progress(entity.plural, done)
        copy.write(COPY_END)


def _each_key_once(build: Build, entity: Entity, staged: sql.Identifier) -> StagedRows:
    """Drop what came before with the same content; refuse what came with another."""
    repeated = build.scratch("repeated", entity)
    build.run(
        """
        CREATE UNLOGGED TABLE {repeated} AS
        SELECT key, min(row) AS first, bool_or(NOT fresh) AS kept,
          min(row_digest) <> max(row_digest) AS differs
        FROM {staged} GROUP BY key HAVING count(*) > 1
        """,
        repeated=repeated,
        staged=staged,
    )
    conflict = build.run(
        "SELECT key, kept, count(*) OVER () FROM {repeated} WHERE differs ORDER BY key LIMIT 1",
        repeated=repeated,
    ).fetchone()
    if conflict is not None:
        raise _conflict(build, entity, staged, *conflict)
    already, dropped = build.one(
        """
        WITH dropped AS (
          DELETE FROM {staged} s USING {repeated} r WHERE s.key = r.key AND s.row <> r.first
          RETURNING r.kept, r.key)
        SELECT count(DISTINCT key) FILTER (WHERE kept), count(*) FROM dropped
        """,
        staged=staged,
        repeated=repeated,
    )
    build.run("DROP TABLE {repeated}", repeated=repeated)
    (new,) = build.one("SELECT count(*) FROM {staged} WHERE fresh", staged=staged)
    return StagedRows(entity.name, new, already, dropped - already)


def _conflict(
    build: Build, entity: Entity, staged: sql.Identifier, key: str, kept: bool, keys: int
) -> LoadError:
    names = [*(field.name for field in stored_fields(entity)), "geom"]
    columns = sql.SQL(", ").join(
        sql.SQL("count(DISTINCT coalesce({name}::text, ''))").format(name=sql.Identifier(name))
        for name in names
    )
    counts = build.one(
        "SELECT {columns} FROM {staged} WHERE key = {key}",
        columns=columns,
        staged=staged,
        key=sql.Literal(key),
    )
    differing = [name.replace("geom", "location") for name, n in zip(names, counts, strict=True) if n > 1]
    what = ", ".join(differing)
    more = f", and so do {keys - 1} more keys" if keys > 1 else ""
    if kept:
        return LoadError(
            f"The dataset holds {entity.label} '{key}' with other content ({what}){more}.",
            "Load all the files again without adding, which replaces the dataset.",
        )
    return LoadError(
        f"The files hold {entity.label} '{key}' with different contents ({what}){more}.",
        "Leave out the file that is out of date.",
    )


def _names(names: Iterable[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))
