"""A question as tokens that know where they stand."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

__all__ = ["Token", "rewritten", "stem", "stems", "tokenize"]

_TOKEN = re.compile(
    r"[1-9]\d{0,2}(?: 000)+(?![\d.])|\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?|\.\d+"
    r"|[^\W\d_]+(?:'(?!s\b)[^\W\d_]+)*|'s\b|[<>]=|[^\w\s]|_+"
)
_QUOTES = str.maketrans("\u2018\u2019\u02bc\u201c\u201d", "'''\"\"")
_ES = ("ches", "shes", "xes", "sses", "zes", "uses")


@dataclass(frozen=True, slots=True)
class Token:
    """One word, number or sign.

    Parameters
    ----------
    text : str
        Folded: case, accents and typographic quotes are gone.
    start, end : int
        Where it stands in the question.
    glued : bool
        Whether nothing stands between it and the token before.
    hyphened : bool
        Whether a hyphen stands between the two that was dropped: "Mon-Fri".
    """

    text: str
    start: int
    end: int
    glued: bool = False
    hyphened: bool = False

    @property
    def stem(self) -> str:
        """The word without the ending of a plural."""
        return stem(self.text)

    def is_number(self) -> bool:
        """Whether it is written in digits."""
        return self.text[0].isdigit() or (self.text[0] == "." and len(self.text) > 1)


def rewritten(
    tokens: Sequence[Token], longest: int, instead: Callable[[int, int], tuple[Sequence[Token], int] | None]
) -> tuple[Token, ...]:
    """The tokens with phrases replaced, of those that begin together the longest.

    Parameters
    ----------
    instead : callable
        Takes the place and the length of a phrase; gives the tokens in its place and how many they are for,
        None where it stays.
    """
    made, place = list[Token](), 0
    while place < len(tokens):
        sizes = range(min(longest, len(tokens) - place), 0, -1)
        others, taken = next(filter(None, (instead(place, size) for size in sizes)), ((tokens[place],), 1))
        made += others
        place += taken
    return tuple(made)


_OPEN = ("present", "now", "today")


def tokenize(text: str) -> tuple[Token, ...]:
    """The tokens of a text; hyphens between words are dropped, as they come and go.

    Examples
    --------
    >>> [token.text for token in tokenize("Quincy's 40+ mph T-intersections, 2019-2021")]
    ['quincy', "'s", '40', '+', 'mph', 't', 'intersections', ',', '2019', '-', '2021']
    """
    plain = "".join(_folded(char) for char in text.translate(_QUOTES))
    found = [(m[0].replace(" ", ""), m.start(), m.end()) for m in _TOKEN.finditer(plain)]
    tokens: list[Token] = []
    for place, (word, start, end) in enumerate(found):
        after = found[place + 1] if place + 1 < len(found) else None
        joined = bool(tokens) and after is not None and tokens[-1].end == start and after[1] == end
        # Before a number it may say a span: "10pm-2am", "2019-2021"; so it may behind one: "2019-present".
        spans = after is not None and (
            after[0][0].isdigit() or (after[0] in _OPEN and tokens[-1:] and tokens[-1].is_number())
        )
        if word == "-" and joined and not spans:
            continue
        glued = bool(tokens) and tokens[-1].end == start
        hyphened = bool(tokens) and tokens[-1].end == start - 1 and plain[start - 1] == "-"
        tokens.append(Token(word, start, end, glued, hyphened))
    return tuple(tokens)


@lru_cache(4096)  # A pack's vocabulary has some hundred thousand characters, and few of them differ.
def _folded(char: str) -> str:
    """One character for one, so that places in the text stay what they are."""
    if unicodedata.category(char).startswith("C"):
        return " "
    plain = [one for one in unicodedata.normalize("NFKD", char) if not unicodedata.combining(one)]
    folded = plain[0].casefold() if len(plain) == 1 else char
    return folded if len(folded) == 1 else char


@lru_cache(4096)
def stem(word: str) -> str:
    """The word without the ending of a plural; the same for a word and its plural, and no more than that.

    Examples
    --------
    >>> stem("crashes"), stem("cities"), stem("bus"), stem("mass")
    ('crash', 'city', 'bus', 'mass')
    """
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    return word[:-2] if word.endswith(_ES) else word[:-1]


def stems(text: str) -> tuple[str, ...]:
    """The stems of a phrase, as it is looked up."""
    return tuple(token.stem for token in tokenize(text))
