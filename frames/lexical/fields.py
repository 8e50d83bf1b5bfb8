"""Fields with what is said of them: numbers, quantities, values that need their field."""

from __future__ import annotations

from typing import Any

from groundframe.frames.lexical.amounts import Amount
from groundframe.frames.lexical.bounds import amount_after
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.clauses import alternatives, value_condition
from groundframe.frames.lexical.conditions import attach, follows_noun, settle_link
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.state import State
from groundframe.frames.lexical.tokens import stems
from groundframe.frames.lexical.vocabulary import field_of
from groundframe.frames.quantities import QuantityError, parse_number, parse_quantity
from groundframe.schema.model import EntityField

__all__ = ["read_amount", "read_field"]

_NUMERIC = ("number", "integer")


def read_field(state: State, place: int, item: Item) -> bool:
    """A field: with what is said of it, on the thing beside it."""
    senses = item.of_kind("field")
    if senses and item.form == "comparative" and _compared(state, place, item):
        return True
    if not senses or item.form or _is_explained(state, place, item):
        return bool(senses) and not item.form
    pending = state.pending
    if item.has("filler"):
        # "towns under 5000 people": only where a number stands before it, of the thing itself.
        of_them = any(one.has("pronoun") for one in state.items[max(0, place - 4) : place])
        senses = tuple(
            sense
            for sense in senses
            if state.thing_of(sense.entity) is state.current or (of_them and state.thing_of(sense.entity))
        )
        later = [one for after in _clause(state, place + 1) for one in after.of_kind("measure", "concept")]
        if pending.number is None or not senses or later:
            return False  # "at least five people were killed"
    owners = [(sense.entity, sense.name) for sense in senses]
    fields = [(entity, field) for entity, name in owners if (field := field_of(state.pack, entity, name))]
    presence = [(entity, field) for entity, field in fields if field.none_value]
    after = state.skip(place + 1, "eq", "of", "at", "of_place", "on", "with", "in", "for")
    if presence and (bound := _bound_value(state, presence, after)):
        entity, field, values, stop = bound
        made = value_condition(field.name, values, listed=False, negate=False)
        _add(state, entity, made, place, _others(entity, presence))
        state.take(place, stop, field.label)
        settle_link(state, place)
        return True
    if presence:
        entity, field = _own(state, place, presence)
        absent = pending.without or pending.negate
        made = value_condition(field.name, (field.none_value,), listed=False, negate=not absent)
        _add(state, entity, made, place, _others(entity, presence))
        state.take(place, place + 1, field.label)
        settle_link(state, place)
        return True
    if bound := _bound_value(state, fields, after):
        entity, field, values, stop = bound
        listed = field.type == "category_list"
        made = value_condition(field.name, values, listed=listed, negate=pending.negate)
        if not _alternative(state, place, entity, made):
            _add(state, entity, made, place)
            state.joined = (made, stop - 1)  # "type charter or private"
        state.take(place, stop, field.label)
        settle_link(state, place)
        return True
    numeric = [(entity, field) for entity, field in fields if field.type in _NUMERIC]
    if not numeric:
        return _number_of_record(state, place, fields)
    if pending.number is not None and pending.operator != "rank":
        entity, field = _own(state, place, numeric)
        amount = pending.number
        operator = pending.operator or "eq"
        _number(state, numeric, entity, operator, amount, place)
        pending.clear("number", "operator")
        state.take(place, place + 1, field.label)
        settle_link(state, place)
        return True
    unknown = state.item(after)
    if unknown is not None and unknown.text == "unknown":
        entity, field = _own(state, place, numeric)
        made = {"field": field.name, "operator": "not_null" if pending.negate else "is_null"}
        _add(state, entity, made, place, _others(entity, numeric))
        state.take(place, after + 1, field.label)
        settle_link(state, place)
        return True
    following = amount_after(state, after)
    if following is None:
        return _shown(state, place, [entity for entity, _ in numeric])
    operators, amounts, stop = following
    entity, field = _own(state, place, numeric)
    for one, found in zip(operators, amounts, strict=True):
        value = _converted(found, field)
        if value is None:
            return False
        _number(state, numeric, entity, one, value, place)
    state.take(place, stop, field.label)
    settle_link(state, place)
    return True


def _clause(state: State, place: int) -> list[Item]:
    """The next items, as far as they belong to the same words."""
    rest = state.items[place : place + 3]
    end = next(
        (at for at, one in enumerate(rest) if one.has("by", "with", "and", "comma", "stop")), len(rest)
    )
    return list(rest[:end])


def _compared(state: State, place: int, item: Item) -> bool:
    """A comparative with what it is held against: "busier than 15,000 cars a day"."""
    than, number = state.item(place + 1), state.item(place + 2)
    if than is None or than.text not in ("than", "then") or number is None or number.amount is None:
        return False
    fields = [
        (sense.entity, field)
        for sense in item.of_kind("field")
        if (field := field_of(state.pack, sense.entity, sense.name)) and field.type in _NUMERIC
    ]
    if not fields:
        return False
    entity, field = _own(state, place, fields)
    value = _converted(number.amount, field)
    if value is None:
        return False
    _number(state, fields, entity, "gt", value, place)
    after = state.item(place + 3)
    again = after is not None and any(one.name == field.name for one in after.of_kind("field"))
    state.take(place, place + 3 + again, field.label)
    return True


def _is_explained(state: State, place: int, item: Item) -> bool:
    """Whether an adjective is said in numbers later: "busy roads, over 20,000 cars a day"."""
    after = state.item(place + 1)
    own = {(one.entity, one.name) for one in item.of_kind("field")}
    if after is None or not after.of_kind("entity") or item.plural or state.pending.number is not None:
        return False
    later = state.items[place + 2 :]
    said = any(own & {(two.entity, two.name) for two in one.of_kind("field")} for one in later)
    if not (said and any(one.amount is not None for one in later)) or state.pending.order:
        return False
    state.take(place, place + 1, "")
    return True


def _alternative(state: State, place: int, entity: str, made: dict[str, Any]) -> bool:
    """Whether the value is one more of those of the same field: "light = dawn or light = dusk"."""
    joint, thing = state.item(place - 1), state.thing_of(entity)
    held = thing.conditions if thing is not None else [one for _, one, _ in state.pending.conditions]
    either = alternatives(held[-1], made) if joint is not None and joint.has("or") and held else None
    if either is not None:
        held[-1].update(either)
    return either is not None


def _number_of_record(state: State, place: int, fields: list[tuple[str, EntityField]]) -> bool:
    """The text of a field that numbers things: "crash number 997"."""
    at = state.skip(place + 1, "stop")
    item = state.item(at)
    if item is None or not any(char.isdigit() for char in item.text) or item.times:
        return False
    for entity, field in fields:
        known = state.pack.entity(entity)
        if field.type == "text" and not field.names and field.name != known.name_field:
            text = state.question[item.start : item.end]
            _add(state, entity, value_condition(field.name, (text,), listed=False, negate=False), place)
            state.take(place, at + 1, field.label)
            settle_link(state, place)
            return True
    return False


def _shown(state: State, place: int, owners: list[str]) -> bool:
    """A number that is asked for by itself: "the speed limit on Main Street"."""
    pending = state.pending
    after = state.item(place + 1)
    adjective = after is not None and bool(after.of_kind("entity"))  # "busy streets" are not all streets
    if (
        adjective
        or pending.order
        or pending.total
        or pending.aggregate
        or state.rank is not None
        or pending.link in ("by", "per")
    ):
        return False
    state.shown.append((tuple(owners), place))
    pending.clear("which", "many")
    settle_link(state, place)
    state.take(place, place + 1, "shown")
    return True


def _add(
    state: State, entity: str, condition: dict[str, Any], place: int, others: tuple[str, ...] = ()
) -> None:
    attach(state, entity, condition, place, others)
    state.joined = None


def _others(entity: str, fields: list[tuple[str, EntityField]]) -> tuple[str, ...]:
    """The other owners of a field of the same name, of which the condition may be."""
    name = next(field.name for owner, field in fields if owner == entity)
    return tuple(owner for owner, field in fields if owner != entity and field.name == name)


def _number(
    state: State, fields: list[tuple[str, EntityField]], entity: str, operator: str, value: float, place: int
) -> None:
    field = next(field for owner, field in fields if owner == entity)
    whole = int(value) if float(value).is_integer() else value
    made = {"field": field.name, "operator": operator, "value": whole}
    _add(state, entity, made, place, _others(entity, fields))


def _own(state: State, place: int, fields: list[tuple[str, EntityField]]) -> tuple[str, EntityField]:
    """The field of the thing beside it: the noun that follows, else the last that has it, else the first."""
    noun = follows_noun(state, place)
    beside = [state.head(place), state.current, *reversed(state.things)]
    things = [noun, *(one.entity for one in beside if one is not None)]
    waiting = [owner for owners, _, _ in state.pending.conditions for owner in owners[:1]]
    for entity in (*things, *waiting):
        for owner, field in fields:
            if owner == entity:
                return owner, field
    # Without a noun a sidewalk is the road's, not what a crash says of its road.
    return next((one for one in fields if one[1].carries is None), fields[0])


def _bound_value(
    state: State, fields: list[tuple[str, EntityField]], place: int
) -> tuple[str, EntityField, tuple[str, ...], int] | None:
    """The value of one of the fields that the words from here name: "severity unknown"."""
    ordered = sorted(fields, key=lambda one: one != _own(state, place - 1, fields)) if fields else []
    for entity, field in ordered:
        phrases = state.words.bound.get((entity, field.name), {})
        for stop in range(min(len(state.items), place + 4), place, -1):
            key = tuple(word for item in state.items[place:stop] for word in (item.key or stems(item.text)))
            if key in phrases and not state.items[place].has(
                "filler", "in", "and", "or", "comma", "stop", "without", "with"
            ):
                return entity, field, phrases[key], stop
    return None


def _converted(amount: Amount, field: EntityField) -> float | None:
    thousands = amount.text.endswith(" k") and not field.unit
    if amount.kind and not thousands and classes().units.get((field.unit,)) != amount.kind:
        return None
    try:
        if thousands:
            return 1000 * parse_number(amount.text.removesuffix(" k"))  # "population under 10k"
        return parse_quantity(amount.text, field.unit) if amount.kind else amount.value
    except QuantityError:
        return None


def read_amount(state: State, place: int, item: Item) -> bool:
    """A quantity whose unit says which field it is of: "40+ mph"."""
    found = amount_after(state, place)
    if found is None:
        return False
    operators, amounts, stop = found
    beside = state.item(stop)
    stop = stop if beside is not None and beside.of_kind("field") else state.skip(stop, "in", "of")
    following = state.item(stop)
    ranged = len(amounts) == 2 and following is not None and bool(following.of_kind("field"))
    if not amounts[0].kind and not amounts[-1].kind and not ranged:
        return False
    if following is not None and following.of_kind("field"):
        fields = [
            (sense.entity, field)
            for sense in following.of_kind("field")
            if (field := field_of(state.pack, sense.entity, sense.name)) and field.type in _NUMERIC
        ]
        stop = stop + 1 if fields else found[2]
    else:
        fields, stop = [], found[2]
    own = state.current or (state.things[-1] if state.things else None)
    long = own is not None and state.items[place].text.startswith(("longer", "shorter"))
    if not fields and amounts[-1].kind == "length" and not long:
        return False
    fields = fields or [
        (entity.name, field)
        for entity in state.pack.entities
        for field in entity.fields
        if (own is None or not long or entity.name == own.entity)
        and field.unit
        and not field.internal
        and _converted(amounts[-1], field) is not None
    ]
    if not fields:
        return False
    entity, field = _own(state, stop - 1, fields)
    values = [
        _converted(amount if amount.kind else _in_unit(amount, amounts[-1]), field) for amount in amounts
    ]
    for operator, value in zip(operators, values, strict=True):
        if value is None:
            return False
        _number(state, fields, entity, operator, value, stop - 1)
    state.take(place, stop, field.label)
    settle_link(state, stop - 1)
    return True


def _in_unit(amount: Amount, other: Amount) -> Amount:
    """The first number of a range, with the unit that stands behind the second."""
    unit = other.text.removeprefix(other.text.split(" ")[0]).strip()
    return Amount(amount.size, amount.value, other.kind, f"{amount.text} {unit}")
