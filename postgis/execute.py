"""Running a plan: the rows streamed from one snapshot, the tally beside them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from types import TracebackType
from typing import Any

import psycopg

from groundframe.compiler.columns import Column
from groundframe.compiler.lowering import Template, Traits, node_counts
from groundframe.compiler.ops import Count
from groundframe.compiler.plan import Plan
from groundframe.compiler.tally import TallyItem
from groundframe.compiler.types import Features
from groundframe.errors import DatabaseError, DatasetError
from groundframe.postgis import shapes
from groundframe.postgis.beside import Beside
from groundframe.postgis.counts import CountRow, Tally, make_tally
from groundframe.postgis.rewrites import POSTGIS
from groundframe.postgis.session import Session, Source
from groundframe.postgis.spelling import compile_sql

__all__ = ["ROW_LIMIT", "Execution", "Tally", "analyze", "execute", "statements"]

ROW_LIMIT = 10_000
TIMEOUT_S = 60.0
BATCH = 1000
MUCH = 100_000
"""Features of a kind from which a second connection gains more than it costs."""

Row = tuple[Any, ...]


def execute(
    source: Source,
    plan: Plan,
    *,
    row_limit: int | None = ROW_LIMIT,
    timeout_s: float = TIMEOUT_S,
    template: Template | None = None,
    traits: Traits = POSTGIS,
) -> Execution:
    """Run a plan on a dataset.

    Parameters
    ----------
    source : Source
        The dataset.
    row_limit : int or None
        The most rows to hand out; None for all.
    timeout_s : float
        Seconds that the database may work on the answer, over all statements and fetches.
    template : sequence of str and int, optional
        Makes texts of the rows, see :func:`~groundframe.compiler.lowering.lower_spelled`.

    Returns
    -------
    Execution
        To be used in a ``with`` statement.

    Raises
    ------
    DatabaseError
        When it is entered or read: not reachable, took too long, cut off, cancelled.
    """
    return Execution(source, plan, row_limit, timeout_s, template, traits)


def statements(
    plan: Plan, row_limit: int | None, traits: Traits = POSTGIS, schema: str | None = None
) -> tuple[shapes.Statement, shapes.Statement]:
    """The statements of the rows and of the tally.

    Parameters
    ----------
    schema : str, optional
        The database schema that qualifies every table; without it they are the same for every dataset.
    """
    return shapes.statements(plan, row_limit, traits, schema)


class Execution:
    """A plan that runs; see :func:`execute`.

    Iterating gives tuples: the values of `columns` in order, then the geometry as GeoJSON text or None; or
    with a template :meth:`texts` gives what it makes of them. The rows can be gone through once.

    Attributes
    ----------
    sql, parameters
        The statement of the rows as it is sent, for explaining and for the record.
    """

    def __init__(
        self,
        source: Source,
        plan: Plan,
        row_limit: int | None,
        timeout_s: float,
        template: Template | None,
        traits: Traits,
    ) -> None:
        self.plan = plan
        self.row_limit = row_limit
        self._source, self._traits, self._timeout = source, traits, timeout_s
        (self.sql, self.parameters), (self.tally_sql, self.tally_parameters) = statements(
            plan, row_limit, traits, source.schema
        )
        self._texts = None if template is None else shapes.spelled(plan, template, traits, source.schema)
        self._session = Session(source, timeout_s)
        self._cursor: psycopg.Cursor[Row] | psycopg.ServerCursor[Row] | None = None
        self._waiting: list[Row] = []
        self._tied = False
        self._parts: list[CountRow] | None = None
        self._beside: Beside | None = None
        self._spelled: int | None = None
        self._streaming = False

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the rows, without the geometry."""
        return self.plan.columns

    @property
    def seconds(self) -> float:
        """How long the database has worked on the answer, over all statements and fetches."""
        return self._session.seconds + (0.0 if self._beside is None else self._beside.seconds)

    def __enter__(self) -> Execution:
        self._session.__enter__()
        try:
            if self._is_much() and not all(item.of_none for item in self._counted_anyway):
                text, parameters = self._counting(self._counted_anyway)
                self._beside = Beside.sent(self._source, self._session, text, parameters, self._timeout)
            if self._texts is None:
                self._open()
        except BaseException:
            self._close()
            raise
        return self

    def _is_much(self) -> bool:
        """Whether there are so many features that a second connection is worth its while."""
        held = self.plan.physical
        kinds = {target.entity for target in self.plan.frame.targets}
        return held is None or any(held.entities[kind].rows >= MUCH for kind in kinds)

    def _open(self) -> None:
        with self._session.asking() as connection:
            # A server-side cursor holds no more than a batch, but keeps the database from working in
            # parallel; a limited number of rows is taken at once.
            if self.row_limit is not None:
                self._cursor = psycopg.Cursor(connection)
            else:
                self._cursor = psycopg.ServerCursor(connection, "groundframe_rows")
            self._cursor.execute(self.sql.encode(), self.parameters)
        self._session.verify()
        self._waiting = self._fetch()
        self._tied = bool(self._waiting) and bool(self._waiting[0][-1])
        self._parts = self._count()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def _close(self) -> None:
        if self._beside is not None:
            self._beside.close()
        if self._cursor is not None:
            # After an error there is nothing to close at the server any more; where that only shows now, the
            # cursor does not know yet that it is closed.
            for _ in range(2):
                with suppress(psycopg.Error):
                    self._cursor.close()
            self._cursor = None
        self._session.__exit__(None, None, None)

    def __iter__(self) -> Iterator[Row]:
        batch, self._waiting = self._waiting, []
        database = self._source.database
        while batch:
            for row in batch:
                # What was fetched before the close is no more to be had than the rest.
                if database.closed:
                    database.require_open()
                yield row[:-1]
            batch = self._fetch()

    def texts(self) -> Iterator[list[str]]:
        """The rows as texts, many at a time."""
        if self._texts is None:
            raise DatabaseError("The rows were asked for as they are.", "Go through them.")
        if self._beside is None:
            # Nothing else can be asked while they come.
            self.tally  # noqa: B018 - kept
        found, self._streaming = 0, True
        for texts in self._session.stream(*self._texts, BATCH):
            found += len(texts)
            yield texts
        self._spelled, self._streaming = found, False
        # Every statement looks names of tables up anew, and rows of new ones the snapshot does not see.
        self._session.verify()
        if found != self.tally.returned:
            raise DatasetError("The dataset was loaded anew while it was read.", "Run the frame again.")

    @cached_property
    def tally(self) -> Tally:
        """The counts, from the same snapshot as the rows."""
        there = self._all_rows()
        left, found = self.plan.tally, list[CountRow]()
        if there is not None:
            # All rows are here, and need not be made again to be counted.
            left = tuple(item for item in left if item.kind != "rows")
        if self._parts is not None:
            left, found = left[1:], self._parts.copy()
        beside = None if self._beside is None else self._beside.rows()
        if beside is not None:
            found += beside
            known = {id(item) for item in self._counted_anyway}
            left = tuple(item for item in left if id(item) not in known)
        if not all(item.of_none for item in left):
            text, parameters = self._counting(left)
            # While texts come, these take up the first connection.
            beside_them = self._beside if self._streaming else None
            free = self._session if beside_them is None else beside_them.session
            with free.asking() as connection:
                found += connection.execute(text.encode(), parameters).fetchall()
            free.verify()
        if self._beside is not None:
            self._beside.close()
        rows = there if any(item.kind == "rows" for item in self.plan.tally) else None
        return make_tally(self.plan, found, tied=self._tied, row_limit=self.row_limit, rows=rows)

    def _counting(self, items: tuple[TallyItem, ...]) -> shapes.Statement:
        """The statement of a part of the tally."""
        if len(items) == len(self.plan.tally):
            return self.tally_sql, self.tally_parameters
        return shapes.counts(replace(self.plan, tally=items), self._traits, self._source.schema)

    @cached_property
    def _counted_anyway(self) -> tuple[TallyItem, ...]:
        """The part of the tally that is not known from the rows, should all of them come."""
        items = self.plan.tally
        if self.plan.ranking is not None or (self.row_limit is None and self._texts is None):
            return items
        seen = 1 if self._texts is None and self._split_at is not None else 0
        return tuple(item for item in items[seen:] if item.kind != "rows")

    def _all_rows(self) -> int | None:
        """How many rows there are, where all have come already."""
        if self.plan.ranking is not None:
            return None
        if self._texts is not None:
            return self._spelled
        if self.row_limit is None or self._cursor is None:
            return None
        return self._cursor.rowcount if self._cursor.rowcount < self.row_limit else None

    @cached_property
    def _split_at(self) -> tuple[int, ...] | None:
        """Where rows have what those that take part are counted by; None where the rows are not these."""
        op, shown = self.plan.tally[0].op, self.plan.output.input.output
        if not isinstance(op, Count) or not isinstance(shown, Features):
            return None
        if op.test is not None or op.known is not None:
            return None
        places = {column.name: place for place, column in enumerate(self.columns) if column.kind == "field"}
        return tuple(places[name] for name in op.by) if places.keys() >= set(op.by) else None

    def _count(self) -> list[CountRow] | None:
        """As the tally would count who takes part, from the rows that wait; None where they are not that."""
        if self._split_at is None or self._all_rows() is None:
            return None
        while batch := self._fetch():
            self._waiting += batch
        source, *split = self._split_at
        numbers = Counter((row[source], row[split[0]] if split else None) for row in self._waiting)
        return [("part", self.plan.tally[0].role, *by, False, n) for by, n in numbers.items()]

    def _fetch(self) -> list[Row]:
        if self._cursor is None:
            raise DatabaseError("The answer is closed.", "Read it inside of its 'with' statement.")
        with self._session.asking():
            return self._cursor.fetchmany(BATCH)


def analyze(
    source: Source, plan: Plan, *, timeout_s: float = TIMEOUT_S, traits: Traits = POSTGIS
) -> dict[str, int]:
    """How many rows leave each node of the plan; one statement per node."""
    found: dict[str, int] = {}
    with Session(source, timeout_s) as session:
        for name, statement in node_counts(plan, traits, source.schema).items():
            text, parameters = compile_sql(statement)
            with session.asking() as connection:
                row = connection.execute(text.encode(), parameters).fetchone()
            found[name] = row[0] if row is not None else 0
        session.verify()
    return found
