"""Figures in a page of the documentation: a command puts them there, nobody copies numbers."""

from __future__ import annotations

from pathlib import Path

from groundframe.errors import UsageError

__all__ = ["put_between"]


def put_between(path: Path, name: str, text: str) -> str:
    """The text of a page with `text` between its marks ``<!-- name -->`` and ``<!-- /name -->``.

    Raises
    ------
    UsageError
        When the page is not there, or has no such marks.
    """
    opening, closing = f"<!-- {name} -->", f"<!-- /{name} -->"
    try:
        page = path.read_text(encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{path} cannot be read ({error.strerror}).") from None
    before, found, rest = page.partition(opening)
    _, also, after = rest.partition(closing)
    if not found or not also:
        raise UsageError(f"{path} has no place for figures.", f"Mark it with {opening} and {closing}.")
    return f"{before}{opening}\n{text.strip()}\n{closing}{after}"
