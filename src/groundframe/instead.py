"""Questions near one that cannot be asked: at a distance instead of on, of what is listed instead."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundframe.frames.interpretation import Interpretation
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.lying import HOW_FAR
from groundframe.frames.lexical.roles import OF_OBJECT

__all__ = ["apart_from_object", "at_distances"]

_METRES = (15, 30, 100)
"""From the width of a street to that of a school's grounds."""


def at_distances(found: Interpretation) -> Iterator[str]:
    """The question with distances where it only says that something lies on a line."""
    span = next((one for one in found.leftovers if one.meaning.endswith(HOW_FAR)), None)
    if span is not None and len(found.leftovers) == 1:
        denied = "not " if span.text.casefold().startswith("not") else ""
        for metres in _METRES:
            yield f"{found.question[: span.start]}{denied}within {metres} m of{found.question[span.end :]}"


def apart_from_object(found: Interpretation, items: Sequence[Item]) -> Iterator[str]:
    """The question with a number of what is listed, and without one of what that is near."""
    span, asked = next((one for one in found.leftovers if one.meaning == OF_OBJECT), None), found.question
    led = [item for item in items if span is not None and item.start < span.start and item.has("with")]
    number = next((item for item in items if span and item.start >= span.start and item.amount), None)
    if led and number is not None:
        yield f"{asked[: led[-1].start]}and {asked[led[-1].start :]}"
        yield f"{asked[: led[-1].end]}{asked[number.end :]}"
