"""Readings that add up what was to be held apart: kinds that are compared, and the first of every group."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundframe.frames.grounding.doubts import EITHER
from groundframe.frames.grounding.said import Said, Ungrounded, doubtful
from groundframe.frames.lexical.grouping import OF_EACH
from groundframe.frames.lexical.items import Item
from groundframe.frames.model import Frame
from groundframe.schema.model import Pack

__all__ = ["KINDS", "apart", "compared_kinds"]

KINDS = "Kinds that overlap are counted one by one."
"""What is said of the word that compares kinds of a thing."""
_RANKING = ("top", "bottom", "most", "fewest", "worst", "safest")
_JOINTS = ("and", "or", "compare", "comma", "with", "to")
_NEAR = 3


def apart(said: Said, frame: Frame, pack: Pack) -> Iterator[Ungrounded]:
    """What of a question a frame has added up though it was to be shown by itself."""
    compared = next((item for item in said.items if item.has("compare")), None)
    fields = any(one.field is not None for one in frame.group_by)
    shown = {one.measure for one in frame.measures}
    kinds = [one for one in said.items if not shown & {sense.name for sense in one.of_kind("measure")}]
    if compared is not None and not fields and len(compared_kinds(kinds)) > 1:  # people are numbers apart
        yield doubtful(compared, KINDS)
    yield from _either_place(said, frame)
    if frame.ranking is not None and (item := _first_of_each(said.items, pack)) is not None:
        yield doubtful(item, OF_EACH)


def compared_kinds(items: Sequence[Item]) -> list[int]:
    """The places of the kinds of a thing that are listed side by side: "pedestrian and cyclist crashes"."""
    found: list[int] = []
    names: set[str] = set()
    for place, item in enumerate(items):
        own = {sense.name for sense in item.of_kind("concept")}
        if not own:
            continue
        between = items[found[-1] + 1 : place] if found else []
        joined = not found or any(one.has(*_JOINTS) for one in between)
        plain = all(one.has(*_JOINTS, "filler") or one.of_kind("entity") for one in between)
        if joined and plain and not own & names:
            found.append(place)
            names |= own
    return found


def _either_place(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """Near one place or another, where a frame asks for what is near both: few things are."""
    anchors = {str(one.id) for one in frame.references}
    near = [
        one
        for one in frame.spatial_constraints
        if one.relation in ("within_distance", "on") and not one.negate and one.reference_role in anchors
    ]
    if len(near) < 2 or len({one.target_role for one in near}) == len(near) or said.has("both"):
        return
    for before, joint, after in zip(said.items, said.items[1:], said.items[2:], strict=False):
        if joint.text in ("or", "and", "&") and before.place is not None and after.place is not None:
            yield doubtful(joint, EITHER)


def _first_of_each(items: Sequence[Item], pack: Pack) -> Item | None:
    """The word for the groups of which each has its own first: "the worst 3 corners in each town"."""
    counted = {measure.entity for measure in pack.measures}
    for place, item in enumerate(items):
        noun = items[place + 1] if place + 1 < len(items) else None
        groups = {one.entity for one in noun.of_kind("entity")} if noun is not None else set()
        listed = any(one.place is not None for one in items[place + 1 : place + 3])
        if not item.has("per") or not (groups or listed):
            continue
        ranked = [n for n, one in enumerate(items) if one.has(*_RANKING)]
        nouns = {one.entity for part in items[:place] for one in part.of_kind("entity")} - counted
        if listed and not groups and nouns and ranked and ranked[0] < place:
            return item  # "the corner with the most in each of A and B"
        for start in ranked:
            near = items[start + 1 : start + 1 + _NEAR]
            own = {one.entity for part in near for one in part.of_kind("entity")} - counted - groups
            later = {one.entity for part in items[place + 2 :] for one in part.of_kind("entity")}
            numbered = any(part.amount is not None for part in near)
            if (own and start < place) or (
                numbered and start < place <= start + _NEAR and later - counted - groups
            ):
                return item
            if own and place < start:  # "for each town the top 3 corners"
                return item
    return None
