"""DuckDB with its spatial extension, and SedonaDB: the same statements on the same tables in memory."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.resources import files
from threading import Timer
from time import perf_counter
from typing import Any

import pyarrow as pa

from groundframe.eval.bench.classes import Case
from groundframe.eval.bench.contestant import Answered, Peer, TooSlowError, answer_rows
from groundframe.eval.bench.tables import GEOMETRY

__all__ = ["DuckDB", "SedonaDB"]


class _StatementPeer(Peer):
    """A tool that is asked in SQL."""

    def takes(self, case: Case) -> bool:
        return self.given in case.spec.peers

    def _asked(self, case: Case) -> tuple[str, dict[str, Any]]:
        """The statement, and the values that it names."""
        text = case.statement(case.spec.peers[self.given])
        return text, {name: value for name, value in case.values.items() if f"${name}" in text}


class DuckDB(_StatementPeer):
    """DuckDB with its spatial extension."""

    tool = "DuckDB"

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        import duckdb

        super().__init__()
        self._connection = duckdb.connect(config={"allow_unsigned_extensions": "true"})
        extension = files("duckdb_extension_spatial").joinpath(
            "extensions", f"v{duckdb.__version__}", "spatial.duckdb_extension"
        )
        self._connection.load_extension(str(extension))
        self._connection.execute("SET enable_progress_bar = false")
        for name, table in tables.items():
            self._connection.register("incoming", table)
            chosen = "* REPLACE (ST_GeomFromWKB(geom) AS geom)" if GEOMETRY in table.column_names else "*"
            self._connection.execute(f"CREATE TABLE {name} AS SELECT {chosen} FROM incoming")  # noqa: S608
            self._connection.unregister("incoming")

    def answer(self, case: Case, limit_s: float) -> Answered:
        import duckdb

        text, values = self._asked(case)
        timer = Timer(limit_s, self._connection.interrupt)
        timer.start()
        try:
            began = perf_counter()
            rows = self._connection.execute(text, values).fetchall()
            ended = perf_counter()
        except duckdb.InterruptException:
            raise TooSlowError(f"It was cut off after {limit_s:g} s.") from None
        finally:
            timer.cancel()
        return Answered(answer_rows(rows), ended - began)

    def close(self) -> None:
        self._connection.close()


class SedonaDB(_StatementPeer):
    """SedonaDB."""

    tool = "SedonaDB"

    def __init__(self, tables: Mapping[str, pa.Table]) -> None:
        import sedonadb

        super().__init__()
        self._connection: Any = sedonadb.connect()
        for name, table in tables.items():
            self._connection.create_data_frame(table).to_view("incoming", overwrite=True)
            columns = ", ".join(
                "ST_GeomFromWKB(geom) AS geom" if column == GEOMETRY else column
                for column in table.column_names
            )
            made = self._connection.sql(f"SELECT {columns} FROM incoming")  # noqa: S608
            made.to_memtable().to_view(name, overwrite=True)

    def answer(self, case: Case, limit_s: float) -> Answered:
        text, values = self._asked(case)
        began = perf_counter()
        found = pa.table(self._connection.sql(text, params=values or None))
        rows: list[tuple[Any, ...]] = list(
            zip(*(column.to_pylist() for column in found.columns), strict=True)
        )
        return Answered(answer_rows(rows), perf_counter() - began)

    def close(self) -> None:
        self._connection = None
