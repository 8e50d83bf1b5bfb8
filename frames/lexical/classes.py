"""The function words of English and the units, as `words.yaml` has them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from groundframe.frames.lexical.tokens import stems, tokenize
from groundframe.schema.packs import read_yaml

__all__ = ["Classes", "classes", "instead", "words_of"]


@dataclass(frozen=True)
class Classes:
    """The words that belong to no pack.

    Attributes
    ----------
    words : dict
        Phrase, as stems, to the classes that it stands in.
    units : dict
        Word of a unit, as stems, to what it measures.
    reasons : dict
        Phrase, as stems, to the reason why a question with it is not answered.
    firm : frozenset of str
        Those of the reasons beside which nothing else of a question is answered either.
    bound : frozenset of str
        Those that are given only where something of the data is named.
    spellings : dict
        What people type instead of a word, as the texts of its tokens, to the word.
    feasts : dict
        Feast, as the texts of its tokens, to its day, as the texts of its tokens.
    moving : dict
        Feast that moves, as the texts of its tokens, to the rule of its day.
    opposites : dict
        Superlative to the adjective of which it is the least: "shortest" to "long".
    surface : frozenset of str
        All words as they are written, those of times among them, for slips.
    real : frozenset of str
        Words that are slips for no others, however near.
    """

    words: dict[tuple[str, ...], frozenset[str]]
    units: dict[tuple[str, ...], str]
    reasons: dict[tuple[str, ...], str]
    firm: frozenset[str]
    bound: frozenset[str]
    spellings: dict[tuple[str, ...], str]
    feasts: dict[tuple[str, ...], tuple[str, ...]]
    moving: dict[tuple[str, ...], str]
    opposites: dict[str, str]
    surface: frozenset[str]
    real: frozenset[str]


@cache
def _document() -> dict[str, Any]:
    document: dict[str, Any] = read_yaml(Path(__file__).with_name("words.yaml"))
    return document


def words_of(section: str, name: str) -> tuple[str, ...]:
    """The words listed under a name of a section, in their order.

    Examples
    --------
    >>> words_of("times", "days")[0]
    'monday'
    """
    return tuple(_document()[section][name])


def instead() -> dict[str, list[str]]:
    """Vague phrases to what may be meant by them, as a question says it."""
    return dict(_document()["instead"])


@cache
def classes() -> Classes:
    """The classes, read once."""
    document = _document()
    words: dict[tuple[str, ...], set[str]] = {}
    for name, phrases in document["classes"].items():
        for phrase in phrases:
            # "more then five" is typed as often as "more than five".
            for typed in {phrase, phrase.replace(" than", " then")}:
                words.setdefault(stems(typed), set()).add(name)
    units = {stems(word): kind for kind, listed in document["units"].items() for word in listed}
    reasons = {stems(word): entry["reason"] for entry in document["unsupported"] for word in entry["words"]}
    firm, bound = (
        frozenset(entry["reason"] for entry in document["unsupported"] if entry.get(mark))
        for mark in ("firm", "bound")
    )
    spellings = {
        tuple(token.text for token in tokenize(typed)): word
        for word, listed in document["spellings"].items()
        for typed in listed
    }
    times = (*words_of("times", "months"), *words_of("times", "days"), *words_of("times", "parts"))
    phrases = (*times, *(phrase for listed in document["classes"].values() for phrase in listed))
    surface = frozenset(token.text for phrase in phrases for token in tokenize(str(phrase)))
    named = {key: frozenset(names) for key, names in words.items()}
    feasts = {
        tuple(token.text for token in tokenize(feast)): tuple(token.text for token in tokenize(day))
        for feast, day in document["feasts"].items()
    }
    moving = {
        tuple(token.text for token in tokenize(feast)): str(rule)
        for feast, rule in document["moving_feasts"].items()
    }
    return Classes(
        named,
        units,
        reasons,
        firm,
        bound,
        spellings,
        feasts,
        moving,
        dict(document["opposites"]),
        surface,
        frozenset(document["real"]),
    )
