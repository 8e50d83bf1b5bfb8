"""The golden file: a frame, and stage by stage what became of it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from groundframe.errors import GoldenError
from groundframe.formats.files import written_whole
from groundframe.frames.reading import read_frame
from groundframe.golden.text import Line, read_text, written

__all__ = [
    "ENDING",
    "Golden",
    "PackName",
    "Result",
    "Statement",
    "frame_document",
    "read_golden",
    "source_of",
]

ENDING = ".golden.yaml"
_STAGES = ("repairs", "anchors", "checked_frame", "plan", "data_version")
_HEADER = "# A golden frame: 'groundframe golden check' compares it with what is answered today.\n"


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)


class PackName(_Part):
    """The schema pack that the frame is for."""

    name: str
    version: str = ""


class Statement(_Part):
    """One SQL statement, laid out to be read, with its parameters."""

    text: str
    parameters: dict[str, Any] = {}


class Result(_Part):
    """The digest of the answer, its counts, and its first rows."""

    digest: str
    counts: dict[str, Any]
    columns: list[str]
    head: list[list[Any]]


class Golden(_Part):
    """The content of a golden file; a stage that it does not hold is not compared.

    Sentences (the `step` of a node, the `message` of a repair) are for the reader and are not compared.
    """

    golden: Literal[1] = 1
    question: str = ""
    dataset: str = ""
    pack: PackName | None = None
    program: str = ""
    frame: dict[str, Any] | None = None
    choices: dict[str, str] = {}
    repairs: list[dict[str, Any]] | None = None
    anchors: list[dict[str, Any]] | None = None
    checked_frame: dict[str, Any] | None = None
    plan: dict[str, dict[str, Any]] | None = None
    sql: dict[str, dict[str, Statement]] | None = None
    data_version: str | None = None
    result: Result | None = None

    def text(self) -> str:
        """The file's text."""
        content = self.model_dump(exclude_none=True)
        if self.result is not None:
            content["result"]["columns"] = Line(self.result.columns)
            content["result"]["head"] = [Line(row) for row in self.result.head]
        return _HEADER + written(content)

    def shaped_as(self, other: Golden) -> Golden:
        """The same with only the stages that the other holds, if any, and the other engines' SQL."""
        if other.result is None:
            return self
        left_out = {name: None for name in _STAGES if getattr(other, name) is None}
        sql = None if other.sql is None else {**other.sql, **(self.sql or {})}
        return self.model_copy(update={**left_out, "sql": sql})

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file, whole or not at all."""
        with written_whole(path) as out:
            out.write(self.text().encode())


def read_golden(path: Path) -> Golden:
    """Read a golden file.

    Raises
    ------
    GoldenError
        When it is none, in one sentence.
    """
    content = read_text(path)
    if not isinstance(content, dict) or "golden" not in content:
        raise GoldenError(
            "This is no golden frame: it does not begin with 'golden: 1'.",
            "Make one with: groundframe golden add FRAME",
        )
    try:
        golden = Golden.model_validate(content)
    except ValidationError as error:
        raise GoldenError(_sentence(error)) from None
    if golden.frame is None and not source_of(path).is_file():
        raise GoldenError("It holds no frame.", "Write one under 'frame'.")
    return golden


def _sentence(error: ValidationError) -> str:
    first = error.errors()[0]
    where = "/".join(str(step) for step in first["loc"])
    if first["type"] == "extra_forbidden":
        known = ", ".join(Golden.model_fields)
        return f"'{where}' is no part of a golden frame. The parts are: {known}."
    return f"At '{where}': {first['msg'][:1].lower()}{first['msg'][1:]}."


def source_of(path: Path) -> Path:
    """Where the frame of a golden file has a file of its own: beside it, under the same name."""
    return path.with_name(path.name.removesuffix(ENDING) + ".json")


def frame_document(source: Path | bytes) -> dict[str, Any]:
    """A frame as it was written, from a file or its content.

    Raises
    ------
    FrameError
        When it is no frame.
    """
    read_frame(source)
    document: dict[str, Any] = json.loads(source if isinstance(source, bytes) else source.read_bytes())
    return document
