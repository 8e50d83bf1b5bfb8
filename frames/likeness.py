"""Which of the words that are known a text misspells, where that is beyond doubt, and which are like it."""

from __future__ import annotations

import re
from collections.abc import Mapping

from rapidfuzz import process
from rapidfuzz.distance import OSA

__all__ = ["closest", "digits", "ranked", "rivals"]

MAX_EDITS = 2
MIN_SCORES = {1: 0.75, 2: 0.8}
"""The least score by the number of edits: one edit in a word of four letters is still a slip."""
SUGGESTION_SCORE = 0.7
"""The least score of what was perhaps meant: seven of ten letters are the same."""
SHARING_SCORE = 0.5
"""The least score where a whole word is the same, as in "severity level" for "crash severity"."""
_SHARED = 4
_DIGITS = re.compile(r"\d+(?:[a-z](?![a-z]))?")  # "2A" is another road than "2", and "2nd" is 2


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
    text: str, words: Mapping[str, str], limit: int = 3, cutoff: float | None = None
) -> tuple[str, ...]:
    """At most `limit` canonical words that are most like `text`, best first; none where none is like it.

    With a `cutoff` none has a lower score, whatever it shares with the text.

    Examples
    --------
    >>> ranked("medfrd", {"medford": "Medford", "bedford": "Bedford"})
    ('Medford', 'Bedford')
    >>> ranked("nowhereville", {"somerville": "Somerville"})
    ()
    """
    least = SHARING_SCORE if cutoff is None else cutoff
    found = process.extract(
        text, list(words), scorer=OSA.normalized_similarity, score_cutoff=least, limit=None
    )
    own = {word for word in text.split() if len(word) >= _SHARED}
    enough = SUGGESTION_SCORE if cutoff is None else cutoff
    alike = [item for item in found if item[1] >= enough or own & set(item[0].split())]
    ordered = sorted(alike, key=lambda item: (-item[1], words[item[0]]))
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
