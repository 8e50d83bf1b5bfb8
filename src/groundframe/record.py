"""The record of an answer: which data, which rules, what was counted and what was left out.

It holds nothing that changes from one run to the next: no times, no names of databases.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from importlib.metadata import version
from typing import Any

from groundframe.formats.result import Record
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.execute import Tally
from groundframe.query import Query
from groundframe.schema.model import Entity, Pack

__all__ = ["make_record"]


def make_record(query: Query, dataset: Dataset, tally: Tally) -> Record:
    """The record of one execution."""
    pack, checked = query.pack, query.checked
    sources = _sources(dataset, tally)
    rows, plural = _row_words(query)
    return {
        "warnings": _warnings(query, dataset, sources),
        **({"question": checked.received.question} if checked.received.question else {}),
        "rows": rows,
        "rows_plural": plural,
        "counts": _counts(tally),
        "counted": [
            {"column": item["name"], "label": item["label"], "unit": item["unit"], "counts": item["definition"]}
            for item in query.plan.rules["measures"]
        ],
        "split": _split(query, tally),
        "rules": {**query.plan.rules, "in_words": list(_rules(query))},
        "sources": sources,
        "repairs": [repair.as_dict() for repair in checked.repairs],
        "notes": list(checked.notes),
        "pack": {"name": pack.name, "title": pack.title, "version": pack.version, "digest": pack.digest},
        "data_version": dataset.data_version,
        "synthetic": dataset.synthetic,
        "notices": list(pack.notices),
        "program": f"groundframe {version('groundframe')}",
    }


def _entity(query: Query, role: str) -> Entity:
    return query.pack.entity(query.plan.rules["targets"][role])
