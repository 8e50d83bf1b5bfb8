"""What people type instead of words: abbreviations, and feasts instead of days."""

from __future__ import annotations

from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.tokens import Token, rewritten, tokenize

__all__ = ["dated", "spelt"]


def spelt(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with what people type instead of words written out."""
    spellings = classes().spellings

    def instead(place: int, size: int) -> tuple[list[Token], int] | None:
        part = tokens[place : place + size]
        following = tokens[place + 1].text if place + 1 < len(tokens) else ""
        if size == 1 and part[0].text == "an" and place and _is_and(following):
            return [Token("and", part[0].start, part[0].end, part[0].glued)], 1
        glued = all(token.glued or token.text.isalpha() for token in part[1:])
        word = spellings.get(tuple(token.text for token in part)) if glued else None
        if word is None:
            return None
        start, end = part[0].start, part[-1].end
        return [Token(one.text, start, end, bool(n)) for n, one in enumerate(tokenize(word))], size

    return rewritten(tokens, 3, instead)


def _is_and(following: str) -> bool:
    """Whether "an" cannot be the article of what follows: "charter an private schools"."""
    return len(following) > 3 and following.isalpha() and following[0] not in "aeiouh"


def dated(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with feasts that have one day in every year as their days: "Christmas 2023"."""
    feasts = classes().feasts

    def instead(place: int, size: int) -> tuple[list[Token], int] | None:
        part = tokens[place : place + size]
        day = feasts.get(tuple(token.text for token in part))
        after = [token.text for token in tokens[place + size : place + size + 2]]
        year = next((n for n in (0, 1) if _is_year(after, n)), None)
        if day is None:
            return None
        start, end = part[0].start, part[-1].end
        return [Token(one, start, end) for one in day], size + (year or 0)

    return rewritten(tokens, 4, instead)


def _is_year(words: list[str], place: int) -> bool:
    if place >= len(words) or not (words[place].isdecimal() and len(words[place]) == 4):
        return False
    return place == 0 or words[0] in ("of", "in", ",")
