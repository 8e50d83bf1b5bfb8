"""From tokens to items: the longest phrases that mean something, one after the other."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import Any

from groundframe.frames.inquiry import measured_entity
from groundframe.frames.lexical.amounts import find_amount, fitted, has_unit, negative_amount
from groundframe.frames.lexical.asides import set_aside
from groundframe.frames.lexical.asked_for import asked_for
from groundframe.frames.lexical.claims import unclaimed
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.clocks import in_hours
from groundframe.frames.lexical.counties import Counties
from groundframe.frames.lexical.courtesies import courtesies
from groundframe.frames.lexical.crossings import crossed
from groundframe.frames.lexical.days import in_their_year
from groundframe.frames.lexical.denials import together, turned
from groundframe.frames.lexical.exclusions import left_out
from groundframe.frames.lexical.extremes import of_extremes
from groundframe.frames.lexical.farness import from_any
from groundframe.frames.lexical.feasts import dated
from groundframe.frames.lexical.happenings import Happenings
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.loose import loosened
from groundframe.frames.lexical.means import by_their_mean
from groundframe.frames.lexical.nouns import shared
from groundframe.frames.lexical.opposed import in_its_year, opposed
from groundframe.frames.lexical.outlines import outlined
from groundframe.frames.lexical.periods import (
    anywhere,
    clocked,
    compared,
    in_one,
    levelled,
    said_twice,
    unlimited,
    weekly,
)
from groundframe.frames.lexical.places import Named, Places
from groundframe.frames.lexical.pointing import pointed
from groundframe.frames.lexical.recurring import recurring
from groundframe.frames.lexical.reorder import reordered
from groundframe.frames.lexical.spare import spared
from groundframe.frames.lexical.spelling import spelt
from groundframe.frames.lexical.texts import Texts
from groundframe.frames.lexical.times import Times, period_parts
from groundframe.frames.lexical.tokens import Token, stem, tokenize
from groundframe.frames.lexical.turns import turned_round
from groundframe.frames.lexical.unrecorded import unrecorded
from groundframe.frames.lexical.vocabulary import Sense, Vocabulary, vocabulary
from groundframe.frames.lexical.vowels import WithoutVowels
from groundframe.frames.lexical.years import in_digits
from groundframe.frames.likeness import closest, ranked
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack

__all__ = ["Scanner", "scanner"]

_SHORTEST = 5
"""Letters of a word that may be a slip for another; shorter words are too much alike."""
_BOUNDS = frozenset({"gt", "gte", "lt", "lte", "eq", "top", "bottom"})
_LEADING = frozenset({"in", "near", "at", "on", "of", "of_place", "from", "to", "for", "except", "inside_of"})


class Scanner:
    """Cuts questions into items.

    Parameters
    ----------
    words : Vocabulary
        Of the pack.
    places : Places
        The names of the dataset.
    texts : Texts
        The names that fields of the dataset state.
    counties : Counties
        Those that its areas state.
    newest : int, optional
        The year of its newest data.
    """

    def __init__(
        self,
        pack: Pack,
        words: Vocabulary,
        places: Places,
        texts: Texts,
        counties: Counties,
        newest: int | None = None,
    ) -> None:
        self._pack = pack
        self._words = words
        self._places = places
        self._times = Times(pack)
        self._texts = texts
        self._counties = counties
        self._newest = newest
        self._areas = frozenset(one.name for one in pack.entities if "scope" in one.roles)
        self._lines = frozenset(one.name for one in pack.entities if "line" in one.geometry)
        self._told = Happenings(pack)
        owned = ((one.name, field) for one in pack.entities if "scope" in one.roles for field in one.fields)
        self._heads = frozenset((owner, one.name) for owner, one in owned if one.type == "integer")
        self._counted = (Sense("entity", pack.measures[0].entity),) if pack.measures else ()
        self._tallied = frozenset(measure.entity for measure in pack.measures)
        listed = ((one.name, field) for one in pack.entities for field in one.fields)
        self._people = frozenset((owner, one.name) for owner, one in listed if one.type == "category_list")
        functional = classes().words
        self._written_out = {
            short: word
            for short, word in pack.name_abbreviations.items()
            if len(short) > 1 and (short,) not in functional
        }

        self._reach: dict[str, int] = {}
        for key in (*words.senses, *words.reasons, *words.instead, *functional, *classes().reasons):
            self._reach[key[0]] = max(len(key), self._reach.get(key[0], 0))
        refused = (word for key in (*words.reasons, *classes().reasons) for word in key if len(word) > 4)
        areas = places.words_of_areas()
        self._short = WithoutVowels({*words.words, *refused, *areas}, words.meanings, areas)
        self._scanned = lru_cache(64)(self._scan)

    def scan(self, question: str) -> tuple[list[Item], dict[str, str]]:
        """The items, and the misspelt words with what they were read as."""
        items, slips = self._scanned(question)
        return [*items], {**slips}

    def _scan(self, question: str) -> tuple[list[Item], dict[str, str]]:
        tokens = in_its_year(in_digits(in_hours(dated(spelt(tokenize(question))))))
        tokens = self._counties.written_out(question, tokens)
        items = set_aside(list(self._items(question, tokens)))
        slips = {item.text: word for item in items if (word := self._meant(item))}
        if slips:
            tokens = tuple(
                Token(slips.get(token.text, token.text), token.start, token.end, token.glued)
                for token in tokens
            )
            items = list(self._items(question, tokens))
        items = spared(set_aside(items), self._counted, self._people)
        happens = self._counted[0].entity if self._counted else ""
        items = loosened(items, happens, self._lines, self._people, self._words.senses)
        items = of_extremes(unclaimed(items, self._words.senses))
        items = unrecorded(crossed(items, self._pack), self._heads, self._told, slips)
        items = outlined(reordered(in_their_year(anywhere(items, self._areas))), self._tallied)
        items = left_out(turned_round(items, self._tallied))
        for reading in (asked_for, pointed, by_their_mean):
            items = reading(items, self._tallied)
        for told in (from_any, recurring, weekly, opposed):
            items = told(items)
        for told in (compared, said_twice, levelled, unlimited, clocked, in_one):
            items = told(items)
        items = shared(items, self._words.senses)
        return together(turned(items, self._newest)), slips

    def _meant(self, item: Item) -> str:
        """The word of which an unknown one is a slip; empty where that is not beyond doubt."""
        if item.known or item.reason or not item.text.isalpha() or item.text in classes().real:
            return ""
        if full := self._short.full(item.text):
            return full
        if len(item.text) < _SHORTEST:
            return ""
        meanings = self._words.meanings
        found = closest(item.text, meanings)
        if found is None or meanings.get(item.text) == found[0]:
            return ""
        alike = {word: word for word in meanings if meanings[word] == found[0] and word[0] == item.text[0]}
        word = next(iter(ranked(item.text, alike, 1)), "")
        # A word that changes nothing would swallow a short one that may mean something.
        empty = (
            classes().words.get((stem(word),)) == frozenset({"filler"})
            and (stem(word),) not in self._words.senses
        )
        return "" if empty and len(item.text) <= _SHORTEST else word

    def _items(self, question: str, tokens: Sequence[Token]) -> Iterator[Item]:
        place, before = 0, Item(0, 0, "")
        polite = courtesies(tokens, lambda at: self._may_be_somebody(question, tokens, at))
        while place < len(tokens):
            token = tokens[place]
            if place in polite:
                nothing = frozenset({"filler"})
                yield Item(token.start, token.end, token.text, classes=nothing, aside=True)
                place += 1
                continue
            stop = next((at for at in range(place, len(tokens)) if at in polite), len(tokens))
            size, parts = self._longest(question, tokens[:stop], place, before)
            if (amount := parts.get("amount")) is not None:
                parts = {**parts, "amount": fitted(amount, tokens[place + size :], before.text)}
            found = Item(
                **{
                    **parts,
                    "start": tokens[place].start,
                    "end": tokens[place + size - 1].end,
                    "text": " ".join(token.text for token in tokens[place : place + size]),
                    "plural": tokens[place + size - 1].stem != tokens[place + size - 1].text,
                }
            )
            yield found
            place += size
            if found.text != "the" or not before.has(*_LEADING):
                before = found

    def _may_be_somebody(self, question: str, tokens: Sequence[Token], place: int) -> bool:
        """Whether a token is a capitalised word that means nothing, and is no name of a place."""
        token = tokens[place]
        if not (token.text.isalpha() and question[token.start].isupper()):
            return False
        return not (
            self._phrase(tokens, place)
            or self._places.find(question, tokens, place)
            or self._places.alike(question[token.start : token.end])
        )

    def _longest(
        self, question: str, tokens: Sequence[Token], place: int, before: Item
    ) -> tuple[int, dict[str, Any]]:
        """How many tokens belong together from here, and what they are; of equally long ones the first."""
        if (below := negative_amount(tokens, place)) is not None:
            return below, {"problem": "No distance and no number of things is below 0."}
        options: list[tuple[int, dict[str, Any]]] = []
        time = self._times.find(tokens, place)
        amount = find_amount(tokens, place)
        numbered = amount is not None and before.has(*_BOUNDS)
        if time is not None and has_unit(tokens, place + time.size):
            time = None  # "over 2000 ft"
        if time is not None and not (numbered and amount is not None and amount.size >= time.size):
            if time.sure:
                return time.size, {"problem": time.problem}
            options.append((time.size, {"times": time.parts, "problem": time.problem}))
        if amount is not None:
            options.append((amount.size, {"amount": amount}))
        if before.has("on") and (road := self._places.numbered(tokens, place)) is not None:
            options.append((road.size, {"place": road}))
        options += self._phrase(tokens, place)
        options += self._texts.find(question, tokens, place)
        if (named := self._places.find(question, tokens, place)) is not None:
            options.append((named.size, {"place": named}))
        elif (corner := self._places.corner(question, tokens, place)) is not None and before.has("and"):
            return 1, {"place": corner}  # "Washington & Summer" is no season
        elif (
            (affix := self._places.affix(tokens, place))
            and not before.has("per", "by", "which", "all")  # "in each town of …"
            and self._leads_to_name(question, tokens, place, affix)
        ):
            options.append((affix, {"classes": frozenset({"affix"})}))
        if before.has("on") and time is None and named is None:
            counted, street = self._places.ordinal(tokens, place)
            if counted:  # "on 3rd"
                return counted, {} if street is None else {"place": street}
        clear = [option for option in options if not option[1].get("problem")]
        if options:
            return max(
                clear or options, key=lambda option: (option[0], "place" in option[1] and before.has("on"))
            )
        return self._unknown(question, tokens, place, before)

    def _leads_to_name(self, question: str, tokens: Sequence[Token], place: int, size: int) -> bool:
        """Whether "of" behind a kind of place leads to its name: not in "a town of under 10,000 people"."""
        after = place + size
        if tokens[after - 1].text != "of" or after >= len(tokens) or size == 1:
            return True
        return not (
            find_amount(tokens, after) or {"lt", "gt", "gte", "lte"} & self._classes_at(tokens, after)
        )

    def _classes_at(self, tokens: Sequence[Token], place: int) -> frozenset[str]:
        """The classes of the longest words from here."""
        found = (part["classes"] for _, part in self._phrase(tokens, place) if "classes" in part)
        return next(found, frozenset())

    def _phrase(self, tokens: Sequence[Token], place: int) -> list[tuple[int, dict[str, Any]]]:
        """The longest phrase of the vocabulary from here."""
        words, functional = self._words, classes()
        first = tokens[place].stem
        reach = max(self._reach.get(first, 0), self._reach.get(self._written_out.get(first, first), 0))
        stemmed = tuple(token.stem for token in tokens[place : place + reach])
        for size in range(len(stemmed), 0, -1):
            key = stemmed[:size]
            known = key in words.senses or key in functional.words
            if not (known or key in words.reasons or key in functional.reasons):
                key = tuple(self._written_out.get(word, word) for word in key)
            senses, listed = words.senses.get(key, []), functional.words.get(key, frozenset())
            reason = functional.reasons.get(key, "") or words.reasons.get(key, "")
            loose = size > 1 and not any(token.hyphened for token in tokens[place + 1 : place + size])
            last = tokens[place + size - 1]
            if (
                senses
                and not listed
                and loose
                and last.text != last.stem
                and "on" in functional.words.get(key[:1], ())
            ):
                continue  # "on ramps" are not "on-ramps"
            following = tokens[place + size].text if place + size < len(tokens) else ""
            if following in ("than", "then") and listed & {"post_gte", "post_lte"}:
                continue  # "and more than", which bounds what follows
            if "near" in listed and any(map(self._is_plural_area, tokens[place + 1 : place + size])):
                continue  # "in the neighborhoods of", which are areas
            if size > 1 and following.isdecimal() and listed & {"post_gte", "post_lte"}:
                continue  # "and under 5"
            if senses or listed or reason or self._is_vague(key, tokens, place):
                made: dict[str, Any] = {
                    "key": key,
                    "senses": tuple(senses),
                    "classes": listed,
                    "reason": reason,
                }
                periods = [sense.name for sense in senses if sense.kind == "period"]
                if periods:
                    period = next(one for one in self._pack.periods if one.name == periods[0])
                    made["times"] = period_parts(period)
                return [(size, made)]
        return []

    def _is_plural_area(self, token: Token) -> bool:
        """Whether a word means areas of a kind: "neighborhoods"."""
        senses = self._words.senses.get((token.stem,), ())
        return token.text != token.stem and any(one.kind == "entity" for one in senses)

    def _is_vague(self, key: tuple[str, ...], tokens: Sequence[Token], place: int) -> bool:
        """Whether words are a vague phrase that would be read one by one: "school days" are no schools."""
        if len(key) < 2 or key not in self._words.instead or self._times.find(tokens, place) is not None:
            return False
        # "A deer hit by a car" is clear.
        return not any("collide" in classes().words.get(key[:part], ()) for part in range(1, len(key)))

    def _unknown(
        self, question: str, tokens: Sequence[Token], place: int, before: Item
    ) -> tuple[int, dict[str, Any]]:
        """A word that nobody knows: a form of a known one, or perhaps the name of a place, misspelt."""
        token = tokens[place]
        opposite = classes().opposites.get(token.text, "")
        if opposite and (senses := self._base(opposite)):
            return 1, {"senses": senses, "form": "least"}
        for ending, form in (("est", "superlative"), ("er", "comparative")):
            if token.text.endswith(ending) and (senses := self._base(token.text.removesuffix(ending))):
                return 1, {"senses": senses, "form": form}
        if self._before_field(tokens, place) or self._short.full(token.text) in self._short.names:
            return 1, {}
        if (corner := self._places.corner(question, tokens, place)) is not None:
            return 1, {"place": corner}
        if before.has("near", "of_place", "of", "at", "radius") and (short := self._places.shortened(token)):
            return 1, {"place": short}
        capital = question[token.start : token.end][:1].isupper()
        leading = before.has(*_LEADING)
        if token.text.isalpha() and (leading or capital or len(token.text) >= _SHORTEST):
            for size in (4, 3, 2, 1):
                last = place + size - 1
                if last >= len(tokens) or any(one.text in ",.?!;" for one in tokens[place : last + 1]):
                    continue
                text = question[token.start : tokens[last].end]
                if kinds := self._places.alike(text, areas=not (leading or capital)):
                    return size, {"place": Named(size, text, kinds)}
            if leading:
                found = self._perhaps(question, tokens, place, capital)
                size = 0 if found[1] else self._places.part(tokens, place)
                size = 0 if self._places.lettered(tokens, place + size - 1) else size
                # "South" before a town is no school of that name in the town.
                last = place + size == len(tokens) or not self._places.find(question, tokens, place + size)
                if size and last:
                    text = question[token.start : tokens[place + size - 1].end]
                    return size, {"place": Named(size, text, ())}
                return found
        return 1, {}

    def _before_field(self, tokens: Sequence[Token], place: int) -> bool:
        """Whether a field of text follows, whose value the word may be: "Middlesex County"."""
        following = tokens[place + 1].stem if place + 1 < len(tokens) else ""
        senses = self._words.senses.get((following,), [])
        if any(sense.kind == "entity" for sense in senses):
            return False
        owners = [(self._pack.entity(sense.entity), sense.name) for sense in senses if sense.kind == "field"]
        return any("scope" in one.roles and one.field(name).type == "text" for one, name in owners)

    def _perhaps(
        self, question: str, tokens: Sequence[Token], place: int, capital: bool
    ) -> tuple[int, dict[str, Any]]:
        """Capitalised words, with a kind of thing after them, that may be a name the validator finds."""
        end = place + 1
        while end < len(tokens) and question[tokens[end].start].isupper() and end - place < 6:
            end += 1
        if lettered := self._places.lettered(tokens, end):
            end, capital = end + lettered, True
        noun = end < len(tokens) and any(
            sense.kind == "entity" and self._pack.entity(sense.entity).name_field
            for sense in self._words.senses.get((tokens[end].text,), ())
        )
        size = end - place + noun
        if not (capital or noun):
            return 1, {}
        return size, {"place": Named(size, question[tokens[place].start : tokens[place + size - 1].end], ())}

    def _base(self, word: str) -> tuple[Sense, ...]:
        """The senses of the adjective of which a form was made: "deadli" of "deadly"."""
        ends = [f"{word[:-1]}y", f"{word[:-1]}e"] if word.endswith("i") else []
        options = [word, f"{word}e", *ends]
        if len(word) > 2 and word[-1] == word[-2]:
            options.append(word[:-1])
        for option in options:
            found = tuple(
                sense
                for sense in self._words.senses.get((stem(option),), ())
                if sense.kind in ("field", "value", "concept")
            )
            if found:
                return found
        return ()


def scanner(pack: Pack, names: NameIndex | None) -> Scanner:
    """The scanner for a dataset; built once per index of names."""
    key = (pack.digest, id(names))
    if key not in _BUILT or _BUILT[key][0] is not names:
        day = None if names is None else names.newest_date(measured_entity(pack).name)
        newest = None if day is None else day.year
        places = Places(pack, names)
        counties = Counties(pack, names, places)
        made = Scanner(pack, vocabulary(pack), places, Texts(pack, names), counties, newest)
        _BUILT[key] = names, made
        while len(_BUILT) > 4:
            _BUILT.popitem(last=False)
    return _BUILT[key][1]


_BUILT: OrderedDict[tuple[str, int], tuple[NameIndex | None, Scanner]] = OrderedDict()
