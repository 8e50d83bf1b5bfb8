"""groundframe: semantic frames, compiled to spatial operations and run on PostGIS.

Examples
--------
>>> import groundframe as gf
>>> outcome = gf.validate('{"targets": [{"entity": "Crash", "role": "primary"}]}', pack="massachusetts")
>>> outcome.frame.targets[0].entity
'Crash'

Notes
-----
PYTEST_DONT_REWRITE: pytest, which loads a plugin from here, has no assertions to rewrite.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from groundframe.answer import Answer
    from groundframe.api import Connection, connect, validate
    from groundframe.batch.pool import BatchProgress
    from groundframe.batch.report import BatchReport
    from groundframe.errors import (
        DatabaseError,
        DatasetError,
        FrameError,
        GoldenError,
        GroundframeError,
        Issue,
        LoadError,
        NeedsChoiceError,
        NotUnderstoodError,
        OutputError,
        PackError,
        PlanError,
        RecordError,
        RejectedError,
        UnreachableError,
        UnsupportedError,
        UsageError,
    )
    from groundframe.frames.model import Frame
    from groundframe.query import Query
    from groundframe.replay import Replay
    from groundframe.schema.packs import load_pack, pack_names
    from groundframe.validator.outcomes import Checked, NeedsChoice, Rejected

__all__ = [
    "Answer",
    "BatchProgress",
    "BatchReport",
    "Checked",
    "Connection",
    "DatabaseError",
    "DatasetError",
    "Frame",
    "FrameError",
    "GoldenError",
    "GroundframeError",
    "Issue",
    "LoadError",
    "NeedsChoice",
    "NeedsChoiceError",
    "NotUnderstoodError",
    "OutputError",
    "PackError",
    "PlanError",
    "Query",
    "RecordError",
    "Rejected",
    "RejectedError",
    "Replay",
    "UnreachableError",
    "UnsupportedError",
    "UsageError",
    "connect",
    "load_pack",
    "pack_names",
    "validate",
]

_HOMES = {
    "Answer": "answer",
    "BatchProgress": "batch.pool",
    "BatchReport": "batch.report",
    "Checked": "validator.outcomes",
    "Connection": "api",
    "Frame": "frames.model",
    "NeedsChoice": "validator.outcomes",
    "Query": "query",
    "Rejected": "validator.outcomes",
    "Replay": "replay",
    "connect": "api",
    "load_pack": "schema.packs",
    "pack_names": "schema.packs",
    "validate": "api",
}
"""Where the public names live; all others are errors. They are imported when first used, so that a stage, or
a command that needs no database, does not wait for the rest."""


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_HOMES.get(name, 'errors')}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
