"""Staging: rows as they come in, each key once, before anything is linked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import sqlalchemy as sa
from psycopg import sql
from sqlalchemy.schema import CreateTable

from groundframe.errors import LoadError
from groundframe.postgis.load.build import Build
from groundframe.postgis.load.encode import COPY_END, COPY_START, copied_columns
from groundframe.postgis.tables import row_columns, stored_fields
from groundframe.schema.model import Entity

__all__ = ["Progress", "StagedRows", "keep", "stage"]

_PLACE = ("geom", "geom_wgs")

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
    build: Build, entity: Entity, batches: Iterable[tuple[int, bytes]], *, old: str | None, progress: Progress
) -> StagedRows:
    """Bring those rows of `entity` that the schema `old` does not hold into a staging table.

    Parameters
    ----------
    batches : iterable of (int, bytes)
        How many rows, and their records, as an :class:`Encoder` makes them.

    Raises
    ------
    LoadError
        When a key comes with different contents.
    """
    staged = build.scratch("staged", entity)
    _create(build, entity, staged)
    _copy(build, entity, staged, batches, progress)
    _analyze(build, staged)
    repeated = _each_key_once(build, entity, staged)
    held = _leave_out(build, entity, staged, old) if old is not None else 0
    (new,) = build.one("SELECT count(*) FROM {staged}", staged=staged)
    return StagedRows(entity.name, new, held, repeated)


def keep(build: Build, entity: Entity, old: str) -> None:
    """Stage the rows that the schema `old` holds as well, with the values as they were reported."""
    staged = build.scratch("staged", entity)
    names = ["key", "source", *(field.name for field in stored_fields(entity)), *_PLACE, "row_digest"]
    build.run(
        "INSERT INTO {staged} ({to}) SELECT {kept} FROM {old}",
        staged=staged,
        to=_names(names),
        kept=_names(_reported(entity, names)),
        old=sql.Identifier(old, entity.table),
    )
    _analyze(build, staged)


def _analyze(build: Build, staged: sql.Identifier) -> None:
    """Gather statistics of what staged rows are joined by; those of geometry take long and serve nothing."""
    build.run("ANALYZE {staged} (key, row)", staged=staged)


def _reported(entity: Entity, names: Iterable[str]) -> list[str]:
    """The columns of a finished table that hold what was staged in `names`."""
    carried = {field.name for field in entity.fields if field.carries is not None}
    return [f"{name}_reported" if name in carried else name for name in names]


def _create(build: Build, entity: Entity, staged: sql.Identifier) -> None:
    schema, name = staged.as_string().replace('"', "").split(".")
    table = sa.Table(
        name,
        sa.MetaData(schema=schema),
        *row_columns(build.pack, entity),
        sa.Column("row", sa.BigInteger, sa.Identity()),
        prefixes=["UNLOGGED"],
    )
    build.connection.execute(CreateTable(table))


def _copy(
    build: Build,
    entity: Entity,
    staged: sql.Identifier,
    batches: Iterable[tuple[int, bytes]],
    progress: Progress,
) -> None:
    statement = sql.SQL("COPY {staged} ({columns}) FROM STDIN (FORMAT BINARY)").format(
        staged=staged, columns=_names(copied_columns(entity))
    )
    done = 0
    with build.cursor.copy(statement) as copy:
        copy.write(COPY_START)
        for count, records in batches:
            copy.write(records)
            done += count
            progress(entity.plural, done)
        copy.write(COPY_END)


def _each_key_once(build: Build, entity: Entity, staged: sql.Identifier) -> int:
    """Drop what came before with the same content, and say how much; refuse what came with another."""
    repeated = build.scratch("repeated", entity)
    build.run(
        """
        CREATE UNLOGGED TABLE {repeated} AS
        SELECT key, min(row) AS first, min(row_digest) <> max(row_digest) AS differs
        FROM {staged} GROUP BY key HAVING count(*) > 1
        """,
        repeated=repeated,
        staged=staged,
    )
    conflict = build.run(
        "SELECT key, count(*) OVER () FROM {repeated} WHERE differs ORDER BY key LIMIT 1", repeated=repeated
    ).fetchone()
    if conflict is not None:
        key, keys = conflict
        what = _differing(build, entity, staged, key, None)
        raise LoadError(
            f"The files hold {entity.label} '{key}' with different contents ({what}){_more(keys)}.",
            "Leave out the file that is out of date.",
        )
    dropped = build.run(
        "DELETE FROM {staged} s USING {repeated} r WHERE s.key = r.key AND s.row <> r.first",
        repeated=repeated,
        staged=staged,
    ).rowcount
    build.run("DROP TABLE {repeated}", repeated=repeated)
    return dropped


def _leave_out(build: Build, entity: Entity, staged: sql.Identifier, old: str) -> int:
    """Drop what the dataset holds with the same content, and say how much; refuse what it holds otherwise."""
    parts = {
        "staged": staged,
        "old": sql.Identifier(old, entity.table),
        "held": build.scratch("held", entity),
    }
    # Looked up key by key: what is added is little beside what is there.
    build.run(
        """
        CREATE UNLOGGED TABLE {held} AS
        SELECT key, row_digest, (SELECT o.row_digest FROM {old} o WHERE o.key = s.key) AS old FROM {staged} s
        """,
        **parts,
    )
    conflict = build.run(
        "SELECT key, count(*) OVER () FROM {held} WHERE old <> row_digest ORDER BY key LIMIT 1", **parts
    ).fetchone()
    if conflict is not None:
        key, keys = conflict
        what = _differing(build, entity, staged, key, old)
        raise LoadError(
            f"The dataset holds {entity.label} '{key}' with other content ({what}){_more(keys)}.",
            "Load all the files again without adding, which replaces the dataset.",
        )
    dropped = build.run(
        "DELETE FROM {staged} s USING {held} h WHERE s.key = h.key AND h.old IS NOT NULL", **parts
    ).rowcount
    build.run("DROP TABLE {held}", **parts)
    return dropped


def _differing(build: Build, entity: Entity, staged: sql.Identifier, key: str, old: str | None) -> str:
    """The columns in which the rows of a key differ."""
    names = [*(field.name for field in stored_fields(entity)), "geom"]
    tables = [(names, staged)]
    if old is not None:
        tables.append((_reported(entity, names), sql.Identifier(old, entity.table)))
    rows = sql.SQL(" UNION ALL ").join(
        sql.SQL("SELECT {columns} FROM {table} WHERE key = {key}").format(
            columns=_names(columns), table=table, key=sql.Literal(key)
        )
        for columns, table in tables
    )
    columns = sql.SQL(", ").join(
        sql.SQL("count(DISTINCT coalesce({name}::text, ''))").format(name=sql.Identifier(name))
        for name in names
    )
    counts = build.one("SELECT {columns} FROM ({rows}) rows", columns=columns, rows=rows)
    return ", ".join(name.replace("geom", "location") for name, n in zip(names, counts, strict=True) if n > 1)


def _more(keys: int) -> str:
    return f", and so do {keys - 1} more keys" if keys > 1 else ""


def _names(names: Iterable[str]) -> sql.Composed:
    return sql.SQL(", ").join(map(sql.Identifier, names))
