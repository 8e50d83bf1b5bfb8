"""SQL laid out for a reader: one clause, column or condition a line, so that a diff shows what changed.

Only white space is changed. The text is for people, and is never run.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

__all__ = ["laid_out", "squeezed"]

WIDTH = 100
_STEP = "  "
_TOKEN = re.compile(r"""\s+|'(?:[^']|'')*'|"(?:[^"]|"")*"|[(),]|[^\s(),'"]+|.""")
_CLAUSES = {"SELECT", "FROM", "WHERE", "HAVING", "WITH", "LIMIT", "OFFSET", "FETCH", "UNION"}
_BY = {"GROUP", "ORDER", "PARTITION"}
_SIDES = {"LEFT", "INNER", "CROSS"}
_LEADING = {"SELECT", "DISTINCT", "WITH", "BY", *_BY}


@dataclass(frozen=True, slots=True)
class _Part:
    """A word, or what stands in parentheses, as text on one line."""

    text: str
    apart: bool
    inner: Sequence[_Part] = ()


def laid_out(sql: str) -> str:
    r"""The statement in lines.

    Examples
    --------
    >>> print(laid_out("SELECT a, b \nFROM t \nWHERE a = 1"))
    SELECT a, b FROM t WHERE a = 1
    >>> print(laid_out(f"SELECT DISTINCT a, {'b' * 80} \nFROM t WHERE a = 1 AND b IN (SELECT c FROM d)"))
    SELECT DISTINCT
      a,
      bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb
    FROM t
    WHERE a = 1 AND b IN (SELECT c FROM d)
    """
    return "\n".join(_lines(_parsed(sql), ""))


def squeezed(sql: str) -> str:
    """The statement without white space: equal for texts that differ in their layout only."""
    return "".join(sql.split())


def _parsed(sql: str) -> Sequence[_Part]:
    stack: list[tuple[bool, list[_Part]]] = [(False, [])]
    apart = False
    for word in _TOKEN.findall(sql):
        if word.isspace():
            apart = True
            continue
        if word == "(":
            stack.append((apart, []))
        elif word == ")" and len(stack) > 1:
            before, inner = stack.pop()
            stack[-1][1].append(_Part(f"({_flat(inner)})", before, inner))
        else:
            stack[-1][1].append(_Part(word, apart))
        apart = False
    # What is never closed is a word like others.
    for before, inner in stack[1:]:
        stack[0][1].extend((_Part("(", before), *inner))
    return stack[0][1]


def _flat(parts: Sequence[_Part]) -> str:
    return "".join(f" {part.text}" if part.apart and place else part.text for place, part in enumerate(parts))


def _lines(parts: Sequence[_Part], indent: str) -> Iterator[str]:
    """A statement: on one line where it fits, else clause by clause."""
    clauses = [parts] if _fits(parts, indent) else _split(parts, _starts_clause)
    for clause in clauses:
        yield from _clause(clause, indent)


def _clause(parts: Sequence[_Part], indent: str) -> Iterator[str]:
    """One clause: what it lists a line each, where it does not fit on one."""
    listed = [parts] if _fits(parts, indent) else _split(parts, _follows_comma)
    if len(listed) > 1:
        leading = next(place for place, part in enumerate(parts) if part.text not in _LEADING)
        if leading:
            yield indent + _flat(parts[:leading])
            indent += _STEP
            listed[0] = parts[leading : len(listed[0])]
        for item in listed:
            yield from _opened(item, indent)
        return
    conditions = [parts] if _fits(parts, indent) else _split(parts, _starts_condition)
    for place, condition in enumerate(conditions):
        yield from _opened(condition, indent + _STEP if place else indent)


def _opened(parts: Sequence[_Part], indent: str) -> Iterator[str]:
    """One item of a list or one condition; where it is too long, its long parentheses are opened."""
    longest = max((len(part.text) for part in parts if part.inner), default=0)
    line: list[_Part] = []
    for part in () if _fits(parts, indent) else parts:
        if part.inner and len(part.text) >= min(longest, WIDTH // 2):
            yield indent + _flat([*line, _Part("(", part.apart)])
            yield from _lines(part.inner, indent + _STEP)
            line = [_Part(")", False)]
        else:
            line.append(part)
    yield indent + _flat(line or parts)


def _fits(parts: Sequence[_Part], indent: str) -> bool:
    return len(indent) + len(_flat(parts)) <= WIDTH


def _split(parts: Sequence[_Part], starts: Callable[[Sequence[_Part], int], bool]) -> list[Sequence[_Part]]:
    cuts = [0, *(place for place in range(1, len(parts)) if starts(parts, place)), len(parts)]
    return [parts[first:last] for first, last in pairwise(cuts)]


def _starts_clause(parts: Sequence[_Part], place: int) -> bool:
    before, word, after = (_word(parts, place + step) for step in (-1, 0, 1))
    if word in _CLAUSES:
        # … IS DISTINCT FROM …, … ROWS WITH TIES
        return (before, word) not in (("DISTINCT", "FROM"), ("ROWS", "WITH"))
    if word in _BY:
        return after == "BY"
    return (word == "JOIN" and before not in {"OUTER", *_SIDES}) or (
        word in _SIDES and after in ("JOIN", "OUTER")
    )


def _follows_comma(parts: Sequence[_Part], place: int) -> bool:
    return _word(parts, place - 1) == ","


def _starts_condition(parts: Sequence[_Part], place: int) -> bool:
    return _word(parts, place) in ("AND", "OR")


def _word(parts: Sequence[_Part], place: int) -> str:
    return parts[place].text if place < len(parts) else ""
