"""How things lie, once all of the question is read."""

from __future__ import annotations

from groundframe.frames.inquiry import Inquiry, Spot, Thing, Tie, link_between
from groundframe.frames.lexical.state import State

__all__ = [
    "add_up_wholes",
    "at_home",
    "carried_over",
    "group_wholes",
    "merge_areas",
    "tie_loose",
    "tie_nearest",
    "tie_streets",
]


def at_home(state: State) -> None:
    """Where who asks lives is where the place is: "I live in Quincy. Crashes near Lincoln School"."""
    spots = [tie.far for tie in state.ties if isinstance(tie.far, Spot) and not tie.far.town]
    for home in state.homes:
        if spots and home in state.scopes and len(home.names) == 1:
            state.scopes.remove(home)
            for spot in spots:
                spot.town = home.names[0]


def tie_streets(state: State, inquiry: Inquiry) -> None:
    """A street that something is on: by the link, or by what it states; else how far is to be said."""
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
        if not stated:
            continue
        if any(other is not tie and street in (other.base, other.far) for other in inquiry.ties):
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


def carried_over(state: State, inquiry: Inquiry) -> None:
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


def group_wholes(state: State, inquiry: Inquiry) -> None:
    """Pieces of one name together where something is counted for each: a street is all of its segments.

    Namesakes in other areas are others, so the area is part of what a row is, unless only one is asked for.
    """
    primary, counted = inquiry.primary, {id(one) for _, one, _ in inquiry.measures}
    counted |= {id(one[1]) for one in inquiry.havings}
    if inquiry.rank is not None and inquiry.rank.counted is not None:
        counted.add(id(inquiry.rank.counted))
    if id(primary) not in state.wholes or inquiry.groups or not counted - {id(primary)}:
        return
    _by_name(state, inquiry)


def add_up_wholes(state: State, inquiry: Inquiry) -> None:
    """How long a street is, is how long its pieces are together: "the five longest streets"."""
    primary = inquiry.primary
    own = [(entity, name) for entity, name in state.fields_ranked if entity == primary.entity]
    if id(primary) not in state.wholes or inquiry.groups or state.counted or not own:
        return
    if state.pack.entity(primary.entity).field(own[0][1]).computed is None:
        return
    state.aggregated, state.fields_ranked = ("sum", tuple(own)), ()
    if state.rank is not None and id(primary) in state.singular and state.rank.top_n is None:
        state.rank.top_n = 1
    _by_name(state, inquiry)


def _by_name(state: State, inquiry: Inquiry) -> None:
    """Rows for each name, and for each area where several are meant."""
    entity = state.pack.entity(inquiry.primary.entity)
    areas = [link.to for link in entity.links if "scope" in state.pack.entity(link.to).roles][:1]
    one = any(scope.entity in areas and len(scope.names) == 1 for scope in state.scopes)
    name = str(entity.name_field)
    inquiry.primary.conditions.append({"field": name, "operator": "not_null"})
    inquiry.groups = [("field", name)]
    inquiry.groups += [] if one else [("entity", area) for area in areas]


def merge_areas(inquiry: Inquiry) -> None:
    """What restricts the areas that are asked for is said of them: "Norfolk County towns"."""
    for tie in list(inquiry.ties):
        far = tie.far
        if (
            isinstance(far, Thing)
            and tie.base is None
            and tie.nearness == "in"
            and not tie.negate
            and far is not inquiry.primary
            and far.entity == inquiry.primary.entity
            and not far.names
        ):
            inquiry.primary.conditions += far.conditions
            inquiry.ties.remove(tie)
            inquiry.others.remove(far)


def tie_nearest(state: State, inquiry: Inquiry) -> None:
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


def tie_loose(state: State, inquiry: Inquiry) -> None:
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
