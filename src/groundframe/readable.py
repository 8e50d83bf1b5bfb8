"""Whether a question that is offered reads as one: no word in it leads to nothing."""

from __future__ import annotations

from itertools import pairwise

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.tokens import tokenize

__all__ = ["flaws"]

_SIGNS = frozenset(".,;:?!()")
_LEADS = frozenset(words_of("offers", "leads"))
_NOT_AFTER = frozenset(words_of("offers", "not_after"))
_OPEN = frozenset(words_of("offers", "open"))
_FIXED = frozenset(tuple(phrase.split()) for phrase in words_of("offers", "fixed"))
_DEGREES = frozenset(words_of("offers", "degrees"))
_PERSONS = frozenset(words_of("offers", "persons"))


def flaws(question: str) -> frozenset[tuple[str, str]]:
    """Pairs of words that do not follow each other in a sentence, and words that its parts do not end with.

    Examples
    --------
    >>> sorted(flaws("injury injury crashes caused by"))
    [('by', ''), ('injury', 'injury')]
    >>> (
    ...     sorted(flaws("crashes involving near Copley Square")),
    ...     sorted(flaws("crashes with at least 2 people hurt")),
    ... )
    ([('involving', 'near')], [])
    """
    words = [token.text for token in tokenize(question)]
    words = ["" if word in _SIGNS else word for word in words]
    found = set[tuple[str, str]]()
    for place, (word, after) in enumerate(pairwise([*words, ""])):
        following = tuple(words[place + 1 : place + 3])
        fixed = (word, after) in _FIXED or following in _FIXED
        leads = word in _LEADS | _OPEN and (after in _NOT_AFTER or (not after and word in _LEADS))
        twice = word == after and word.isalpha()
        degree = word in _DEGREES and (after in _NOT_AFTER or after == "to")
        persons = word in _PERSONS and after in _PERSONS
        if ((leads or degree) and not fixed) or twice or persons:
            found.add((word, after))
    return frozenset(found)
