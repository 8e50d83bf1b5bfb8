"""Which words say that something happened, and which only name what it may have happened to."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property

from groundframe.frames.inquiry import measured_entity
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.schema.model import Pack
from groundframe.schema.predicate import Condition

__all__ = ["Happenings"]


class Happenings:
    """Tells apart the senses of words about what a pack counts.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> told = Happenings(load_pack("massachusetts"))
    >>> tree = Sense("value", "Crash", "first_harmful_event", ("Collision with tree",))
    >>> rolled = Sense("value", "Crash", "first_harmful_event", ("Overturn/rollover",))
    >>> told.happened(tree), told.happened(rolled), told.struck(tree), told.who(tree)
    (False, True, True, False)
    """

    def __init__(self, pack: Pack) -> None:
        self._pack = pack
        self.counted = measured_entity(pack)

    def happened(self, sense: Sense) -> bool:
        """Whether it says that something happened: "crash", "killed", "rollover"; not "tree" or "rain"."""
        if sense.entity != self.counted.name:
            return False
        if sense.kind in ("entity", "measure") or sense.noun:
            return True
        if sense.kind == "field":
            return sense.name in self._events or self._tells(sense.name)
        tests = [*self._tests(sense)]
        return bool(tests) and all(
            not self._is_struck(value) if field in self._events else self._tells(field)
            for field, value in tests
        )

    def struck(self, sense: Sense) -> bool:
        """Whether it names something that was struck, and nobody: a tree, an animal."""
        tests = [*self._tests(sense)]
        return bool(tests) and all(self._is_struck(value) for _, value in tests)

    def who(self, sense: Sense) -> bool:
        """Whether it names somebody who took part: a pedestrian."""
        return any(field in self._people for field, _ in self._tests(sense)) and not sense.noun

    def _tests(self, sense: Sense) -> Iterator[tuple[str, str]]:
        """Fields and values that a condition in words stands for."""
        if sense.entity == self.counted.name and sense.kind == "value":
            yield from ((sense.name, value) for value in sense.values)
        if sense.entity == self.counted.name and sense.kind == "concept":
            concept = next(one for one in self._pack.concepts if one.name == sense.name)
            for variant in concept.variants.values():
                yield from _leaves(variant.condition)

    def _tells(self, name: str) -> bool:
        """Whether a field says how something happened, or how it ended."""
        label = self.counted.field(name).label.casefold().split()
        measured = {one.field for one in self._pack.measures if one.entity == self.counted.name}
        return name == self.counted.split_field or name in measured or not self._nouns.isdisjoint(label)

    def _is_struck(self, value: str) -> bool:
        """Whether a value says with what something collided."""
        first, second, *rest = (*value.casefold().split(), "", "")
        return first in self._nouns and second == "with" and bool(rest)

    @cached_property
    def _nouns(self) -> frozenset[str]:
        return frozenset(
            word.casefold() for word in (self.counted.label, self.counted.plural, *self.counted.synonyms)
        )

    @cached_property
    def _events(self) -> frozenset[str]:
        """The fields of which some value says what was struck."""
        fields = self.counted.fields
        return frozenset(
            one.name for one in fields if any(self._is_struck(part.value) for part in one.values)
        )

    @cached_property
    def _people(self) -> frozenset[str]:
        """The fields that list who took part: those lists that concepts go by."""
        lists = {one.name for one in self.counted.fields if one.type == "category_list"}
        named = {
            field
            for concept in self._pack.concepts
            for variant in concept.variants.values()
            for field in variant.condition.fields()
        }
        return frozenset(lists & named - self._events)


def _leaves(condition: Condition) -> Iterator[tuple[str, str]]:
    if condition.field is not None:
        listed = condition.value if isinstance(condition.value, list) else [condition.value]
        yield from ((condition.field, str(value)) for value in listed)
    for part in (*condition.any_of, *condition.all_of):
        yield from _leaves(part)
