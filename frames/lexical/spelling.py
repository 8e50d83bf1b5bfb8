"""What people type instead of words: abbreviations, and feasts instead of days."""

from __future__ import annotations

from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.tokens import Token, tokenize

__all__ = ["dated", "spelt"]


def spelt(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with what people type instead of words written out."""
    spellings, made, place = classes().spellings, list[Token](), 0
    while place < len(tokens):
        for size in (3, 2, 1):
            part = tokens[place : place + size]
            glued = all(token.glued for token in part[1:])
            word = spellings.get(tuple(token.text for token in part)) if len(part) == size and glued else None
            if word is not None:
                start, end = part[0].start, part[-1].end
                made += [Token(one.text, start, end, bool(n)) for n, one in enumerate(tokenize(word))]
                place += size
                break
        else:
            made.append(tokens[place])
            place += 1
    return tuple(made)


def dated(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with feasts of a given year as their days: "Christmas 2023"."""
    feasts, made, place = classes().feasts, list[Token](), 0
    while place < len(tokens):
        for size in (4, 3, 2, 1):
            part = tokens[place : place + size]
            day = feasts.get(tuple(token.text for token in part)) if len(part) == size else None
            after = [token.text for token in tokens[place + size : place + size + 2]]
            year = next((n for n in (0, 1) if _is_year(after, n)), None)
            if day is not None and year is not None:
                start, end = part[0].start, part[-1].end
                made += [Token(one, start, end, bool(n)) for n, one in enumerate(day)]
                place += size + year
                break
        else:
            made.append(tokens[place])
            place += 1
    return tuple(made)


def _is_year(words: list[str], place: int) -> bool:
    if place >= len(words) or not (words[place].isdecimal() and len(words[place]) == 4):
        return False
    return place == 0 or words[0] in ("of", "in", ",")
