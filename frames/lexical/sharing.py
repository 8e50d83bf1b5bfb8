"""What is said once and meant of several: a year, or a distance at the end, of conditions side by side."""

from __future__ import annotations

from collections.abc import Iterator

from groundframe.frames.inquiry import Inquiry, Thing, Tie, link_between
from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.state import State

__all__ = ["share_distance", "share_times"]

_EVER = frozenset(words_of("spare", "ever"))


def share_times(state: State, inquiry: Inquiry) -> None:
    """The time of one of several conditions of a kind is that of all, unless another has its own.

    Such is "with 3 crashes in 2023 and no fatal crash"; "and never a fatal one" is of any time.
    """
    if any(item.text in _EVER for item in state.items):
        return
    beside = list(_side_by_side(inquiry))
    for entity in {one.entity for one in beside}:
        alike = [one for one in beside if one.entity == entity]
        timed = [one for one in alike if one.times]
        if len(timed) == 1 and len(alike) > 1 and state.pack.entity(entity).date_field:
            for one in alike:
                one.times = [dict(time) for time in timed[0].times]


def _side_by_side(inquiry: Inquiry) -> Iterator[Thing]:
    """What there must be so many of, or be or not be, at each of the things that are asked for."""
    ranked = inquiry.rank.counted if inquiry.rank is not None else None
    bounded = [thing for _, thing, _, _ in inquiry.havings]
    own = (tie for tie in inquiry.ties if tie.base in (None, inquiry.primary))
    far = [tie.far for tie in own if tie.nearness != "nearest"]
    found = {id(one): one for one in (*bounded, *far) if isinstance(one, Thing)}
    for one in found.values():
        if one is not inquiry.primary and (one is not ranked or one in bounded) and one.role != "scope":
            yield one


def share_distance(state: State, inquiry: Inquiry) -> None:
    """A distance at the end is of all that is said to be there: "with a school and 5 crashes within 60 m"."""
    places = [
        n for n, item in enumerate(state.items) if item.amount is not None and item.amount.kind == "length"
    ]
    if len(places) != 1 or any(item.senses and not item.has("filler") for item in state.items[places[0] :]):
        return
    primary = inquiry.primary
    own = [tie for tie in inquiry.ties if tie.base in (None, primary)]
    given = {tie.distance_m for tie in own if tie.distance_m is not None}
    if len(given) != 1 or not any(isinstance(tie.far, Thing) and tie.distance_m for tie in own):
        return
    (distance,) = given
    for tie in own:
        linked = link_between(state.pack, primary.entity, tie.far.entity)
        if tie.nearness == "with" and tie.distance_m is None and isinstance(tie.far, Thing) and not linked:
            tie.distance_m = distance
    tied = {id(tie.far) for tie in inquiry.ties}
    for _, thing, _, _ in list(inquiry.havings):
        free = thing is not primary and id(thing) not in tied
        if free and not link_between(state.pack, primary.entity, thing.entity):
            inquiry.ties.append(Tie(None, thing, "near", distance))
            tied.add(id(thing))
