"""What is wrong with a question, in the words of who asked: no parts of frames and no paths into them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

from groundframe.errors import Issue
from groundframe.frames.model import Frame, Reference, Target
from groundframe.schema.model import Pack

__all__ = ["in_words"]

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
