"""One slip of the finger."""

from __future__ import annotations

from random import Random

__all__ = ["typo"]

_ROWS = ("qwertyuiop", "asdfghjkl", "zxcvbnm")
_NEIGHBOURS = {
    key: "".join(
        other
        for number, near in enumerate(_ROWS)
        for other in near[max(0, place - 1) : place + 2]
        if abs(number - line) <= 1 and other != key
    )
    for line, row in enumerate(_ROWS)
    for place, key in enumerate(row)
}


def typo(rng: Random, text: str) -> str | None:
    """The text with two letters swapped, or one lost, doubled or mistaken; None where there are no letters.

    Digits stay: another number is another meaning, not a slip.

    Examples
    --------
    >>> [typo(Random(seed), "Medford") for seed in range(4)]
    ['Medforc', 'Mdeford', 'eMdford', 'Mdford']
    """
    places = [place for place, char in enumerate(text) if char.casefold() in _NEIGHBOURS]
    for _ in range(20):
        if not places:
            break
        place = rng.choice(places)
        slipped = _slip(rng, rng.choice(("swap", "drop", "double", "neighbour")), text, place)
        if slipped.casefold() != text.casefold() and slipped.strip():
            return slipped
    return None


def _slip(rng: Random, kind: str, text: str, place: int) -> str:
    char, before, after = text[place], text[:place], text[place + 1 :]
    match kind:
        case "swap":
            return before + after[0] + char + after[1:] if after[:1].isalpha() else text
        case "drop":
            return before + after
        case "double":
            return before + char + char + after
    near = rng.choice(_NEIGHBOURS[char.casefold()])
    return before + (near.upper() if char.isupper() else near) + after
