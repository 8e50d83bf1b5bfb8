"""Two questions in one, or one with either of two things in it, each by itself."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from groundframe.frames.grounding.doubts import EITHER, TWO, kinds_of
from groundframe.frames.interpretation import Interpretation
from groundframe.frames.lexical.items import Item
from groundframe.leaving_out import EDGE, rest_of

__all__ = ["halves"]

_JOINTS = re.compile(r"[\s,;?]*(?:\b(?:and|then|also|in|the|a|how many|now)\b[\s,;?]*)*$", re.IGNORECASE)


def halves(found: Interpretation, items: Sequence[Item]) -> Iterator[str]:
    """Either of two questions in one, or with either of two things in it."""
    question = found.question
    for span in found.leftovers:
        if span.meaning == TWO:
            yield _JOINTS.sub("", question[: span.start]).strip(EDGE)
            yield question[span.start :]
        if span.meaning == EITHER:
            place = next(n for n, item in enumerate(items) if item.start == span.start)
            before, after = place - 1, place + 1
            while after + 1 < len(items) and not kinds_of(items[after]):
                after += 1
            while before > 0 and not kinds_of(items[before]):
                before -= 1
            while (
                before > 0
                and not kinds_of(items[before - 1])
                and items[before - 1].has("in", "on", "with", "at", "filler")
            ):
                before -= 1
            yield rest_of(question, items[place : after + 1])
            yield rest_of(question, items[before : place + 1])
