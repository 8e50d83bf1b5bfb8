"""What a checked frame may say and the compiler does not do."""

from __future__ import annotations

from groundframe.errors import Issue, UnsupportedError

__all__ = ["unsupported"]


def unsupported(path: str, message: str) -> Exception:
    """The error for one thing that is not done."""
    return UnsupportedError.of([Issue("unsupported", path, message)])
