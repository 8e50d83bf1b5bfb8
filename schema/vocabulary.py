"""How words are compared: one folding for values, one for names, used at load and in validation alike."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache

from groundframe.schema.model import EntityField, Pack

__all__ = ["ValueIndex", "fold", "fold_name", "value_index"]

_SPACE = re.compile(r"\s+")
_APOSTROPHES = str.maketrans("", "", "'\u2019")
_NOT_WORD = re.compile(r"[^\w&]+")


def fold(text: str) -> str:
    """Text for comparison: Unicode NFKC, case-folded, white space collapsed and trimmed.

    Examples
    --------
    >>> fold("  Not   Reported ")
    'not reported'
    """
    return _SPACE.sub(" ", unicodedata.normalize("NFKC", text)).strip().casefold()


class ValueIndex:
    """The canonical values of a category by the words that mean them.

    ``official`` holds canonical values and declared aliases, which data may use; ``everyday`` holds synonyms,
    which only frames may use; ``groups`` holds the words for a set of values.
    """

    def __init__(self, field: EntityField) -> None:
        self.official: dict[str, str] = {}
        self.everyday: dict[str, str] = {}
        self.groups: dict[str, tuple[str, ...]] = {}
        for value in field.values:
            for word in (value.value, value.label, *value.aliases):
                if word:
                    self.official.setdefault(fold(word), value.value)
        for value in field.values:
            for word in value.synonyms:
                self.everyday.setdefault(fold(word), value.value)
        for name, members in field.groups.items():
            for word in (name, *field.group_synonyms.get(name, ())):
                self.groups.setdefault(fold(word), members)


def value_index(field: EntityField) -> ValueIndex:
    """The index of a field's values; built once per field content."""
    return _cached_index(field.model_dump_json())


@lru_cache(maxsize=256)
def _cached_index(content: str) -> ValueIndex:
    return ValueIndex(EntityField.model_validate_json(content))


@lru_cache(maxsize=200_000)
def _folded_words(text: str) -> tuple[str, ...]:
    plain = unicodedata.normalize("NFKD", text.translate(_APOSTROPHES))
    plain = "".join(char for char in plain if not unicodedata.combining(char)).casefold()
    return tuple(_NOT_WORD.sub(" ", plain).split())


def fold_name(name: str, pack: Pack) -> str:
    """A name for comparison: accents, case and punctuation dropped, the pack's abbreviations written out.

    Affixes ("city of") stay; the validator tries a name without them only when the whole name is unknown.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> fold_name("Massachusetts Ave.", load_pack("massachusetts"))
    'massachusetts avenue'
    """
    written_out = pack.name_abbreviations
    return " ".join(written_out.get(word, word) for word in _folded_words(name))
