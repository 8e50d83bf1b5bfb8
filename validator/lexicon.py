"""Matching a word against the words that are known: exact, then declared, then alike beyond doubt."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from groundframe.frames.likeness import closest, ranked, rivals
from groundframe.schema.vocabulary import fold

__all__ = ["Lexicon", "Match"]

Basis = Literal["exact", "declared", "plural", "fuzzy"]


@dataclass(frozen=True, slots=True)
class Match:
    """The canonical word that a text stands for, and how that is known."""

    word: str
    basis: Basis
    score: float | None = None


class Lexicon:
    """The words for a set of canonical ones.

    Parameters
    ----------
    words : iterable of (str, iterable of str)
        Each canonical word with the others that mean it. The first to claim a word has it.
    """

    def __init__(self, words: Iterable[tuple[str, Iterable[str]]]) -> None:
        entries = [(canonical, tuple(others)) for canonical, others in words]
        self.canonical = tuple(canonical for canonical, _ in entries)
        self.words: dict[str, str] = {}
        for canonical, _ in entries:
            self.words.setdefault(_key(canonical), canonical)
        for canonical, others in entries:
            for other in others:
                if other:
                    self.words.setdefault(_key(other), canonical)
        self._exact = frozenset(self.canonical)

    def match(self, text: str) -> Match | None:
        """What `text` stands for, None when that is not beyond doubt."""
        if text in self._exact:
            return Match(text, "exact")
        key = _key(text)
        if key in self.words:
            return Match(self.words[key], "declared")
        for singular in _singulars(key):
            if singular in self.words:
                return Match(self.words[singular], "plural")
        found = closest(key, self.words)
        return Match(found[0], "fuzzy", round(found[1], 3)) if found else None

    def rivals(self, text: str) -> tuple[str, ...]:
        """The canonical words that `text` may mean, where they are several."""
        return rivals(_key(text), self.words)

    def nearest(self, text: str) -> tuple[str, ...]:
        """At most three canonical words like `text`."""
        return ranked(_key(text), self.words)


def _key(text: str) -> str:
    return fold(text.replace("_", " "))


def _singulars(key: str) -> Iterable[str]:
    if len(key) > 3 and key.endswith("s") and not key.endswith("ss"):
        yield key[:-1]
        if key.endswith("es"):
            yield key[:-2]
        if key.endswith("ies"):
            yield key[:-3] + "y"
