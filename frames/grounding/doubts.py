"""Where a frame holds all that a question says, and may yet mean something else."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise

from groundframe.frames.grounding.said import Said, Ungrounded, close, doubtful
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.strikers import is_striker
from groundframe.frames.model import Frame, Reference, Target
from groundframe.schema.model import Pack

__all__ = ["EITHER", "TWO", "doubts", "kinds_of"]

EITHER = "Either of two different things cannot be asked for at once."
TWO = "Two questions are asked."
"""What is said where the second one begins."""

_ALTERNATIVES = ("in", "not_in", "contains")
_LONGEST = 20
"""Years that a frame names one by one; more of them are all years but some."""


def doubts(said: Said, frame: Frame, pack: Pack) -> Iterator[Ungrounded]:
    """What of a question a frame may have put together otherwise than it was meant."""
    yield from _either(said, frame)
    yield from _mended(said)
    yield from _except_both(said)
    yield from _periods(frame)
    yield from _of_itself(said, frame)
    yield from _chained(said, frame)
    yield from _on_the_way(said)
    yield from _two_questions(said, frame)
    yield from _struck(said, frame, pack)
    yield from _far_from(said, frame)
    yield from _who(said)
    yield from _people(said, frame)


def _kinds(item: Item) -> set[str]:
    """What kinds of things an item says: times, names, amounts, or what is asked of which entity."""
    if item.times:
        return {"time"}
    if item.place is not None:
        return {f"named {kind}" for kind in item.place.kinds} or {"named"}
    if item.amount is not None:
        return {"amount"}
    return {sense.entity for sense in item.senses if sense.kind in ("entity", "concept", "value")}


def kinds_of(item: Item) -> set[str]:
    """The fields, kinds of names, times and amounts of which an item says one; another may be meant."""
    if item.times:
        return {"days" if one in ("years", "from", "to", "last") else one for one in item.times}
    if item.amount is not None:
        return {f"amount {item.amount.kind}"}
    if item.place is not None or item.has("filler"):
        return _kinds(item) if item.place is not None else set()
    things = {"thing" for sense in item.senses if sense.kind == "entity"}
    return things | {
        "concept" if sense.kind == "concept" else f"{sense.entity} {sense.name}"
        for sense in item.senses
        if sense.kind in ("concept", "value")
    }


def _nouns(item: Item) -> set[str]:
    """The entities of which an item has the noun: "crashes", "pedestrian crashes"."""
    return {sense.entity for sense in item.senses if sense.kind == "entity" or sense.noun}


def _beside(items: Sequence[Item], place: int, step: int) -> Item | None:
    """The next item to one side that says something, None where a clause ends before."""
    at = place + step
    while 0 <= at < len(items) and not items[at].has("stop", "comma", "compare"):
        if _kinds(items[at]) and not items[at].has("filler"):
            return items[at]
        if not items[at].known or (items[at].of_kind("field") and not items[at].has("filler")):
            return None  # a value that its field follows: "Norfolk County"
        at += step
    return None


def _either(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """Conditions of several kinds hold together in a frame: "in Quincy or on Route 9" cannot be said."""
    for place, item in enumerate(said.items):
        before, after = _beside(said.items, place, -1), _beside(said.items, place, 1)
        if not item.has("or") or item.text != "or" or before is None or after is None:
            continue
        kinds, others = _kinds(before), _kinds(after)
        if "named" in kinds | others or (before.of_kind("measure") and after.of_kind("measure")):
            continue
        if before.of_kind("field") and after.place is not None and _has_alternatives(frame, concepts=False):
            continue  # "Worcester County or Hampden County"
        beside = said.items[place + 1]
        if beside.has("filler") and not beside.key:
            continue  # a time that was read together with the first
        if before.times and after.times and _differ(before, after):
            yield doubtful(item, EITHER)
            continue
        nouns = [_nouns(side) for side in (before, after)]
        joined = before.place is not None or bool((kinds | others) & {"time", "amount"})
        if not kinds & others or not (joined or _has_alternatives(frame, concepts=not nouns[0] & nouns[1])):
            yield doubtful(item, EITHER)


def _differ(one: Item, other: Item) -> bool:
    """Whether two times are of different kinds: "on weekends or at night", "rush hour or at night"."""
    first, second = kinds_of(one), kinds_of(other)
    named = bool(one.of_kind("period") or other.of_kind("period"))
    return first != second and (named or not (first <= second or second <= first))


def _has_alternatives(frame: Frame, *, concepts: bool) -> bool:
    """Whether anything in a frame is one of several, or denied: "neither A nor B"."""
    return bool(frame.group_by) or any(
        one.any_of or (concepts and one.concept) or one.negate or one.operator in (*_ALTERNATIVES, "ne")
        for one in frame.attribute_constraints
    )


def _mended(said: Said) -> Iterator[Ungrounded]:
    """What is taken back is not asked for: "in one town, actually in another"."""
    for place, item in enumerate(said.items):
        if item.has("mended"):
            before = {kind for one in said.items[:place] for kind in kinds_of(one)}
            if any(before & kinds_of(one) for one in said.items[place + 1 :]):
                yield doubtful(item, f"What is meant instead of what behind '{item.text}' is not clear.")


def _except_both(said: Said) -> Iterator[Ungrounded]:
    """Of "except on weekends and at night" it is not clear whether the night is denied as well."""
    spoken = [item for item in said.items if _kinds(item) or not item.has("filler") or _denies(item)]
    for denial, first, joint, second in zip(spoken, spoken[1:], spoken[2:], spoken[3:], strict=False):
        if _denies(denial) and first.times and joint.has("and") and second.times:
            yield doubtful(joint, "Whether both times are left out is not clear.")


def _denies(item: Item) -> bool:
    """Whether a word denies what follows, also where it was read together with that."""
    return not classes().words.get(item.key, frozenset()).isdisjoint(("except", "not"))


def _periods(frame: Frame) -> Iterator[Ungrounded]:
    """Two spans of days for one thing: it would have to lie in both."""
    owners = [
        one.target_role
        for one in frame.temporal_constraints
        if (one.from_ or one.to or one.years or one.last) and len(one.years or ()) <= _LONGEST
    ]
    if len(set(owners)) < len(owners):
        yield Ungrounded("doubtful", "Two periods are named, and nothing says which is meant.")


def _of_itself(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """Things near, or counted for, others of their kind, where the question has no such relation."""
    listed: tuple[Target | Reference, ...] = (*frame.targets, *frame.references)
    parts = {str(part.id or part.role): part for part in listed}
    nearness = said.lengths or said.has("near", "nearby", "nearest")
    for number, tie in enumerate(frame.spatial_constraints):
        one, other = (parts.get(str(end)) for end in (tie.target_role, tie.reference_role))
        if one is None or other is None or one.entity != other.entity or other.names:
            continue
        supports = "support" in (one.role, other.role)
        if tie.relation == "within_distance" and (supports or not nearness):
            message = "Things of one kind are set against each other."
            yield Ungrounded("doubtful", message, f"/spatial_constraints/{number}")


def _chained(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """A second distance behind "and" that a frame measures from elsewhere than the first."""
    for joint, second, third in zip(said.items, said.items[1:], said.items[2:], strict=False):
        item = third if second.has("inside_of", "filler") and second.amount is None else second
        if not joint.has("and") or item.amount is None or item.amount.kind != "length":
            continue
        for tie in frame.spatial_constraints:
            far = "primary" not in (tie.target_role, tie.reference_role)
            if far and isinstance(tie.distance_m, float | int) and close(tie.distance_m, item.amount.value):
                yield doubtful(item, f"From what '{item.text}' is measured is not clear.")


def _on_the_way(said: Said) -> Iterator[Ungrounded]:
    """From one place to another: what lies between them is not in a frame."""
    named = [n for n, item in enumerate(said.items) if item.place is not None]
    for first, second in pairwise(named):
        between = [one for one in said.items[first + 1 : second] if not one.has("filler")]
        led = first and said.items[first - 1].has("from") and said.items[first - 1].text == "from"
        if led and len(between) == 1 and between[0].has("to"):
            yield doubtful(between[0], "What lies on the way from one place to another is not known.")


def _two_questions(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """Two questions that a frame has put into one: "crashes here? and there?"."""
    ends = [n for n, item in enumerate(said.items) if item.text == "?"]
    named = {n: _kinds(item) for n, item in enumerate(said.items) if item.place is not None}
    for end in ends:
        before = [kinds for n, kinds in named.items() if n < end]
        after = [n for n, kinds in named.items() if n > end and any(kinds & other for other in before)]
        if after and any(len(target.names) > 1 for target in frame.targets):
            yield doubtful(said.items[after[0]], TWO)
    for word, item in pairwise(said.items):
        if (
            word.text == "limit"
            and item.amount is not None
            and not item.amount.kind
            and said.has("rank", "by")
        ):
            yield doubtful(word, "Whether so many are wanted is not clear.")
    yield from _two_kinds(said, frame)


def _two_kinds(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """Two kinds of a thing that a frame takes as one: "fatal crashes here and injury crashes there"."""
    if frame.group_by or frame.ranking or said.has("compare", "or", "not", "without", "no", "except"):
        return
    tests = Counter(one.target_role for one in frame.attribute_constraints if not one.any_of)
    nouns: list[tuple[Item, set[str]]] = []
    for place, item in enumerate(said.items):
        owners = _nouns(item)
        led = said.items[place - 1] if place else item
        own = item if item.of_kind("concept", "value") else led
        nouns.append((item, owners if own.of_kind("concept", "value") else set()))
    found = [one for one in nouns if one[1]]
    for first, second in pairwise(found):
        if first[1] & second[1] and max(tests.values(), default=0) > 1:
            yield doubtful(second[0], TWO)


def _struck(said: Said, frame: Frame, pack: Pack) -> Iterator[Ungrounded]:
    """Somebody was hit, and the frame counts nothing of the kind; or it takes two sorts as one."""
    counted = {measure.entity for measure in pack.measures}
    if not any(target.entity in counted for target in frame.targets):
        hit = next((item for item in said.items if item.has("collide") and not item.has("filler")), None)
        if hit is not None:
            yield doubtful(hit, f"'{hit.text}' is not in the frame.")
    spoken = {sense.entity for item in said.items for sense in item.senses}
    for number, target in enumerate(frame.targets):
        silent = target.entity in counted - spoken and not said.has("collide", "worst", "safest")
        if silent and target.role == "filter":
            path = f"/targets/{number}"
            yield Ungrounded("doubtful", f"'{target.entity}' is not in the question.", path)
    fields = {
        one.name: {field for variant in one.variants.values() for field in variant.condition.fields()}
        for one in pack.concepts
    }
    named = [(item, {one.name for one in item.of_kind("concept")}) for item in said.items]
    asked = {str(one.concept) for one in frame.attribute_constraints if one.concept and not one.negate}
    for (_, one), (item, other) in pairwise(named):
        if len(one & asked) == len(other & asked) == 1 and one != other:
            (first,), (second,) = one & asked, other & asked
            if fields.get(first, set()) & fields.get(second, set()):
                yield doubtful(item, "Whether both are meant, or either, is not clear.")


def _who(said: Said) -> Iterator[Ungrounded]:
    """By whom somebody was hit is said, and not who: "was anyone hit by a car"."""
    for place, item in enumerate(said.items):
        told = [one for one in said.items[:place] if one.of_kind("concept", "value")]
        if (
            is_striker(said.items, place)
            and not told
            and not any(one.of_kind("concept") for one in said.items)
        ):
            yield doubtful(item, f"Who was hit by '{item.text}' is not said.")


def _people(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """People are asked for, and a frame counts what happened to them: "how many people got rear ended"."""
    if "count" not in frame.outputs or frame.measures:
        return
    for one, other in pairwise(said.items):
        people = other.has("filler") and other.of_kind("field")
        if one.has("how_many") and people and not other.of_kind("concept", "value", "measure"):
            yield doubtful(other, f"Whether '{other.text}' are counted, or what happened, is not clear.")


def _far_from(said: Said, frame: Frame) -> Iterator[Ungrounded]:
    """A distance from a place that a comma holds apart: "no crosswalk around 300 ft, Amherst"."""
    for first, joint, third in zip(said.items, said.items[1:], said.items[2:], strict=False):
        if (
            first.amount is None
            or first.amount.kind != "length"
            or not joint.has("comma")
            or third.place is None
        ):
            continue
        for tie in frame.spatial_constraints:
            ends = {tie.target_role, tie.reference_role}
            named = [one for one in frame.references if str(one.id or one.role) in ends and one.names]
            metres = tie.distance_m if isinstance(tie.distance_m, float | int) else None
            if named and metres is not None and close(metres, first.amount.value):
                yield doubtful(first, f"From what '{first.text}' is measured is not clear.")
