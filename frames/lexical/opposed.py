"""Times that are held against each other: side by side where rows show both, else asked one by one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date, timedelta
from typing import TYPE_CHECKING, Any

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.denials import either_time
from groundframe.frames.lexical.periods import joined_periods
from groundframe.frames.lexical.tokens import Token, rewritten

if TYPE_CHECKING:
    from groundframe.frames.lexical.items import Item

__all__ = ["VERSUS", "each_time", "in_its_year", "opposed"]

VERSUS = "Times that are held against each other are asked for one by one, or in rows by year, month or hour."
"""What is said of the second of two times that no one frame shows side by side."""
_SURPLUS = frozenset(words_of("opposed", "surplus"))
_DAYTIME = frozenset(words_of("opposed", "daytime"))
_OUTSIDE = frozenset(words_of("opposed", "outside"))
_NEAR = 7
"""Words that may stand between the two."""
_MORE = ("more", "less", "worse", "most")
_THAN = re.compile(r"\b(?:than|then)\b")
_THAN_YEAR = re.compile(r"than (?:in |for )?((?:19|20)\d\d)")
_YEAR = re.compile(r"(?:19|20)\d\d")
_DAYS = frozenset({"from", "to", "years"})
_ORDINALS = frozenset(words_of("times", "ordinals")) | {"1st", "2nd", "3rd", "4th"}
_PIECES = ("half", "quarter")
_LONGEST = 9


def in_its_year(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens with the year behind both halves of it: "first half vs second half of 2023".

    Examples
    --------
    >>> from groundframe.frames.lexical.tokens import tokenize
    >>> " ".join(token.text for token in in_its_year(tokenize("first half vs second half of 2023")))
    'first half of 2023 vs second half of 2023'
    """

    def instead(place: int, size: int) -> tuple[list[Token], int] | None:
        part = tokens[place : place + size]
        words = [token.text for token in part]
        if size < 6 or words[0] not in _ORDINALS or words[1] not in _PIECES or words[-2] not in ("of", "in"):
            return None
        middle = [word for word in words[2:-2] if word != "the"]
        year = part[-1]
        if not (year.is_number() and len(year.text) == 4) or middle[-1] not in (*_PIECES, *_ORDINALS):
            return None
        if not _ORDINALS & set(middle) or any(token.is_number() for token in part[2:-1]):
            return None
        end = part[1].end
        return [*part[:2], Token("of", end, end), Token(year.text, end, end), *part[2:]], size

    return rewritten(tokens, _LONGEST, instead)


def opposed(items: Sequence[Item]) -> list[Item]:
    """The items with a time that no rows show beside another as a problem, "how many more" as two numbers."""
    made = _surplus(list(items))
    against = any(item.has("compare", "more", "less", "worse") or item.text == "more" for item in made)
    if not against and not any(item.text in _DAYTIME for item in made):
        return made
    _since_then(made)
    for place in range(1, len(made)):
        found = _sides(made, place)
        if found is None:
            continue
        first, last = made[found[0]], made[place]
        if not _shown(first, last, direct=made[found[1]].has("compare", "or")):
            made[place] = last.stopped(VERSUS)
            break
        joined = set(first.times) in ({"months"}, {"weekdays"})
        both = either_time(first.times, last.times) if joined else None
        if both is not None and made[found[1]].has("compare", "or"):
            # "summer vs winter", "more in summer or winter"
            made[found[1]] = made[found[1]].reworded("compare", "vs")
            made[found[0]] = replace(first, times=both, senses=(), classes=frozenset())
            made[place] = last.emptied()
    return made


def each_time(question: str, items: Sequence[Item], start: int) -> Iterator[str]:
    """The question with the first of two times held against each other, and with the second.

    Parameters
    ----------
    start : int
        The character at which the second begins.
    """
    place = next((n for n, item in enumerate(items) if item.start == start), 0)
    found = _sides(items, place)
    if found is None:
        return
    first, joint = (items[one] for one in found)
    last, stop = items[place], items[place].end
    again = items[place + 1] if place + 1 < len(items) else None
    if last.text in _OUTSIDE and again is not None and again.times == first.times:
        stop = again.end  # "compared to outside school hours"
    between = question[first.end : joint.start]
    before = question[: first.start]
    for item in reversed(items[: found[0]]):
        if item.has("compare") or item.text == "more":
            before = before[: item.start] + before[item.end :]
    for time in (first, last):
        yield f"{before.rstrip()} {_written(time, first)}{between}{question[stop:]}".lstrip(" ,")


def _written(time: Item, first: Item) -> str:
    """A time as it is asked for by itself: "during the day", "outside school hours"."""
    if time.text in _OUTSIDE:
        return f"outside {first.text.removeprefix('during ')}"
    return time.text if time.times or time.text not in _DAYTIME else "during the day"


def _sides(items: Sequence[Item], place: int) -> tuple[int, int] | None:
    """Where the time stands that the time here is held against, and what joins the two."""
    last = items[place]
    if not _is_time(last) and last.problem != VERSUS:
        return None
    first = next((n for n in range(place - 1, max(-1, place - _NEAR), -1) if _is_time(items[n])), None)
    if first is None or items[first].problem:
        return None
    between = range(first + 1, place)
    if any(items[n].amount is not None or (items[n].place and items[n].has("in")) for n in between):
        return None
    joint = next((n for n in between if items[n].has("compare")), None)
    if joint is not None:
        return first, joint
    compared = any(item.has("compare") for item in items[:first])
    more = any(item.has("more", "less", "worse") or item.text == "more" for item in items[:first])
    joins: tuple[str, ...] = ("with", "to", "and") if compared else ("or",) if more else ()
    several = sum(item.place is not None for item in items) > 1
    if (items[first].text in _DAYTIME) != (last.text in _DAYTIME) and {*items[first].times, *last.times} == {
        "hours"
    }:
        joins = ("with", "to", "and", "or")  # "by day and at night": nothing happens at both
    joint = next((n for n in between if joins and items[n].has(*joins)), None)
    return None if joint is None or several else (first, joint)


def _is_time(item: Item) -> bool:
    return bool(item.times) or item.text in _DAYTIME or (item.text in _OUTSIDE and not item.senses)


def _shown(one: Item, other: Item, *, direct: bool) -> bool:
    """Whether rows by a time show both: years, months and days of the week, or parts of several years."""
    if not (one.times and other.times):
        return False
    kinds = {*one.times, *other.times}
    if kinds <= {"years"} or kinds <= {"months"} or kinds <= {"weekdays"}:
        return True
    if kinds <= _DAYS:
        return len((joined_periods([one.times, other.times]) or {}).get("years", ())) > 1
    # "compare both towns at night and on weekends": one time
    return not direct and set(one.times) != set(other.times)


def _surplus(items: list[Item]) -> list[Item]:
    """Which of two is more, and by how much, is seen from both: "how many more in 2025 than in 2024"."""
    than = next((n for n, item in enumerate(items) if n and _THAN.search(item.text)), None)
    if than is None:
        return items
    last = items[than]
    led = items[than + 1] if than + 2 < len(items) else None
    if (
        last.text in ("than", "then")
        and led is not None
        and led.has("in", "on", "at", "for")
        and not led.times
    ):
        items = [*items[: than + 1], *items[than + 2 :]]  # "more in 2025 than in 2024"
    more = next((n for n in range(than) if items[n].text in _SURPLUS or items[n].has(*_MORE)), None)
    if more is None and (last.text in ("than", "then") or last.has("compare")):
        return items
    told = [] if more is None else [_told(items[more])]
    before = [] if more is None else items[:more]
    between = items[len(before) + len(told) : than]
    year = _THAN_YEAR.fullmatch(last.text)
    after = items[than + 1] if than + 1 < len(items) else None
    dated = [n for n, item in enumerate(items[:than]) if set(item.times) == {"years"}]
    named = [n for n, item in enumerate(items[:than]) if item.place is not None]
    compare = replace(last.emptied("compare"), problem="", reason="")
    if year is not None and dated:
        behind = replace(last, times={"years": [int(year[1])]}, problem="")
        return [*before, *told, *between, compare, behind, *items[than + 1 :]]
    rest = items[than + 2 :]
    if after is not None and after.place is not None and len(named) == 1:
        whole = [*before, *told, *between]
        return [*whole[: named[0] + 1], compare, after, *whole[named[0] + 1 :], *rest]
    if after is not None and dated and last.has("lt", "gt") and _YEAR.fullmatch(after.text):
        behind = replace(after, times={"years": [int(after.text)]}, amount=None)
        return [*before, *told, *between, compare, behind, *rest]
    sides = [item.times.keys() for item in items[:than] if item.times]
    if after is not None and len(sides) == 1 and sides[0] == after.times.keys() <= {"weekdays", "months"}:
        return [*before, *told, *between, compare, after, *rest]
    return items


def _told(item: Item) -> Item:
    """A word for more, as a number that is asked for where it says so."""
    return replace(item.emptied("how_many" if item.text in _SURPLUS else "filler"), reason="")


def _since_then(items: list[Item]) -> None:
    """Behind "before 2020" what was "since then" is from 2020 on."""
    until = next((item.times["to"] for item in items if set(item.times) == {"to"}), None)
    if until is None:
        return
    first = date.fromisoformat(str(until)) + timedelta(days=1)
    for place in range(len(items) - 1):
        if items[place].text in ("since", "from") and items[place + 1].text in ("then", "that"):
            whole = (first.month, first.day) == (1, 1)
            text = f"since {first.year}" if whole else f"since {first.isoformat()}"
            times: Mapping[str, Any] = {"from": first.isoformat()}
            then = items[place + 1]
            items[place] = replace(
                items[place], text=text, times=dict(times), end=then.end, classes=frozenset(), reason=""
            )
            items[place + 1 : place + 2] = []
            return
