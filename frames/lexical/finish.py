"""From what was read to an inquiry: who is asked for, what is counted, and what still waits for its word."""

from __future__ import annotations

from groundframe.frames.inquiry import Inquiry, Rank, Spot, Thing, Tie, link_between, measured_entity
from groundframe.frames.lexical.conditions import take_pending
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.things import add_thing

__all__ = ["finish"]


def finish(state: State) -> Inquiry | None:
    """The inquiry, None where nothing is asked for; words that found no place are left."""
    _implied(state)
    _late_order(state)
    _at_home(state)
    if not state.things and (owner := state.grouped_entity or _averaged(state)):
        add_thing(state, owner)
    primary = _primary(state)
    if primary is None:
        _unsaid(state)
        return None
    inquiry = Inquiry(primary)
    inquiry.others = [*(one for one in state.things if one is not primary), *state.scopes]
    inquiry.ties = list(state.ties)
    inquiry.groups = list(state.groups)
    _streets(state, inquiry)
    _carried(state, inquiry)
    if state.nearest is not None:
        _nearest(state, inquiry)
    _compare(state, inquiry)
    _shown(state, inquiry)
    _measures(state, inquiry)
    _havings(state, inquiry)
    _rank(state, inquiry)
    _loose(state, inquiry)
    _each(state, inquiry)
    if state.count and not inquiry.groups and inquiry.rank is None:
        inquiry.outputs.append("count")
    if state.count and inquiry.groups and not inquiry.measures and inquiry.rank is None:
        inquiry.measures.append((state.count_measure(primary.entity), primary, ""))
    _waiting(state)
    return inquiry


def _at_home(state: State) -> None:
    """Where who asks lives is where the place is: "I live in Quincy. Crashes near Lincoln School"."""
    spots = [tie.far for tie in state.ties if isinstance(tie.far, Spot) and not tie.far.town]
    for home in state.homes:
        if spots and home in state.scopes and len(home.names) == 1:
            state.scopes.remove(home)
            for spot in spots:
                spot.town = home.names[0]


def _late_order(state: State) -> None:
    """An order whose word comes before: "did people die most often", "EPDO top 5"."""
    pending = state.pending
    if pending.order and (state.measures or state.groups or (state.things and state.counted)):
        state.rank = state.rank or Rank()
        state.rank.order = pending.order
        pending.clear("order")
    if state.rank is not None and not state.rank.measure and state.measures and not state.counted:
        state.rank.measure = state.measures.pop(0)[0]


def _unsaid(state: State) -> None:
    """Say what is missing where nothing is asked for."""
    if state.counted and not state.problem:
        counted = state.pack.entity(state.counted[0].entity)
        kinds = [
            one.plural
            for one in state.pack.entities
            if "primary" in one.roles and one is not counted and not one.optional
        ]
        offered = f"{', '.join(kinds[:-1])} or {kinds[-1]}"
        state.problem = f"Where the {counted.plural} are to be counted is not said: for {offered}."


def _implied(state: State) -> None:
    """Things that only their conditions, measures or the default of a ranking name."""
    pending = state.pending
    for owners, _, place in sorted(pending.conditions, key=lambda one: len(one[0])):
        if not any(one[2] == place for one in pending.conditions):
            continue
        entity = owners[0]
        own = next((one for owner in owners if (one := state.thing_of(owner)) is not None), None)
        ranks = (state.rank is not None or bool(pending.order)) and not state.counted
        if own is not None:
            take_pending(state, own)
        elif ranks and (not state.things or state.asked is not None) and state.is_counted(entity):
            _ranked_by(state, entity)
        elif all(id(one) in state.objects for one in state.things):
            state.things.insert(0, add_thing(state, entity))
            state.things.pop()
        elif ranks and state.is_counted(entity):
            _ranked_by(state, entity)
    if (
        state.comparative is not None
        and not state.things
        and any(len(times.get("years", ())) > 1 for times, _ in pending.times)
    ):
        # "2023 or 2024, which was worse": the years are compared.
        add_thing(state, measured_entity(state.pack).name)
        pending.clear("order")
    dated = any(state.pack.entity(one.entity).date_field for one in state.things)
    open_rank = state.rank is not None and not state.counted and not state.rank.measure
    if pending.times and not dated and open_rank:
        state.counted.append(add_thing(state, measured_entity(state.pack).name))
    for thing in state.things:
        take_pending(state, thing)
    if state.rank is not None and state.default_metric and not (state.rank.measure or state.fields_ranked):
        measured = measured_entity(state.pack).name
        if not state.counted and state.things and all(one.entity == measured for one in state.things):
            state.counted += state.things
        thing = state.counted[0] if state.counted else add_thing(state, measured)
        state.rank.counted, state.rank.measure = thing, state.count_measure(thing.entity)
        if thing not in state.counted:
            state.counted.append(thing)


def _ranked_by(state: State, entity: str) -> None:
    """What is ranked by is only named by its condition: "the most fatals"."""
    state.rank = state.rank or Rank()
    state.rank.order = state.pending.order or state.rank.order
    state.pending.clear("order")
    thing = add_thing(state, entity)
    state.counted.append(thing)
    state.rank.counted = thing
    state.rank.measure = state.rank.measure or state.count_measure(entity)


def _primary(state: State) -> Thing | None:
    """What is returned: what was asked about, else the first thing that nothing else needs."""
    grouped = bool(state.groups)
    if state.asked is not None:
        return state.asked
    free = [one for one in state.things if id(one) not in state.objects and one not in state.counted]
    if free and state.comparative is not None and not state.counted and _named_areas(state):
        # "which has more crashes, A or B": those that are named are compared.
        state.counted.append(free[0])
        free = []
    if state.nearest is not None:
        return state.nearest[0]
    if free:
        return free[0]
    owners = {entity for _, entity, _ in state.measures}
    scoped = _named_areas(state)
    if (state.counted or owners) and (state.compare is not None or state.rank) and not grouped and scoped:
        state.compare = None
        state.scopes.remove(scoped[0])
        state.rank = state.rank or Rank(every=True)
        state.rank.every = state.rank.every or state.rank.top_n is None
        if state.rank.counted is None and not state.rank.measure:
            state.rank.counted, state.rank.measure = (
                state.counted[0],
                state.count_measure(state.counted[0].entity),
            )
        scoped[0].role = None
        state.things.append(scoped[0])
        return scoped[0]
    if state.counted and (grouped or not state.rank):
        return state.counted.pop(0) if grouped else None
    if owners and all(id(one) in state.streets for one in state.things):
        return add_thing(state, next(iter(owners)))
    if state.counted and state.measures:
        return state.counted[0]
    return _said_of(state)


def _named_areas(state: State) -> list[Thing]:
    """The areas that are named side by side, where there are several."""
    tied = {id(tie.far) for tie in state.ties}
    return [one for one in state.scopes if id(one) not in tied and len(one.names) > 1]


def _said_of(state: State) -> Thing | None:
    """What nothing names but what is asked of it: a street and its numbers, the dated things of a time."""
    asked = [owner for owners, _ in state.shown for owner in owners]
    for thing in state.things:
        if id(thing) in state.streets and (thing.entity in asked or len(thing.conditions) > 1):
            state.ties = [tie for tie in state.ties if tie.far is not thing]
            return thing
    dated = measured_entity(state.pack)
    if state.pending.times and dated.date_field and not (state.counted or state.shown or state.measures):
        return add_thing(state, dated.name)
    return None


def _streets(state: State, inquiry: Inquiry) -> None:
    """A street that something is on: by the link, by what it states, or near where neither is known."""
    for tie in list(inquiry.ties):
        base, street = tie.base or inquiry.primary, tie.far
        if not isinstance(street, Thing) or id(street) not in state.streets or tie.nearness != "on":
            continue
        kind = state.pack.entity(street.entity)
        stated = (
            {kind.name_field}
            if base.entity == kind.name
            else {
                one.name
                for one in state.pack.entity(base.entity).fields
                if one.names == kind.name and not one.internal
            }
        )
        if base.entity != kind.name and link_between(state.pack, base.entity, kind.name) is not None:
            continue
        if not stated or any(
            other is not tie and street in (other.base, other.far) for other in inquiry.ties
        ):
            tie.nearness = "near"
            continue
        denied = {"eq": "ne", "in": "not_in"} if tie.negate else {}
        made = [
            {
                **one,
                "operator": denied.get(one["operator"], one["operator"]),
                "field": sorted(map(str, stated))[0],
            }
            for one in street.conditions[:1]
        ]
        base.conditions += made + street.conditions[1:]
        inquiry.ties.remove(tie)
        inquiry.others.remove(street)


def _shown(state: State, inquiry: Inquiry) -> None:
    """A number that is asked for by itself is a column of what is listed."""
    for owners, place in state.shown:
        if inquiry.primary.entity not in owners or inquiry.rank is not None or inquiry.groups:
            state.leave(place)


def _averaged(state: State) -> str:
    """Whose mean it is where nothing is named: of those that know the field themselves."""
    if state.aggregated is None:
        return ""
    owners = [
        entity
        for entity, name in state.aggregated[1]
        if next(one for one in state.pack.entity(entity).fields if one.name == name).carries is None
    ]
    return next(iter(owners), "")


def _carried(state: State, inquiry: Inquiry) -> None:
    """Numbers of a road that the crash on it carries are asked of the crash, which knows them oftener."""
    for tie in list(inquiry.ties):
        base, far = tie.base or inquiry.primary, tie.far
        if (
            not isinstance(far, Thing)
            or tie.nearness != "on"
            or tie.negate
            or far.names
            or not far.conditions
        ):
            continue
        entity = state.pack.entity(base.entity)
        links = {link.name for link in entity.links_to(far.entity)}
        carried = {
            one.carries.field: one.name
            for one in entity.fields
            if one.carries is not None and one.carries.link in links and one.type in ("number", "integer")
        }
        if any(other is not tie and far in (other.base, other.far) for other in inquiry.ties):
            continue
        if all(condition.get("field") in carried for condition in far.conditions):
            base.conditions += [{**one, "field": carried[one["field"]]} for one in far.conditions]
            inquiry.ties.remove(tie)
            inquiry.others.remove(far)


def _nearest(state: State, inquiry: Inquiry) -> None:
    """The nearest of one kind to a place or to things of another."""
    assert state.nearest is not None  # noqa: S101 - the caller looked
    thing, k = state.nearest
    ties = [
        tie
        for tie in reversed(inquiry.ties)
        if tie.base in (None, thing) and tie.nearness in ("near", "on", "with") and not tie.negate
    ]
    if not ties:
        state.problem = state.problem or "Nearest to what is not said."
        return
    ties[0].nearness, ties[0].k = "nearest", k


def _compare(state: State, inquiry: Inquiry) -> None:
    """Two places or two years side by side are groups."""
    if state.compare is None and state.comparative is not None and not _named_areas(state):
        state.compare = state.comparative
        state.rank = None
    if state.compare is None or (inquiry.primary.role is None and inquiry.primary.names):
        return
    scopes = [one for one in state.scopes if len(one.names) > 1]
    years = [time for thing in state.things for time in thing.times if len(time.get("years", ())) > 1]
    if inquiry.groups:
        return
    if scopes and state.pack.entity(inquiry.primary.entity).links_to(scopes[0].entity):
        inquiry.groups.append(("entity", scopes[0].entity))
    elif years:
        inquiry.groups.append(("time", "year"))
    else:
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
        if found is None:
            state.problem = "Of what the mean is taken is not said."
            return
        inquiry.measures.append((aggregate, found[0], found[1]))
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


def _rank(state: State, inquiry: Inquiry) -> None:
    """What the order goes by, and how many are wanted."""
    rank, primary = state.rank, inquiry.primary
    if state.fields_ranked:
        own = [name for entity, name in state.fields_ranked if entity == primary.entity]
        if not own:
            state.problem = (
                state.problem
                or f"A {state.pack.entity(primary.entity).label} has nothing of that kind to rank by."
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
            inquiry.others.append(counted)
        rank.counted = counted
    if inquiry.groups and rank.counted not in (None, primary):
        state.problem = state.problem or "A ranking within every group is not available."
        return
    if not rank.measure and not rank.field:
        if inquiry.groups:
            rank.measure, rank.counted = state.count_measure(primary.entity), primary
        elif state.havings:
            rank.measure, rank.counted = inquiry.havings[0][0], inquiry.havings[0][1]
        else:
            state.problem = state.problem or "What the ranking goes by is not said."
            return
    if rank.top_n is None and (number := state.numbers.pop(id(primary), None)) is not None:
        rank.top_n = int(number[0])
    if rank.top_n is None and state.pending.number is not None and not state.pending.operator:
        rank.top_n = int(state.pending.number)
        state.pending.clear("number")
    if rank.top_n is None and not rank.every:
        one = id(primary) in state.singular and not inquiry.groups
        rank.top_n = 1 if one or state.grouped_which else None
        rank.every = state.ranked_in_words and rank.top_n is None
    if rank.counted is not None and rank.counted is not primary and rank.counted not in inquiry.others:
        inquiry.others.append(rank.counted)
    inquiry.rank = rank


def _loose(state: State, inquiry: Inquiry) -> None:
    """Distances without an object: between what is counted and what is asked for."""
    ranked = [inquiry.rank.counted] if inquiry.rank is not None and inquiry.rank.counted is not None else []
    for distance, beyond, place in state.loose:
        counted = [
            one
            for one in (*state.counted, *(one for _, one, _, _ in inquiry.havings), *ranked)
            if one is not inquiry.primary
        ]
        free = [one for one in counted if not any(tie.far is one for tie in inquiry.ties)]
        if free and not beyond:
            for one in free:
                inquiry.ties.append(Tie(None, one, "near", distance))
                break
            continue
        bare = [tie for tie in inquiry.ties if tie.distance_m is None and tie.nearness in ("near", "with")]
        if bare:
            bare[-1].distance_m, bare[-1].negate = distance, bare[-1].negate or beyond
        else:
            state.leave(place)
    state.loose.clear()


def _each(state: State, inquiry: Inquiry) -> None:
    """What is counted for each of the things asked for, in words but without an order."""
    if inquiry.rank is not None or inquiry.groups:
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
        "order": bool(pending.order),
        "negate": pending.negate or pending.without,
        "link": pending.link in ("near", "by", "per", "without") or pending.distance_m is not None,
        "nearest": pending.nearest,
        "aggregate": bool(pending.aggregate),
    }
    for name, waiting in waits.items():
        if waiting and name in pending.at:
            state.leave(pending.at[name])
