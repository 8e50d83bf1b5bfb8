"""What a frame is answered with: rows in their order, and the record of how they came about."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from typing import Any, BinaryIO

from groundframe.arguments import checked_count, checked_path, checked_stream
from groundframe.audit.making import make_audit
from groundframe.compiler.lowering import Template, can_be_spelled, feature_template
from groundframe.formats import geojson, table
from groundframe.formats.files import written_whole
from groundframe.formats.registry import ABOUT, Format, format_named
from groundframe.formats.result import Column, Record, Row
from groundframe.formats.sql import laid_out
from groundframe.group_notes import Whole, whole_of
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.execute import Execution, execute, statements
from groundframe.query import Query
from groundframe.record import make_record
from groundframe.serialise import encode

__all__ = ["Answer"]


class Answer:
    """The answer to a frame.

    With a row limit the rows are read at once and kept. Without one they are streamed from the database
    whenever somebody goes through them, and never held together in memory.

    Attributes
    ----------
    reading : mapping or None
        For the audit record: who made the frame of a question, and how; None where a frame was handed in.

    See Also
    --------
    groundframe.Connection.run : Makes one.
    """

    def __init__(self, query: Query, dataset: Dataset, *, row_limit: int | None, timeout_s: float) -> None:
        self._query = query
        self._dataset = dataset
        self.reading: Mapping[str, Any] | None = None
        self._limit = row_limit
        self._timeout = timeout_s
        self._record: Record | None = None
        self._running: Execution | None = None
        self._digest = ""
        self._database_s = 0.0
        self._kept: tuple[Row, ...] | None = None
        if row_limit is not None:
            self._kept = tuple(self._stream())

    @property
    def columns(self) -> Sequence[Column]:
        """The columns, in the order of a row's values."""
        return self._query.columns

    @property
    def ranked_by(self) -> str:
        """The name of the measure that decides the ranking; empty where there is none."""
        ranking = self._query.plan.ranking
        return "" if ranking is None else ranking.by

    @property
    def bounded(self) -> bool:
        """Whether the rows are only those with so much of something."""
        return bool(self._query.checked.frame.having)

    @property
    def whole(self) -> Whole:
        """How the number of all is had from those of the groups; empty where it is not."""
        return whole_of(self._query.checked.frame, self._query.plan.pack)

    @property
    def id_index(self) -> int | None:
        """Which column identifies a feature; None when the rows are groups."""
        return self._query.id_index

    def rows(self) -> Iterator[Row]:
        """The rows: the values of the columns, then the geometry as GeoJSON text or None.

        Dates, times and lists come as Python has them.
        """
        if self._kept is None:
            return self._stream()
        lists = any(column.type == "category_list" for column in self.columns)
        return (tuple(map(_own, row)) for row in self._kept) if lists else iter(self._kept)

    def features(self) -> Iterator[Sequence[str]] | None:
        """The rows as texts of GeoJSON features, many at a time; None where only the rows are to be had.

        The database writes them, byte for byte as :mod:`groundframe.formats.geojson` would.
        """
        plan = self._query.plan
        if self._kept is not None or not can_be_spelled(plan):
            return None
        return self._features(feature_template(self.columns, self.id_index))

    def __iter__(self) -> Iterator[dict[str, Any]]:
        return self.iter_features()

    def iter_features(self) -> Iterator[dict[str, Any]]:
        """The rows as GeoJSON features, one at a time."""
        text = geojson.feature_text(self.columns, self.id_index)
        return (json.loads(text(row)) for row in self.rows())

    def geojson(self) -> dict[str, Any]:
        """The whole answer as a GeoJSON feature collection, with the record in its last member."""
        return geojson.collection(self)

    def table(self, rows: int | None = table.SHOWN, width: int | None = None) -> str:
        """The answer as a table for people.

        Parameters
        ----------
        rows : int or None
            How many rows to show; None shows all of them.
        width : int, optional
            Characters to a line; by default what the terminal has.
        """
        for value, what in ((rows, "rows"), (width, "width")):
            checked_count(value, what)
        return table.render(self, rows=rows, width=width)

    def write(self, path: str | os.PathLike[str], format: str | None = None) -> None:
        """Write the answer to a file; one that is there already is replaced only when all has been written.

        CSV has no room for the record, which is put beside it, in a file named ``PATH.about.json``.

        Parameters
        ----------
        path : path-like
            The file.
        format : {'geojson', 'csv', 'xlsx', 'gpkg', 'parquet', 'table', 'json'}, optional
            By default what the file's name ends with.

        Raises
        ------
        OutputError
            When the file cannot be written.
        UsageError
            When neither `format` nor the name says how to write.
        """
        chosen = format_named(format, checked_path(path))
        with written_whole(path) as out:
            record = self._write(chosen, out)
            if not chosen.carries_record:
                # Whole before the other takes its name, so that neither is there without the other.
                out.flush()
                with written_whole(f"{os.fspath(path)}{ABOUT}") as beside:
                    beside.write(f"{encode(record)}\n".encode())

    def write_to(self, stream: BinaryIO, format: str) -> None:
        """Write the answer in a format to a binary stream."""
        self._write(format_named(format), checked_stream(stream))

    def _write(self, chosen: Format, out: BinaryIO) -> Record:
        """Write the answer, and give its record with the digest, which is taken on the way."""
        result = geojson.Digested(self)
        chosen.write(result, out)
        self._digest = result.digest
        return result.record()

    def explain(self) -> str:
        """How the frame was answered, in words."""
        from groundframe.compiler.explain import in_words

        return in_words(self._query.plan)

    @property
    def sql(self) -> str:
        """The statements that gave rows and counts, with their parameters."""
        return sql_of(self._query, self._dataset, self._limit)

    @property
    def counts(self) -> Mapping[str, Any]:
        """How many rows matched and were returned, and what was left out and why."""
        counts: Mapping[str, Any] = deepcopy(self._noted()["counts"])
        return counts

    @property
    def digest(self) -> str:
        """SHA-256 of columns, rows and counts: the same for the same frame, data and versions.

        It knows nothing of timings, names of databases, or formats.
        """
        if not self._digest:
            self._digest = geojson.digest_of(self)
        return self._digest

    def record(self) -> Record:
        """How the answer came about: data, counts, rules, sources, warnings.

        It is a copy: what is changed in it changes neither the answer nor what is written of it.
        """
        return deepcopy(self._noted())

    def _noted(self) -> Record:
        """What is known besides the rows."""
        if self._record is None:
            if self._running is not None:
                self._note(self._running)
            else:
                with self._executed() as execution:
                    self._note(execution)
        assert self._record is not None  # noqa: S101 - just noted
        return self._record

    def _note(self, execution: Execution) -> None:
        # A copy, as it holds parts of the plan and of the load report.
        self._record = deepcopy(make_record(self._query, self._dataset, execution.tally))

    def _stream(self) -> Iterator[Row]:
        with self._executed() as execution:
            self._note(execution)
            yield from execution

    def _features(self, template: Template) -> Iterator[Sequence[str]]:
        with self._executed(template) as execution:
            # They are counted while they come, and what is asked for meanwhile is that count.
            self._record, self._running = None, execution
            try:
                yield from execution.texts()
                self._noted()
            finally:
                self._running = None

    @contextmanager
    def _executed(self, template: Template | None = None) -> Iterator[Execution]:
        """One execution in a snapshot of its own."""
        options: dict[str, Any] = {"row_limit": self._limit, "timeout_s": self._timeout}
        with execute(self._dataset, self._query.plan, **options, template=template) as execution:
            try:
                yield execution
            finally:
                self._database_s = execution.seconds

    def audit(self) -> dict[str, Any]:
        """The audit record: by it somebody else can run the frame again and compare.

        See Also
        --------
        groundframe.Connection.replay : Does so.
        """
        audit = make_audit(
            self._query, self._dataset, self, self._limit, lambda: self._database_s, self.reading
        )
        self._digest = audit["digest"]
        return audit

    def write_record(self, path: str | os.PathLike[str]) -> None:
        """Write the audit record to a file.

        Raises
        ------
        GroundframeError
            When the file cannot be written.
        """
        with written_whole(checked_path(path)) as out:
            self.write_record_to(out)

    def write_record_to(self, stream: BinaryIO) -> None:
        """Write the audit record to a binary stream."""
        out = checked_stream(stream)
        text = json.dumps(self.audit(), indent=1, ensure_ascii=False, allow_nan=False)
        out.write(f"{text}\n".encode())


def _own(value: Any) -> Any:
    """The value, of which a list may be changed without changing the answer."""
    return list(value) if isinstance(value, list) else value


def sql_of(query: Query, dataset: Dataset, row_limit: int | None = None) -> str:
    """The statements for a query, with their parameters, as text to read."""
    rows, counts = statements(query.plan, row_limit, schema=dataset.schema)
    return "\n\n".join(
        f"-- {name}\n{laid_out(text)}\n-- parameters: {encode(parameters)}"
        for name, (text, parameters) in (("rows", rows), ("counts", counts))
    )
