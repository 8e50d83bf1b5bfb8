"""The words of a pack with what they may mean in a question."""

from __future__ import annotations

from collections import Counter, OrderedDict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from groundframe.frames.lexical.classes import classes, instead
from groundframe.frames.lexical.tokens import stems, tokenize
from groundframe.schema.model import Entity, EntityField, Pack
from groundframe.schema.predicate import Condition

__all__ = ["Sense", "Vocabulary", "field_of", "vocabulary"]

Kind = Literal["entity", "concept", "value", "field", "measure", "period"]
Key = tuple[str, ...]
_COUNTS = frozenset({"how_many", "bucket_date"})
_NO_NOUNS = frozenset({"filler", "with", "of", "a"})


@dataclass(frozen=True, slots=True)
class Sense:
    """One thing that a phrase may mean.

    Parameters
    ----------
    name : str
        Of the concept, measure or period; of the field, for a value too.
    entity : str
        Whose it is; the entity itself for the kind ``entity``.
    values : tuple of str
        The canonical values of a ``value``.
    noun : bool
        Whether the phrase names the entity as well ("high school").
    """

    kind: Kind
    entity: str
    name: str = ""
    values: tuple[str, ...] = ()
    noun: bool = False


def field_of(pack: Pack, entity: str, name: str) -> EntityField | None:
    """The field of an entity that may be asked for, None when it has none of that name."""
    found = next((one for one in pack.entity(entity).fields if one.name == name), None)
    return None if found is None or found.internal else found


class Vocabulary:
    """What the phrases of a pack mean.

    Attributes
    ----------
    senses : dict
        Phrase, as stems, to its senses.
    bound : dict
        Words for a value that say nothing without its field: entity and field to phrase to values.
    reasons : dict
        Words for what the pack has no data on, as stems, to the reason that is given.
    instead : dict
        Vague phrases, as stems, to what may be meant by them.
    words : dict
        The words of which another may be a slip, each to itself.
    meanings : dict
        The same words to what they mean: a slip of two words of one meaning is in no doubt.
    """

    def __init__(self, pack: Pack) -> None:
        self.senses: dict[Key, list[Sense]] = {}
        self.bound: dict[tuple[str, str], dict[Key, tuple[str, ...]]] = {}
        self._surface = {token.text for phrase in _phrases(pack) for token in tokenize(phrase)}
        self._nouns = {entity.name: _nouns(entity) for entity in pack.entities}
        for entity in pack.entities:
            for word in (entity.label, entity.plural, *entity.synonyms):
                self._add(stems(word), Sense("entity", entity.name))
        for measure in pack.measures:
            if measure.kind != "count":
                for word in (measure.label, *measure.aliases, *measure.synonyms):
                    self._add(stems(word), Sense("measure", measure.entity, measure.name))
        for concept in pack.concepts:
            owner = pack.entity(concept.entity)
            for phrase in (concept.label, *concept.synonyms):
                key = stems(phrase)
                bare = _without_noun(self._nouns[owner.name], key)
                self._add(key, Sense("concept", owner.name, concept.name, noun=bare != key))
                self._add(bare, Sense("concept", owner.name, concept.name))
        covered = _covered(pack)
        for entity in pack.entities:
            self._values(entity, covered)
        for entity in pack.entities:
            for field in entity.fields:
                if not field.internal and field.type not in ("date", "time_of_day"):
                    for word in (field.label, field.name.replace("_", " "), *field.synonyms):
                        key = stems(word)
                        # One or two words must not end in one for time or number.
                        last = classes().words.get(key[-1:], frozenset())
                        counts = bool(last) and last <= _COUNTS
                        led = not _is_functional(key[-1:]) or _is_filler(key[-1:]) or "of" in last or counts
                        if len(key) > 2 or led or (len(key) == 2 and field.type == "text"):
                            self._add(key, Sense("field", entity.name, field.name))
        for period in pack.periods:
            for word in (period.label, *period.synonyms):
                # "in the morning" must not cut "in the morning rush" short.
                leads = ("", "in the ", "during the ") if " " in word else ("",)
                for lead in leads if not word.startswith(("in ", "during ", "at ")) else ("",):
                    self._add(stems(f"{lead}{word}"), Sense("period", "", period.name))
        why = f"The data record nothing of the kind; they are those of {pack.title}."
        self.reasons: dict[Key, str] = {stems(word): why for word in pack.not_recorded}
        vague = {**instead(), **pack.instead}
        self.instead: dict[Key, tuple[str, ...]] = {stems(one): tuple(said) for one, said in vague.items()}
        known = (word for key in (*self.senses, *classes().words) for word in key)
        said = (*known, *self._surface, *classes().surface)
        self.words = {word: word for word in said if len(word) > 3 and word.isalpha()}
        self.meanings = {word: self._meaning(word) for word in self.words}

    def _meaning(self, word: str) -> str:
        """What a word alone means, as a key: the same for singular and plural, and for synonyms."""
        key = stems(word)
        senses, listed = self.senses.get(key), classes().words.get(key)
        return f"{senses} {sorted(listed or ())}" if senses else " ".join(key)

    def _add(self, key: Key, sense: Sense) -> None:
        if key and sense not in self.senses.setdefault(key, []):
            self.senses[key].append(sense)

    def _values(self, entity: Entity, covered: dict[tuple[str, str, frozenset[str]], str]) -> None:
        """The values of an entity's categories; where two fields share a word the first comes first."""
        fields = [one for one in entity.fields if one.type.startswith("category") and not one.internal]
        phrases = {field.name: list(_value_keys(entity, field)) for field in fields}
        shared = Counter(key for found in phrases.values() for key in {key for key, _ in found})
        for field in fields:
            bound = self.bound.setdefault((entity.name, field.name), {})
            for key, values in phrases[field.name]:
                bound.setdefault(key, values)
                short = len(key) == 1 and len(key[0]) < 3 and key not in _said(field)
                alone = not short and not field.none_value and not set(values) & set(field.unknown_values)
                concept = covered.get((entity.name, field.name, frozenset(values)))
                if (
                    not alone
                    or (shared[key] > 2 and not concept)
                    or _is_functional(key)
                    or (len(key) == 1 and key[0].isdigit())
                ):
                    continue
                noun = _without_noun(self._nouns[entity.name], key) != key
                if concept:
                    self._add(key, Sense("concept", entity.name, concept, noun=noun))
                else:
                    self._add(key, Sense("value", entity.name, field.name, values, noun))


def _phrases(pack: Pack) -> Iterator[str]:
    """Everything that people write, plurals as they are, so that a slip in one is seen."""
    for one in pack.entities:
        yield from (one.label, one.plural, *one.synonyms)
        for field in one.fields:
            yield from (field.label, *field.synonyms)
            for value in field.values:
                yield from (value.label, *value.synonyms)
            for words in field.group_synonyms.values():
                yield from words
    for label, synonyms in [
        *((one.label, one.synonyms) for one in pack.concepts),
        *((one.label, one.synonyms) for one in pack.measures),
        *((one.label, one.synonyms) for one in pack.periods),
    ]:
        yield from (label, *synonyms)


def _is_filler(key: Key) -> bool:
    return classes().words.get(key) == frozenset({"filler"})


def _said(field: EntityField) -> set[Key]:
    """The phrases that people use for values; codes of the sources say nothing without the field."""
    return {stems(word) for value in field.values for word in value.synonyms}


def _is_functional(key: Key) -> bool:
    found = classes().words.get(key, frozenset())
    return bool(found - {"vague", "near", "vehicle"}) or (len(key[0]) < 2 and len(key) < 2)


def _value_keys(entity: Entity, field: EntityField) -> Iterator[tuple[Key, tuple[str, ...]]]:
    """The phrases for the values of a field and for groups of them; codes of the sources are no words."""
    for value in field.values:
        official = (value.label, value.value, *value.aliases)
        for word in (*(one for one in official if "_" not in one), *value.synonyms):
            if word:
                yield stems(word), (value.value,)
            if word.startswith("no "):
                yield stems(f"with {word}"), (value.value,)
    for name, members in field.groups.items():
        for word in (name.replace("_", " "), *field.group_synonyms.get(name, ())):
            yield stems(word), members


def _nouns(entity: Entity) -> list[Key]:
    """What the entity is called, the longest first."""
    names = dict.fromkeys(stems(word) for word in (entity.label, entity.plural, *entity.synonyms))
    return sorted(names, key=len, reverse=True)


def _without_noun(nouns: Sequence[Key], key: Key) -> Key:
    """The phrase without the words for the thing itself, unless that is all of it."""
    for noun in nouns:
        for place in range(len(key) - len(noun) + 1):
            if key[place : place + len(noun)] == noun:
                rest = (*key[:place], *key[place + len(noun) :])
                return _trimmed(rest) or key
    return key


def _trimmed(key: Key) -> Key:
    """The phrase without the words that change nothing at its ends."""
    words = classes().words
    while key and words.get(key[:1], frozenset()) & _NO_NOUNS:
        key = key[1:]
    while key and words.get(key[-1:], frozenset()) & _NO_NOUNS:
        key = key[:-1]
    return key


def _covered(pack: Pack) -> dict[tuple[str, str, frozenset[str]], str]:
    """Values that a concept means whole: who says the value in words means the concept (DESIGN §3)."""
    found: dict[tuple[str, str, frozenset[str]], str] = {}
    for concept in pack.concepts:
        condition = concept.variant().condition
        for part in (condition, *condition.any_of):
            if values := _tested(part):
                found.setdefault((concept.entity, str(part.field), values), concept.name)
    return found


def _tested(condition: Condition) -> frozenset[str]:
    if condition.field is None or condition.negate or condition.operator not in ("eq", "in", "contains"):
        return frozenset()
    value = condition.value
    listed: Iterable[object] = value if isinstance(value, list) else (value,)
    return frozenset(str(one) for one in listed)


_BUILT: OrderedDict[str, Vocabulary] = OrderedDict()


def vocabulary(pack: Pack) -> Vocabulary:
    """The vocabulary of a pack; built once per content."""
    if pack.digest not in _BUILT:
        _BUILT[pack.digest] = Vocabulary(pack)
        while len(_BUILT) > 4:
            _BUILT.popitem(last=False)
    return _BUILT[pack.digest]
