"""Questions to ask back with: what would be understood, nearest to a question that was not."""

from __future__ import annotations

from calendar import month_name
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from groundframe.frames.grounding import Grounding
from groundframe.frames.interpretation import Interpretation
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.interpreter import LexicalInterpreter
from groundframe.frames.lexical.items import Item, scanner
from groundframe.frames.lexical.tokens import stem, tokenize
from groundframe.frames.lexical.vocabulary import vocabulary
from groundframe.frames.likeness import ranked
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack

__all__ = ["offers"]

_MOST = 4
_LIKE = 0.7
_LEADS = (
    "in", "near", "on", "at", "of", "of_place", "from", "to", "for", "inside_of", "beyond", "by", "per",
    "without", "no", "not", "except", "both", "compare", "gt", "gte", "lt", "lte", "eq", "between", "top",
    "bottom", "worst", "safest", "most", "fewest", "more", "less", "nearest",
)  # fmt: skip
"""What makes the next word more than an ornament: a place, what rows go by, what is denied or bounded."""


def offers(found: Interpretation, pack: Pack, names: NameIndex) -> tuple[str, ...]:
    """At most four questions that the grammar understands wholly, in place of one that it did not.

    A vague phrase or one of several meanings is replaced by what may be meant, as the pack and `words.yaml`
    list it. An unknown word is replaced by known ones that are like it, or left out: who asks must say so.
    """
    if not found.leftovers:
        return ()
    items, _ = scanner(pack, names).scan(found.question)
    left = [item for item in items if any(span.start <= item.start < span.end for span in found.leftovers)]
    interpreter, grounding = LexicalInterpreter(pack, names), Grounding(pack, names)
    made = []
    wanted = [*_meant(found.question, left, pack, names)] or [*_unknown(found.question, items, left, pack)]
    for question in dict.fromkeys(wanted):
        read = interpreter.interpret(question)
        if read.frame is not None and not grounding.check(question, read.frame):
            made.append(question)
    return tuple(made[:_MOST])


def _meant(question: str, left: Sequence[Item], pack: Pack, names: NameIndex) -> Iterator[str]:
    """The question with what may be meant by the longest vague phrase in it that was not understood."""
    newest = names.newest_date(pack.measures[0].entity)
    years = {} if newest is None else _named_times(newest)
    listed, tokens = vocabulary(pack).instead, tokenize(question)
    for size in (4, 3, 2, 1):
        for place in range(len(tokens) - size + 1):
            phrase = tokens[place : place + size]
            options = listed.get(tuple(token.stem for token in phrase), ())
            start, end = phrase[0].start, phrase[-1].end
            if options and any(start < item.end and item.start < end for item in left):
                for option in options:
                    if "{" not in option or years:
                        made = f"{question[:start]}{option.format(**years)}{question[end:]}"
                        yield " ".join(made.split())
                return


def _named_times(newest: date) -> dict[str, str]:
    """The years and months that the newest date of the data lies in and follows."""
    earlier = newest.replace(day=1) - timedelta(days=1)
    months = {
        name: f"{month_name[day.month]} {day.year}"
        for name, day in (("month", newest), ("month_before", earlier))
    }
    return {"newest": str(newest.year), "before": str(newest.year - 1), **months}


def _unknown(question: str, items: Sequence[Item], left: Sequence[Item], pack: Pack) -> Iterator[str]:
    """The question with its one unknown word as it may be meant, and without it."""
    if len(left) != 1 or not _is_ornament(question, items, left[0]):
        return
    start, end = left[0].start, left[0].end
    empty = classes().words
    for word in ranked(left[0].text, vocabulary(pack).words, _MOST - 1, _LIKE):
        if empty.get((stem(word),), frozenset()) != {"filler"}:
            yield f"{question[:start]}{word}{question[end:]}"
    rest = question[end:] if question[end:].strip(" ?.!") else ""
    yield " ".join(f"{question[:start]}{rest}".split())


def _is_ornament(question: str, items: Sequence[Item], item: Item) -> bool:
    """Whether a word that nobody knows is no name and no number, and nothing leads up to it."""
    place = items.index(item)
    before = items[place - 1] if place else None
    if item.known or item.reason or item.problem or not (item.text.isascii() and item.text.isalpha()):
        return False
    if question[item.start - 1 : item.start].strip() or question[item.end : item.end + 1].strip(" ,.?!"):
        return False  # a part of something else
    if before is None or before.has("stop"):
        return True
    return not (question[item.start].isupper() or before.amount is not None or before.has(*_LEADS))
