"""Streets that are held against each other."""

from __future__ import annotations

from groundframe.frames.inquiry import Thing
from groundframe.frames.lexical.state import State

__all__ = ["held_against"]


def held_against(state: State) -> Thing | None:
    """Streets that are held against each other, as one kind: "Route 9 vs Route 28", "more on A or on B"."""
    if state.compare is None and state.comparative is None:
        return None
    streets = [one for one in state.things if id(one) in state.streets]
    others = [one for one in state.things if one not in streets]
    named = [one.conditions[0]["value"] for one in streets if one.conditions]
    names = [name for one in named for name in (one if isinstance(one, list) else [one])]
    counted = len(others) == 1 and state.is_counted(others[0].entity)
    if len(names) < 2 or not counted or state.groups or state.shown or not all(map(_is_plain, streets)):
        return None
    street = Thing(streets[0].entity)
    field = str(streets[0].conditions[0]["field"])
    street.conditions.append({"field": field, "operator": "in", "value": names})
    state.ties = [tie for tie in state.ties if tie.base not in streets and tie.far not in streets]
    state.things[:] = [street, *others]
    state.counted[:] = others
    if not state.measures:
        state.measures.append((state.count_measure(others[0].entity), others[0].entity, ""))
    state.objects -= {id(one) for one in others}
    state.groups.append(("field", field))
    state.rank = state.compare = state.comparative = None
    state.pending.clear("order")
    return street


def _is_plain(street: Thing) -> bool:
    """Whether no more than its name is said of a street."""
    return len(street.conditions) == 1 and street.conditions[0].get("operator") in ("eq", "in")
