"""The texts of features, which a load keeps so that large answers need only be read."""

from __future__ import annotations

from psycopg import sql

from groundframe.compiler.lowering import can_be_spelled, lower_texts
from groundframe.compiler.physical import Narrow
from groundframe.postgis.load.build import Build
from groundframe.postgis.load.indexes import make_index
from groundframe.postgis.rewrites import POSTGIS
from groundframe.postgis.written import is_written, written

__all__ = ["add_texts", "make_texts"]

_INDEXED = ("(id)", '(key COLLATE "C")')


def make_texts(build: Build, narrow: Narrow) -> str | None:
    """Write the features of an entity in the order of their keys; gives how, None where they are not kept."""
    if not is_written(narrow.entity):
        return None
    how = written(build.pack, narrow.entity)
    if not can_be_spelled(how.plan):
        return None
    rows = lower_texts(how.plan, how.template, POSTGIS, build.schema)
    made = sql.SQL("CREATE TABLE {table} AS ").format(table=sql.Identifier(build.schema, narrow.texts))
    build.fill(made, rows)
    for definition in _INDEXED:
        build.apart.append((narrow.rows, make_index(build.schema, narrow.texts, sql.SQL(definition))))
    # Of the texts only how long they are is of use, and a sample of them takes long to read.
    build.run("ANALYZE {table} (id, key)", table=sql.Identifier(build.schema, narrow.texts))
    return how.digest


def add_texts(build: Build, narrow: Narrow, after: int) -> str | None:
    """Write the features beyond the number `after`; where all are written otherwise by now, none are kept."""
    if narrow.written is None:
        return None
    table = sql.Identifier(build.schema, narrow.texts)
    how = written(build.pack, narrow.entity)
    if how.digest != narrow.written:
        build.run("DROP TABLE {table}", table=table)
        return None
    rows = lower_texts(how.plan, how.template, POSTGIS, build.schema, after)
    build.fill(sql.SQL("INSERT INTO {table} ").format(table=table), rows)
    return how.digest
