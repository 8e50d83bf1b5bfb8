"""From what was read to an inquiry: who is asked for, what is counted, and what still waits for its word."""

from __future__ import annotations

from groundframe.frames.inquiry import Inquiry, Rank, Thing, Tie, link_between
from groundframe.frames.lexical.conditions import take_pending
from groundframe.frames.lexical.denials import side_by_side
from groundframe.frames.lexical.lying import how_far
from groundframe.frames.lexical.opposed import VERSUS
from groundframe.frames.lexical.orders import bounded_behind, rank_by, sized
from groundframe.frames.lexical.placing import (
    add_up_wholes,
    at_home,
    carried_over,
    group_wholes,
    merge_areas,
    tie_loose,
    tie_nearest,
    tie_streets,
)
from groundframe.frames.lexical.primary import (
    add_implied,
    averaged,
    late_order,
    named_areas,
    primary_of,
    say_unsaid,
)
from groundframe.frames.lexical.sharing import share_distance, share_times
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.things import add_thing
from groundframe.frames.lexical.tokens import stem

__all__ = ["finish"]

BOTH_TIMES = "That something happened in each of two times cannot be asked for at once; ask for one of them."


def finish(state: State) -> Inquiry | None:
    """The inquiry, None where nothing is asked for; words that found no place are left."""
    add_implied(state)
    late_order(state)
    at_home(state)
    sized(state)
    unnamed = not state.things or (
        bool(averaged(state)) and all(id(one) in state.objects for one in state.things)
    )
    owner = state.grouped_entity or averaged(state)
    if unnamed and owner and state.thing_of(owner) is None:
        add_thing(state, owner)
    primary = primary_of(state)
    if primary is None:
        say_unsaid(state)
        return None
    inquiry = Inquiry(primary)
    inquiry.others = [*(one for one in state.things if one is not primary), *state.scopes]
    inquiry.ties = list(state.ties)
    inquiry.groups = list(state.groups)
    merge_areas(inquiry)
    tie_streets(state, inquiry)
    carried_over(state, inquiry)
    if state.nearest is not None:
        tie_nearest(state, inquiry)
    add_up_wholes(state, inquiry)
    _compare(state, inquiry)
    _shown(state, inquiry)
    _measures(state, inquiry)
    bounded_behind(state)
    _havings(state, inquiry)
    rank_by(state, inquiry)
    tie_loose(state, inquiry)
    share_distance(state, inquiry)
    how_far(state, inquiry)
    share_times(state, inquiry)
    _both_times(state, inquiry)
    _each(state, inquiry)
    each = any(one.each for one in state.things)
    alone = not (inquiry.groups or inquiry.measures or inquiry.havings or state.shown)
    state.count |= state.pending.many and alone  # "how many fatals"
    if state.count and inquiry.rank is None and state.area is None and not each:
        if inquiry.groups or inquiry.measures:
            # "People killed and the number of crashes" are two numbers.
            number = (state.count_measure(primary.entity), primary, "")
            inquiry.measures += [number] if number not in inquiry.measures else []
        else:
            inquiry.outputs.append("count")
    group_wholes(state, inquiry)
    _confirmed(state, inquiry)
    _waiting(state)
    return inquiry


def _both_times(state: State, inquiry: Inquiry) -> None:
    """That something happened in each of two years is no one condition: "a crash in both 2019 and 2020"."""
    own = (tie.far for tie in inquiry.ties if tie.base in (None, inquiry.primary) and not tie.negate)
    if state.both and any(isinstance(far, Thing) and far.times for far in own):
        state.problem = state.problem or BOTH_TIMES


def _confirmed(state: State, inquiry: Inquiry) -> None:
    """What is only said once more: of numbers of people "(people, not crashes)"."""
    asked = [name for name, _, of in inquiry.measures if not of]
    asked += [inquiry.rank.measure] if inquiry.rank is not None else []
    summed = any(one.kind == "sum" for one in state.pack.measures if one.name in asked)
    for place in list(state.left):
        item = state.items[place]
        last = stem(item.text.split()[-1])
        senses = state.words.senses.get((last,), ())
        things = any(one.kind == "entity" and state.is_counted(one.entity) for one in senses)
        if item.has("correction") and item.text.startswith("not ") and things == summed and senses:
            state.take(place, place + 1, "")


def _shown(state: State, inquiry: Inquiry) -> None:
    """A number that is asked for by itself is a column of what is listed."""
    for owners, place in state.shown:
        if inquiry.primary.entity not in owners or inquiry.rank is not None or inquiry.groups:
            state.leave(place)


def _compare(state: State, inquiry: Inquiry) -> None:
    """Two places or two years side by side are groups."""
    if state.compare is None and state.comparative is not None and not named_areas(state):
        state.compare = state.comparative
        if state.rank is not None and state.rank.measure and state.rank.counted is None:
            # "are more people killed on weekends or weekdays"
            state.measures.append((state.rank.measure, state.pack.measure(state.rank.measure).entity, ""))
        # "roads with less traffic": than what is not said, but which end is meant is.
        state.rank = Rank(state.rank.order) if state.rank is not None and state.fields_ranked else None
    if state.compare is None or (inquiry.primary.role is None and inquiry.primary.names):
        return
    scopes = [one for one in state.scopes if len(one.names) > 1]
    years = [time for thing in state.things for time in thing.times if side_by_side(time)]
    linked = bool(scopes) and bool(state.pack.entity(inquiry.primary.entity).links_to(scopes[0].entity))
    if inquiry.groups:
        named = (
            scopes[0].entity if linked and not years and inquiry.rank is None and state.rank is None else ""
        )
        if named and len(inquiry.groups) == 1 and inquiry.groups[0] != ("entity", named):
            inquiry.groups.insert(0, ("entity", named))  # "compare A and B by year"
        return
    if linked:
        inquiry.groups.append(("entity", scopes[0].entity))
        inquiry.groups += [("time", "year")] if years else []
    elif years:
        inquiry.groups.append(("time", "year"))
    elif any(side_by_side(time, "months") for thing in state.things for time in thing.times):
        inquiry.groups.append(("time", "month_of_year"))  # "summer vs winter"
    elif any(side_by_side(time, "weekdays") for thing in state.things for time in thing.times):
        inquiry.groups.append(("time", "weekday"))  # "Mondays vs Fridays"
    elif state.problem != VERSUS:
        state.leave(state.compare)


def _measures(state: State, inquiry: Inquiry) -> None:
    """Measures and means that are asked for by themselves; over everything they need a group."""
    primary = inquiry.primary
    for measure, entity, _ in state.measures:
        thing = next(
            (one for one in (primary, *inquiry.others) if one.entity == entity and one.role != "scope"), None
        )
        if thing is None:
            thing = Thing(entity)
            take_pending(state, thing)
            inquiry.others.append(thing)
        inquiry.measures.append((measure, thing, ""))
    if state.aggregated is not None:
        aggregate, fields = state.aggregated
        found = next(
            (
                (one, name)
                for one in (primary, *inquiry.others)
                for entity, name in fields
                if one.entity == entity
            ),
            None,
        )
        if found is None and (owner := averaged(state)) and link_between(state.pack, owner, primary.entity):
            found = Thing(owner), next(name for entity, name in fields if entity == owner)
            inquiry.others.append(found[0])
        if found is None:
            state.problem = "Of what the mean is taken is not said."
            return
        inquiry.measures.append((aggregate, found[0], found[1]))
    _along_street(state, inquiry)
    primary = inquiry.primary
    alone = any(thing is primary for _, thing, _ in inquiry.measures)
    if alone and not inquiry.groups and inquiry.rank is None and state.rank is None:
        scopes = [one for one in state.scopes if link_between(state.pack, primary.entity, one.entity)]
        if scopes:
            inquiry.groups.append(("entity", scopes[0].entity))
        elif state.pack.entity(primary.entity).date_field:
            inquiry.groups.append(("time", "year"))
        else:
            areas = [link.to for link in state.pack.entity(primary.entity).links]
            inquiry.groups += [("entity", area) for area in areas[:1]]
            fixed = [str(one["field"]) for one in primary.conditions if one.get("operator") == "eq"]
            if not areas and state.aggregated is not None and len(fixed) == 1:
                inquiry.groups.append(("field", fixed[0]))  # "total population of Norfolk county towns"


def _along_street(state: State, inquiry: Inquiry) -> None:
    """A number over all that lies on one street is one of the street: "people killed on Route 3"."""
    primary = inquiry.primary
    ties = [tie for tie in inquiry.ties if id(tie.far) in state.streets and tie.nearness == "on"]
    free = inquiry.rank is None and state.rank is None and not inquiry.groups and not state.scopes
    asked = inquiry.measures and all(thing is primary for _, thing, _ in inquiry.measures)
    if not (free and asked and len(ties) == len(inquiry.ties) == 1) or ties[0].negate:
        return
    street = ties[0].far
    name = state.pack.entity(street.entity).name_field
    if not isinstance(street, Thing) or name is None:
        return
    inquiry.others = [primary, *(one for one in inquiry.others if one is not street)]
    inquiry.primary, inquiry.ties = street, [Tie(street, primary, "on")]
    inquiry.groups.append(("field", name))


def _havings(state: State, inquiry: Inquiry) -> None:
    for measure, thing, operator, value in state.havings:
        own = thing or next(
            (
                one
                for one in inquiry.others
                if one.entity == state.pack.measure(measure).entity and one.role is None
            ),
            None,
        )
        if own is None:
            own = Thing(state.pack.measure(measure).entity)
            inquiry.others.append(own)
        inquiry.havings.append((measure, own, operator, value))


def _each(state: State, inquiry: Inquiry) -> None:
    """What is counted for each of the things asked for, in words but without an order."""
    if inquiry.rank is not None or (inquiry.groups and state.area is None):
        return
    asked = {id(thing) for _, thing, _ in inquiry.measures} | {id(one[1]) for one in inquiry.havings}
    for thing in state.counted:
        if thing is not inquiry.primary and id(thing) not in asked:
            inquiry.measures.append((state.count_measure(thing.entity), thing, ""))


def _waiting(state: State) -> None:
    """Words that still wait for their word are left over."""
    pending = state.pending
    for _, _, place in pending.conditions:
        state.leave(place)
    for _, place in pending.times:
        state.leave(place)
    for _, place in state.numbers.values():
        state.leave(place)
    waits = {
        "number": pending.number is not None,
        "upper": pending.upper is not None,
        "order": bool(pending.order),
        "negate": pending.negate or pending.without,
        "link": pending.link in ("near", "by", "per", "without") or pending.distance_m is not None,
        "nearest": pending.nearest,
        "aggregate": bool(pending.aggregate),
    }
    for name, waiting in waits.items():
        if waiting and name in pending.at:
            state.leave(pending.at[name])
