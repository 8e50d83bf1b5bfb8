"""The indexes of narrow tables, and what they are called."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Sequence

from psycopg import sql

from groundframe.compiler.physical import Narrow

__all__ = ["indexes_of", "make_index"]

_SPATIAL = sql.SQL("USING gist (geom)")
_WIDEST = 32
"""Columns that an index of PostgreSQL may have."""
_SHOWN, _DIGITS = 46, 16
"""How much of a table's name an index has in its own, and of the digest: 63 characters are all there is."""


def indexes_of(schema: str, narrow: Narrow) -> Iterator[sql.Composed]:
    """The statements that make the indexes of a narrow table, which depend on its counts."""
    return (make_index(schema, narrow.table, definition) for definition in _definitions(narrow))


def make_index(schema: str, table: str, definition: sql.Composable) -> sql.Composed:
    """A statement that makes an index, by what comes after the name of its table.

    It is named after that: the database gives two that are made at a time the same name.
    """
    digest = hashlib.sha256(f"{table} {definition.as_string()}".encode()).hexdigest()
    return sql.SQL("CREATE INDEX {name} ON {table} {definition}").format(
        name=sql.Identifier(f"{table[:_SHOWN]}_{digest[:_DIGITS]}"),
        table=sql.Identifier(schema, table),
        definition=definition,
    )


def _definitions(narrow: Narrow) -> Iterator[sql.Composable]:
    entity = narrow.entity
    yield _SPATIAL
    several = len(narrow.sources) > 1
    # What is counted by source as well needs it in the index, unless there is but one.
    rest = ("source_code",) if several else ()
    split = [_column(narrow, entity.split_field)] if entity.split_field is not None else []
    plain = [(f"{link.name}_id", *split, *rest) for link in entity.links]
    plain += [(name,) for name in sorted(narrow.columns) if name.endswith("_code")]
    if not several:
        plain.remove(("source_code",))
    plain += [(entity.date_field,)] if entity.date_field else []
    together = [tuple(_column(narrow, name) for name in names) + rest for names in entity.counted]
    covering = [f"{link.name}_id" for link in entity.links if link.rule == "covering"]
    shown = (*covering, *split, *rest)
    near = [(narrow.near_column(other), *shown) for other in sorted(narrow.near)]
    together += near
    # Of what stays where it is there is so little that these may hold all that is asked of it.
    fields = {name for name in narrow.columns if name in narrow.fields or name.endswith("_code")}
    asked = set() if entity.date_field else {"id", *fields}
    listed = dict.fromkeys([*plain, *together])
    for names in listed:
        # What another one begins with it does as well.
        if not any(other[: len(names)] == names for other in listed if other != names):
            yield _on(names, asked if names in near else ())
    # Whoever counts these few reads nothing but the index.
    beside = {name for names in together for name in names}
    beside |= {"id", "key_order", *(f"{link.name}_id" for link in entity.links)}
    unplaced = beside | {flag.column for flag in narrow.flags}
    yield _on(("id",), unplaced) + sql.SQL(" WHERE geom IS NULL")
    for flag in narrow.flags:
        holds = sql.SQL(" WHERE {flag}").format(flag=sql.Identifier(flag.column))
        unknown = sql.SQL(" WHERE {flag} IS NULL").format(flag=sql.Identifier(flag.column))
        dated = [entity.date_field] if entity.date_field else []
        own = [holds] * narrow.selective(flag.column) + [unknown] * narrow.seldom_unknown(flag.column)
        for those in own:
            yield _SPATIAL + those
            yield _on((*covering, *dated) or ("id",), beside) + those


def _on(names: Sequence[str], beside: Iterable[str] = ()) -> sql.Composed:
    """An index on some columns, which holds others beside them."""
    made = sql.SQL("({columns})").format(columns=sql.SQL(", ").join(map(sql.Identifier, names)))
    rest = sorted(set(beside) - set(names))[: _WIDEST - len(names)]
    held = sql.SQL(", ").join(map(sql.Identifier, rest))
    return made + sql.SQL(" INCLUDE ({held})").format(held=held) if rest else made


def _column(narrow: Narrow, name: str) -> str:
    """The narrow column of what the pack lists as counted."""
    for column in (f"{name}_part", f"{name}_id", f"{name}_code"):
        if column in narrow.columns:
            return column
    raise LookupError(f"{narrow.entity.name} is not counted by '{name}'.")
