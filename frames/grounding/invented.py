"""From the frame to the question: what is asked and not said."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from groundframe.frames.grounding.facts import Facts, Test, tests_of_concept
from groundframe.frames.grounding.said import (
    Said,
    Ungrounded,
    amount_in,
    close,
    denials_of,
    field_of_test,
    same_name,
    same_test,
)
from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["Invented"]

_RANKING = (
    "top",
    "most",
    "worst",
    "bottom",
    "fewest",
    "safest",
    "ascending",
    "descending",
    "rank",
    "by",
    "nearest",
    "others",
)


class Invented:
    """Looks for the parts of a frame in a question."""

    def __init__(self, pack: Pack) -> None:
        self._pack = pack

    def check(
        self, question: str, said: Said, facts: Facts, renamed: Mapping[str, str]
    ) -> Iterator[Ungrounded]:
        pairs = ((one.name, one.derived.from_entity) for one in self._pack.entities if one.derived)
        given = [self._pack.defaults.near_m, *(self._pack.at_ends_m(*pair) for pair in pairs)]
        for path, metres in facts.distances:
            known = (*said.lengths, *said.numbers, *(one for one in given if one is not None))
            if not any(close(metres, one) for one in known):
                yield Ungrounded("invented", f"A distance of {metres:g} m is not in the question.", path)
        for path, name in facts.names:
            if not self._is_named(question, said, renamed.get(name, name)):
                yield Ungrounded("invented", f"'{name}' is not in the question.", path)
        grouped = {name for _, name in facts.groups}
        for test in facts.tests:
            if test.operator == "not_null" and test.field in grouped:
                continue  # rows go by what is known
            if not self._is_asked(said, test):
                what = test.concept or test.field
                yield Ungrounded("invented", f"A condition on '{what}' is not in the question.", test.path)
        times = [moment for _, moment in said.times]
        for path, moment in facts.times:
            if not (moment in times or (moment[0] == "days" and any(kind == "last" for kind, _ in times))):
                yield Ungrounded(
                    "invented", f"{moment[0].capitalize()} {_shown(moment[1])} are not in the question.", path
                )
        yield from self._invented_shape(said, facts)

    def _invented_shape(self, said: Said, facts: Facts) -> Iterator[Ungrounded]:
        denials = len(denials_of(said.items))
        # "not A or B" denies both with one word.
        allowed = len(facts.negations) if denials and said.has("or", "and") else denials
        for path in facts.negations[allowed:]:
            yield Ungrounded("invented", "A negation is not in the question.", path)
        ordered = said.has(*_RANKING, "for", "compare") or any(item.form for item in said.items)
        ordered = ordered or (facts.top_n is not None and float(facts.top_n) in said.numbers)
        if facts.order and not ordered:
            yield Ungrounded("invented", "A ranking is not in the question.", "/ranking")
        default = (self._pack.defaults.top_n, 1)
        if (
            facts.order
            and facts.top_n is not None
            and facts.top_n not in default
            and float(facts.top_n) not in said.numbers
        ):
            yield Ungrounded(
                "invented", f"The number {facts.top_n} is not in the question.", "/ranking/top_n"
            )
        for path, k in facts.nearest:
            if not said.has("nearest"):
                yield Ungrounded("invented", "The nearest are not asked for in the question.", path)
            elif k != 1 and float(k) not in said.numbers:
                yield Ungrounded("invented", f"The number {k} is not in the question.", f"{path}/k")
        for path, _, value in facts.havings:
            if value not in said.numbers and not (value == 0 and denials_of(said.items)):
                yield Ungrounded("invented", f"The number {value:g} is not in the question.", path)
        mentioned = {sense.entity for sense in said.senses}
        mentioned |= {kind for item in said.items if item.place is not None for kind in item.place.kinds}
        measured = self._pack.measures[0].entity
        for path, entity, role in facts.entities:
            known = any(one.name == entity for one in self._pack.entities)
            implied = entity == measured and (
                said.has("worst", "safest", "more") or bool(facts.order) or bool(said.times)
            )
            if known and role in ("primary", "support", "filter") and entity not in mentioned and not implied:
                named = any(name_path.startswith(f"{path}/") for name_path, _ in facts.names)
                if not named:
                    yield Ungrounded("invented", f"'{entity}' is not in the question.", path)

    def _is_named(self, question: str, said: Said, name: str) -> bool:
        folded = fold_name(name, self._pack)
        named = [item.place for item in said.items if item.place is not None]
        return any(same_name(self._pack, one.text, folded) for one in named) or folded in fold_name(
            question, self._pack
        )

    def _is_asked(self, said: Said, test: Test) -> bool:
        """Whether the question has the value, the concept, the field, or a quantity in the field's unit."""
        for sense in said.senses:
            if sense.kind in ("concept", "value") and same_test(self._pack, sense, test):
                return self._numbers_said(said, test)
            within = (
                {name for name, _ in tests_of_concept(self._pack, test.concept)} if test.concept else set()
            )
            if sense.kind == "field" and sense.name in {test.field, *within}:
                return self._numbers_said(said, test)
            if sense.kind == "measure" and self._pack.measure(sense.name).field == test.field:
                return self._numbers_said(said, test)
        own = field_of_test(self._pack, test)
        if own is not None and own.unit:
            amounts = [item.amount for item in said.items if item.amount is not None and item.amount.kind]
            return any(amount_in(one.text, own.unit) is not None for one in amounts) and self._numbers_said(
                said, test
            )
        if own is None or own.type != "text":
            return False
        named = [item.place.text for item in said.items if item.place is not None]
        if any(
            same_name(self._pack, text, fold_name(str(value), self._pack))
            for text in named
            for value in test.values
        ):
            return True
        texts = [str(value).casefold() for value in test.values]
        return any(text in item.text or item.text in text for text in texts for item in said.items)

    def _numbers_said(self, said: Said, test: Test) -> bool:
        numbers = [
            float(value)
            for value in test.values
            if isinstance(value, int | float) and not isinstance(value, bool)
        ]
        amounts = [item.amount.text for item in said.items if item.amount is not None and item.amount.kind]
        units = {
            one.unit
            for entity in self._pack.entities
            for one in entity.fields
            if one.name == test.field and one.unit
        }
        known = [
            *said.numbers,
            *said.lengths,
            *(value for text in amounts for unit in units if (value := amount_in(text, unit)) is not None),
        ]
        return all(any(close(number, one) for one in known) for number in numbers)


def _shown(value: object) -> str:
    return " to ".join(str(one or "") for one in value) if isinstance(value, tuple) else str(value)
