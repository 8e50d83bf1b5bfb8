"""What says who asks and what for: it asks nothing, but may name the place that is meant."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from groundframe.frames.lexical.classes import classes, words_of
from groundframe.frames.lexical.tokens import stems

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["ENDS", "end_of_sentence", "is_context", "set_aside"]

ENDS = frozenset({".", "?", "!", ";", ":", "-", "\u2013", "\u2014", "(", ")"})
"""Signs that end a clause for certain; a comma may also stand within one."""
_REQUESTS = ("which", "how_many", "where", "compare", "top")
_ASKED = ("entity", "concept", "value", "measure")
_JOINTS = ("and", "comma")
_LEADING = ("in", "near", "on", "at", "of_place")
_TITLE = 7
"""Words of a title, or of who speaks."""
_PURPOSE = ("for", "re")
_NAMES = ("chatter", "speakers", "doing", "wants")
_PLAIN = frozenset({
    "filler", "of", "to", "in", "on", "at", "for", "from", "with", "and", "or", "comma", "pronoun", "there",
    "where", "all", "per", "of_place", "inside_of", "near", "nearby", "by", "stop", "affix", "total",
    "post_gte", "everywhere", "between", "radius",
})  # fmt: skip
"""Classes of words that hold others together and condition nothing by themselves."""
_BEFORE = _PLAIN - {
    "all", "per", "by", "total", "post_gte", "everywhere", "between", "radius", "near", "where",
}  # fmt: skip
"""Those that small talk before a question may hold as well."""


@dataclass
class _Kinds:
    """What the words of a run are: of small talk, a speaker, what speakers do."""

    chatter: bool = False
    speaker: bool = False
    doing: bool = False
    wanting: bool = False

    @property
    def aside(self) -> bool:
        """Whether they ask nothing."""
        return self.chatter or (self.speaker and self.doing)

    def before(self, *, asked: bool) -> bool:
        """Whether they ask nothing where they stand before the question."""
        return (self.speaker and (self.doing or self.wanting)) or (self.chatter and asked)


def set_aside(items: Sequence[Item]) -> list[Item]:
    """The items, with those of asides emptied: "We live on Main Street. …" leaves the street.

    A sentence that begins with its speaker and what they are or do (`words.yaml`, ``asides``) is an aside up
    to its end, or to a comma before a question. So are words of small talk at either end of a clause.
    """
    made: list[Item] = []
    place = 0
    while place < len(items):
        stop = end_of_sentence(items, place)
        said = items[place:stop]
        opens = (
            _raised(said)
            or _opens(said)
            or _introduces(said, items[stop : stop + 1], first=not place)
            or _tells(said)
        )
        if stop < len(items) and opens and _may_go(items, place, stop):
            made += [_emptied(items, one) for one in range(place, stop)]
        else:
            made += items[place:stop]
        made += items[stop : stop + 1]
        place = stop + 1
    for start, stop in list(_clauses(made)):
        told = _says(made[:start]) or _says(made[stop:])
        for place in _dated(made, start, stop, told=told) or _small_talk(made, start, stop):
            made[place] = made[place] if made[place].aside else _nothing(made[place])
    return made


def _introduces(said: Sequence[Item], end: Sequence[Item], *, first: bool) -> bool:
    """Whether a clause only says who speaks, or is a title: "bus riders union here: …", "pivot: …"."""
    if not first or not said or not end or any(one.has(*_REQUESTS) or one.times for one in said):
        return False
    here = next((n for n, one in enumerate(said[:_TITLE]) if one.text == "here"), None)
    if here and (here + 1 == len(said) or said[here + 1].has("comma")):
        return here + 1 == len(said) or not _says(said)
    bare = all(not (one.senses or one.amount or one.place or one.reason) for one in said)
    words = stems(" ".join(one.text for one in said))
    titled = any((word,) in _phrases("titles") | _phrases("chatter") for word in words)
    plain = all(not one.known or one.classes <= _BEFORE | {"breakdown"} for one in said)
    return end[0].text == ":" and bare and plain and titled and len(said) <= _TITLE


def _raised(said: Sequence[Item]) -> bool:
    """Whether a sentence says no more than when and where it was asked: "this came up last night"."""
    words = stems(" ".join(item.text for item in said[:4]))
    told = any(words[:size] in _phrases("raised") for size in (4, 3))
    asks = any(one.has(*_REQUESTS) or one.place is not None or one.amount is not None for one in said)
    return told and not asks and not _says(said)


def _tells(said: Sequence[Item]) -> bool:
    """Whether a sentence tells something of its speaker: "my little one turns four in may!"."""
    words = stems(" ".join(item.text for item in said[:4]))
    owner = words[:1] in (("my",), ("our",)) or words[:1] == ("mine",)
    known = owner and any(words[:size] in _phrases("speakers") for size in (4, 3, 2))
    asks = any(item.has(*_REQUESTS) or item.text in _words("wanting") for item in said)
    return (known or words[:1] == ("mine",)) and not asks and not _says(said)


def end_of_sentence(items: Sequence[Item], start: int) -> int:
    """Where the sentence ends that begins here."""
    for place in range(start, len(items)):
        item = items[place]
        after = items[place + 1] if place + 1 < len(items) else None
        last = items[place - 1].text.split()[-1] if item.text == "." and place > start else ""
        short = last.isalpha() and len(last) < 3 and (last,) not in classes().words
        if item.text in ENDS and not (item.times or (short and after is not None)):
            return place
        request = after is not None and (after.has(*_REQUESTS) or after.text in _asking())
        if request and (item.text == "," or item.text in _words("turns")):
            return place
    return len(items)


def is_context(items: Sequence[Item], *, heading: bool) -> bool:
    """Whether a clause only says who asks and what for, though it may have words that are never answered.

    Parameters
    ----------
    heading : bool
        Whether it is the first of the question, and may be its title: "streetlight grant: …".
    """
    if any(
        (one.senses and not one.has("filler")) or one.times or one.amount or one.place or one.has(*_REQUESTS)
        for one in items
    ):
        return False
    words = stems(" ".join(item.text for item in items))
    if heading and words[-1:] in _phrases("chatter"):
        return True
    while words and words[0] in _words("greetings"):
        words = words[1:]
    size = next((size for size in (4, 3, 2, 1) if words[:size] in _phrases("speakers")), 0)
    rest = words[size:]
    return size > 0 and not any(rest[:one] in _phrases("wanting") | _phrases("wants") for one in (1, 2, 3))


def _may_go(items: Sequence[Item], start: int, stop: int) -> bool:
    """Whether a sentence may go: where it says what is asked about, the rest must ask as much."""
    said, rest = items[start:stop], items[stop:]
    asks = any(item.has(*_REQUESTS) for item in rest) or _content(rest) >= _content(said)
    return not _says(said) or (_says(rest) and asks)


def _content(items: Sequence[Item]) -> int:
    """How many words say something that an answer could go by."""
    return sum(bool(item.of_kind(*_ASKED) or item.times or item.amount) for item in items)


def _says(items: Sequence[Item]) -> bool:
    """Whether anything is said that may be asked about."""
    return any(item.of_kind(*_ASKED) for item in items)


def _opens(items: Sequence[Item]) -> bool:
    """Whether the sentence says who asks, and what they are or do."""
    words = stems(" ".join(item.text for item in items))[:8]
    while words and words[0] in _words("greetings"):
        words = words[1:]
    for size in (4, 3, 2, 1):
        if words[:size] in _phrases("speakers"):
            rest = words[size:]
            break
    else:
        return False
    verb = next((size for size in (3, 2, 1) if rest[:size] in _phrases("doing")), 0)
    return bool(verb or words[:size] in _phrases("are")) and not any(
        rest[verb : verb + size] in _phrases("wanting") for size in (1, 2)
    )


def _clauses(items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """From where to where the clauses go, without the signs between them."""
    start = 0
    for place in (*(n for n, item in enumerate(items) if item.text in ENDS | {","}), len(items)):
        if start < place:
            yield start, place
        start = place + 1


def _small_talk(items: Sequence[Item], start: int, stop: int) -> range:
    """The part of a clause that is small talk: all of it, its end, or what comes before the question."""
    if not any(word in _telling() for place in range(start, stop) for word in _stems(items[place].text)):
        return range(start, start)
    if (kinds := _kinds(items, start, stop)) is not None:
        return range(start, stop if kinds.aside else start)
    for place in range(start + 1, stop):
        if (
            _may_end(items, start, place)
            and (kinds := _kinds(items, place, stop)) is not None
            and kinds.aside
        ):
            return range(place, stop)
    for place in range(stop - 1, start, -1):
        asked = items[place].has(*_REQUESTS) or bool(set(items[place].text.split()) & _asking())
        if (kinds := _kinds(items, start, place, _BEFORE)) is not None and kinds.before(asked=asked):
            return range(start, place)
    return range(start, start)


def _dated(items: Sequence[Item], start: int, stop: int, *, told: bool) -> range:
    """What says for which day an answer is wanted: "for Thursday's budget hearing, …", "I need it by Monday".

    Parameters
    ----------
    told : bool
        Whether something is asked outside the clause.
    """
    said = [place for place in range(start, stop) if set(items[place].times) == {"weekdays"}]
    if len(said) != 1 or not any(len(items[place].times["weekdays"]) == 1 for place in said):
        return range(start, start)
    day, purpose = said[0], items[start].text.split()[0] in _PURPOSE
    due = day > start and items[day - 1].text in _words("due")
    speaks = (n for n in range(day + 1, stop) if items[n].text.split()[0] in _words("turning"))
    end = next(speaks, stop) if purpose else stop
    words = [word for item in items[start:end] for word in _stems(item.text)]
    event = purpose and any((word,) in _phrases("chatter") for word in words)
    others = (items[place] for place in range(start, end) if place != day)
    bare = not any(
        one.times or one.amount or one.place or one.has(*_REQUESTS) or one.of_kind(*_ASKED) for one in others
    )
    told |= _says(items[end:stop])
    return range(start, end) if bare and told and (event or due) else range(start, start)


def _may_end(items: Sequence[Item], start: int, place: int) -> bool:
    """Whether small talk may begin here, in the middle of a clause."""
    before = items[place - 1]
    words = [word for item in items[place : place + 2] for word in _stems(item.text)]
    if any(tuple(words[:size]) in _phrases("openers") for size in (1, 2)):
        return True
    # "15,000 residents" are so many, not somebody.
    counted = before.amount is not None and not before.amount.kind and bool(items[place].of_kind("field"))
    told = before.place is not None or (before.amount is not None and not counted) or bool(before.times)
    return told and any(tuple(words[:size]) in _phrases("speakers") for size in (1, 2))


def _kinds(items: Sequence[Item], start: int, stop: int, plain: frozenset[str] = _PLAIN) -> _Kinds | None:
    """What the words of a run are; None where one of them may be a part of the question."""
    said = (place for place in range(start, stop) if not items[place].aside)
    words = [(word, place) for place in said for word in _stems(items[place].text)]
    found, at = _Kinds(), 0
    while at < len(words):
        for size in (4, 3, 2, 1):
            part = tuple(word for word, _ in words[at : at + size])
            names = [name for name in _NAMES if part in _phrases(name)]
            if names and _is_where(items, words[at][1]):
                return None
            if len(part) == size and names:
                found.chatter |= "chatter" in names
                found.speaker |= "speakers" in names
                found.doing |= "doing" in names
                found.wanting |= "wants" in names
                at += size
                break
        else:
            place = words[at][1]
            if _is_adjective(items, place, start, [word for word, _ in words[at + 1 : at + 3]]):
                at += 1
                continue
            if not _is_plain(items, place, stop, plain):
                return None
            at = next((n for n in range(at, len(words)) if words[n][1] != place), len(words))
    return found


def _is_where(items: Sequence[Item], place: int) -> bool:
    """Whether a place is meant that only who asks can tell: "on my street I want to know …"."""
    return items[place].has("there") and place > 0 and items[place - 1].has("in", "on", "at", "near")


def _is_adjective(items: Sequence[Item], place: int, start: int, following: Sequence[str]) -> bool:
    """Whether an unknown word says of what kind the memo is: "for a transit gap memo"."""
    unknown = not (items[place].known or items[place].reason)
    purpose = any(items[one].text in _PURPOSE for one in range(start, place))
    return unknown and purpose and any((word,) in _phrases("chatter") for word in following)


def _is_plain(items: Sequence[Item], place: int, stop: int, plain: frozenset[str]) -> bool:
    """Whether an item only holds others together; the day of a meeting is no condition."""
    item = items[place]
    if set(item.times) == {"weekdays"}:
        following = (one for one in items[place + 1 : stop] if not one.has("filler"))
        word = next(following, None)
        return word is not None and stems(word.text)[:1] in _phrases("chatter")
    empty = not (item.senses or item.times or item.amount or item.place or item.problem or item.reason)
    return empty and bool(item.classes) and item.classes <= plain


def _emptied(items: Sequence[Item], place: int) -> Item:
    """The item without its meaning, unless it names a place or leads to one."""
    item = items[place]
    after = items[place + 1] if place + 1 < len(items) else None
    if item.place is not None or (
        item.has(*_LEADING, *_JOINTS) and after is not None and after.place is not None
    ):
        return replace(item, aside=True)
    return _nothing(item)


def _nothing(item: Item) -> Item:
    nothing = type(item)(item.start, item.end, item.text)
    kept = item.classes & {"mended"}
    return replace(nothing, classes=frozenset({"filler"}) | kept, aside=True)


@lru_cache(2048)
def _stems(text: str) -> tuple[str, ...]:
    return stems(text)


@cache
def _phrases(name: str) -> frozenset[tuple[str, ...]]:
    return frozenset(stems(phrase) for phrase in words_of("asides", name))


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(word for phrase in _phrases(name) for word in phrase)


@cache
def _telling() -> frozenset[str]:
    return _words("chatter") | _words("doing") | _words("wants")


def _asking() -> frozenset[str]:
    return _words("asking")
