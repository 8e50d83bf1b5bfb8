"""Reading an audit record: as strictly as a frame, for it comes from somebody else."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from groundframe.audit.sealing import RECORD_VERSION, SEAL, as_read, seal_of
from groundframe.audit.shape import AuditRecord
from groundframe.errors import FrameError, Issue, RecordError
from groundframe.frames.reading import read_frame
from groundframe.frames.strict_json import DocumentKind, read_object, step

__all__ = ["RECORD", "RecordSource", "read_record"]

RecordSource = Mapping[str, Any] | str | bytes | os.PathLike[str]
"""The record as data, JSON text, or the path of its file."""

_WRITE = "A record is what 'groundframe run FRAME --record FILE' writes."
_AGAIN = "Take the file as it was written, or make a new one with 'groundframe run FRAME --record FILE'."
RECORD = DocumentKind("record", 64_000_000, 128, smallest=_WRITE)


def read_record(source: RecordSource) -> dict[str, Any]:
    """Read an audit record.

    Raises
    ------
    RecordError
        When it is none, is damaged, was written for another version, or was changed since.

    Examples
    --------
    >>> read_record({"targets": []})
    Traceback (most recent call last):
    ...
    groundframe.errors.RecordError: This is no audit record: it has no 'record_version'. A record is what ...
    """
    if isinstance(source, str) and not source.lstrip().startswith(("{", "[")):
        source = Path(source)
    if isinstance(source, os.PathLike):
        source = Path(source)
    record, issues = read_object(source, RECORD)
    if issues:
        raise RecordError.of(issues)
    if "record_version" not in record:
        _refuse("no_record", "", "This is no audit record: it has no 'record_version'.", _WRITE)
    stated = json.dumps(record["record_version"])[:20]
    if stated != str(RECORD_VERSION):
        message = f"The record is of version {stated}; this program reads version {RECORD_VERSION}."
        _refuse("other_version", "/record_version", message, "Use the program that wrote it.")
    if SEAL in record and record[SEAL] != seal_of(record):
        _refuse("changed", "", "The record was changed after it was written.", _AGAIN)
    try:
        AuditRecord.model_validate_json(json.dumps(record), strict=True)
    except ValidationError as error:
        problem = error.errors(include_url=False, include_context=False, include_input=False)[0]
        place = "".join(f"/{step(str(part))}" for part in problem["loc"])
        _refuse("damaged", place, f"The record is damaged: {_small(problem['msg'])}.", _AGAIN)
    try:
        read_frame(record["frame"])
    except FrameError as error:
        issue = error.issues[0]
        _refuse(issue.code, f"/frame{issue.path}", issue.message, _AGAIN)
    return as_read(record)  # type: ignore[no-any-return]


def _small(text: str) -> str:
    return text[:1].lower() + text[1:]


def _refuse(code: str, path: str, message: str, action: str) -> None:
    raise RecordError.of([Issue(code, path, message, action=action)]) from None
