"""All events of a dataset as one GeoJSON file, and what that takes."""

from __future__ import annotations

import resource
from time import perf_counter
from typing import Any

from groundframe.answer import Answer
from groundframe.compiler.compile import compile_frame
from groundframe.errors import DatasetError
from groundframe.frames.reading import read_frame
from groundframe.postgis.datasets import Dataset
from groundframe.query import Query
from groundframe.schema.demo import load_demo
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Checked

__all__ = ["stream_all"]


class _Sink:
    """Takes bytes, counts them, and keeps none."""

    size = 0

    def write(self, data: bytes) -> int:
        self.size += len(data)
        return len(data)

    def flush(self) -> None:
        """Nothing waits."""


def stream_all(dataset: Dataset) -> dict[str, Any]:
    """Stream the events of a synthetic state to GeoJSON, ordered by key.

    Memory is the most that the process has had, so that it says something for a process of its own only.
    """
    pack = dataset.pack
    entity = load_demo(pack).layer("events").entity
    frame = read_frame({"targets": [{"entity": entity, "role": "primary"}]})
    checked = validate(frame, pack, None)
    if not isinstance(checked, Checked):
        raise DatasetError(f"{entity} cannot be asked for.")
    query = Query(checked, compile_frame(checked.frame, pack, dataset.physical), pack)
    answer = Answer(query, dataset, row_limit=None, timeout_s=600.0)
    before = _peak_mb()
    sink = _Sink()
    began = perf_counter()
    answer.write_to(sink, "geojson")  # type: ignore[arg-type]
    seconds = perf_counter() - began
    features = int(answer.counts["returned"])
    return {
        "features": features,
        "seconds": round(seconds, 2),
        "features_per_second": round(features / seconds),
        "megabytes": round(sink.size / 2**20, 1),
        "client_mb_before": before,
        "client_mb": _peak_mb(),
    }


def _peak_mb() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024, 1)
