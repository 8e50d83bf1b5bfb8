"""Readings that hold all words of a question and lose how they belong together; these are asked back."""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundframe.frames.grounding.doubts import EITHER
from groundframe.frames.grounding.said import Said, Ungrounded, denials_of, doubtful
from groundframe.frames.lexical.items import Item
from groundframe.frames.model import Frame

__all__ = ["BOTH", "slips"]

BOTH = "Whether both are to be counted is not clear."
"""What is said between two things of which a frame counts one."""

_BACKWARDS = re.compile(r"\b((?:19|20)\d\d)\s*[-\N{EN DASH}]\s*((?:19|20)\d\d)\b")
_TWO = 2


def slips(question: str, said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """What of a question a frame may have joined to the wrong part, or left out of a comparison."""
    yield from _one_of_two_measures(said, frame)
    yield from _all_and_some(said)
    yield from _one_of_two_bounds(said)
    yield from _denied_of_the_counted(said, frame)
    yield from _compared_and_grouped(said, frame)
    for years in _BACKWARDS.finditer(question):
        if years[1] > years[2]:
            message = f"'{years[0]}' runs backwards."
            yield Ungrounded("doubtful", message, "", years.start(), years.end())


def _spoken(said: Said) -> list[Item]:
    return [item for item in said.items if not item.has("filler")]


def _one_of_two_measures(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """Of "injured or killed" both are counted, or nothing is."""
    shown = {measure.measure for measure in frame.measures}
    spoken = _spoken(said)
    for before, joint, after in zip(spoken, spoken[1:], spoken[2:], strict=False):
        if joint.has("or", "and"):
            one, other = (
                {sense.name for sense in item.senses if sense.kind == "measure"} for item in (before, after)
            )
            if one and other and not one & other and bool(one & shown) != bool(other & shown):
                yield doubtful(joint, BOTH)


def _one_of_two_bounds(said: Said) -> Iterator[Ungrounded]:
    """Of "where 1 person died or 3 were hurt" both cannot be what must hold."""
    spoken = _spoken(said)
    for place, joint in enumerate(spoken):
        numbers = [n for n in (place - 2, place + 1) if 0 <= n < len(spoken) and spoken[n].amount is not None]
        if joint.text != "or" or len(numbers) != _TWO or place + 2 >= len(spoken):
            continue
        one, other = (
            {sense.name for sense in spoken[n + 1].senses if sense.kind in ("measure", "field")}
            for n in numbers
        )
        if one and other and not one & other:
            yield doubtful(joint, EITHER)


def _all_and_some(said: Said) -> Iterator[Ungrounded]:
    """Of "crashes and fatal crashes by town" both are to be counted, or only the latter."""
    spoken = [item for item in _spoken(said) if not item.has("comma")]
    for before, joint, some, noun in zip(spoken, spoken[1:], spoken[2:], [*spoken[3:], None], strict=False):
        whole = {one.entity for one in before.of_kind("entity")}
        kinds = {one.entity for one in some.of_kind("concept", "value")}
        named = any(one.noun for one in some.senses) or (noun is not None and noun.of_kind("entity"))
        if joint.has("and") and whole & kinds and named and not before.of_kind("concept", "value"):
            yield doubtful(joint, BOTH)


def _denied_of_the_counted(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """Of "schools with 5 crashes and no stop near" it is the schools that have none near."""
    counted = {target.id for target in frame.targets if target.role == "support"}
    denied = any(one.negate and one.target_role in counted for one in frame.spatial_constraints)
    spoken = _spoken(said)
    for denial in denials_of(said.items) if denied else ():
        place = spoken.index(denial) if denial in spoken else 0
        if place and spoken[place - 1].has("and"):
            yield doubtful(denial, f"Of what '{denial.text}' is said is not clear.")


def _compared_and_grouped(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """What is compared must not be added up in other groups."""
    item = next((one for one in said.items if one.has("compare")), None)
    if item is None or not frame.group_by:
        return
    entities = {target.entity for target in frame.targets if len(target.names or ()) == _TWO}
    years = any(len(one.years or ()) == _TWO for one in frame.temporal_constraints)
    grouped = {one.entity for one in frame.group_by}
    if (entities and not entities & grouped) or (years and all(one.time != "year" for one in frame.group_by)):
        yield doubtful(item, "What is compared cannot be shown by something else as well.")
