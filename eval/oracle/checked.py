"""What a checked frame promises to hold (docs/checked_frames.md)."""

from __future__ import annotations

from typing import TypeVar

__all__ = ["counted", "given"]

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


def counted(value: int | float | str | None) -> int:
    """The count, which a checked frame holds as a whole number.

    Raises
    ------
    ValueError
        The frame was not checked.
    """
    if not isinstance(value, int):
        raise ValueError("The oracle answers checked frames only; a count is not a whole number.")
    return value
