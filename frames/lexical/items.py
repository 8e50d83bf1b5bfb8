"""What some words of a question may mean."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

from groundframe.frames.lexical.amounts import Amount
from groundframe.frames.lexical.places import Named
from groundframe.frames.lexical.vocabulary import Sense

__all__ = ["Item"]


@dataclass(frozen=True)
class Item:
    """Some words of the question and everything that they may mean.

    Parameters
    ----------
    start, end : int
        Characters of the question.
    text : str
        The words, folded.
    classes : frozenset of str
        Of function words, as `words.yaml` names them.
    times : dict
        What the words say about when, as parts of a temporal constraint.
    problem : str
        Why the words have no one meaning.
    reason : str
        Why a question with these words is not answered.
    form : str
        ``superlative`` ("deadliest"), ``least`` ("shortest") or ``comparative`` ("longer") of the word whose
        senses these are.
    plural : bool
        Whether the last word is a plural.
    aside : bool
        Whether it belongs to a sentence that asks nothing.
    """

    start: int
    end: int
    text: str
    key: tuple[str, ...] = ()
    classes: frozenset[str] = frozenset()
    senses: tuple[Sense, ...] = ()
    times: dict[str, Any] = field(default_factory=dict)
    amount: Amount | None = None
    place: Named | None = None
    problem: str = ""
    reason: str = ""
    form: str = ""
    plural: bool = False
    aside: bool = False

    def has(self, *names: str) -> bool:
        """Whether the words stand in one of these classes."""
        return not self.classes.isdisjoint(names)

    def of_kind(self, *kinds: str) -> tuple[Sense, ...]:
        """The senses of these kinds."""
        return tuple(sense for sense in self.senses if sense.kind in kinds)

    @property
    def known(self) -> bool:
        """Whether the words mean anything."""
        return bool(self.classes or self.senses or self.times or self.amount or self.place)

    @property
    def is_bucket(self) -> bool:
        """Whether the words name a part of the time by which rows may go: years, hours."""
        return any(name.startswith("bucket_") for name in self.classes)

    @property
    def is_length(self) -> bool:
        """Whether the words are a distance."""
        return self.amount is not None and self.amount.kind == "length"

    def emptied(self, name: str = "filler") -> Item:
        """The item without what it says, as words of a class."""
        return replace(self, classes=frozenset({name}), senses=(), times={}, amount=None, place=None)

    def reworded(self, name: str, word: str = "") -> Item:
        """The item as another word of a class; without one the word is what the class is called."""
        said = word or name
        return replace(self.emptied(name), text=said, key=(said,))

    def stopped(self, problem: str) -> Item:
        """The item as words that have no one meaning, with the reason."""
        return replace(self.emptied(), classes=frozenset(), problem=problem)
