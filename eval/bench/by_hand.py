"""Statements on PostGIS: straightforward ones, the best by hand, and the bound."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter
from typing import Any

import sqlalchemy as sa

from groundframe.errors import DatabaseError
from groundframe.eval.bench.classes import Case
from groundframe.eval.bench.contestant import Answered, TooSlowError, answer_rows
from groundframe.eval.bench.loading import search_in
from groundframe.postgis.connect import Database

__all__ = ["Best", "Bound", "Statements", "Straightforward"]


class Statements:
    """Statements in the tables of one schema, each case in a read-only transaction.

    Parameters
    ----------
    schema : str
        Where the tables are.
    jit : bool
        Whether PostgreSQL may compile expressions, as it does unless told otherwise.
    """

    name = ""

    def __init__(self, database: Database, schema: str, *, jit: bool = False) -> None:
        self._database = database
        self._schema, self._jit = schema, "on" if jit else "off"

    def takes(self, case: Case) -> bool:
        return True

    @contextmanager
    def _asking(self, limit_s: float) -> Iterator[sa.Connection]:
        try:
            with self._database.connect() as connection:
                limit = str(max(1, round(limit_s * 1000)))
                search_in(connection, self._schema, jit=self._jit, statement_timeout=limit)
                yield connection
        except (sa.exc.OperationalError, DatabaseError) as error:
            if "statement timeout" in f"{error} {error.__cause__}" or "cancel" in str(error):
                raise TooSlowError(f"It was cut off after {limit_s:g} s.") from error
            raise

    def _rows(self, connection: sa.Connection, case: Case, text: str) -> list[sa.Row[Any]]:
        statement = sa.text(case.statement(text))
        values = {name: case.values[name] for name in statement._bindparams}
        return list(connection.execute(statement, values))

    def close(self) -> None:
        """Nothing is held; the database belongs to who made it."""


class Straightforward(Statements):
    """As an analyst writes it; the rows alone."""

    name = "straightforward"

    def answer(self, case: Case, limit_s: float) -> Answered:
        with self._asking(limit_s) as connection:
            began = perf_counter()
            rows = self._rows(connection, case, case.spec.straightforward)
            ended = perf_counter()
        return Answered(answer_rows(row[: len(case.spec.answer)] for row in rows), ended - began)


class Best(Statements):
    """The best statements that are known, for the rows as they are shown and for the counts."""

    name = "by hand"

    def answer(self, case: Case, limit_s: float) -> Answered:
        best = case.spec.best
        text, counts = best.rows, best.counts
        if case.filter is None:
            text, counts = best.unfiltered or text, best.counts_unfiltered or counts
        began = perf_counter()
        with self._asking(limit_s) as connection:
            rows = self._rows(connection, case, text)
            first = perf_counter()
            self._rows(connection, case, counts)
            ended = perf_counter()
        answer = answer_rows(row[: len(case.spec.answer)] for row in rows)
        return Answered(answer, ended - began, first - began)


class Bound(Statements):
    """One pass over what takes part, which no answer can do without."""

    name = "bound"

    def answer(self, case: Case, limit_s: float) -> Answered:
        with self._asking(limit_s) as connection:
            began = perf_counter()
            self._rows(connection, case, case.spec.bound)
            return Answered(None, perf_counter() - began)
