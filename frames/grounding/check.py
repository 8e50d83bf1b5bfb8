"""The grounding check: question and frame, held against each other in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from math import isclose

from groundframe.errors import Issue
from groundframe.frames.grounding.facts import Facts, Test, facts_of, tests_of_concept
from groundframe.frames.grounding.times import Moment, moments
from groundframe.frames.lexical.items import Item, scanner
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.frames.model import Frame
from groundframe.frames.names import NameIndex
from groundframe.frames.quantities import QuantityError, parse_quantity
from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["Grounding", "Ungrounded"]

_HIGHEST = ("top", "most", "worst")
_LOWEST = ("bottom", "fewest", "safest", "ascending")
_RANKING = (*_HIGHEST, *_LOWEST, "rank", "descending", "by", "nearest")
_DENIALS = ("without", "no", "not", "except")
_BUCKETS = ("year", "quarter", "month", "date", "weekday", "hour")


@dataclass(frozen=True, slots=True)
class Ungrounded:
    """One thing that only the question or only the frame says.

    Parameters
    ----------
    kind : {'missing', 'invented'}
        ``missing``: the question says it and the frame does not; ``invented``: the other way round.
    path : str
        JSON pointer into the frame; ``""`` for what is missing.
    start, end : int
        Characters of the question; both 0 for what is invented.
    """

    kind: str
    message: str
    path: str = ""
    start: int = 0
    end: int = 0

    def issue(self) -> Issue:
        """The same as an issue of the frame."""
        return Issue(f"{self.kind}_in_frame", self.path, self.message)


@dataclass
class _Side:
    """What the question says."""

    items: Sequence[Item]
    times: list[tuple[Item, Moment]] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    senses: list[Sense] = field(default_factory=list)

    def says(self, *classes: str) -> bool:
        return any(item.has(*classes) for item in self.items)


class Grounding:
    """Holds frames against the questions that they are to answer, whoever wrote them.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> grounding = Grounding(load_pack("massachusetts"))
    >>> frame = Frame.model_validate({"targets": [{"entity": "Crash", "role": "primary"}]})
    >>> [one.message for one in grounding.check("fatal crashes in 2023", frame)]
    ["'fatal' is not in the frame.", "'in 2023' is not in the frame."]
    """

    def __init__(self, pack: Pack, names: NameIndex | None = None) -> None:
        self._pack = pack
        self._scanner = scanner(pack, names)

    def check(
        self, question: str, frame: Frame, renamed: Mapping[str, str] | None = None
    ) -> tuple[Ungrounded, ...]:
        """What only one of the two says.

        Parameters
        ----------
        frame : Frame
            Received or, better, checked.
        renamed : mapping, optional
            What the validator made of names: the name in a checked frame to how it was asked for.
        """
        items, _ = self._scanner.scan(question)
        side = _Side(items)
        for item in items:
            side.times += [(item, moment) for moment in moments(item.times)]
            side.senses += item.senses
            if item.amount is not None:
                (side.lengths if item.amount.kind == "length" else side.numbers).append(item.amount.value)
            side.numbers += [float(word) for word in item.text.split() if word.isdigit()]
        facts = facts_of(frame, self._pack)
        return (
            *self._missing(side, facts, renamed or {}),
            *self._invented(question, side, facts, renamed or {}),
        )

    # From the question to the frame ---------------------------------------------------------------------------------

    def _missing(self, side: _Side, facts: Facts, renamed: Mapping[str, str]) -> Iterator[Ungrounded]:
        for place, item in enumerate(side.items):
            after = side.items[place + 1] if place + 1 < len(side.items) else None
            if item.senses and after is not None and after.has("collide"):
                continue  # who strikes is no condition: "a car hit a tree"
            if not self._is_in(item, facts, renamed):
                yield Ungrounded("missing", f"'{item.text}' is not in the frame.", "", item.start, item.end)
        yield from self._bounds(side, facts)
        denials = _denials(side.items)
        nothing = any(value == 0 for _, _, value in facts.havings)
        if denials and not facts.negations and not nothing:
            first = denials[0]
            yield Ungrounded("missing", f"'{first.text}' is not in the frame.", "", first.start, first.end)
        wanted = "lowest" if side.says(*_LOWEST) else "highest" if side.says(*_HIGHEST) else ""
        if facts.order and wanted and facts.order != wanted:
            yield Ungrounded(
                "missing", f"The question asks for the {wanted}, and the frame for the {facts.order}."
            )

    def _bounds(self, side: _Side, facts: Facts) -> Iterator[Ungrounded]:
        """Numbers that the frame has with another bound than the question: "over 40" is not 40 and not under."""
        said = [(one, float(value)) for test in facts.tests for one, value in _bounded(test)]
        said += [(operator, value) for _, operator, value in facts.havings]
        for place, item in enumerate(side.items):
            if item.amount is None or item.amount.kind == "length":
                continue
            wanted = _operators(side.items, place)
            value = item.amount.value
            given = {operator for operator, number in said if _close(number, value)}
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
            asked |= {str(value).casefold() for test in facts.tests for value in test.values}
            return any(self._same_name(item.place.text, name) for name in asked)
        if item.amount is not None:
            return self._amount_is_in(item, facts)
        if item.senses:
            return any(self._sense_is_in(sense, facts) for sense in item.senses) or item.has(
                "filler", "with", "vague"
            )
        if item.has(*_LOWEST, *_HIGHEST) and not item.has("lte", "gte", "inside_of"):
            return bool(facts.order)
        if item.has("nearest") and not item.has("near"):
            return bool(facts.nearest)
        return True

    def _said(self, moment: Moment, said: Sequence[Moment]) -> bool:
        if moment in said:
            return True
        # A checked frame has the days of "the last 5 years".
        return moment[0] == "last" and any(kind == "days" for kind, _ in said)

    def _same_name(self, text: str, folded: str) -> bool:
        key = fold_name(text, self._pack)
        return key == folded or key in folded.split(" & ") or set(key.split()) <= set(folded.split())

    def _amount_is_in(self, item: Item, facts: Facts) -> bool:
        amount = item.amount
        assert amount is not None  # noqa: S101 - the caller looked
        numbers = [
            float(value) for test in facts.tests for value in test.values if isinstance(value, int | float)
        ]
        numbers += [value for _, _, value in facts.havings] + [float(k) for _, k in facts.nearest]
        numbers += [float(facts.top_n)] if facts.top_n is not None else []
        if amount.kind == "length":
            numbers += [metres for _, metres in facts.distances]
        if amount.kind == "speed":
            numbers = [_in(amount.text, unit) and value for value in numbers for unit in self._units(facts) if _close(value, _in(amount.text, unit))]  # fmt: skip
            return bool(numbers)
        named = any(item.text in name.casefold().split() for _, name in facts.names)
        return named or any(_close(value, amount.value) for value in numbers)

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
                return any(measure == sense.name for _, measure, _ in facts.measures) or any(test.field == self._pack.measure(sense.name).field for test in facts.tests)  # fmt: skip
            case "concept" | "value":
                return any(self._tests(sense, test) for test in facts.tests) or self._counted(sense, facts)
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
        own = next((one for one in known.fields if one.name == test.field), None) if known else None
        if known is None or own is None or own.carries is None:
            return False
        return known.link(own.carries.link).to == entity

    def _tests(self, sense: Sense, test: Test) -> bool:
        """Whether a test of the frame is about the same as a value or concept in words."""
        if sense.kind == "concept":
            if test.concept:
                return test.concept == sense.name
            return any(
                (test.field, value) in set(tests_of_concept(self._pack, sense.name)) for value in test.values
            )
        if test.concept:
            return any(
                (sense.name, value) in set(tests_of_concept(self._pack, test.concept))
                for value in sense.values
            )
        return test.field == sense.name and bool(set(map(str, test.values)) & set(sense.values))

    def _counted(self, sense: Sense, facts: Facts) -> bool:
        """Whether a measure counts only such features: "fatal crashes" by their own measure."""
        for _, name, _ in facts.measures:
            measure = next((one for one in self._pack.measures if one.name == name), None)
            if measure is None or measure.where is None or measure.where.field is None:
                continue
            test = Test(
                "", measure.entity, field=measure.where.field, operator="eq", values=(measure.where.value,)
            )
            if self._tests(sense, test):
                return True
        return False

    # From the frame to the question ---------------------------------------------------------------------------------

    def _invented(
        self, question: str, side: _Side, facts: Facts, renamed: Mapping[str, str]
    ) -> Iterator[Ungrounded]:
        near = self._pack.defaults.near_m
        for path, metres in facts.distances:
            if not any(_close(metres, said) for said in (*side.lengths, *side.numbers, near)):
                yield Ungrounded("invented", f"A distance of {metres:g} m is not in the question.", path)
        for path, name in facts.names:
            if not self._is_named(question, side, renamed.get(name, name)):
                yield Ungrounded("invented", f"'{name}' is not in the question.", path)
        for test in facts.tests:
            if not self._is_asked(side, test):
                what = test.concept or test.field
                yield Ungrounded("invented", f"A condition on '{what}' is not in the question.", test.path)
        said = [moment for _, moment in side.times]
        for path, moment in facts.times:
            if not (moment in said or (moment[0] == "days" and any(kind == "last" for kind, _ in said))):
                yield Ungrounded(
                    "invented", f"{moment[0].capitalize()} {_shown(moment[1])} are not in the question.", path
                )
        yield from self._invented_shape(side, facts)

    def _invented_shape(self, side: _Side, facts: Facts) -> Iterator[Ungrounded]:
        denials = len(_denials(side.items))
        # "not A or B" denies both with one word.
        allowed = len(facts.negations) if denials and side.says("or", "and") else denials
        for path in facts.negations[allowed:]:
            yield Ungrounded("invented", "A negation is not in the question.", path)
        ordered = side.says(*_RANKING, "for", "compare") or any(item.form for item in side.items)
        if facts.order and not ordered:
            yield Ungrounded("invented", "A ranking is not in the question.", "/ranking")
        default = (self._pack.defaults.top_n, 1)
        if (
            facts.order
            and facts.top_n is not None
            and facts.top_n not in default
            and float(facts.top_n) not in side.numbers
        ):
            yield Ungrounded(
                "invented", f"The number {facts.top_n} is not in the question.", "/ranking/top_n"
            )
        for path, k in facts.nearest:
            if not side.says("nearest"):
                yield Ungrounded("invented", "The nearest are not asked for in the question.", path)
            elif k != 1 and float(k) not in side.numbers:
                yield Ungrounded("invented", f"The number {k} is not in the question.", f"{path}/k")
        for path, _, value in facts.havings:
            if value not in side.numbers and not (value == 0 and side.says(*_DENIALS)):
                yield Ungrounded("invented", f"The number {value:g} is not in the question.", path)
        mentioned = {sense.entity for sense in side.senses}
        measured = self._pack.measures[0].entity
        for path, entity, role in facts.entities:
            known = any(one.name == entity for one in self._pack.entities)
            implied = entity == measured and (side.says("worst", "safest") or bool(facts.order))
            if known and role in ("primary", "support", "filter") and entity not in mentioned and not implied:
                named = any(name_path.startswith(f"{path}/") for name_path, _ in facts.names)
                if not named:
                    yield Ungrounded("invented", f"'{entity}' is not in the question.", path)

    def _is_named(self, question: str, side: _Side, name: str) -> bool:
        folded = fold_name(name, self._pack)
        named = [item.place for item in side.items if item.place is not None]
        return any(self._same_name(one.text, folded) for one in named) or folded in fold_name(
            question, self._pack
        )

    def _is_asked(self, side: _Side, test: Test) -> bool:
        """Whether the question has the value, the concept, the field, or a quantity in the field's unit."""
        for sense in side.senses:
            if sense.kind in ("concept", "value") and self._tests(sense, test):
                return self._numbers_said(side, test)
            if sense.kind == "field" and (sense.name == test.field or (test.concept and any(sense.name == one for one, _ in tests_of_concept(self._pack, test.concept)))):  # fmt: skip
                return self._numbers_said(side, test)
            if sense.kind == "measure" and self._pack.measure(sense.name).field == test.field:
                return self._numbers_said(side, test)
        known = next((one for one in self._pack.entities if one.name == test.entity), None)
        own = next((one for one in known.fields if one.name == test.field), None) if known else None
        if own is not None and own.unit:
            amounts = [item.amount for item in side.items if item.amount is not None and item.amount.kind]
            return any(_in(one.text, own.unit) is not None for one in amounts) and self._numbers_said(
                side, test
            )
        return own is not None and own.type == "text" and any(str(value).casefold() in item.text or item.text in str(value).casefold() for value in test.values for item in side.items)  # fmt: skip

    def _numbers_said(self, side: _Side, test: Test) -> bool:
        numbers = [
            float(value)
            for value in test.values
            if isinstance(value, int | float) and not isinstance(value, bool)
        ]
        amounts = [item.amount.text for item in side.items if item.amount is not None and item.amount.kind]
        units = {
            one.unit
            for entity in self._pack.entities
            for one in entity.fields
            if one.name == test.field and one.unit
        }
        said = [
            *side.numbers,
            *side.lengths,
            *(value for text in amounts for unit in units if (value := _in(text, unit)) is not None),
        ]
        return all(any(_close(number, one) for one in said) for number in numbers)


def _denials(items: Sequence[Item]) -> list[Item]:
    """The words that deny something, "more than 1 km from" among them."""
    found = []
    for place, item in enumerate(items):
        after = next((one for one in items[place + 1 : place + 3] if not one.has("filler")), None)
        far = (
            item.has("beyond")
            and after is not None
            and after.amount is not None
            and after.amount.kind == "length"
        )
        if item.has(*_DENIALS) or (far and not item.has("inside_of")):
            found.append(item)
    return found


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


def _operators(items: Sequence[Item], place: int) -> set[str]:
    """The operators that the words around a number allow."""
    before = [
        items[one]
        for one in range(max(0, place - 2), place)
        if one == place - 1 or items[place - 1].has("filler")
    ]
    after = items[place + 1] if place + 1 < len(items) else None
    amount = items[place].amount
    if any(one.has("between") for one in items[max(0, place - 4) : place]):
        return {"gte", "lte", "gt", "lt", "eq"}
    if (amount is not None and amount.more) or (after is not None and after.has("post_gte")):
        return {"gte"}
    if after is not None and after.has("post_lte"):
        return {"lte"}
    wanted = {name for one in before for name in ("gt", "gte", "lt", "lte") if one.has(name)}
    return wanted or {"eq", "in", "contains"}


def _in(text: str, unit: str) -> float | None:
    try:
        return parse_quantity(text, unit)
    except QuantityError:
        return None


def _close(one: float, other: float | None) -> bool:
    return other is not None and isclose(one, other, rel_tol=1e-3, abs_tol=1e-6)


def _shown(value: object) -> str:
    return " to ".join(str(one or "") for one in value) if isinstance(value, tuple) else str(value)
