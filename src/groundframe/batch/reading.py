"""The frames of a batch: JSON Lines, a folder, or what a program hands over."""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO

from groundframe.arguments import require_type
from groundframe.batch.naming import file_stems, numbered_stem
from groundframe.errors import Issue, UsageError
from groundframe.frames.model import Frame
from groundframe.frames.reading import LIMITS
from groundframe.frames.strict_json import DocumentKind, read_object

__all__ = ["Frames", "Job", "read_jobs"]

Frames = (
    str | os.PathLike[str] | BinaryIO | Iterable[Frame | Mapping[str, Any] | str | bytes | os.PathLike[str]]
)
"""Path of a JSON Lines file, of a folder or of one frame; a binary stream of JSON Lines; or one frame after
another, each as :meth:`groundframe.Connection.run` takes it."""

# Beside the frame a line may hold what the batch knows it by.
_LINE = DocumentKind("line", LIMITS["bytes"] + 50_000, LIMITS["depth"] + 1)


@dataclass(frozen=True, slots=True)
class Job:
    """One frame of a batch.

    Parameters
    ----------
    line : int
        Its line, or its place in the folder or list, from 1.
    stem : str
        Name of the file of its answer, without suffix.
    digest : str
        SHA-256 of what came.
    frame : bytes or Path
        What is run.
    name, question : str
        What a reader knows it by: its id or the name of its file, and the question that it answers.
    choices : mapping
        Path to key, where the line holds choices.
    issues : tuple of Issue
        What is wrong with the line, apart from the frame.
    """

    line: int
    stem: str
    digest: str
    frame: bytes | Path
    name: str = ""
    question: str = ""
    choices: Mapping[str, str] = field(default_factory=dict)
    issues: tuple[Issue, ...] = ()


def read_jobs(source: Frames) -> list[Job]:
    """The frames in their order; what is wrong with one of them shows when it is run.

    Raises
    ------
    UsageError
        When there is nothing to read, or no frame in it.

    Examples
    --------
    >>> one, two = read_jobs([{"id": "q7", "targets": []}, '{"frame": {}, "question": "Where?"}'])
    >>> one.stem, one.frame, two.stem
    ('00001-q7', b'{"targets": []}', '00002-where')
    """
    if isinstance(source, str | os.PathLike):
        path = Path(source)
        try:
            jobs = list(_from_path(path))
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"{path} cannot be read ({reason}).", "Is it the right path?") from None
        if not jobs:
            what = "no file *.json" if path.is_dir() else "no frame"
            raise UsageError(f"There is {what} in {path}.", "Is it the right path?")
        return jobs
    if isinstance(source, Mapping | Frame | bytes):
        raise UsageError("A batch takes frames in a list, and this is one.", "Put it into a list.")
    require_type(source, (io.IOBase, Iterable), "Frames are a list of them, or a path")
    jobs = list(_from_lines(source) if isinstance(source, io.IOBase) else _from_items(source))
    if not jobs:
        raise UsageError("There is no frame to answer.", "Give at least one.")
    return jobs


def _from_path(path: Path) -> Iterator[Job]:
    if path.is_dir():
        files = sorted(
            file for file in path.iterdir() if file.suffix.casefold() == ".json" and file.is_file()
        )
        stems = file_stems([file.stem for file in files])
        yield from (
            _from_file(line, file, stem)
            for line, (file, stem) in enumerate(zip(files, stems, strict=True), 1)
        )
    elif path.suffix.casefold() == ".json":
        path.stat()
        yield _from_file(1, path, *file_stems([path.stem]))
    else:
        with path.open("rb") as stream:
            yield from _from_lines(stream)


def _from_file(line: int, path: Path, stem: str) -> Job:
    """The frame of a file; one that cannot be read is left to whoever runs it."""
    try:
        with path.open("rb") as file:
            text = file.read(_LINE.bytes + 1)
    except OSError:
        return Job(line, stem, _digest(os.fsencode(path.name)), path, name=path.name)
    return _job(line, text, stem, path.name)


def _from_lines(stream: Any) -> Iterator[Job]:
    """The frames of the lines that are not blank; of an endless one no more than shows that it is."""
    line, most = 0, _LINE.bytes + 1
    while text := stream.readline(most):
        line += 1
        rest = text
        while rest and not rest.endswith(b"\n"):
            rest = stream.readline(most)
        if text.strip():
            yield _job(line, text)


def _from_items(items: Iterable[Any]) -> Iterator[Job]:
    for line, item in enumerate(items, start=1):
        if isinstance(item, Frame):
            item = item.model_dump(mode="json", exclude_defaults=True)
        if isinstance(item, str) and item.lstrip()[:1] not in ("{", "["):
            item = Path(item)
        if isinstance(item, os.PathLike):
            path = Path(item)
            yield _from_file(line, path, numbered_stem(line, path.stem))
            continue
        try:
            text = (
                item.encode() if isinstance(item, str) else item if isinstance(item, bytes) else _dumped(item)
            )
        except (TypeError, ValueError, RecursionError) as error:
            raise UsageError(
                f"Frame {line} of the list is none ({error}).", "Give what JSON knows."
            ) from None
        yield _job(line, text)


def _dumped(item: Mapping[str, Any]) -> bytes:
    return json.dumps(dict(item)).encode()


def _job(line: int, text: bytes, stem: str = "", name: str = "") -> Job:
    """The frame in a text; it may lie under ``frame``, with ``id``, ``question`` and ``choices`` beside."""
    text = text.strip()
    digest = _digest(text)
    peeked = _peeked(text)
    beside = {key: peeked.get(key) for key in ("id", "question")}
    identity = beside["id"] if isinstance(beside["id"], str | int) else ""
    question = beside["question"] if isinstance(beside["question"], str) else ""
    wrapped = "id" in peeked or "frame" in peeked
    frame, choices, issues = _unwrapped(text) if wrapped else (text, {}, ())
    if wrapped:
        inner = peeked.get("frame")
        if not question and isinstance(inner, dict) and isinstance(inner.get("question"), str):
            question = inner["question"]
    return Job(
        line,
        stem or numbered_stem(line, str(identity) or question),
        digest,
        frame,
        name or str(identity),
        question,
        choices,
        issues,
    )


def _peeked(text: bytes) -> Mapping[str, Any]:
    """The document where it is a JSON object, else nothing; whoever runs the frame says what is wrong."""
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _unwrapped(text: bytes) -> tuple[bytes, dict[str, str], tuple[Issue, ...]]:
    """The frame, the choices, and the issues of a document that holds more than a frame."""
    document, issues = read_object(text, _LINE)
    document.pop("id", None)
    choices: Any = {}
    if "frame" in document:
        choices = document.get("choices", {})
        document = document["frame"]
    if not isinstance(choices, dict) or not all(isinstance(key, str) for key in choices.values()):
        message = "Choices are an object of paths and keys."
        issues.append(Issue("wrong_type", "/choices", message, action='Write {"/references/0": "KEY"}.'))
        choices = {}
    return json.dumps(document).encode(), choices, tuple(issues)


def _digest(text: bytes) -> str:
    return hashlib.sha256(text).hexdigest()
