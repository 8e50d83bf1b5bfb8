"""Making the audit record of an answer (DESIGN §8)."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from groundframe.audit.sealing import RECORD_VERSION, SEAL, TIMINGS, seal_of
from groundframe.formats.geojson import Digest, feature_text
from groundframe.formats.result import Column, Result, Row
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.engine import engine_versions
from groundframe.postgis.execute import statements
from groundframe.query import Query
from groundframe.serialise import encode, plain

__all__ = ["make_audit", "provenance"]

ROWS = 10_000
"""The most rows whose digests are kept."""
HEAD = 100
"""The most rows whose values are kept."""

_LIBRARIES = ("sqlalchemy", "geoalchemy2", "psycopg", "shapely", "pydantic", "networkx", "rapidfuzz")
# What the audit record has in places of its own.
_LIFTED = frozenset(
    ("question", "counts", "repairs", "anchors", "notes", "pack", "data_version", "synthetic", "program")
)


def make_audit(
    query: Query,
    dataset: Dataset,
    result: Result,
    row_limit: int | None,
    database_seconds: Callable[[], float],
    reading: Mapping[str, Any] | None = None,
) -> dict[str, Any]:
    """The audit record as JSON-ready data.

    Parameters
    ----------
    database_seconds : callable
        Gives, once the rows have been read, the seconds that the database worked.
    reading : mapping, optional
        Who read the question that the frame was made of, and how.
    """
    checked = query.checked
    kept, digest = _result(result)
    record = result.record()
    audit = {
        "record_version": RECORD_VERSION,
        "question": checked.received.question,
        **({"reading": plain(reading)} if reading else {}),
        "frame": checked.received.model_dump(mode="json", exclude_defaults=True),
        "choices": dict(checked.choices),
        "row_limit": row_limit,
        "repairs": plain(record["repairs"]),
        "normalised": plain([repair.as_dict() for repair in checked.normalised]),
        "anchors": plain(record["anchors"]),
        "notes": list(record["notes"]),
        "checked_frame": checked.frame.model_dump(mode="json", exclude_defaults=True),
        "plan": plain(query.plan.as_dict()),
        "sql": plain(_sql(query, row_limit)),
        **provenance(dataset),
        "counts": plain(record["counts"]),
        "answer": plain({name: part for name, part in record.items() if name not in _LIFTED}),
        "result": plain(kept),
        "digest": digest,
    }
    taken = {"validate_s": checked.seconds, "compile_s": query.seconds, "database_s": database_seconds()}
    timings = {name: round(value, 6) for name, value in taken.items()}
    written = datetime.now(UTC).isoformat(timespec="seconds")
    return {**audit, TIMINGS: {"written": written, **timings}, SEAL: seal_of(audit)}


def provenance(dataset: Dataset) -> dict[str, Any]:
    """Which data, and which versions of what worked on them."""
    pack = dataset.pack
    own = {"groundframe": version("groundframe"), "python": platform.python_version()}
    libraries = {name: version(name) for name in _LIBRARIES}
    return {
        "pack": {"name": pack.name, "title": pack.title, "version": pack.version, "digest": pack.digest},
        "data_version": dataset.data_version,
        "synthetic": dataset.synthetic,
        "versions": {**own, **engine_versions(dataset.database), **libraries},
    }


def _sql(query: Query, row_limit: int | None) -> dict[str, dict[str, Any]]:
    """The statements, with the tables' own names: the schema that holds them is called as anybody likes."""
    named = zip(("rows", "counts"), statements(query.plan, row_limit), strict=True)
    return {name: {"text": text, "parameters": parameters} for name, (text, parameters) in named}


def _result(result: Result) -> tuple[dict[str, Any], str]:
    """The beginning of the result, and the digest of all of it, in one pass over the rows."""
    columns = result.columns
    text, digest = feature_text(columns, result.id_index), Digest(columns)
    rows: list[str] = []
    head: list[dict[str, Any]] = []
    for row in result.rows():
        digest.add(text(row))
        if len(rows) < ROWS:
            rows.append(_row(columns, result.id_index, row))
        if len(head) < HEAD:
            head.append({column.name: value for column, value in zip(columns, row, strict=False)})
    return {"rows": rows, "head": head}, digest.end(result.record())


def _row(columns: Sequence[Column], id_index: int | None, row: Row) -> str:
    """A row's digest and key. Its rank is left out: one row that comes moves the ranks of all below it."""
    values = [value for column, value in zip(columns, row, strict=False) if column.kind != "rank"]
    digest = hashlib.sha256(encode([*values, row[-1]]).encode()).hexdigest()
    return f"{digest[:16]} {_identity(columns, id_index, row)}"


def _identity(columns: Sequence[Column], id_index: int | None, row: Row) -> str:
    """What a row is told apart by: its key, or for groups their values as a list."""
    if id_index is not None:
        return str(row[id_index])
    values = zip(columns, row, strict=False)
    return encode([value for column, value in values if column.kind in ("key", "group")])
