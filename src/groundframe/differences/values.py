"""How two JSON values differ, in lines that name the place."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from groundframe.serialise import encode

__all__ = ["aligned", "differences", "shown"]

_LONGEST = 160


def differences(before: Any, after: Any, path: str = "") -> Iterator[str]:
    """What was added, is gone or has changed; the places are JSON pointers.

    The items of lists are aligned, so that one that was put in does not make those behind it look changed.

    Examples
    --------
    >>> before = {"top_n": 5, "by": ["a", "b"]}
    >>> list(differences(before, {"top_n": 3, "by": ["new", "a", "b"], "ties": True}))
    ['/top_n: 5 → 3', '/by/0: "new" added', '/ties: true added']
    """
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys((*before, *after)):
            inner = f"{path}/{key}"
            if key not in after:
                yield f"{inner}: {shown(before[key])} gone"
            elif key not in before:
                yield f"{inner}: {shown(after[key])} added"
            else:
                yield from differences(before[key], after[key], inner)
    elif isinstance(before, list) and isinstance(after, list):
        for old, new in aligned(before, after):
            if new is None and old is not None:
                yield f"{path}/{old}: {shown(before[old])} gone"
            elif old is None and new is not None:
                yield f"{path}/{new}: {shown(after[new])} added"
            elif old is not None and new is not None:
                yield from differences(before[old], after[new], f"{path}/{new}")
    elif encode(before) != encode(after):
        yield f"{path}: {shown(before)} → {shown(after)}"


def aligned(
    before: Sequence[Any], after: Sequence[Any], kind: Callable[[Any], object] = type
) -> Iterator[tuple[int | None, int | None]]:
    """Which item became which: pairs of places, None where there is none.

    Equal items belong together. What lies between them is paired in order, where it is of one kind.

    Examples
    --------
    >>> list(aligned("abcd", "acxd"))
    [(0, 0), (1, None), (2, 1), (None, 2), (3, 3)]
    """
    was, now = [encode(item) for item in before], [encode(item) for item in after]
    for what, old, old_end, new, new_end in SequenceMatcher(None, was, now, False).get_opcodes():
        if what == "equal":
            yield from zip(range(old, old_end), range(new, new_end), strict=True)
            continue
        for place in range(old, old_end):
            like = (other for other in range(new, new_end) if kind(after[other]) == kind(before[place]))
            partner = next(like, None)
            if partner is not None:
                yield from ((None, other) for other in range(new, partner))
                new = partner + 1
            yield place, partner
        yield from ((None, other) for other in range(new, new_end))


def shown(value: Any) -> str:
    """A value as one line, the end of a long one left out.

    Examples
    --------
    >>> shown({"a": "Main St"})
    '{"a":"Main St"}'
    """
    text = encode(value)
    return text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
