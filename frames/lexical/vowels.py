"""Words that are typed without some of their vowels: "crsh", "mny", "undr"."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Set

__all__ = ["WithoutVowels"]

_VOWELS = frozenset("aeiou")
_SHORTEST, _SHORTEST_NAME, _SURE = 3, 4, 5
"""Letters that are left of a word, of a name, and of a word with a vowel: with fewer it may be another."""


class WithoutVowels:
    """Finds the one word of which vowels are left out.

    Parameters
    ----------
    words : iterable of str
        In lower case.
    meanings : mapping
        What words mean: several of one meaning are in no doubt. Those that are not in it mean themselves.
    names : set of str, optional
        Those that are parts of names: no other word is meant by a short text.

    Examples
    --------
    >>> words = WithoutVowels(["crash", "crashes", "many", "money", "under"], {"crashes": "crash"})
    >>> words.full("crsh"), words.full("crshs"), words.full("undr")
    ('crash', 'crashes', 'under')
    >>> words.full("mny"), words.full("crushed")
    ('', '')

    "Mny" may be money. A short text with a vowel may be a word of its own: "last" is not "least".
    """

    def __init__(
        self, words: Iterable[str], meanings: Mapping[str, str], names: Set[str] = frozenset()
    ) -> None:
        self._meanings, self.names = meanings, names
        self._words: dict[str, list[str]] = {}
        for word in sorted({*words}):
            if word.isalpha():
                self._words.setdefault(_bones(word), []).append(word)

    def full(self, text: str) -> str:
        """The word that a text is short for; empty where there is none, or several."""
        if len(text) < _SHORTEST:
            return ""
        found = [word for word in self._words.get(_bones(text), ()) if _leaves_out(word, text)]
        if len(text) < _SURE and _VOWELS.intersection(text[1:]):
            found = [word for word in found if word in self.names and len(text) >= _SHORTEST_NAME]
        if len({self._meanings.get(word, word) for word in found}) != 1:
            return ""
        return min(found, key=lambda word: (len(word), word))


def _bones(word: str) -> str:
    """The word without its vowels, but for one that it begins with."""
    return word[:1] + "".join(letter for letter in word[1:] if letter not in _VOWELS)


def _leaves_out(word: str, text: str) -> bool:
    """Whether the text is the word without some vowels, and is not the word."""
    place = 0
    for letter in word:
        if place < len(text) and text[place] == letter:
            place += 1
        elif letter not in _VOWELS:
            return False
    return place == len(text) < len(word)
