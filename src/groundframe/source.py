"""In which forms a frame may be given."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from groundframe.errors import FrameError, Issue
from groundframe.frames.model import Frame
from groundframe.frames.reading import read_frame

__all__ = ["FrameSource", "read_source"]

FrameSource = Frame | Mapping[str, Any] | str | bytes | os.PathLike[str]
"""A frame, its data, JSON text, or the path of a file."""

_WANTED = "A frame, its data, its JSON text or a path belongs here"


def read_source(frame: FrameSource) -> Frame:
    """The frame, whatever it was given as; text that does not begin as JSON does is the path of a file."""
    if isinstance(frame, Frame):
        return frame
    if not isinstance(frame, Mapping | str | bytes | os.PathLike):
        raise FrameError.of([Issue("wrong_type", "", f"{_WANTED}, not {type(frame).__name__}.")])
    if isinstance(frame, str) and frame.strip() and frame.lstrip()[0] not in "{[":
        frame = Path(frame)
    return read_frame(Path(frame) if isinstance(frame, os.PathLike) else frame)
