"""What a checked frame promises to hold (docs/checked_frames.md)."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["given"]

T = TypeVar("T")


def given(value: T | None) -> T:
    """The value, which a checked frame has filled in.

    Raises
    ------
    ValueError
        The frame was not checked.
    """
    if value is None:
        raise ValueError(
            "The oracle answers checked frames only; a part that the validator fills in is missing."
        )
    return value
