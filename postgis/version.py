"""The data version: one digest for the content of a dataset, whatever files and order it came in."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable

import psycopg
from psycopg import sql

from groundframe.postgis.tables import Tables
from groundframe.schema.model import Pack

__all__ = ["compute_data_version", "digest_of"]

_FETCH = 1000


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
    # By the index on the key the rows, which are in the order of space, would be visited here and there.
    connection.execute("SET LOCAL enable_indexscan = off")
    found = digest_of(pack.digest, _rows(connection, pack, tables))
    connection.execute("RESET enable_indexscan")
    return found


def _rows(
    connection: psycopg.Connection[tuple[str, ...]], pack: Pack, tables: Tables
) -> Iterable[tuple[str, str]]:
    for entity in sorted(pack.entities, key=lambda entity: entity.name):
        if entity.derived is not None:
            continue
        table = tables.entities[entity.name]
        statement = sql.SQL('SELECT row_digest FROM {table} ORDER BY key COLLATE "C"').format(
            table=sql.Identifier(table.schema or "", table.name)
        )
        # Streamed and not by a named cursor, for which the database does not work in parallel.
        with connection.cursor() as cursor:
            for (row_digest,) in cursor.stream(statement, size=_FETCH):
                yield entity.name, row_digest
