"""What a frame says, as facts that a question may or may not have mentioned."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from groundframe.frames.grounding.times import Moment, moments
from groundframe.frames.model import AttributeConstraint, Frame, Reference, Target
from groundframe.frames.quantities import QuantityError, parse_number, parse_quantity
from groundframe.schema.model import Pack
from groundframe.schema.predicate import Condition

__all__ = ["Facts", "Test", "facts_of", "tests_of_concept"]

_NEGATIVE = frozenset({"ne", "not_in"})


@dataclass(frozen=True, slots=True)
class Test:
    """One test of a frame: a concept, or a field with an operator and values."""

    path: str
    entity: str
    concept: str = ""
    field: str = ""
    operator: str = ""
    values: tuple[object, ...] = ()
    negative: bool = False


@dataclass
class Facts:
    """Everything that a frame says, with pointers to where."""

    entities: list[tuple[str, str, str]] = field(default_factory=list)
    names: list[tuple[str, str]] = field(default_factory=list)
    tests: list[Test] = field(default_factory=list)
    distances: list[tuple[str, float]] = field(default_factory=list)
    times: list[tuple[str, Moment]] = field(default_factory=list)
    negations: list[str] = field(default_factory=list)
    groups: list[tuple[str, str]] = field(default_factory=list)
    measures: list[tuple[str, str, str]] = field(default_factory=list)
    havings: list[tuple[str, str, float]] = field(default_factory=list)
    order: str = ""
    top_n: int | None = None
    nearest: list[tuple[str, int]] = field(default_factory=list)


def facts_of(frame: Frame, pack: Pack) -> Facts:
    """The facts of a frame, received or checked."""
    facts = Facts()
    parts: tuple[Target | Reference, ...] = (*frame.targets, *frame.references)
    owners = {str(part.id or part.role): part.entity for part in parts}
    for number, target in enumerate(frame.targets):
        facts.entities.append((f"/targets/{number}", target.entity, target.role))
        facts.names += [(f"/targets/{number}/names/{place}", name) for place, name in enumerate(target.names)]
    for number, reference in enumerate(frame.references):
        facts.entities.append((f"/references/{number}", reference.entity, "anchor"))
        facts.names += [
            (f"/references/{number}/names/{place}", name) for place, name in enumerate(reference.names)
        ]
        if reference.town:
            facts.names.append((f"/references/{number}/town", reference.town))
    for number, one in enumerate(frame.spatial_constraints):
        path = f"/spatial_constraints/{number}"
        if one.distance_m is not None and (metres := _metres(one.distance_m)) is not None:
            facts.distances.append((f"{path}/distance_m", metres))
        if one.relation == "nearest_to":
            facts.nearest.append((path, _whole(one.k) or 1))
        if one.negate:
            facts.negations.append(f"{path}/negate")
    for number, condition in enumerate(frame.attribute_constraints):
        owner = owners.get(str(condition.target_role or "primary"), "")
        facts.tests += _tests(pack, owner, condition, f"/attribute_constraints/{number}", negative=False)
    facts.negations += [test.path for test in facts.tests if test.negative]
    for number, time in enumerate(frame.temporal_constraints):
        said = time.model_dump(mode="json", by_alias=True, exclude_defaults=True)
        facts.times += [(f"/temporal_constraints/{number}", moment) for moment in moments(said)]
    for number, group in enumerate(frame.group_by):
        facts.groups.append((f"/group_by/{number}", str(group.time or group.field or group.entity)))
    for number, request in enumerate(frame.measures):
        facts.measures.append((f"/measures/{number}", request.measure, request.field or ""))
    for number, having in enumerate(frame.having):
        if isinstance(having.value, float | int):
            facts.havings.append((f"/having/{number}", having.operator, float(having.value)))
    if frame.ranking is not None:
        facts.order, facts.top_n = frame.ranking.order, _whole(frame.ranking.top_n)
        facts.measures.append(("/ranking/metric", frame.ranking.metric, ""))
    return facts


def _whole(number: float | str | None) -> int | None:
    """A whole number, whatever a model has written it as; None for anything else."""
    try:
        return None if number is None else round(parse_number(str(number)))
    except QuantityError:
        return None


def _metres(distance: float | str) -> float | None:
    try:
        return parse_quantity(distance, "m") if isinstance(distance, str) else float(distance)
    except QuantityError:
        return None


def _tests(pack: Pack, entity: str, one: AttributeConstraint, path: str, *, negative: bool) -> Iterator[Test]:
    negative ^= one.negate
    for number, part in enumerate(one.any_of):
        yield from _tests(pack, entity, part, f"{path}/any_of/{number}", negative=negative)
    if one.concept is not None:
        yield Test(path, entity, concept=one.concept, negative=negative)
    if one.field is not None:
        listed = (
            tuple(one.value) if isinstance(one.value, list) else () if one.value is None else (one.value,)
        )
        known = next((item for item in pack.entities if item.name == entity), None)
        own = next((item for item in known.fields if item.name == one.field), None) if known else None
        none = own is not None and bool(own.none_value) and listed == (own.none_value,)
        denied = none ^ (one.operator in _NEGATIVE) ^ negative
        yield Test(
            path, entity, field=one.field, operator=one.operator or "eq", values=listed, negative=denied
        )


def tests_of_concept(pack: Pack, name: str) -> Iterator[tuple[str, object]]:
    """Field and value of every test in a concept's variants."""
    concept = next((one for one in pack.concepts if one.name == name), None)
    for variant in concept.variants.values() if concept else ():
        yield from _leaves(variant.condition)


def _leaves(condition: Condition) -> Iterator[tuple[str, object]]:
    if condition.field is not None:
        for value in condition.value if isinstance(condition.value, list) else (condition.value,):
            yield condition.field, value
    for part in (*condition.any_of, *condition.all_of):
        yield from _leaves(part)
