"""What the order of an answer goes by, and how many are wanted."""

from __future__ import annotations

import re

from groundframe.frames.inquiry import Inquiry, Rank, Thing
from groundframe.frames.lexical.conditions import take_pending
from groundframe.frames.lexical.grouping import OF_EACH
from groundframe.frames.lexical.state import State

__all__ = ["bounded_behind", "rank_by", "sized"]

_ONE = re.compile(r"\bwhich(?:ever)?(?:\s+of\s+(?:them|these|those))?\s+(?:one|is|has|was)\b", re.IGNORECASE)
"""Words that ask for one of what was named in the plural: "bus stops in Quincy, which is the worst"."""
_LARGE = 500
"""There are hardly so many things of a kind that another is chosen by their number."""


def sized(state: State) -> None:
    """A large number of what is asked for is of the one number that it has: "towns over 50,000"."""
    pending = state.pending
    own = state.asked or next((one for one in state.things if id(one) not in state.objects), None)
    if own is None or pending.number is None or pending.number < _LARGE or pending.upper is not None:
        return
    fields = [
        one
        for one in state.pack.entity(own.entity).fields
        if one.type in ("number", "integer") and one.carries is None and not one.internal
    ]
    if len(fields) == 1 and pending.operator not in ("", "rank", "eq"):
        made = {"field": fields[0].name, "operator": pending.operator, "value": int(pending.number)}
        own.conditions.append(made)
        pending.clear("number", "operator")


def bounded_behind(state: State) -> None:
    """A bound behind a ranking is on what that goes by: "the fewest crashes, but at least one"."""
    pending, rank = state.pending, state.rank
    if pending.number is None or pending.operator in ("", "rank", "eq") or state.havings:
        return
    counted = [one for one in state.things if state.is_counted(one.entity)]
    if rank is None and state.groups and len(counted) == 1 and not (state.measures or state.aggregated):
        # "crashes by town, at least 100"
        state.havings.append(
            (state.count_measure(counted[0].entity), counted[0], pending.operator, pending.number)
        )
        pending.clear("number", "operator")
    if rank is None:
        return
    if rank.counted is not None and rank.measure and not state.fields_ranked:
        state.havings.append((rank.measure, rank.counted, pending.operator, pending.number))
        if pending.upper is not None:
            state.havings.append((rank.measure, rank.counted, "lte", pending.upper))
        pending.clear("number", "operator", "upper")


def rank_by(state: State, inquiry: Inquiry) -> None:
    """What the order goes by, and how many are wanted."""
    rank, primary = state.rank, inquiry.primary
    if state.fields_ranked:
        own = [name for entity, name in state.fields_ranked if entity == primary.entity]
        if not own:
            state.problem = (
                state.problem
                or f"{state.pack.entity(primary.entity).one} has nothing of that kind to rank by."
            )
            return
        rank = rank or Rank()
        rank.field = own[0]
    if rank is None:
        return
    if rank.measure and rank.counted is None:
        entity = state.pack.measure(rank.measure).entity
        counted = next(
            (
                one
                for one in (*state.counted, primary, *inquiry.others)
                if one.entity == entity and one.role != "scope"
            ),
            None,
        )
        if counted is None:
            counted = Thing(entity)
            take_pending(state, counted)
            inquiry.others.append(counted)
        rank.counted = counted
    named = [("field", state.pack.entity(primary.entity).name_field)]
    if inquiry.groups == named and rank.counted not in (None, primary):
        inquiry.groups.clear()  # "roads by name": all that bears one
        state.wholes.add(id(primary))
    if inquiry.groups and rank.counted not in (None, primary) and state.area is None:
        state.problem = state.problem or OF_EACH
        return
    if not rank.measure and not rank.field:
        if state.area is primary and state.counted and primary not in state.counted:
            # "schools per county, most first"
            rank.measure, rank.counted = state.count_measure(state.counted[0].entity), state.counted[0]
        elif inquiry.groups:
            said = [(measure, of) for measure, thing, of in inquiry.measures if thing is primary]
            if len(said) > 1:
                state.problem = state.problem or "What the ranking goes by is not said."
                return
            # "people killed by town, top 5": by that number
            rank.measure, rank.of = said[0] if said else (state.count_measure(primary.entity), "")
            rank.counted = primary
        elif state.havings:
            rank.measure, rank.counted = inquiry.havings[0][0], inquiry.havings[0][1]
        elif state.counted:
            rank.measure, rank.counted = state.count_measure(state.counted[0].entity), state.counted[0]
        else:
            state.problem = state.problem or "What the ranking goes by is not said."
            return
    if rank.top_n is None and (number := state.numbers.pop(id(primary), None)) is not None:
        rank.top_n = int(number[0])
    if rank.top_n is None and state.pending.number is not None and not state.pending.operator:
        rank.top_n = int(state.pending.number)
        state.pending.clear("number")
    if rank.top_n is None and not rank.every:
        single = id(primary) in state.singular or bool(_ONE.search(state.question))
        one = single and not (inquiry.groups or state.ranked_in_words)
        rank.top_n = 1 if one or state.grouped_which else None
        rank.every = state.ranked_in_words and rank.top_n is None
    if state.aggregated is not None and rank.measure != state.aggregated[0]:
        state.problem = state.problem or "What the ranking goes by is not said."
    if rank.counted is not None and rank.counted is not primary and rank.counted not in inquiry.others:
        inquiry.others.append(rank.counted)
    inquiry.rank = rank
