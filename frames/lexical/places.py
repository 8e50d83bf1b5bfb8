"""Names of places in a question: those of the dataset, of the gazetteer, and what may be one of them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial

from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.tokens import Token
from groundframe.frames.likeness import closest
from groundframe.frames.names import NameIndex
from groundframe.schema.model import GAZETTEER, Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["Named", "Places"]

_MOST = 9
_ORDINAL = re.compile(r"\d*(?:1[123]th|[04-9]th|(?<!1)1st|(?<!1)2nd|(?<!1)3rd)")
_DEGREES = re.compile(r"-?\d{1,2}\.\d{2,}\s*(?:,\s*|\s)-?\d{1,3}\.\d+(?![\d.])")
_JOINTS = frozenset({"and", "&", "at", "/"})
_FEW = 25
"""Names up to which it is asked back which of them a part of a name means."""
_LIKE = 20_000
"""Names of one kind up to which a misspelling is looked for among them; stops and streets are too many."""


@dataclass(frozen=True, slots=True)
class Named:
    """A place that some tokens name.

    Parameters
    ----------
    size : int
        How many tokens name it.
    text : str
        As it stands in the question.
    kinds : tuple of str
        What bears the name, in the order in which the pack looks places up: entities, or the gazetteer.
    bare : bool
        Whether it is a street without the word for it: "Main and Elm".
    meets : bool
        Whether another street is named next that it meets somewhere: "Main Street and Elm Street".
    """

    size: int
    text: str
    kinds: tuple[str, ...]
    bare: bool = False
    meets: bool = False


class Places:
    """The names that a question may mention.

    Parameters
    ----------
    names : NameIndex, optional
        The names in the dataset; without it only the gazetteer is known.
    """

    def __init__(self, pack: Pack, names: NameIndex | None) -> None:
        self._pack = pack
        # The same parts of questions are looked up over and over while what may be meant is sought.
        self._folded = lru_cache(16_384)(partial(fold_name, pack=pack))
        self._kinds: dict[str, tuple[str, ...]] = {}
        self._areas = {entity.name for entity in pack.entities if "scope" in entity.roles}
        self._by_kind: dict[str, dict[str, str]] = {}
        order = [*pack.place_kinds(), *(one.name for one in pack.entities if one.name_field)]
        for kind in dict.fromkeys(order):
            if kind == GAZETTEER:
                found = [name for place in pack.gazetteer for name in (place.name, *place.aliases)]
            else:
                found = list(names.distinct_names(kind)) if names else []
            folded = {fold_name(name, pack) for name in found} - {""}
            for same in pack.name_aliases.get(kind, ()):
                keys = {fold_name(name, pack) for name in same}
                if len(keys & folded) == 1:
                    folded |= keys
            self._by_kind[kind] = {name: name for name in sorted(folded)}
            for name in folded:
                self._kinds[name] = (*self._kinds.get(name, ()), kind)
        self._listed = [place.name for place in pack.gazetteer if len(place.name.split()) == 2]
        lines = [entity.name for entity in pack.entities if "line" in entity.geometry and entity.name_field]
        self._lines = lines
        self._bare = {
            name.rpartition(" ")[0]: (kind,)
            for kind in lines
            for name in self._by_kind.get(kind, {})
            if " " in name
        }
        self._initials = _initials(pack)
        self._corners: dict[str, set[str]] = {}
        for entity in pack.entities:
            for name in self._by_kind.get(entity.name, {}) if entity.derived else ():
                streets = {street.strip() for street in name.split("&")}
                for street in streets if len(streets) > 1 else ():
                    self._corners.setdefault(street, set()).update(streets - {street})
        self._short = self._shortened(pack)
        self._parts: dict[str, set[str]] = {}
        for name in self._kinds:
            for word in name.split():
                self._parts.setdefault(word, set()).add(name)
        affixes = {fold_name(affix, pack) for affix in pack.name_affixes}
        self._affixes = {tuple(affix.split()) for affix in affixes if affix}

    def find(self, question: str, tokens: Sequence[Token], start: int) -> Named | None:
        """The longest name that begins with this token, or degrees of latitude and longitude."""
        if (degrees := _DEGREES.match(question, tokens[start].start)) is not None:
            size = sum(degrees.start() <= token.start < degrees.end() for token in tokens)
            return Named(size, degrees[0], (GAZETTEER,))
        if not tokens[start].text[0].isalnum():
            return None
        for stop in range(min(len(tokens), start + _MOST), start, -1):
            text = _said(question, tokens[start:stop])
            if not (text[0].isalnum() and text[-1].isalnum()) or _is_cut(tokens, stop):
                continue
            key = self._folded(text)
            if kinds := self._kinds.get(key):
                return Named(stop - start, text, kinds, meets=self._meets(question, tokens, key, stop))
            if stop - start > 1 and (full := self._written_out(key, tokens[stop : stop + 1])):
                return Named(stop - start, full, self._kinds[full])
        return None

    def _meets(self, question: str, tokens: Sequence[Token], key: str, joint: int) -> bool:
        """Whether a joint follows, and behind it a street that this one meets somewhere."""
        if key not in self._corners or joint >= len(tokens) or tokens[joint].text not in _JOINTS:
            return False
        ends = range(joint + 2, min(len(tokens), joint + 5) + 1)
        return any(
            self._folded(question[tokens[joint + 1].start : tokens[end - 1].end]) in self._corners[key]
            for end in ends
        )

    def _written_out(self, key: str, after: Sequence[Token]) -> str:
        """The name that a text is short for: "Quincy HS", "Jacob Hiatt Magnet"; empty where there is none."""
        full = " ".join(self._initials.get(word, word) for word in key.split())
        if full in self._kinds:
            return full
        ends = not after or not after[0].text.isalnum() or (after[0].stem,) in classes().words
        return self._short.get(full, "") if ends else ""

    def _shortened(self, pack: Pack) -> dict[str, str]:
        """Names without the word for what bears them, where that leaves two words and no doubt."""
        found: dict[str, list[str]] = {}
        for entity in pack.entities:
            if entity.name_field and "scope" not in entity.roles and "point" in entity.geometry:
                noun = f" {fold_name(entity.label, pack)}"
                for name in self._by_kind.get(entity.name, {}):
                    short = name.removesuffix(noun)
                    if short != name and " " in short and short not in self._kinds:
                        found.setdefault(short, []).append(name)
        return {short: names[0] for short, names in found.items() if len(names) == 1}

    @staticmethod
    def lettered(tokens: Sequence[Token], start: int) -> int:
        """How many tokens from here are a number with a letter, another road than the number alone: "2A"."""
        number = tokens[start] if 0 <= start < len(tokens) else None
        return 2 if number is not None and number.is_number() and _is_cut(tokens, start + 1) else 0

    def words_of_areas(self) -> frozenset[str]:
        """The words that names of areas are made of."""
        return frozenset(
            word for kind in self._areas for name in self._by_kind.get(kind, {}) for word in name.split()
        )

    def part(self, tokens: Sequence[Token], start: int) -> int:
        """How many tokens from here are words of one name, or of a few; a word of many names is none."""
        names: set[str] | None = None
        held = 0
        for size in range(1, len(tokens) - start + 1):
            word = self._folded(tokens[start + size - 1].text)
            own = set().union(*(self._parts.get(one, set()) for one in word.split()[:1]))
            names = own if names is None else names & own
            if not word or not names:
                return size - 1 if size > 1 and 0 < held <= _FEW else 0
            held = len(names)
        return len(tokens) - start if names and len(names) <= _FEW else 0

    def alike(self, text: str, *, areas: bool = False) -> tuple[str, ...]:
        """The first kind of place with a name that the text misspells; with `areas` only areas."""
        key = self._folded(text)
        if len(key) < 4:
            return ()
        for kind, words in self._by_kind.items():
            if areas and kind not in self._areas:
                continue
            if len(words) <= _LIKE and closest(key, words) is not None:
                return (kind,)
        return ()

    def corner(self, question: str, tokens: Sequence[Token], start: int) -> Named | None:
        """A street without the word for it, where another one follows or stands before: "Main and Elm"."""
        joint = next(
            (at for at in (start + 1, start - 1) if 0 <= at < len(tokens) and tokens[at].text in _JOINTS),
            None,
        )
        if joint is None:
            return None
        other = 2 * joint - start
        if not 0 <= other < len(tokens) or tokens[other].text not in self._bare | self._kinds:
            return None
        kinds = self._bare.get(tokens[start].text)
        text = question[tokens[start].start : tokens[start].end]
        return Named(1, text, kinds, bare=True) if kinds else None

    def shortened(self, token: Token) -> Named | None:
        """A place of the pack's own by the first of its two words: "Copley" of "Copley Square"."""
        found = [name for name in self._listed if name.rpartition(" ")[0].casefold() == token.text]
        return Named(1, found[0], (GAZETTEER,)) if len(found) == 1 else None

    def numbered(self, tokens: Sequence[Token], start: int) -> Named | None:
        """The one road that is called by this number: "on 93" is on Interstate 93."""
        number, following = tokens[start].text, tokens[start + 1 : start + 2]
        if not number.isdecimal() or (following and following[0].glued and following[0].text.isalpha()):
            return None  # "3rd"
        found = [
            name
            for kind in self._lines
            for name in self._by_kind.get(kind, {})
            if name.split()[1:] == [number]
        ]
        return Named(1, found[0], self._kinds[found[0]]) if len(found) == 1 else None

    def ordinal(self, tokens: Sequence[Token], start: int) -> tuple[int, Named | None]:
        """How many tokens are a street that is counted, "3rd" or "3rd St", and the one that begins so."""
        word = "".join(token.text for token in tokens[start : start + 2])
        glued = len(tokens) > start + 1 and tokens[start + 1].glued
        if not glued or not _ORDINAL.fullmatch(word):
            return 0, None
        found = {
            name: kinds
            for name, kinds in self._kinds.items()
            if name.split()[0] == word and set(self._lines) & set(kinds)
        }
        name = next(iter(found)) if len(found) == 1 else ""
        kind = "".join(token.text for token in tokens[start + 2 : start + 3])
        ends = {one.split()[-1] for line in self._lines for one in self._by_kind.get(line, {})}
        size = 2 + (self._folded(kind) in ends)
        return size, Named(size, name, found[name]) if name and size == 2 else None

    def affix(self, tokens: Sequence[Token], start: int) -> int:
        """How many tokens from here may stand beside a place's name without changing what it names."""
        for size in (4, 3, 2, 1):
            key = tuple(token.text for token in tokens[start : start + size])
            folded = tuple(self._folded(" ".join(key)).split())
            if len(key) == size and key[-1].isalnum() and folded in self._affixes:
                return size
        return 0


def _said(question: str, tokens: Sequence[Token]) -> str:
    """What some tokens are in the question, with the words of which they were slips."""
    said, end = "", tokens[0].start
    for token in tokens:
        typed = question[token.start : token.end]
        said += question[end : token.start] + (typed if len(typed) == len(token.text) else token.text)
        end = token.end
    return said


def _is_cut(tokens: Sequence[Token], stop: int) -> bool:
    """Whether a letter that belongs to the last number comes next: "Route 3A" is not Route 3."""
    following = tokens[stop] if stop < len(tokens) else None
    letter = (
        following is not None and following.glued and len(following.text) == 1 and following.text.isalpha()
    )
    return letter and tokens[stop - 1].is_number()


def _initials(pack: Pack) -> dict[str, str]:
    """Kinds of things by the first letters of their words, as names are written: "HS" for "high school"."""
    found: dict[str, str] = {}
    for entity in pack.entities:
        noun = entity.label.casefold()
        for value in (value for field in entity.fields for value in field.values if entity.name_field):
            for phrase in value.synonyms:
                words = phrase.casefold().split()
                if len(words) > 1 and words[-1] == noun:
                    found.setdefault("".join(word[0] for word in words), " ".join(words))
    return {short: phrase for short, phrase in found.items() if short not in pack.name_abbreviations}
