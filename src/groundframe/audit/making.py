"""Making the audit record of an answer (DESIGN §8)."""

from __future__ import annotations

import platform
from importlib.metadata import version
from typing import Any

from groundframe.formats.result import Record
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.engine import engine_versions
from groundframe.postgis.execute import statements
from groundframe.query import Query
from groundframe.serialise import plain

__all__ = ["RECORD_VERSION", "make_audit"]

RECORD_VERSION = 1
_LIBRARIES = ("sqlalchemy", "geoalchemy2", "psycopg", "shapely", "pydantic", "networkx", "rapidfuzz")
_LIFTED = (
    "question",
    "counts",
    "repairs",
    "anchors",
    "notes",
    "pack",
    "data_version",
    "synthetic",
    "program",
)


def make_audit(
    query: Query, dataset: Dataset, record: Record, digest: str, row_limit: int | None
) -> dict[str, Any]:
    """The audit record as JSON-ready data."""
    checked = query.checked
    # The frames hold only what JSON has, and numbers of any length, which must stay numbers.
    frames = {
        "frame": checked.received.model_dump(mode="json", exclude_defaults=True),
        "checked_frame": checked.frame.model_dump(mode="json", exclude_defaults=True),
    }
    return {
        "record_version": RECORD_VERSION,
        "question": checked.received.question,
        "frame": frames["frame"],
        "choices": dict(checked.choices),
        "row_limit": row_limit,
        "repairs": plain(record["repairs"]),
        "normalised": plain([repair.as_dict() for repair in checked.normalised]),
        "anchors": plain(record["anchors"]),
        "notes": plain(record["notes"]),
        "checked_frame": frames["checked_frame"],
        "plan": plain(query.plan.as_dict()),
        "sql": plain(_sql(query, row_limit)),
        "pack": plain(record["pack"]),
        "data_version": record["data_version"],
        "synthetic": record["synthetic"],
        "versions": _versions(dataset),
        "counts": plain(record["counts"]),
        "answer": plain({name: part for name, part in record.items() if name not in _LIFTED}),
        "digest": digest,
    }


def _sql(query: Query, row_limit: int | None) -> dict[str, dict[str, Any]]:
    """The statements, with the tables' own names: the schema that holds them is called as anybody likes."""
    named = zip(("rows", "counts"), statements(query.plan, row_limit), strict=True)
    return {name: {"text": text, "parameters": parameters} for name, (text, parameters) in named}


def _versions(dataset: Dataset) -> dict[str, str]:
    own = {"groundframe": version("groundframe"), "python": platform.python_version()}
    return {**own, **engine_versions(dataset.database), **{name: version(name) for name in _LIBRARIES}}
