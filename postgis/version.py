"""The data version: one digest for the content of a dataset, whatever files and order it came in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import psycopg
from psycopg import sql

from groundframe.postgis.tables import Tables
from groundframe.schema.model import Pack

__all__ = ["compute_data_version", "digest_of"]


def digest_of(pack_digest: str, rows: Iterable[tuple[str, str]]) -> str:
    """SHA-256 of the pack's digest and the rows' digests.

    Parameters
    ----------
    rows : iterable of (str, str)
        Entity name and row digest, sorted by entity name and key.

    Examples
    --------
    >>> digest_of("a", [("Town", "b")])[:16]
    'bfd62663550e005b'
    """
    digest = hashlib.sha256(pack_digest.encode())
    for entity, row_digest in rows:
        digest.update(f"\n{entity} {row_digest}".encode())
    return digest.hexdigest()


def compute_data_version(connection: psycopg.Connection[tuple[str, ...]], pack: Pack, tables: Tables) -> str:
    """The data version of the rows in `tables`; derived entities follow from the others and are left out."""
    return digest_of(pack.digest, _rows(connection, pack, tables))


def _rows(
    connection: psycopg.Connection[tuple[str, ...]], pack: Pack, tables: Tables
) -> Iterable[tuple[str, str]]:
    for entity in sorted(pack.entities, key=lambda entity: entity.name):
        if entity.derived is not None:
            continue
        table = tables.entities[entity.name]
        # A copy of bare lines, which is many times quicker to read than rows.
        statement = sql.SQL(
            'COPY (SELECT row_digest FROM {table} ORDER BY key COLLATE "C") TO STDOUT'
        ).format(table=sql.Identifier(table.schema or "", table.name))
        with connection.cursor() as cursor, cursor.copy(statement) as lines:
            for line in lines:
                yield entity.name, bytes(line).decode().rstrip("\n")
