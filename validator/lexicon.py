"""Matching a word against the words that are known: exact, then declared, then alike beyond doubt."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from rapidfuzz import process
from rapidfuzz.distance import OSA

from groundframe.schema.vocabulary import fold

__all__ = ["Lexicon", "Match", "closest", "digits", "ranked", "rivals"]

Basis = Literal["exact", "declared", "plural", "fuzzy"]

MAX_EDITS = 2
MIN_SCORES = {1: 0.75, 2: 0.8}
"""The least score by the number of edits: one edit in a word of four letters is still a slip."""
SUGGESTION_SCORE = 0.5
_DIGITS = re.compile(r"\d+")


@dataclass(frozen=True, slots=True)
class Match:
    """The canonical word that a text stands for, and how that is known."""

    word: str
    basis: Basis
    score: float | None = None


def closest(text: str, words: Mapping[str, str]) -> tuple[str, float] | None:
    """The one canonical word that `text` misspells, with its score, or None when that is not beyond doubt.

    One edit (a letter added, lost, changed or swapped with its neighbour) is accepted when no other word is
    as near; two when every other word is at least four away. Numbers in a word are never a misspelling.

    Examples
    --------
    >>> closest("medfrod", {"medford": "Medford", "bedford": "Bedford"})
    ('Medford', 0.857...)
    >>> closest("redford", {"medford": "Medford", "bedford": "Bedford"}) is None
    True
    """
    near = _near(text, words)
    if not near:
        return None
    best, _, score = near[0]
    return (words[best], score) if len(_in_doubt(near, words)) == 1 else None


def rivals(text: str, words: Mapping[str, str]) -> tuple[str, ...]:
    """The canonical words of which `text` may be a misspelling, where there are several; nearest first.

    Examples
    --------
    >>> rivals("redford", {"medford": "Medford", "bedford": "Bedford", "boston": "Boston"})
    ('Bedford', 'Medford')
    """
    found = _in_doubt(_near(text, words), words)
    return found if len(found) > 1 else ()


def _in_doubt(near: list[tuple[str, int, float]], words: Mapping[str, str]) -> tuple[str, ...]:
    """The canonical words that are about as near as the nearest; none when that is too far."""
    if not near or near[0][2] < MIN_SCORES[near[0][1]]:
        return ()
    least = near[0][1]
    margin = 1 if least == 1 else 2
    return tuple(dict.fromkeys(words[word] for word, edits, _ in near if edits < least + margin))


def ranked(
    text: str, words: Mapping[str, str], limit: int = 3, cutoff: float = SUGGESTION_SCORE
) -> tuple[str, ...]:
    """At most `limit` canonical words that are most like `text`, best first."""
    found = process.extract(
        text, list(words), scorer=OSA.normalized_similarity, score_cutoff=cutoff, limit=4 * limit
    )
    ordered = sorted(found, key=lambda item: (-item[1], words[item[0]]))
    return tuple(dict.fromkeys(words[word] for word, _, _ in ordered))[:limit]


def digits(text: str) -> list[str]:
    """The numbers in a text; they are never a misspelling of each other."""
    return _DIGITS.findall(text)


def _near(text: str, words: Mapping[str, str]) -> list[tuple[str, int, float]]:
    """Words within four edits: (word, edits, score), nearest first."""
    found = process.extract(text, list(words), scorer=OSA.distance, score_cutoff=MAX_EDITS + 2, limit=None)
    numbers = digits(text)
    near = [
        (word, int(edits), 1 - edits / max(len(word), len(text), 1))
        for word, edits, _ in found
        if edits and digits(word) == numbers
    ]
    near.sort(key=lambda item: (item[1], item[0]))
    return near if near and near[0][1] <= MAX_EDITS else []


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
