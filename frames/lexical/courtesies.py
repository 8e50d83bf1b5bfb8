"""What is said for courtesy's sake: it asks nothing, whatever its words mean elsewhere."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import takewhile

from groundframe.frames.lexical.classes import classes, words_of
from groundframe.frames.lexical.tokens import Token, stems

__all__ = ["courtesies"]

_ENDS = frozenset({".", "?", "!", ";", ":", ",", "-", "\N{EN DASH}", "\N{EM DASH}", "(", ")"})
_LONGEST = 5
"""Words of the longest phrase that is looked up."""
_NAMES = 3
"""Words of the name of somebody."""
_FEW = 2
"""A clause of fewer words is said for courtesy's sake only where it is listed as such."""
_KINDS = ("core", "asking", "telling", "closings", "glue", "titles")

_TOLD = frozenset({"core", "telling", "titles"})
"""One of these must be among the words that lead to a question."""

Run = list[tuple[int, int, frozenset[str]]]
"""The phrases of a clause one after the other: from where to where, and of what kind they are."""


def courtesies(tokens: Sequence[Token], is_name: Callable[[int], bool]) -> frozenset[int]:
    """The places of tokens that only wrap a question: "I would be grateful if you could tell me …".

    A clause of nothing but such words is one; so is the beginning of a clause up to a verb of asking or
    knowing, and its end from "if" or "thanks" on. No word of theirs names a thing, a place or a time, so
    nothing that could be a condition is among them; the names of people are, behind a title or a greeting.

    Parameters
    ----------
    is_name : callable
        Whether the token there is a capitalised word that means nothing, and may so be somebody's name.
    """
    found = set[int]()
    for start, stop in _clauses(tokens):
        run = list(_run(tokens, start, stop, is_name))
        if run and run[-1][1] == stop and _is_courtesy(tokens, run):
            found |= set(range(start, stop))
        elif led := _led(tokens, run, stop):
            found |= set(range(start, led))
        elif (last := _last(tokens, start, stop, is_name)) is not None:
            found |= set(range(last, stop))
    found |= _signed(tokens, is_name)
    return frozenset(found)


def _clauses(tokens: Sequence[Token]) -> Iterator[tuple[int, int]]:
    start = 0
    for place in (*(n for n, token in enumerate(tokens) if token.text in _ENDS), len(tokens)):
        if place < len(tokens) and tokens[place].text == "." and tokens[place - 1].text in _words("short"):
            continue
        if start < place:
            yield start, place
        start = place + 1


def _run(
    tokens: Sequence[Token], start: int, stop: int, is_name: Callable[[int], bool]
) -> Iterator[tuple[int, int, frozenset[str]]]:
    """The phrases from here that are words of courtesy, as far as they go."""
    place = start
    while place < stop:
        size, kinds = _phrase(tokens, place, stop)
        if size and tokens[place].text in _words("months") and not _is_verb(tokens, place, start):
            return
        if not size and (size := _lead(tokens, place, stop)):
            kinds = frozenset({"glue"})
        if not size:
            return
        named = range(place + size, min(stop, place + size + _NAMES)) if "titles" in kinds else range(0)
        if names := len([*takewhile(is_name, named)]):
            size, kinds = size + names, kinds | {"named"}
        yield place, place + size, kinds
        place += size


def _phrase(tokens: Sequence[Token], place: int, stop: int) -> tuple[int, frozenset[str]]:
    """The longest phrase of courtesy from here: its length, and what it is."""
    for size in range(min(_LONGEST, stop - place), 0, -1):
        key = tuple(token.stem for token in tokens[place : place + size])
        if kinds := frozenset(name for name in _KINDS if key in _phrases(name)):
            return size, kinds
    return 0, frozenset()


def _lead(tokens: Sequence[Token], place: int, stop: int) -> int:
    """Whether a preposition leads to a word of courtesy: "for your time", and not "for schools"."""
    if tokens[place].text not in _words("leads"):
        return 0
    for after in range(place + 1, stop):
        if tokens[after].text in _words("persons") or _phrase(tokens, after, stop)[1] & {"core", "titles"}:
            return 1
        if tokens[after].text not in _words("articles"):
            break
    return 0


def _is_verb(tokens: Sequence[Token], place: int, start: int) -> bool:
    """Whether "may" is no month: "May I ask …", "it may concern"."""
    return place == start or tokens[place - 1].text in _words("subjects")


def _is_courtesy(tokens: Sequence[Token], run: Run) -> bool:
    """Whether a clause of such words asks nothing."""
    cores = [one for one in run if one[2] & {"core", "named"}]
    whole = tuple(token.stem for token in tokens[run[0][0] : run[-1][1]])
    if whole in _phrases("alone"):
        return True
    return bool(cores) and sum(stop - start for start, stop, _ in run) >= _FEW


def _led(tokens: Sequence[Token], run: Run, stop: int) -> int:
    """Where the question begins behind the words of courtesy that lead to it; 0 where none do."""
    begins = run[0][0] if run else 0
    for number in range(len(run) - 1, -1, -1):
        start, end, kinds = run[number]
        if end >= stop or end - begins < _FEW or not any(one[2] & _TOLD for one in run[: number + 1]):
            continue
        if tokens[begins].text in _words("leads") and "core" not in run[0][2]:
            continue  # "for students I need to know"
        said = " ".join(token.text for token in tokens[start:end])
        before, following = tokens[start - 1].text if number else "", tokens[end].text
        asks = bool(kinds & {"asking", "telling"}) and following not in _words("not_followed")
        asks &= not following.isdecimal()
        urged = before in _words("verbs")
        asks &= urged or said not in _words("reserved")  # "what share"
        # "The mayor tells me that crashes …" states something.
        asks &= urged or said in _words("free") or following in _words("questions")
        asks &= said not in _words("weak") or following in _words("heads")  # "the chance that I get hit"
        if asks or (following in _words("requests") and tokens[end - 1].text in _words("verbs")):
            return end
    return 0


def _last(tokens: Sequence[Token], start: int, stop: int, is_name: Callable[[int], bool]) -> int | None:
    """Where the end of a clause begins that is said for courtesy's sake: "… if you don't mind"."""
    for place in range(start + 1, stop):
        if tokens[place].text not in _words("openers"):
            continue
        run = list(_run(tokens, place, stop, is_name))
        if run and run[-1][1] == stop and _is_courtesy(tokens, run):
            return place
    return None


def _signed(tokens: Sequence[Token], is_name: Callable[[int], bool]) -> set[int]:
    """Names of who writes and who is written to: "Hi Dana, …", "… Sincerely, Priya"."""
    made = set[int]()
    for place in (0, *(n + 1 for n, token in enumerate(tokens) if token.text in _ENDS)):
        ends = not place or tokens[place - 1].text in {".", "?", "!"}
        size, kinds = _phrase(tokens, place, len(tokens)) if place < len(tokens) else (0, frozenset())
        dash = bool(place) and tokens[place - 1].text in "-\N{EN DASH}\N{EM DASH}" and _closed(tokens, place)
        if not (dash or "closings" in kinds or (not place and "greetings" in _greeting(tokens))):
            continue
        first = place if dash else place + (size or 1)
        if not dash and first < len(tokens) and tokens[first].text in {",", "-"}:
            first += 1
        title, what = _phrase(tokens, first, len(tokens)) if first < len(tokens) else (0, frozenset())
        after = first + title if "titles" in what else first
        after += len([*takewhile(is_name, range(after, min(len(tokens), after + _NAMES)))])
        if after == first:
            continue
        last = all(token.text in {".", "!"} for token in tokens[after:])
        if (last and place) or (not place and after < len(tokens) and tokens[after].text in {",", ":", "!"}):
            made |= set(range(place if ends or dash else first, after))
    return made


def _closed(tokens: Sequence[Token], place: int) -> bool:
    return place > 1 and tokens[place - 2].text in {".", "?", "!"}


def _greeting(tokens: Sequence[Token]) -> frozenset[str]:
    known = bool(tokens) and tokens[0].text in _words("greetings")
    return frozenset({"greetings"} if known else ())


@cache
def _phrases(name: str) -> frozenset[tuple[str, ...]]:
    listed = words_of("courtesies", name)
    if name == "titles":
        # Who speaks elsewhere may do so here, unless that is a place as well ("my street").
        spoken = (stems(one) for one in words_of("asides", "speakers"))
        known = classes().words
        people = {key for key in spoken if not known.get(key, frozenset()) - {"filler"}}
        return frozenset(stems(one) for one in listed) | people
    return frozenset(stems(one) for one in listed)


@cache
def _words(name: str) -> frozenset[str]:
    return frozenset(words_of("times" if name == "months" else "courtesies", name))
