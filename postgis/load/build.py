"""The workshop of a load: one transaction, one schema under construction."""

from __future__ import annotations

from graphlib import CycleError, TopologicalSorter
from typing import Any, LiteralString, cast

import psycopg
import sqlalchemy as sa
from psycopg import sql

from groundframe.errors import PackError
from groundframe.postgis.spelling import compile_sql
from groundframe.postgis.tables import Tables, make_tables
from groundframe.schema.model import Entity, Link, Pack

__all__ = ["Build", "Statement", "entity_order", "settle"]

Statement = sql.Composed | sa.schema.ExecutableDDLElement

# Memory to sort a statewide layer, safe on a small machine; limits that are meant for questions are lifted.
_SETTINGS = {
    "work_mem": "128MB",
    "maintenance_work_mem": "256MB",
    "statement_timeout": "0",
    "idle_in_transaction_session_timeout": "0",
    # The planner expects hundreds of times the pairs that there are, and would not share such joins out. Only
    # what is large is: starting a worker takes longer than a small load.
    "parallel_setup_cost": "0",
    "parallel_tuple_cost": "0",
    "min_parallel_table_scan_size": "16MB",
    "max_parallel_workers_per_gather": "4",
    "max_parallel_maintenance_workers": "1",
    # A scan begins at the beginning, so that what is written in the order of another table is in that order.
    "synchronize_seqscans": "off",
}


class Build:
    """A schema under construction, with the statements that fill it.

    Everything happens in the caller's transaction, so that a failed load leaves nothing behind. Scratch
    tables have names that begin with an underscore, which no table of a pack can have.

    Parameters
    ----------
    schema : str
        Where the tables are.
    workshop : str, optional
        The schema of the scratch tables, if another.

    Attributes
    ----------
    pairs_found : dict
        Scratch tables with pairs that were found on the way (``a``, ``b``, ``m``), by the table they are for.
    apart : list
        Statements that depend on no other, with the rows that they go over, to run in lanes in the end.
    """

    def __init__(
        self, connection: sa.Connection, pack: Pack, schema: str, workshop: str | None = None
    ) -> None:
        self.connection = connection
        self.pack = pack
        self.schema = schema
        self._workshop = workshop or schema
        self.pairs_found: dict[str, sql.Identifier] = {}
        self.apart: list[tuple[int, Statement]] = []
        self.tables: Tables = make_tables(pack, schema)
        driver = connection.connection.driver_connection
        self.cursor = cast("psycopg.Connection[tuple[Any, ...]]", driver).cursor()
        settle(connection)

    def run(self, template: LiteralString, **parts: sql.Composable) -> psycopg.Cursor[tuple[Any, ...]]:
        """Execute a statement with identifiers and literals put in by psycopg."""
        return self.cursor.execute(sql.SQL(template).format(**parts))

    def fill(self, what: sql.Composed, rows: sa.Select[Any]) -> None:
        """Run ``CREATE TABLE … AS`` or ``INSERT INTO …`` with the rows of a statement."""
        statement, parameters = compile_sql(rows)
        # CREATE TABLE AS takes no parameters of its own, so that psycopg writes them into it.
        with psycopg.ClientCursor(self.cursor.connection) as cursor:
            cursor.execute((what.as_string() + statement).encode(), parameters)

    def one(self, template: LiteralString, **parts: sql.Composable) -> tuple[Any, ...]:
        """The first row of a statement that always yields one."""
        row = self.run(template, **parts).fetchone()
        if row is None:
            raise LookupError(template)
        return row

    def table(self, entity: Entity | str) -> sql.Identifier:
        """The table of an entity in the new schema."""
        name = entity if isinstance(entity, str) else entity.name
        return sql.Identifier(self.schema, self.tables.entities[name].name)

    def scratch(self, what: str, entity: Entity, link: Link | None = None) -> sql.Identifier:
        """A scratch table for an entity, or for one of its links."""
        number = [candidate.name for candidate in self.pack.entities].index(entity.name)
        suffix = "" if link is None else f"_{entity.links.index(link)}"
        return sql.Identifier(self._workshop, f"_{what}_{number}{suffix}")

    def scratch_table(self, what: str, entity: Entity, *columns: str) -> sa.TableClause:
        """The same for SQLAlchemy, with the columns that are asked of it."""
        schema, name = self.scratch(what, entity).as_string().replace('"', "").split(".")
        return sa.table(name, *map(sa.column, columns), schema=schema)

    def has_rows(self, table: sql.Identifier) -> bool:
        """Whether a table of the build holds any row."""
        return self.run("SELECT 1 FROM {table} LIMIT 1", table=table).fetchone() is not None


def settle(connection: sa.Connection, **others: str) -> None:
    """Put the settings of a load into effect, until the transaction ends."""
    wanted = {**_SETTINGS, **others}
    connection.execute(sa.select(*(sa.func.set_config(name, value, True) for name, value in wanted.items())))


def entity_order(pack: Pack) -> tuple[Entity, ...]:
    """The entities so that each comes after those it is linked to, derived from or a child of.

    Raises
    ------
    PackError
        When they depend on each other in a circle.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> names = [entity.name for entity in entity_order(load_pack("massachusetts"))]
    >>> names.index("Town") < names.index("Road") < names.index("Intersection") < names.index("Crash")
    True
    """
    sorter: TopologicalSorter[str] = TopologicalSorter()
    for entity in pack.entities:
        needs = [link.to for link in entity.links]
        needs += [entity.derived.from_entity] if entity.derived else []
        needs += [entity.parent] if entity.parent else []
        sorter.add(entity.name, *needs)
    try:
        return tuple(pack.entity(name) for name in sorter.static_order())
    except CycleError as error:
        circle = " → ".join(error.args[1])
        raise PackError(f"{pack.name}: entities depend on each other in a circle: {circle}.") from None
    except KeyError as error:
        raise PackError(f"{pack.name}: a link or derivation names the unknown entity {error}.") from None
