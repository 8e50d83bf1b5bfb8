"""What is asked for: the thing that is returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundframe.frames.inquiry import Rank, Thing, Tie, link_between, measured_entity
from groundframe.frames.lexical.clauses import fields_of
from groundframe.frames.lexical.conditions import ranks_apart, take_pending
from groundframe.frames.lexical.denials import side_by_side
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.streets import held_against
from groundframe.frames.lexical.things import add_thing

__all__ = ["add_implied", "averaged", "late_order", "named_areas", "primary_of", "say_unsaid"]


_ONE = ("who", "whos", "who's")


def late_order(state: State) -> None:
    """An order whose word comes before: "did people die most often", "EPDO top 5"."""
    pending = state.pending
    if pending.order and (state.measures or state.groups or (state.things and state.counted)):
        state.rank = state.rank or Rank()
        state.rank.order = pending.order
        pending.clear("order")
    if state.rank is not None and not state.rank.measure and state.measures and not state.counted:
        state.rank.measure = state.measures.pop(0)[0]
    _limit(state)
    _persons(state)
    compared = state.comparative is not None or state.compare is not None
    years = [one for thing in state.things for one in thing.times if side_by_side(one)]
    months = [one for thing in state.things for one in thing.times if side_by_side(one, "months")]
    days = [one for thing in state.things for one in thing.times if _apart(one)]
    alone = state.things == state.counted or not state.counted
    areas = named_areas(state) if compared else []
    crossed = bool(areas and years)  # "A and B in 2019 and in 2023": each in both years
    if days and state.groups == [("time", "date")]:
        state.groups = [("time", "weekday")]  # "which day is worse, Friday or Saturday"
    sides = "year" if years else "month_of_year" if months else "weekday" if days else ""
    if (state.comparative is not None or crossed) and sides and alone and not state.groups:
        state.groups += [("entity", areas[0].entity)] if crossed else []
        # "more crashes in 2022 or 2023", "… on Mondays or Fridays"
        state.groups.append(("time", sides))
        if state.rank is not None and state.rank.measure and state.rank.counted is None:
            state.measures.append((state.rank.measure, state.pack.measure(state.rank.measure).entity, ""))
        state.counted.clear()
        state.rank = state.comparative = None
        state.compare = None if crossed else state.compare
        pending.clear("order")
    if state.compare is not None:
        _examples(state)
    if compared and not years and (field := _sides(state)):
        state.groups.insert(0, ("field", field))
        state.counted.clear()
        state.rank = state.compare = state.comparative = None
        pending.clear("order")
    if state.comparative is not None and named_areas(state):
        pending.clear("order")  # "A or B, who is worse"


def _apart(times: Mapping[str, Any]) -> bool:
    """Whether single days of the week are named, not the weekend or the days of work."""
    days = set(times.get("weekdays", ()))
    return side_by_side(times, "weekdays") and days not in (
        {"sat", "sun"},
        {"mon", "tue", "wed", "thu", "fri"},
    )


def _limit(state: State) -> None:
    """A number at the end is how many are wanted of what is counted for: "…, give me 10"."""
    pending = state.pending
    plain = pending.number is not None and not pending.operator
    taken = state.rank is not None or state.groups or state.havings or state.measures
    if plain and state.counted and not taken:
        counted = state.counted[0]
        state.rank = Rank(measure=state.count_measure(counted.entity), counted=counted)


def _sides(state: State) -> str:
    """The field whose values are held against each other: "more crashes on wet or on dry roads"."""
    if len(state.things) != 1 or named_areas(state) or any(kind == "field" for kind, _ in state.groups):
        return ""
    thing = state.things[0]
    for condition in thing.conditions:
        fields = fields_of(state, thing.entity, condition)
        if len(fields) == 1 and (condition.get("operator") == "in" or "any_of" in condition):
            return next(iter(fields))
    return ""


def _persons(state: State) -> None:
    """How many people, of what a condition said: "deaths each year, how many people"."""
    pending = state.pending
    at = pending.at.get("many", len(state.items))
    after = state.item(at + 1)
    people = after is not None and after.has("filler") and bool(after.of_kind("field"))
    if not (pending.many and people) or state.persons is None or state.rank is not None:
        return
    measure, condition = state.persons
    for thing in state.things:
        if condition in thing.conditions:
            thing.conditions.remove(condition)
            state.measures.append((measure.name, measure.entity, ""))
            pending.clear("many")


def _examples(state: State) -> None:
    """Values beside the field that rows go by are examples: "by light, dark vs daylight"."""
    grouped = {name for kind, name in state.groups if kind == "field"}
    for thing in state.things:
        for condition in list(thing.conditions):
            if grouped and fields_of(state, thing.entity, condition) <= grouped:
                thing.conditions.remove(condition)
                state.compare = None


def say_unsaid(state: State) -> None:
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


def add_implied(state: State) -> None:
    """Things that only their conditions, measures or the default of a ranking name."""
    pending = state.pending
    for owners, _, place in sorted(pending.conditions, key=lambda one: len(one[0])):
        if not any(one[2] == place for one in pending.conditions):
            continue
        entity = owners[0]
        own = next((one for owner in owners if (one := state.thing_of(owner)) is not None), None)
        ranks = (state.rank is not None or bool(pending.order)) and not state.counted
        if own is not None and ranks_apart(state, own, place):
            _ranked_by(state, entity)
        elif own is not None:
            take_pending(state, own)
        elif ranks and (not state.things or state.asked is not None) and state.is_counted(entity):
            _ranked_by(state, entity)
        elif (
            state.counted
            and not state.is_counted(entity)
            and all(one in state.counted for one in state.things)
        ):
            # "of those with over 50,000 people who has the most crashes"
            state.asked = add_thing(state, entity)
            if any(one.text in _ONE for one in state.items):
                state.singular.add(id(state.asked))
        elif all(id(one) in state.objects for one in state.things):
            state.things.insert(0, add_thing(state, entity))
            state.things.pop()
        elif ranks and state.is_counted(entity):
            _ranked_by(state, entity)
        elif state.area is not None and state.is_counted(entity) and not state.counted:
            state.counted.append(add_thing(state, entity))  # "fatals by county"
        elif base := next((one for one in state.things if _is_part(state, one, entity)), None):
            far = add_thing(state, entity)  # "crashes, traffic over 20,000"
            state.objects.add(id(far))
            state.ties.append(Tie(base, far, "with"))
    unsaid = not (state.things or state.measures or state.shown or state.fields_ranked)
    if state.compare is not None and unsaid and not state.nearest and named_areas(state):
        # "compare A and B": by what the pack measures first.
        state.counted.append(add_thing(state, measured_entity(state.pack).name))
    if (
        state.comparative is not None
        and not state.things
        and any(side_by_side(times) for times, _ in pending.times)
    ):
        # "2023 or 2024, which was worse": the years are compared.
        add_thing(state, measured_entity(state.pack).name)
        pending.clear("order")
    dated = any(state.pack.entity(one.entity).date_field for one in state.things)
    open_rank = state.rank is not None and not (state.counted or state.rank.measure or state.measures)
    if pending.times and not dated and open_rank:
        state.counted.append(add_thing(state, measured_entity(state.pack).name))
    for thing in state.things:
        take_pending(state, thing)
    # "injured people worst towns", "average injuries, worst ten"
    said = (len(state.measures) == 1 and not state.counted) or state.aggregated is not None
    if (
        state.rank is not None
        and state.default_metric
        and not (state.rank.measure or state.fields_ranked or said)
    ):
        measured = measured_entity(state.pack).name
        free = [one for one in state.things if id(one) not in state.objects]
        if not state.counted and free and all(one.entity == measured for one in free):
            state.counted += free
        thing = state.counted[0] if state.counted else add_thing(state, measured)
        state.rank.counted, state.rank.measure = thing, state.count_measure(thing.entity)
        if thing not in state.counted:
            state.counted.append(thing)


def _is_part(state: State, thing: Thing, entity: str) -> bool:
    """Whether a thing that is asked about belongs to one of the entity by a link."""
    free = any(id(one) not in state.objects and one not in state.counted for one in state.things)
    if free and thing in state.counted:
        return False  # of "corners with traffic over 10,000 and 4 crashes" it is the corners that have it
    return id(thing) not in state.objects and link_between(state.pack, thing.entity, entity) is not None


def _ranked_by(state: State, entity: str) -> None:
    """What is ranked by is only named by its condition: "the most fatals"."""
    state.rank = state.rank or Rank()
    state.rank.order = state.pending.order or state.rank.order
    state.pending.clear("order")
    thing = add_thing(state, entity)
    state.counted.append(thing)
    state.rank.counted = thing
    state.rank.measure = state.rank.measure or state.count_measure(entity)


def primary_of(state: State) -> Thing | None:
    """What is returned: what was asked about, else the first thing that nothing else needs."""
    grouped = bool(state.groups)
    if state.asked is not None:
        return state.asked
    if (street := held_against(state)) is not None:
        return street
    free = [one for one in state.things if id(one) not in state.objects and one not in state.counted]
    if free and state.comparative is not None and not state.counted and named_areas(state):
        # "which has more crashes, A or B": those that are named are compared.
        state.counted.append(free[0])
        free = []
    if state.nearest is not None:
        return state.nearest[0]
    if free:
        return free[0]
    owners = {entity for _, entity, _ in state.measures}
    ranked = state.rank.measure if state.rank is not None and state.rank.counted is None else ""
    if grouped and ranked and not state.counted and all(id(one) in state.objects for one in state.things):
        return add_thing(state, state.pack.measure(ranked).entity)  # "which year had the most deaths"
    scoped = named_areas(state)
    ordered = state.compare is not None or state.rank is not None
    if (state.counted or owners or ranked) and ordered and not grouped and scoped:
        state.compare = None
        state.scopes.remove(scoped[0])
        state.rank = state.rank or Rank(every=True)
        state.rank.every = state.rank.every or state.rank.top_n is None
        if not (state.counted or state.rank.counted or state.rank.measure):
            state.rank.measure = state.measures[0][0]
        if state.counted and state.rank.counted is None and not state.rank.measure:
            state.rank.counted, state.rank.measure = (
                state.counted[0],
                state.count_measure(state.counted[0].entity),
            )
        scoped[0].role = None
        state.things.append(scoped[0])
        return scoped[0]
    if state.counted and (grouped or not state.rank):
        return state.counted.pop(0) if grouped else None
    if owners and all(id(one) in state.streets | state.objects for one in state.things):
        return add_thing(state, next(iter(owners)))
    if state.counted and state.measures:
        return state.counted[0]
    return _said_of(state)


def named_areas(state: State) -> list[Thing]:
    """The areas that are named side by side, where there are several."""
    tied = {id(tie.far) for tie in state.ties}
    return [one for one in state.scopes if id(one) not in tied and len(one.names) > 1]


def _said_of(state: State) -> Thing | None:
    """What nothing names but what is asked of it: a street and its numbers, the dated things of a time."""
    asked = [owner for owners, _ in state.shown for owner in owners]
    taken = [owner for owner, _ in state.aggregated[1]] if state.aggregated is not None else []
    for thing in state.things:
        if id(thing) in state.objects and thing.entity in taken:
            # "the median speed limit on roads in …": of the roads
            state.ties = [tie for tie in state.ties if tie.far is not thing]
            return thing
    for thing in state.things:
        if id(thing) in state.streets and (thing.entity in asked or len(thing.conditions) > 1):
            state.ties = [tie for tie in state.ties if tie.far is not thing]
            return thing
    for scope in state.scopes:
        if scope.entity in asked and not any(tie.far is scope for tie in state.ties):
            # "the population of …": of the area itself
            state.scopes.remove(scope)
            state.things.append(scope)
            scope.role = None
            return scope
    if len(set(asked)) == 1 and not (state.things or state.counted or state.measures):
        return add_thing(state, asked[0])  # "the 85th percentile speed in …": of the studies that have it
    dated = measured_entity(state.pack)
    if state.pending.times and dated.date_field and not (state.counted or state.shown or state.measures):
        return add_thing(state, dated.name)
    return None


def averaged(state: State) -> str:
    """Whose mean it is where nothing is named: of those that know the field themselves."""
    taken = state.aggregated[1] if state.aggregated is not None else state.fields_ranked
    owners = [
        entity
        for entity, name in taken
        if next(one for one in state.pack.entity(entity).fields if one.name == name).carries is None
    ]
    return next(iter(owners), "")
