"""What a question says, ready to be held against a frame."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from math import isclose

from groundframe.errors import Issue
from groundframe.frames.grounding.facts import Test, tests_of_concept
from groundframe.frames.grounding.times import Moment, moments
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.frames.quantities import QuantityError, parse_quantity
from groundframe.schema.model import EntityField, Pack
from groundframe.schema.vocabulary import fold_name

__all__ = [
    "HIGHEST", "LOWEST", "Said", "Ungrounded", "amount_in", "close", "denials_of", "field_of_test",
    "same_name", "same_test",
]  # fmt: skip

HIGHEST = ("top", "most", "worst")
LOWEST = ("bottom", "fewest", "safest", "ascending")
_BOUNDS = ("gt", "gte", "lt", "lte", "eq")
_DENIALS = ("without", "no", "not", "except")


@dataclass(frozen=True, slots=True)
class Ungrounded:
    """One thing that only the question or only the frame says.

    Parameters
    ----------
    kind : {'missing', 'invented', 'doubtful'}
        ``missing``: the question says it and the frame does not; ``invented``: the other way round;
        ``doubtful``: both say it, and it may belong together otherwise.
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


def doubtful(item: Item, message: str) -> Ungrounded:
    """A word that may belong elsewhere than a frame has it."""
    return Ungrounded("doubtful", message, "", item.start, item.end)


@dataclass
class Said:
    """What a question says."""

    items: Sequence[Item]
    times: list[tuple[Item, Moment]] = field(default_factory=list)
    numbers: list[float] = field(default_factory=list)
    lengths: list[float] = field(default_factory=list)
    senses: list[Sense] = field(default_factory=list)

    @classmethod
    def of(cls, items: Sequence[Item]) -> Said:
        """The items of a question, sorted by what they say."""
        said = cls(list(items))
        for item in said.items:
            said.times += [(item, moment) for moment in moments(item.times)]
            said.senses += item.senses
            if item.amount is not None:
                (said.lengths if item.amount.kind == "length" else said.numbers).append(item.amount.value)
            said.numbers += [float(word) for word in item.text.split() if word.isdecimal()]
        return said

    def has(self, *classes: str) -> bool:
        """Whether any word stands in one of these classes."""
        return any(item.has(*classes) for item in self.items)


def denials_of(items: Sequence[Item]) -> list[Item]:
    """The words that deny something, "more than 1 km from" among them."""
    found = []
    for place, item in enumerate(items):
        after = next((one for one in items[place + 1 : place + 3] if not one.has("filler")), None)
        behind = next((one for one in items[place + 2 : place + 3] if not one.has("filler")), None)
        far = (
            item.has("beyond")
            and not any(sense.kind == "field" for sense in (behind.senses if behind else ()))
            and after is not None
            and after.amount is not None
            and after.amount.kind == "length"
        )
        none = item.text == "0" and (not place or not items[place - 1].has("with", "without", *_BOUNDS))
        if item.has(*_DENIALS) or none or (far and not item.has("inside_of")):
            found.append(item)
    return found


def same_name(pack: Pack, text: str, folded: str) -> bool:
    """Whether a text names what the folded name does, or a part of it."""
    key = fold_name(text, pack)
    return key == folded or key in folded.split(" & ") or set(key.split()) <= set(folded.split())


def same_test(pack: Pack, sense: Sense, test: Test) -> bool:
    """Whether a test of the frame is about the same as a value or a concept in words."""
    if sense.kind == "concept":
        if test.concept:
            return test.concept == sense.name
        return any((test.field, value) in set(tests_of_concept(pack, sense.name)) for value in test.values)
    if test.concept:
        return any((sense.name, value) in set(tests_of_concept(pack, test.concept)) for value in sense.values)
    return test.field == sense.name and bool(set(map(str, test.values)) & set(sense.values))


def field_of_test(pack: Pack, test: Test) -> EntityField | None:
    """The field that a test is on, None where there is none."""
    known = next((one for one in pack.entities if one.name == test.entity), None)
    return next((one for one in known.fields if one.name == test.field), None) if known else None


def amount_in(text: str, unit: str) -> float | None:
    """A quantity in a unit, None where it measures something else."""
    try:
        return parse_quantity(text, unit)
    except QuantityError:
        return None


def close(one: float, other: float | None) -> bool:
    """Whether two numbers are the same but for their last digits."""
    return other is not None and isclose(one, other, rel_tol=1e-3, abs_tol=1e-6)
