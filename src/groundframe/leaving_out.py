"""Which words of a question may be left out, to ask back whether it is meant without them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence, Set
from difflib import SequenceMatcher

from groundframe.frames.lexical.asides import ENDS, end_of_sentence, is_context
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.items import Item
from groundframe.stories import points_back, stories

__all__ = ["EDGE", "asks_for", "changes", "cuts", "ends_clauses", "is_lone_name", "parts", "rest_of", "tidy"]

EDGE = " ,;:-\u2013\u2014./&"
"""Signs that hold nothing apart at the ends of a question."""

_HANGING = re.compile(
    r"(?:\s+(?:during|while|because|the|a|an|of|with|and|or|in|on|at|near|by|to|from|for))+$"
)
"""Words at the end that led to what was left out."""
_PIECE = 6
"""Words of a piece of a question that is said otherwise."""
_SIGNS = ' ,.;:?!()-/"\N{EN DASH}\N{EM DASH}'
_BREAKS = ENDS | {","}
_PLACES = ("in", "near", "at", "of", "of_place", "from", "inside_of", "beyond", "nearest")
_DENIALS = ("without", "no", "not", "except")
_BINDING = (
    *_DENIALS, "by", "per", "compare", "gt", "gte", "lt", "lte", "eq", "between", "top",
    "bottom", "more", "less", "both",
)  # fmt: skip
"""What makes the next word one that cannot be spared: what is denied, bounded or counted."""
_REQUESTS = ("which", "how_many", "where", *(f"aggregate_{one}" for one in ("mean", "median", "max", "min")))
_ASKED = ("entity", "concept", "value", "measure")
"""What words mean that may be asked for."""
_SPARE = frozenset({
    "filler", "pronoun", "of", "to", "for", "in", "on", "at", "with", "and", "or", "comma", "vague", "all",
    "total", "where", "collide", "vehicle", "mover", "there", "affix", "worse", "everywhere", "near",
    "of_place", "inside_of", "correction", "examples",
})  # fmt: skip
"""Classes of words that are known and may be left out where they lead to nothing."""
_LEADING = ("with", "for", "of", "to", "on")
_DANGLING = ("filler", "for", "of", "to", "with", "on", "and", "pronoun", "or")


def changes(question: str, other: str, left: Sequence[str] = ()) -> str:
    """What another question leaves out of one and what it says instead, in words.

    Parameters
    ----------
    left : sequence of str
        The words that were not understood: what is left out where the other one is worded anew.

    Examples
    --------
    >>> changes("zany crashes in Quincy, lol", "crashes in Quincy")
    "without 'zany', 'lol'"
    >>> changes("crashes in Quincy lately", "crashes in Quincy in 2025")
    "'lately' as 'in 2025'"
    >>> changes("crashes around noon in Quincy", "crashes between noon and 1 pm in Quincy", ["noon"])
    "'around noon' as 'between noon and 1 pm'"
    >>> changes("how often did a moose get hit nearish Quincy", "moose crashes in Quincy", ["nearish"])
    "without 'nearish'"
    """
    old, new = question.split(), other.split()
    plain, other_plain = ([word.casefold().strip(_SIGNS) for word in words] for words in (old, new))
    steps = SequenceMatcher(a=plain, b=other_plain, autojunk=False).get_opcodes()
    changed = [step for step in steps if step[0] != "equal"]
    words_kept = sum(stop - start for what, start, stop, *_ in steps if what == "equal")
    anew = any(what in ("replace", "insert") for what, *_ in changed) and (len(changed) > 1 or not words_kept)
    out, instead = list[str](), list[str]()
    for what, start, stop, first, last in steps:
        was, now = (" ".join(words).strip(_SIGNS) for words in (old[start:stop], new[first:last]))
        if what == "delete" and was:
            out.append(f"'{was}'")
        elif what == "replace":
            instead.append(f"'{was}' as '{now}'")
    if anew and (one := _one_piece(plain, other_plain)):
        was, now = (" ".join(words[one[0] : len(words) - one[1]]).strip(_SIGNS) for words in (old, new))
        return f"'{was}' as '{now}'"
    if anew and left:
        out, instead = [f"'{text}'" for text in left if text], []
    return "; ".join(part for part in (f"without {', '.join(out)}" if out else "", *instead) if part)


def _one_piece(old: Sequence[str], new: Sequence[str]) -> tuple[int, int] | None:
    """How many words both begin and end with, where one short piece between them is said otherwise."""
    shorter = min(len(old), len(new))
    first = next((n for n in range(shorter) if old[n] != new[n]), shorter)
    last = next((n for n in range(shorter - first) if old[-1 - n] != new[-1 - n]), shorter - first)
    sizes = [len(words) - first - last for words in (old, new)]
    return (first, last) if first + last and min(sizes) > 0 and max(sizes) <= _PIECE else None


def cuts(question: str, items: Sequence[Item], left: Set[int]) -> Iterator[frozenset[int]]:
    """The words to leave out, as numbers of items: those that are not understood, and more around them.

    Where one of them may be a name, a number, what is denied or bounded, or what is asked for, the question
    without it would be another one; then it goes only with all of its sentence, where another one asks.
    """
    if any(items[place].reason in classes().firm for place in left):
        return
    found = [stories(items, left), *_within(question, items, left), _sentences(items, left)]
    for cut in dict.fromkeys(found):
        asks = any(item.of_kind(*_ASKED, "field") for n, item in enumerate(items) if n not in cut)
        if cut and asks and not points_back(items, cut):
            yield cut


def ends_clauses(items: Sequence[Item], cut: Set[int]) -> bool:
    """Whether only whole clauses are left out, or the end of one."""
    return all(
        place + 1 in cut
        or place + 1 == len(items)
        or items[place + 1].text in _BREAKS
        or items[place].text in _BREAKS
        for place in cut
    )


def parts(question: str, items: Sequence[Item]) -> Iterator[str]:
    """Clauses of the question that may ask something by themselves, the longest runs of them first.

    A part asks at least half as much as what is left of the question, and points to nothing of it.
    """
    starts = [0, *(n + 1 for n, item in enumerate(items) if item.text in _BREAKS)]
    edges = [*starts, len(items) + 1]
    for size in range(len(starts) - 1, 0, -1):
        for first in range(len(starts) - size + 1):
            run = items[edges[first] : edges[first + size] - 1]
            rest = {*range(edges[first])} | {*range(edges[first + size], len(items))}
            asked, others = (
                sum(bool(one.of_kind(*_ASKED)) for one in part) for part in (run, [items[n] for n in rest])
            )
            if asked and 2 * asked >= others and not points_back(items, rest):
                yield question[run[0].start : run[-1].end]


def asks_for(items: Sequence[Item], place: int) -> bool:
    """Whether a word that nobody knows is what is asked for: "what is the zork of crashes in Quincy"."""
    before = next((one for one in reversed(items[:place]) if one.text not in ("a", "an", "the")), None)
    after = items[place + 1] if place + 1 < len(items) else None
    relative = before is not None and before.text == "where" and before is not items[0]  # "crashes where a …"
    asked = before is not None and before.has(*_REQUESTS) and not (after is not None and _says(after))
    ranked = before is not None and before.has("most", "fewest", "worst", "safest", "more", "less")
    owned = after is not None and (after.has("of") or (after.has("for") and not ranked))
    return not items[place].known and not relative and (asked or owned)


def rest_of(question: str, cut: Sequence[Item]) -> str:
    """The question without some of its words, and without the signs that held them apart."""
    for item in sorted(cut, key=lambda one: -one.start):
        question = f"{question[: item.start]} {question[item.end :]}"
    return _HANGING.sub("", tidy(question))


def tidy(question: str) -> str:
    """The question without signs that hold nothing apart, and brackets that are not closed."""
    question = re.sub(r"\(\s*\)|\[\s*\]", " ", question)
    if question.count("(") != question.count(")"):
        question = question.replace("(", ", ").replace(")", ", ")
    question = re.sub(r"\s+([,.;:?!])", r"\1", " ".join(question.split()))
    return re.sub(r"([,.;:?!])(?:\s*[,.;:])+", r"\1", question).strip(EDGE).lstrip(f"{EDGE}!?")


def _within(question: str, items: Sequence[Item], left: Set[int]) -> list[frozenset[int]]:
    """Words that may be left out of their sentences."""
    words, around, clauses = set[int](), set[int](), set[int]()
    for place in sorted(left):
        start, stop = _clause(items, place)
        if items[place].has("examples") and (brackets := _brackets(items, place)):
            words |= brackets
            around |= brackets
            clauses |= brackets
            continue
        bare = not any(_says(items[one]) or items[one].has(*_DENIALS) for one in range(start, stop))
        spared = bare and not _is_name(items, start, place)
        told = items[stop].text if stop < len(items) else ""
        spared |= told != "?" and is_context(items[start:stop], heading=start == 0 and told in (":", "-"))
        if is_lone_name(question, items, range(start, stop)):
            return []
        spared &= (start, stop) != (0, len(items))
        if not (spared or _is_spare(question, items, place)):
            return []
        whole = set(range(start, min(stop + 1, len(items))))
        words |= whole if spared else {place, *_lead(items, left, place)}
        around |= whole if spared else _phrase(items, left, place)
        clauses |= whole
    for place in range(1, len(items) - 1):
        if items[place].has("and", "or", "comma") and {place - 1, place + 1} <= words:
            words.add(place)
    few = len(left) < len([one for one in items if one.known])
    return [frozenset(cut) for cut in (words, around, clauses)] if few else []


def _sentences(items: Sequence[Item], left: Set[int]) -> frozenset[int]:
    """Sentences with words that are not understood; names of places stay where the others point to them."""
    cut, start = set[int](), 0
    unknown = {place for place in left if not items[place].known}
    while start < len(items):
        stop = end_of_sentence(items, start)
        if not unknown.isdisjoint(range(start, stop)):
            cut |= set(range(start, min(stop + 1, len(items))))
        start = stop + 1
    rest = [item for place, item in enumerate(items) if place not in cut]
    if any(item.has("there") or item.text == "there" for item in rest):
        named = {place for place in cut if items[place].place is not None}
        cut -= named | {place - 1 for place in named if place and items[place - 1].has(*_PLACES, "on")}
    asked = sum(bool(item.of_kind(*_ASKED)) for item in rest)
    less = 2 * asked < sum(bool(item.of_kind(*_ASKED)) for item in items)
    return frozenset(() if less or len(cut) == len(items) else cut)


def _clause(items: Sequence[Item], place: int) -> tuple[int, int]:
    """From where to where the clause goes that an item stands in."""
    start = next((one + 1 for one in range(place - 1, -1, -1) if items[one].text in _BREAKS), 0)
    stop = next((one for one in range(place, len(items)) if items[one].text in _BREAKS), len(items))
    return start, stop


def _brackets(items: Sequence[Item], place: int) -> set[int]:
    """What stands in brackets together with an item: "(deer, whatever)"."""
    start = next((one for one in range(place, -1, -1) if items[one].text in "()"), -1)
    stop = next((one for one in range(place, len(items)) if items[one].text in "()"), len(items))
    inside = start >= 0 and items[start].text == "("
    return set(range(start, min(stop + 1, len(items)))) if inside else set()


def _says(item: Item) -> bool:
    """Whether an item is a part of what is asked."""
    return bool(item.senses or item.times or item.amount or item.place or item.reason or item.problem)


def _is_name(items: Sequence[Item], start: int, place: int) -> bool:
    """Whether a word that nobody knows may name a place."""
    before = _before(items, start, place)
    return before is not None and before.has(*_PLACES) and not before.has("filler")


def is_lone_name(question: str, items: Sequence[Item], clause: range) -> bool:
    """Whether a clause is one word that may name the only place that is asked about: "crashes, Zorkville"."""
    said = [items[n] for n in clause if not items[n].has("filler")]
    named = len(said) == 1 and not said[0].known and question[said[0].start].isupper()
    return named and question[said[0].start + 1].islower() and not any(item.place for item in items)


def _before(items: Sequence[Item], start: int, place: int) -> Item | None:
    """The item before, but for articles, unknown words and the like."""
    for one in range(place - 1, start - 1, -1):
        if items[one].known and not items[one].has("filler"):
            return items[one]
    return None


def _is_spare(question: str, items: Sequence[Item], place: int) -> bool:
    """Whether the question may be meant without a word."""
    item = items[place]
    bound = item.has(*_BINDING) and item.text != "="
    if _says(item) or bound or not item.text.isascii() or any(map(str.isdigit, item.text)):
        return False
    around = (question[item.start - 1 : item.start], question[item.end : item.end + 1])
    if any(one.strip(" ,./?!;:()\"'") for one in around):
        return False  # a part of something else
    if item.known:
        last = item.has("mended") and place + 1 == _clause(items, place)[1]  # "…, crash wise i mean"
        return item.classes <= _SPARE or item.text == "=" or last
    start, stop = _clause(items, place)
    before = _before(items, start, place)
    if before is not None and (before.has(*_PLACES, *_BINDING, "affix") or before.amount is not None):
        return False
    named = question[item.start].isupper() and not question[item.start : item.end].isupper()
    if named and start < place:
        return False
    return not _is_asked_for(items, stop, place, before)


def _is_asked_for(items: Sequence[Item], stop: int, place: int, before: Item | None) -> bool:
    """Whether a word is what is asked for: "ridership of the stops", "which hospitals are in …"."""
    after = next((one for one in items[place + 1 : stop] if one.known), None)
    following = items[place + 1] if place + 1 < stop else None
    if following is not None and following.has("of", "for"):
        return True
    headless = before is None or before.has(*_REQUESTS)
    modifies = after is not None and bool(after.of_kind("entity", "concept", "value"))
    return headless and before is not None and not modifies and following is not None


def _lead(items: Sequence[Item], left: Set[int], place: int) -> set[int]:
    """The word before that would lead to nothing without this one: "with unicorns in …"."""
    following = items[place + 1] if place + 1 < len(items) else None
    bound = following is not None and (place + 1 in left or _says(following))
    return {place - 1} if place and items[place - 1].has(*_LEADING) and not bound else set()


def _phrase(items: Sequence[Item], left: Set[int], place: int) -> set[int]:
    """The word with the words before it that lead to it, and those behind it that hang on it."""
    start, stop = _clause(items, place)
    first, last = place, place
    while first > start:
        before = items[first - 1]
        if first - 1 not in left and (_says(before) or not before.has(*_DANGLING)):
            break
        first -= 1
    while last + 1 < stop and last + 1 in left:
        last += 1
    return set(range(first, last + 1))
