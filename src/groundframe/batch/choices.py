"""The questions that a batch has left open, and the answers to them.

A line holds the frame, its questions with their candidates, and for each question an ``answer`` to be filled
in: the key of a candidate, or its number in the list, from 1.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from groundframe.arguments import require_type
from groundframe.batch.reading import Job
from groundframe.errors import UsageError
from groundframe.frames.strict_json import DocumentKind, read_object

__all__ = ["Answered", "open_questions", "read_answers"]

Answered = str | os.PathLike[str] | Iterable[Mapping[str, Any]]
"""Path of a file of choices, or its lines as data."""

_LINE = DocumentKind("line", 20_000_000, 34)


def open_questions(job: Job, choices: Iterable[Mapping[str, Any]]) -> dict[str, Any]:
    """The line for a frame whose names have several candidates."""
    asked = [
        {
            "text": choice["text"],
            "answer": None,
            "candidates": choice["candidates"],
            "path": choice["path"],
        }
        for choice in choices
    ]
    known = {name: part for name, part in (("name", job.name), ("question", job.question)) if part}
    frame = json.loads(job.frame) if isinstance(job.frame, bytes) else None
    return {"line": job.line, **known, "choices": asked, "frame": frame, "sha256": job.digest}


def read_answers(source: Answered) -> dict[str, dict[str, str]]:
    """The answers that are filled in: by the digest of the frame, path to key.

    Raises
    ------
    UsageError
        When the file cannot be read, is no file of choices, or an answer is none of its candidates.

    Examples
    --------
    >>> asked = {"path": "/references/0", "answer": 2, "candidates": [{"key": "s:1"}, {"key": "s:2"}]}
    >>> read_answers([{"sha256": "abc", "choices": [asked]}])
    {'abc': {'/references/0': 's:2'}}
    """
    if isinstance(source, str | os.PathLike):
        name = os.fspath(source)
        try:
            lines: list[bytes | Mapping[str, Any]] = [*Path(source).read_bytes().splitlines()]
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise UsageError(f"'{name}' cannot be read: {reason}.") from None
    else:
        require_type(source, Iterable, "Choices are the path of a file, or its lines as a list")
        name, lines = "choices", list(source)
    answers: dict[str, dict[str, str]] = {}
    for number, line in enumerate(lines, start=1):
        if isinstance(line, bytes) and not line.strip():
            continue
        where = f"{name}, line {number}"
        digest, found = _answered(line, where)
        if answers.get(digest, found) != found:
            raise UsageError(
                f"{where}: an earlier line answers the same frame otherwise.", "Keep one of them."
            )
        if found:
            answers[digest] = found
    return answers


def _answered(line: bytes | Mapping[str, Any], where: str) -> tuple[str, dict[str, str]]:
    content, issues = read_object(line, _LINE)
    if issues:
        raise UsageError(f"{where}: {issues[0].sentence()}")
    digest, choices = content.get("sha256"), content.get("choices")
    if not isinstance(digest, str) or not isinstance(choices, list):
        raise UsageError(
            f"{where} is no line of choices.", "Give the choices.jsonl that the batch wrote, filled in."
        )
    answers = {}
    for choice in choices:
        candidates = _candidates(choice)
        if not candidates or not isinstance(choice.get("path"), str):
            raise UsageError(f"{where} holds a choice without path or candidates.", "Fill in answers only.")
        answer = choice.get("answer")
        if answer is not None and answer != "":
            answers[choice["path"]] = _key(answer, candidates, where)
    return digest, answers


def _candidates(choice: Any) -> list[str]:
    listed = choice.get("candidates") if isinstance(choice, dict) else None
    keys = [one.get("key") for one in listed if isinstance(one, dict)] if isinstance(listed, list) else []
    return [key for key in keys if isinstance(key, str)]


def _key(answer: Any, candidates: list[str], where: str) -> str:
    """The key that is meant."""
    if answer in candidates:
        return str(answer)
    number = int(answer) if isinstance(answer, str) and answer.strip().isdecimal() else answer
    if isinstance(number, int) and not isinstance(number, bool) and 1 <= number <= len(candidates):
        return candidates[number - 1]
    raise UsageError(
        f"{where}: {json.dumps(answer)[:80]} is none of the candidates.",
        f"Write a number from 1 to {len(candidates)}, or one of the keys: {', '.join(candidates[:5])}.",
    )
