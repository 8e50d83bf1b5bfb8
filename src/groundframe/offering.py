"""Questions to ask back with: what would be understood, nearest to a question that was not."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from groundframe.frames.grounding import Grounding
from groundframe.frames.interpretation import Interpretation
from groundframe.frames.lexical.interpreter import LexicalInterpreter
from groundframe.frames.lexical.items import Item, scanner
from groundframe.frames.lexical.tokens import tokenize
from groundframe.frames.lexical.vocabulary import vocabulary
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack

__all__ = ["offers"]

_MOST = 4


def offers(found: Interpretation, pack: Pack, names: NameIndex) -> tuple[str, ...]:
    """At most four questions that the grammar understands wholly, in place of one that it did not.

    A vague phrase or one of several meanings is replaced by what may be meant, as the pack and `words.yaml`
    list it. No word is ever left out: it may be what the question is about.
    """
    if not found.leftovers:
        return ()
    items, _ = scanner(pack, names).scan(found.question)
    left = [item for item in items if any(span.start <= item.start < span.end for span in found.leftovers)]
    interpreter, grounding = LexicalInterpreter(pack, names), Grounding(pack, names)
    made = []
    for question in dict.fromkeys(_meant(found.question, left, pack, names)):
        read = interpreter.interpret(question)
        if read.frame is not None and not grounding.check(question, read.frame):
            made.append(question)
    return tuple(made[:_MOST])


def _meant(question: str, left: Sequence[Item], pack: Pack, names: NameIndex) -> Iterator[str]:
    """The question with what may be meant by the longest vague phrase in it that was not understood."""
    newest = names.newest_date(pack.measures[0].entity)
    years = {"newest": newest.year, "before": newest.year - 1} if newest is not None else {}
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
