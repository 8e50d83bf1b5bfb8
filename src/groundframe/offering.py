"""Questions to ask back with: what would be understood, nearest to a question that was not."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from groundframe.correcting import corrected
from groundframe.described import described
from groundframe.frames.grounding import Grounding
from groundframe.frames.grounding.doubts import EITHER
from groundframe.frames.grounding.unsaid import UNSAID
from groundframe.frames.interpretation import Interpretation, Span
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.grouping import OF_EACH
from groundframe.frames.lexical.interpreter import LexicalInterpreter
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.opposed import VERSUS, each_time
from groundframe.frames.lexical.scanner import scanner
from groundframe.frames.lexical.tokens import stem
from groundframe.frames.lexical.vocabulary import vocabulary
from groundframe.frames.likeness import ranked
from groundframe.frames.model import Frame
from groundframe.frames.names import NameIndex
from groundframe.halves import halves
from groundframe.instead import apart_from_object, at_distances
from groundframe.leaving_out import EDGE, cuts, ends_clauses, parts, rest_of, tidy
from groundframe.meant import is_modifier, may_be_meant
from groundframe.one_time import one_time
from groundframe.readable import flaws
from groundframe.schema.model import Pack
from groundframe.tabular import plain
from groundframe.vague import meant_by
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Checked

__all__ = ["offers"]

_MOST = 4
_FEW = 2
"""Questions to offer that say the same in other words."""
_LIKE = 0.75
_LIKE_NAME = 0.6
_SHORTER = 0.85
_SHORTEST = 5
_ROUNDS = 3
"""How often words are left out one after the other, as others are understood without them or not."""
_TRIES = 24
"""Questions that are read to find some to offer; each takes some milliseconds."""
_WHERE = re.compile(r"^where(?:'?s|\s+(?:are|is|were|was|do|did|does))\b", re.IGNORECASE)
_MOSTLY = re.compile(r"\s*\b(?:the )?most(?: often| frequently)?\b", re.IGNORECASE)
_AT = re.compile(r"\bat $", re.IGNORECASE)
_DOES = re.compile(r"\s*\b(?:are|is|were|was|do|does|did)\b", re.IGNORECASE)
_WHEN = re.compile(r"^(?:when|(?:at )?what time)\b(?! of)", re.IGNORECASE)
_TIME = re.compile(r"(?<=[a-z] )time\b(?! of)", re.IGNORECASE)
_TIMES = {
    "at which hour": "hour",
    "on which weekday": "weekday",
    "in which month of the year": "month of the year",
}
"""What may be asked back when somebody wants to know when something happens most."""
_SENTENCES = re.compile(r"(?<=[.?!;])\s+")


def offers(found: Interpretation, pack: Pack, names: NameIndex) -> tuple[str, ...]:
    """At most four questions that the grammar understands wholly, in place of one that it did not.

    A vague phrase or one of several meanings is replaced by what may be meant, as the pack and `words.yaml`
    list it. Unknown words are replaced by known ones that are like them, or left out: who asks must say so.
    """
    if any(span.meaning == OF_EACH for span in found.leftovers):
        return ()  # nothing that comes near it is of use
    search = _Search(pack, names)
    search.rough = flaws(found.question)
    if not found.leftovers:
        known = any(item.of_kind("entity") for item in search.items(found.question))
        for question in _completed(found.question, pack, alone=not known):
            if question != found.question and not (search.made and question.endswith(found.question)):
                search.read(question)
        for sentence in _SENTENCES.split(found.question) if not search.made else ():
            search.read(sentence)
        return tuple(search.made)[:_MOST]
    if (span := next((one for one in found.leftovers if one.meaning == VERSUS), None)) is not None:
        for question in each_time(found.question, search.items(found.question), span.start):
            search.read(tidy(question))
        return tuple(search.made) if len(search.made) > 1 else ()  # one of two is not what was asked
    for question in (*at_distances(found), *apart_from_object(found, search.items(found.question))):
        search.read(question)
    for question in (*corrected(found.question, search.items(found.question)), *plain(found.question)):
        if len(search.made) < _FEW:
            search.read(tidy(question))
    for question in (*search.in_areas(found), *search.by_name(found)):
        search.read(question)
    if search.made:
        return tuple(search.made)[:_MOST]
    left = search.left(found.question, found.leftovers)
    newest = names.newest_date(pack.measures[0].entity)
    nearest = [] if newest is None else [*one_time(found.question, left, newest.year)]
    meant = [*nearest, *meant_by(found.question, left, pack, names)]
    for question in meant:
        search.read(question)
    if not search.made:
        # What stands beside the vague phrase may be vague or unknown as well.
        for question in meant[:2]:
            read = search.read(question)
            beside = search.left(question, read.leftovers) if read is not None else []
            other = next(meant_by(question, beside, pack, names), question)
            search.without(other)
    if _is_unsaid(found) and not search.made:
        for question in (*_in_words(found, pack, names), *_with_what_happened(found, pack)):
            if not search.made:
                search.read(question)
        return tuple(search.made)
    if not search.made:
        for question in (*_alike(found.question, left, pack), *_places(found.question, search, left)):
            search.read(question)
        search.without(found.question)
    if not search.made and may_be_meant(found, search.items(found.question), left):
        items = search.items(found.question)
        named = any(item.place is not None for item in left)
        rest = "" if named else rest_of(found.question, left)
        # What is doubtful may be meant as it was read, or be several questions.
        doubtful = all(span.meaning for span in found.leftovers)
        split = [*halves(found, items)]
        most = _MOST - 1 if doubtful or found.draft is None else max(1, len(split))
        # Without "or" both would hold, whether in words or with it left out.
        either = any(span.meaning == EITHER for span in found.leftovers)
        said = [] if either else _in_words(found, pack, names)
        whole = [] if found.draft is not None else _completed(rest, pack, alone=False)
        # Of "red cars" it shows best in the words of the question what is left out.
        first = [rest] if len(left) == 1 and is_modifier(items, items.index(left[0])) else []
        rest = "" if either else rest
        for question in (*split, *first, *said, *parts(found.question, items), rest, *whole):
            if len(search.made) < most:
                search.read(question)
    return tuple(filter(None, (search.worded(question) for question in search.made)))[:_MOST]


def _is_unsaid(found: Interpretation) -> bool:
    """Whether all is known, and only that something happened was not said."""
    spans = found.leftovers
    return found.draft is not None and all((one.meaning or "").endswith(UNSAID) for one in spans)


def _in_words(found: Interpretation, pack: Pack, names: NameIndex) -> Iterator[str]:
    """What was understood of a question, said as a question of its own."""
    outcome = validate(found.draft, pack, names) if found.draft is not None else None
    if isinstance(outcome, Checked) and _asks(outcome.frame):
        yield described(outcome.frame, pack)


def _with_what_happened(found: Interpretation, pack: Pack) -> Iterator[str]:
    """The question with what happened before the thing that stands instead of it: "the most cyclists"."""
    counted = pack.entity(pack.measures[0].entity)
    for span in found.leftovers:
        yield f"{found.question[: span.start]}{counted.plural} with {found.question[span.start :]}"


class _Search:
    """Reads questions that may be offered, and keeps those that are understood."""

    def __init__(self, pack: Pack, names: NameIndex) -> None:
        self._scanner = scanner(pack, names)
        self._interpreter, self._grounding = LexicalInterpreter(pack, names), Grounding(pack, names)
        self._pack, self._names = pack, names
        self._items: dict[str, list[Item]] = {}
        self._tried: dict[str, Interpretation] = {}
        self._cut: set[str] = set()
        self.rough: frozenset[tuple[str, str]] = frozenset()
        self.made: dict[str, Frame] = {}
        kinds = [entity.name for entity in pack.entities if "scope" in entity.roles]
        self.areas = {name.casefold(): name for kind in kinds for name in names.distinct_names(kind)}

    def items(self, question: str) -> list[Item]:
        """The items of a question."""
        if question not in self._items:
            self._items[question] = self._scanner.scan(question)[0]
        return self._items[question]

    def left(self, question: str, leftovers: Sequence[Span]) -> list[Item]:
        """The items that were not understood."""
        items = self.items(question)
        return [items[place] for place in _places_in(items, leftovers)]

    def read(self, question: str) -> Interpretation | None:
        """Keep a question that is understood; what was made of it, None where too many were tried."""
        if question in self._tried:
            return self._tried[question]
        if len(self._tried) >= _TRIES:
            return None
        read = self._tried[question] = self._interpreter.interpret(question)
        whole = read.frame is not None and not self._grounding.check(question, read.frame)
        if read.frame is not None and whole and _asks(read.frame):
            same = read.frame.model_copy(update={"question": ""})
            if same not in self.made.values():
                self.made[question] = same
        return read

    def in_areas(self, found: Interpretation) -> Iterator[str]:
        """The question with an area that has the street where none or another is named: these, or any."""
        asked = found.question
        start, end, areas = self._grounding.areas(asked, found.draft) if found.draft else (0, 0, [])
        for area in areas[: _MOST - 1]:
            yield f"{asked[:start]}{area if start < end else f' in {area}'}{asked[end:]}"
        if areas and start == end:
            yield f"{found.question.rstrip(EDGE + '?!')}, statewide"

    def by_name(self, found: Interpretation) -> Iterator[str]:
        """The question with what may be meant by words that read like a name and are none."""
        asked = found.question
        start, end, names = self._grounding.instead_of_name(asked, found.draft) if found.draft else (0, 0, [])
        for name in names:
            before = asked[:start].removesuffix("the ") if name == names[0] else asked[:start]
            yield f"{before}{name}{asked[end:]}"
            yield f"{_AT.sub('near ', before)}{name}{asked[end:]}"

    def worded(self, question: str) -> str:
        """A question with words cut out of it in plainer words, where these are fewer and mean the same.

        One that is no sentence any more is said in these, or not at all.
        """
        rough = bool(flaws(question) - self.rough)
        if question not in self._cut and not rough:
            return question
        said = self._checked(self.made[question])
        words = described(said, self._pack) if said is not None else question
        if len(words) > _SHORTER * len(question) and not rough:
            return question
        read = self._interpreter.interpret(words)
        again = self._checked(read.frame) if read.frame is not None else None
        grounded = read.frame is not None and not self._grounding.check(words, read.frame)
        if grounded and again == said:
            return words
        return "" if rough else question

    def _checked(self, frame: Frame) -> Frame | None:
        """A frame as the validator makes it, whether it is listed or counted."""
        outcome = validate(frame, self._pack, self._names)
        same = {"question": "", "outputs": ()}
        return outcome.frame.model_copy(update=same) if isinstance(outcome, Checked) else None

    def without(self, question: str, rounds: int = _ROUNDS) -> bool:
        """Look for the question without what is not understood; whether there is one."""
        read = self.read(question)
        if read is None or not rounds:
            return False
        if question in self.made:
            return True
        items = self.items(question)
        for cut in cuts(question, items, frozenset(_places_in(items, read.leftovers))):
            rest = rest_of(question, [items[place] for place in sorted(cut)])
            if not ends_clauses(items, cut):
                self._cut.add(rest)
            if rest and rest != question and self.without(rest, rounds - 1):
                return True
        return False


def _places_in(items: Sequence[Item], spans: Sequence[Span]) -> Iterator[int]:
    """The numbers of the items that spans begin with or hold."""
    for place, item in enumerate(items):
        if any(span.start <= item.start < span.end for span in spans):
            yield place


def _asks(frame: Frame) -> bool:
    """Whether a frame asks more than for all there is of a kind."""
    parts = (frame.attribute_constraints, frame.temporal_constraints, frame.spatial_constraints)
    return len(frame.targets) > 1 or any((*parts, frame.group_by, frame.measures, frame.references))


def _completed(question: str, pack: Pack, *, alone: bool) -> Iterator[str]:
    """The question with what it may be about; `alone` where no kind of thing is named."""
    counted = pack.entity(pack.measures[0].entity)
    yield f"{question.rstrip(EDGE + '?!')} by {counted.plural}"
    kinds = [pack.entity(link.to).plural for link in counted.links]
    for kind in dict.fromkeys(kinds):
        yield _WHERE.sub(f"which {kind} have", question)
        if question.lower().startswith("where ") and _MOSTLY.search(question):
            rest = _DOES.sub("", _MOSTLY.sub("", question)[len("where") :], count=1)
            yield f"which {kind} have the most{rest}"
    for asked, time in _TIMES.items():
        yield _WHEN.sub(asked, question)
        yield _TIME.sub(time, question)
    if alone:
        yield f"{counted.plural}, {question}"


def _places(question: str, search: _Search, left: Sequence[Item]) -> Iterator[str]:
    """The question with an area whose name is like one unknown word behind "in" or the like."""
    items = search.items(question)
    for before, item in pairwise(items):
        if item in left and not (item.known or item.reason) and before.has("in", "of", "at", "near", "from"):
            for name in ranked(item.text, search.areas, 2, _LIKE_NAME):
                yield f"{question[: item.start]}{name}{question[item.end :]}"


def _alike(question: str, left: Sequence[Item], pack: Pack) -> Iterator[str]:
    """The question with one unknown word as it may be meant."""
    empty, words = classes().words, vocabulary(pack)
    for item in left[:2]:
        real = item.known or item.reason or item.text in classes().real
        if real or len(item.text) < _SHORTEST or not item.text.isalpha():
            continue
        for word in ranked(item.text, words.words, _MOST - 1, _LIKE):
            if (stem(word),) not in empty or (stem(word),) in words.senses:
                yield f"{question[: item.start]}{word}{question[item.end :]}"
