"""The names of a dataset, ready to be looked up: exact, then declared aliases, then alike beyond doubt."""

from __future__ import annotations

import re
from collections import OrderedDict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from groundframe.frames.likeness import closest, digits, ranked
from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["Hit", "NameBook", "name_book", "street_parts"]

Basis = Literal["exact", "alias", "without_part", "fuzzy"]

_BRACKETED = re.compile(r"\([^()]*\)")
_BETWEEN_STREETS = re.compile(r"&|@|/|\band\b|\bat\b|\bwith\b", re.IGNORECASE)
_MANY = 25


@dataclass(frozen=True, slots=True)
class Hit:
    """Names of the dataset that a text stands for, how that is known, and a score when it is by likeness."""

    names: tuple[str, ...]
    basis: Basis
    score: float | None = None


class NameBook:
    """The names of one entity, or of the gazetteer.

    Parameters
    ----------
    names : iterable of str
        As they stand in the dataset.
    pack : Pack
        For its abbreviations, affixes and aliases.
    entity : str
        Whose aliases hold.
    """

    def __init__(self, names: Iterable[str], pack: Pack, entity: str = "") -> None:
        self._pack = pack
        self._names: dict[str, tuple[str, ...]] = {}
        for name in names:
            key = fold_name(name, pack)
            if key:
                self._names[key] = (*self._names.get(key, ()), name)
        self._aliases: dict[str, str] = {}
        for same in pack.name_aliases.get(entity, ()):
            keys = [fold_name(name, pack) for name in same]
            known = [key for key in keys if key in self._names]
            # Where a dataset holds several of the names they are different features there.
            if len(known) == 1:
                self._aliases |= {key: known[0] for key in keys if key != known[0]}
        self._words = {key: key for key in self._names} | self._aliases
        self._affixes = sorted(
            {fold_name(affix, pack) for affix in pack.name_affixes}, key=lambda word: -len(word)
        )

    def find(self, text: str, *, alike: bool = True) -> Hit | None:
        """The names that `text` stands for; with ``alike=False`` only exact and declared ones."""
        key = fold_name(text, self._pack)
        if key in self._names:
            return Hit(self._names[key], "exact")
        if key in self._aliases:
            return Hit(self._names[self._aliases[key]], "alias")
        for bare in self._bare(key):
            if bare in self._words:
                return Hit(self._names[self._words[bare]], "alias")
        shortened = fold_name(_BRACKETED.sub(" ", text), self._pack)
        if shortened != key and shortened in self._words:
            return Hit(self._names[self._words[shortened]], "without_part")
        found = closest(key, self._words) if alike and key else None
        return Hit(self._names[found[0]], "fuzzy", round(found[1], 3)) if found else None

    def similar(self, text: str) -> tuple[str, ...]:
        """Names that may be meant: those much like `text`, and those that contain all its words."""
        key = fold_name(text, self._pack)
        words, numbers = set(key.split()), digits(key)
        within = [name for name in self._names if words and words <= set(name.split())]
        alike = ranked(key, self._words, limit=5, cutoff=0.75)
        keys = dict.fromkeys((*alike, *(within if len(within) <= _MANY else ())))
        return tuple(name for one in keys if digits(one) == numbers for name in self._names[one])

    def nearest(self, text: str) -> tuple[str, ...]:
        """At most three names like `text`, for a message."""
        return tuple(self._names[key][0] for key in ranked(fold_name(text, self._pack), self._words))

    def crossing(self, streets: Sequence[str]) -> Hit | None:
        """The intersections, named ``A & B``, where all of `streets` meet."""
        wanted = [fold_name(street, self._pack) for street in streets]
        if len(wanted) < 2 or not all(wanted):
            return None
        parts = {key: frozenset(part.strip() for part in key.split("&")) for key in self._names}
        known = {part: part for group in parts.values() for part in group}
        basis: Basis = "exact"
        scores: list[float] = []
        options: list[frozenset[str]] = []
        for street in wanted:
            whole = frozenset({street} & known.keys()) or frozenset(
                p for p in known if p.rpartition(" ")[0] == street
            )
            if not whole and (match := closest(street, known)):
                whole = frozenset({match[0]})
                scores.append(match[1])
            basis = basis if street in known else "fuzzy"
            options.append(whole)
        names = [name for key, group in parts.items() if _meets(group, options) for name in self._names[key]]
        return Hit(tuple(sorted(names)), basis, round(min(scores), 3) if scores else None) if names else None

    def _bare(self, key: str) -> Iterable[str]:
        """The text with fewer and fewer of the affixes that do not change what it names."""
        shorter = True
        while shorter:
            shorter = False
            for affix in self._affixes:
                bare = key.removeprefix(f"{affix} ").removesuffix(f" {affix}")
                if bare != key:
                    key, shorter = bare, True
                    yield key


def _meets(group: frozenset[str], options: Sequence[frozenset[str]]) -> bool:
    """Whether every wanted street is one of the group, each another one."""
    found = [group & option for option in options]
    return all(found) and len(frozenset().union(*found)) >= len(options)


def street_parts(names: Sequence[str]) -> tuple[str, ...]:
    """The streets of an intersection, given one by one or as ``"A & B"``.

    Examples
    --------
    >>> street_parts(["Hampshire at Cambridge street"])
    ('Hampshire', 'Cambridge street')
    """
    parts = (part.strip() for name in names for part in _BETWEEN_STREETS.split(name))
    return tuple(part for part in parts if part)


_BOOKS: OrderedDict[tuple[str, str, tuple[str, ...]], NameBook] = OrderedDict()


def name_book(names: Sequence[str], pack: Pack, entity: str) -> NameBook:
    """The book of these names; built once for the same names and pack."""
    key = (pack.digest, entity, tuple(names))
    if key not in _BOOKS:
        _BOOKS[key] = NameBook(names, pack, entity)
        while len(_BOOKS) > 16:
            _BOOKS.popitem(last=False)
    _BOOKS.move_to_end(key)
    return _BOOKS[key]
