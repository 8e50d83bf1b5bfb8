"""What is wrong with a question, in the words of who asked: no parts of frames and no paths into them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from groundframe.errors import Issue
from groundframe.frames.interpretation import Span
from groundframe.frames.model import Frame, Reference, Target
from groundframe.schema.model import Pack

__all__ = ["in_words", "quoted"]

_QUOTED = re.compile(r"'([a-z][a-z0-9_]*)'")
_TOLD = frozenset({"missing_layer", "missing_field_data", "unknown_name", "not_in_town"})
"""Issues of which also the next action is one for those who ask in words."""
_OTHERWISE = "Ask for something else, or in other words."


def in_words(issue: Issue, frame: Frame, pack: Pack) -> Issue:
    """An issue of the frame of a question, as one of the question.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> frame = Frame.model_validate({"targets": [{"entity": "Crash", "role": "primary"}]})
    >>> message = "Nothing can meet all conditions on 'speed_limit' of 'primary'."
    >>> issue = Issue("contradiction", "/attribute_constraints/1", message, action="Use 'in'.")
    >>> in_words(issue, frame, load_pack("massachusetts")).sentence()
    'Nothing can meet all conditions on speed limit of crashes. Ask for something else, or in other words.'
    """
    called = dict(_called(frame, pack))
    message = _QUOTED.sub(lambda word: called.get(word[1], word[0]), issue.message)
    told = "" if issue.nearest else issue.action if issue.code in _TOLD else _OTHERWISE
    return replace(issue, path="", message=message[:1].upper() + message[1:], allowed=(), action=told)


def quoted(question: str, spans: Sequence[Span]) -> str:
    """Words of a question in quotes; those that stand side by side together.

    Examples
    --------
    >>> question = "crashes on 4th street and zork"
    >>> quoted(
    ...     question, [Span(11, 12, "4"), Span(12, 14, "th"), Span(15, 21, "street"), Span(26, 30, "zork")]
    ... )
    "'4th street', 'zork'"
    """
    runs: list[tuple[int, int]] = []
    for span in spans:
        if not span.text:
            continue
        if runs and not question[runs[-1][1] : span.start].strip() and span.start >= runs[-1][1]:
            runs[-1] = (runs[-1][0], span.end)
        else:
            runs.append((span.start, span.end))
    return ", ".join(f"'{question[start:end]}'" for start, end in runs)


def _called(frame: Frame, pack: Pack) -> Iterator[tuple[str, str]]:
    """Names of a frame with what people call it."""
    entities = {entity.name: entity for entity in pack.entities}
    parts: tuple[Target | Reference, ...] = (*frame.references, *frame.targets)
    for part in parts:
        entity = entities.get(part.entity)
        for field in entity.fields if entity is not None else ():
            yield field.name, field.label
        kind = entity.plural if entity is not None else "the position"
        yield str(part.id or part.role), ", ".join(part.names) or kind
    yield from ((concept.name, concept.label) for concept in pack.concepts)
    yield from ((measure.name, measure.label) for measure in pack.measures)
