"""From the question to the frame: what is said and not asked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from groundframe.frames.grounding.facts import Facts, Test, tests_of_concept
from groundframe.frames.grounding.said import (
    HIGHEST,
    LOWEST,
    Said,
    Ungrounded,
    amount_in,
    close,
    denials_of,
    field_of_test,
    same_name,
    same_test,
)
from groundframe.frames.grounding.times import Moment, moments
from groundframe.frames.lexical.bounds import SPANS
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.strikers import is_striker, strikes
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.frames.terms import TIME_BUCKETS
from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["Missing"]


class Missing:
    """Looks for the words of a question in a frame."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def check(self, said: Said, facts: Facts, renamed: Mapping[str, str]) -> Iterator[Ungrounded]:
        for place, item in enumerate(said.items):
            after = said.items[place + 1] if place + 1 < len(said.items) else None
            if item.senses and after is not None and after.has("collide"):
                continue  # who strikes is no condition: "a car hit a tree"
            struck = is_striker(said.items, place) and any(test.concept for test in facts.tests)
            if struck or strikes(said.items, place):
                continue
            before = said.items[place - 1] if place else None
            if before is not None and self._is_its_noun(item, before, facts):
                continue
            led = place > 1 and said.items[place - 2].has("on")
            if led and item.plural and before is not None and before.place and self._carries_any(item, facts):
                continue  # crashes "on Quincy streets" are in Quincy
            if _is_shown(self._pack, item, said, facts):
                continue
            if said.has("compare") and any(
                one.kind == "value" and one.name == name for one in item.senses for _, name in facts.groups
            ):
                continue  # "by light, dark vs daylight"
            if not self._is_in(item, facts, renamed):
                yield Ungrounded("missing", f"'{item.text}' is not in the frame.", "", item.start, item.end)
        yield from self._bounds(said, facts)
        denials = denials_of(said.items)
        nothing = any(value == 0 for _, _, value in facts.havings)
        # "neither A nor B" and "not A or B" deny more with fewer words; "no A, no B" may not lose one.
        each = not said.has("or") and not any(item.text in ("neither", "nor") for item in denials)
        lost = each and len(denials) > len(facts.negations) + nothing
        if denials and (lost or not facts.negations) and not nothing:
            first = denials[0]
            yield Ungrounded("missing", f"'{first.text}' is not in the frame.", "", first.start, first.end)
        falling = any(
            said.items[one].has("fewest")
            and any(before.has("to") for before in said.items[max(0, one - 2) : one])
            for one in range(1, len(said.items))
        )
        wanted = "lowest" if said.has(*LOWEST) and not falling else "highest" if said.has(*HIGHEST) else ""
        if facts.order and wanted and facts.order != wanted:
            yield Ungrounded(
                "missing", f"The question asks for the {wanted}, and the frame for the {facts.order}."
            )

    def _is_its_noun(self, item: Item, before: Item, facts: Facts) -> bool:
        """Whether a noun only says of what the value before it is: "on wet roads", of a crash."""
        entities = {sense.entity for sense in item.senses if sense.kind == "entity"}
        tests = [
            test for sense in before.senses for test in facts.tests if same_test(self._pack, sense, test)
        ]
        owners = [one for one in self._pack.entities if one.name in {test.entity for test in tests}]
        return any(link.to in entities and link.rule == "nearest" for one in owners for link in one.links)

    def _carries_any(self, item: Item, facts: Facts) -> bool:
        """Whether the noun is what those in the frame are linked to: the road of a crash."""
        entities = {sense.entity for sense in item.senses if sense.kind == "entity"}
        known = [one for one in self._pack.entities if one.name in {name for _, name, _ in facts.entities}]
        return any(link.to in entities and link.rule == "nearest" for one in known for link in one.links)

    def _bounds(self, said: Said, facts: Facts) -> Iterator[Ungrounded]:
        """Numbers that the frame bounds otherwise than the question: "over 40" is not 40."""
        bounds = [(one, float(value)) for test in facts.tests for one, value in _bounded(test)]
        bounds += [(operator, value) for _, operator, value in facts.havings]
        for place, item in enumerate(said.items):
            if item.amount is None or item.amount.kind == "length":
                continue
            wanted = _operators(said.items, place)
            value = item.amount.value
            given = {operator for operator, number in bounds if close(number, value)}
            if given and not given & wanted:
                message = f"'{item.text}' is bounded otherwise in the frame ({', '.join(sorted(given))})."
                yield Ungrounded("missing", message, "", item.start, item.end)

    def _is_in(self, item: Item, facts: Facts, renamed: Mapping[str, str]) -> bool:
        """Whether the frame says what the item says; function words are looked at elsewhere."""
        if item.times:
            said = [moment for _, moment in facts.times]
            return all(self._said(moment, said) for moment in moments(item.times))
        if item.place is not None:
            asked = {fold_name(renamed.get(name, name), self._pack) for _, name in facts.names}
            asked |= {fold_name(str(value), self._pack) for test in facts.tests for value in test.values}
            return any(same_name(self._pack, item.place.text, name) for name in asked)
        if item.amount is not None:
            return self._amount_is_in(item, facts)
        if item.form and facts.order and any(name in TIME_BUCKETS for _, name in facts.groups):
            return True  # "the busiest hour"
        if item.senses:
            return any(self._sense_is_in(sense, facts) for sense in item.senses) or item.has(
                "filler", "with", "vague"
            )
        if item.has(*LOWEST, *HIGHEST) and not item.has("lte", "gte", "inside_of"):
            return bool(facts.order)
        if item.has("nearest") and not item.has("near"):
            return bool(facts.nearest)
        return True

    def _said(self, moment: Moment, said: Sequence[Moment]) -> bool:
        if moment in said:
            return True
        # A checked frame has the days of "the last 5 years".
        return moment[0] == "last" and any(kind == "days" for kind, _ in said)

    def _amount_is_in(self, item: Item, facts: Facts) -> bool:
        amount = item.amount
        assert amount is not None  # noqa: S101 - the caller looked
        numbers = [
            float(value) for test in facts.tests for value in test.values if isinstance(value, int | float)
        ]
        numbers += [value for _, _, value in facts.havings] + [float(k) for _, k in facts.nearest]
        numbers += [float(facts.top_n)] if facts.top_n is not None else []
        if amount.value == 0 and facts.negations:
            return True  # "and 0 crashes"
        if amount.kind == "length":
            numbers += [metres for _, metres in facts.distances]
        if amount.kind == "speed":
            wanted = [amount_in(amount.text, unit) for unit in self._units(facts)]
            return any(close(value, one) for value in numbers for one in wanted)
        if not amount.kind and any(
            isinstance(value, str) and value.lstrip("0") == item.text.lstrip("0")
            for test in facts.tests
            for value in test.values
        ):
            return True  # a class that is called by a number
        named = any(item.text in name.casefold().split() for _, name in facts.names)
        return named or any(close(value, amount.value) for value in numbers)

    def _units(self, facts: Facts) -> list[str]:
        owned = {(test.entity, test.field) for test in facts.tests}
        return [
            one.unit
            for entity in self._pack.entities
            for one in entity.fields
            if one.unit and (entity.name, one.name) in owned
        ]

    def _sense_is_in(self, sense: Sense, facts: Facts) -> bool:
        match sense.kind:
            case "entity":
                entities = {entity for _, entity, _ in facts.entities} | {name for _, name in facts.groups}
                return sense.entity in entities or any(
                    self._carries(test, sense.entity) for test in facts.tests
                )
            case "measure":
                field = self._pack.measure(sense.name).field
                asked = any(sense.name == name or (field and field == of) for _, name, of in facts.measures)
                return asked or any(test.field == field for test in facts.tests)
            case "concept" | "value":
                return any(same_test(self._pack, sense, test) for test in facts.tests) or self._counted(
                    sense, facts
                )
            case "field":
                fields = (
                    {test.field for test in facts.tests}
                    | {name for _, name in facts.groups}
                    | {name for *_, name in facts.measures}
                )
                covered = {
                    name
                    for test in facts.tests
                    if test.concept
                    for name, _ in tests_of_concept(self._pack, test.concept)
                }
                return sense.name in fields | covered or any(
                    metric.startswith(sense.name) for _, metric, _ in facts.measures
                )
        return True

    def _carries(self, test: Test, entity: str) -> bool:
        """Whether a test is on a field that its feature carries for one of the entity: "on 35 mph roads"."""
        known = next((one for one in self._pack.entities if one.name == test.entity), None)
        own = field_of_test(self._pack, test)
        if known is None or own is None or own.carries is None:
            return False
        return known.link(own.carries.link).to == entity

    def _counted(self, sense: Sense, facts: Facts) -> bool:
        """Whether a measure counts only such features: "fatal crashes" by their own measure."""
        for _, name, _ in facts.measures:
            measure = next((one for one in self._pack.measures if one.name == name), None)
            if measure is None or measure.where is None or measure.where.field is None:
                continue
            test = Test(
                "", measure.entity, field=measure.where.field, operator="eq", values=(measure.where.value,)
            )
            if same_test(self._pack, sense, test):
                return True
        return False


def _is_shown(pack: Pack, item: Item, said: Said, facts: Facts) -> bool:
    """Whether a number is asked for by itself of what is listed, which has it as a column."""
    primaries = {entity for _, entity, role in facts.entities if role == "primary"}
    if facts.order or facts.groups or said.has("by", "per", *HIGHEST, *LOWEST):
        return False
    return any(
        sense.kind == "field" and sense.entity in primaries and _is_number(pack, sense)
        for sense in item.senses
    )


def _is_number(pack: Pack, sense: Sense) -> bool:
    fields = pack.entity(sense.entity).fields
    return any(one.name == sense.name and one.type in ("number", "integer") for one in fields)


def _bounded(test: Test) -> Iterator[tuple[str, float]]:
    """Operators and numbers of a test; a range has two."""
    numbers = [
        float(value)
        for value in test.values
        if isinstance(value, int | float) and not isinstance(value, bool)
    ]
    operators = (
        ("gte", "lte")
        if test.operator == "between" and len(numbers) == 2
        else (test.operator,) * len(numbers)
    )
    return zip(operators, numbers, strict=True)


def _spans(items: Sequence[Item], place: int) -> bool:
    """Whether the number is an end of a range: "30-40", "30 to 40"."""
    return any(
        0 <= place + 2 * step < len(items)
        and items[place + 2 * step].amount is not None
        and (items[place + step].text in SPANS or items[place + step].has("to"))
        for step in (-1, 1)
    )


def _operators(items: Sequence[Item], place: int) -> set[str]:
    """The operators that the words around a number allow."""
    before = [
        items[one]
        for one in range(max(0, place - 2), place)
        if one == place - 1 or items[place - 1].has("filler")
    ]
    behind = (one for one in items[place + 1 :] if not one.has("filler") or one.senses)
    after = next(behind, None)
    amount = items[place].amount
    if any(one.has("between") for one in items[max(0, place - 4) : place]) or _spans(items, place):
        return {"gte", "lte", "gt", "lt", "eq"}
    if (amount is not None and amount.more) or (after is not None and after.has("post_gte")):
        return {"gte"}
    if after is not None and after.has("post_lte"):
        return {"lte"}
    if place > 1 and items[place - 1].text in ("than", "then") and items[place - 2].form == "comparative":
        return {"gt"}
    wanted = {name for one in before for name in ("gt", "gte", "lt", "lte") if one.has(name)}
    return wanted or {"eq", "in", "contains"}
