"""A checked frame in words: what was understood, for a reader to agree or to disagree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Any

from groundframe.describing import distance, shown, when
from groundframe.frames.model import (
    AttributeConstraint,
    Frame,
    MeasureRequest,
    Reference,
    SpatialConstraint,
    Target,
)
from groundframe.schema.entity import Entity, EntityField
from groundframe.schema.model import Pack

__all__ = ["described", "measure_labels"]

_OPERATORS = {
    "eq": "{}", "ne": "not {}", "lt": "under {}", "lte": "at most {}", "gt": "over {}", "gte": "at least {}",
    "in": "{}", "not_in": "not {}", "contains": "{}", "between": "between {}",
    "is_null": "not recorded", "not_null": "recorded",
}  # fmt: skip
_ORDERS = {"highest": "most", "lowest": "fewest"}
_ENDS = {"highest": "top", "lowest": "bottom"}


def described(frame: Frame, pack: Pack) -> str:
    """What a checked frame asks, in one line.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> from groundframe.validator.engine import validate
    >>> pack = load_pack("massachusetts")
    >>> frame = {"targets": [{"entity": "Crash", "role": "primary"}], "attribute_constraints": []}
    >>> described(validate(Frame.model_validate(frame), pack).frame, pack)
    'crashes'
    """
    return _Describer(frame, pack).whole()


def measure_labels(frame: Frame, pack: Pack) -> dict[str, str]:
    """What the measures of a checked frame are of, by their names: "pedestrian crashes"."""
    describer = _Describer(frame, pack)
    describer.seen |= {str(target.id) for target in frame.targets if target.role == "primary"}
    return {name: describer.measure(name) for name in (one.name or one.measure for one in frame.measures)}


class _Describer:
    """One frame on its way into words; the tree of its constraints is walked from the primary."""

    def __init__(self, frame: Frame, pack: Pack) -> None:
        self.frame = frame
        self.pack = pack
        listed: tuple[Target | Reference, ...] = (*frame.targets, *frame.references)
        self.parts = {str(part.id): part for part in listed}
        self.seen: set[str] = set()

    def whole(self) -> str:
        primary = next(target for target in self.frame.targets if target.role == "primary")
        said = self.thing(str(primary.id))
        ranking, groups = self.frame.ranking, [self.group(one) for one in self.frame.group_by]
        if groups:
            said = f"{said}, by {' and '.join(groups)}"
        bounds = list(self.bounds())
        said += f" with {' and '.join(bounds)}" if bounds else ""
        if ranking is not None:
            measure = self.measure(ranking.metric)
            order = _ORDERS[ranking.order] if self._is_count(ranking.metric) else ranking.order
            own = next(one for one in self.frame.measures if ranking.metric == (one.name or one.measure))
            if groups and self.parts[str(own.target_role)].role == "primary" and self._is_plain(own):
                said += f", {_ENDS[ranking.order]} {ranking.top_n}" if ranking.top_n else f"; {order} first"
            elif ranking.top_n is None or groups:
                count = "all" if ranking.top_n is None else f"{ranking.top_n:,}"
                said = f"{said}; {count} with the {order} {measure}"
            else:
                said = f"{said}; {_ENDS[ranking.order]} {ranking.top_n:,} by {measure}"
        else:
            asked = [one.name or one.measure for one in self.frame.measures]
            bounded = {having.measure for having in self.frame.having}
            listed = [self.measure(name) for name in asked if name not in bounded]
            entity = self.pack.entity(primary.entity)
            counted = {self.parts[str(one.target_role)].role for one in self.frame.measures}
            if listed and counted == {"support"} and not (groups or bounded or primary.names):
                plain = {one.name or one.measure for one in self.frame.measures if one.measure == "count"}
                listed = [
                    f"number of {label}" if name in plain else label
                    for name, label in zip(asked, listed, strict=True)
                ]
                said = f"for each {said.replace(entity.plural, entity.label, 1)}, {', '.join(listed)}"
            elif listed:
                said = f"{said}; {', '.join(listed)}"
        return said

    def bounds(self) -> Iterator[str]:
        """The conditions on numbers of the rows; two ends of one number as a span."""
        for name, listed in groupby(self.frame.having, key=lambda one: one.measure):
            ends = {one.operator: shown(one.value) for one in listed}
            if set(ends) == {"gte", "lte"}:
                ends = {"between": f"{ends['gte']} and {ends['lte']}"}
            yield from (
                f"{_OPERATORS[how].format(value)} {self.measure(name)}" for how, value in ends.items()
            )

    def thing(self, name: str) -> str:
        """A target or a reference with everything that is asked of it, scopes last."""
        self.seen.add(name)
        part = self.parts[name]
        entity = next((one for one in self.pack.entities if one.name == part.entity), None)
        at = part.coordinates if isinstance(part, Reference) else None
        position = "the position" if at is None else f"{at.latitude}, {at.longitude}"
        said = ", ".join(part.names) or (entity.plural if entity else position)
        if entity is not None:
            own = [one for one in self.frame.attribute_constraints if one.target_role == name]
            if not part.names:
                said = self.called(own, entity) or f"{self.adjectives(own, entity)}{said}"
            facts = [self.condition(one, entity) for one in own]
            facts += [
                text
                for one in self.frame.temporal_constraints
                if one.target_role == name
                for text in when(one)
            ]
            said += f" ({'; '.join(facts)})" if facts else ""
        ties = [
            one for one in self.frame.spatial_constraints if name in (one.target_role, one.reference_role)
        ]
        # "Crashes on Main Street in Quincy", but of "crashes near schools in Quincy" it is the schools.
        near = any(one.relation == "within_distance" for one in ties)
        ties.sort(key=lambda one: self._is_area(one) != near)
        before: SpatialConstraint | None = None
        for tie in ties:
            other = tie.reference_role if tie.target_role == name else tie.target_role
            if other in self.seen or self.parts[other].role == "support":
                continue
            if tie.relation == "nearest_to" and tie.target_role == name and not tie.negate:
                one = entity is not None and tie.k == 1
                said = said.replace(entity.plural, entity.label, 1) if entity is not None and one else said
                said = f"{'' if one else f'{tie.k} '}nearest {said} to {self.thing(other)}"
            else:
                again = before is not None and before.relation == tie.relation == "within_distance"
                said += f"{' and' if again else ''} {self.relation(tie, name)} {self.thing(other)}"
                before = tie
        if isinstance(part, Reference) and part.town and part.names:
            said += f" in {part.town}"
        return said

    def _is_area(self, tie: SpatialConstraint) -> bool:
        """Whether a constraint says in which area."""
        return "scope" in (
            getattr(self.parts[end], "role", "") for end in (tie.target_role, tie.reference_role)
        )

    def called(self, own: list[AttributeConstraint], entity: Entity) -> str:
        """The name that all of them bear; what says so is taken out of the conditions."""
        for one in own:
            if (
                (one.field, one.operator) == (entity.name_field, "eq")
                and not one.negate
                and self.seen != {one.target_role}
            ):
                own.remove(one)
                return str(one.value)
        return ""

    def adjectives(self, own: list[AttributeConstraint], entity: Entity) -> str:
        """What is said before the noun, such as "fatal "; it is taken out of the conditions."""
        said = ""
        for one in [*own]:
            label = self.pack.concept(one.concept).label if one.concept and not one.negate else ""
            if label.endswith(f" {entity.label}"):
                own.remove(one)
                said += label.removesuffix(entity.label)
        return said

    def relation(self, tie: SpatialConstraint, name: str) -> str:
        inward = tie.target_role == name
        if tie.relation == "within_distance":
            return f"{'not ' if tie.negate else ''}within {distance(tie.distance_m)} of"
        if tie.relation == "nearest_to":
            return f"that are the {tie.k} nearest to"
        words = {
            "within": ("in", "with"),
            "contains": ("with", "in"),
            "on": ("on", "with"),
            "intersects": ("crossing", "crossing"),
        }
        word = words[tie.relation][not inward]
        return ("without" if word == "with" else f"not {word}") if tie.negate else word

    def condition(self, one: AttributeConstraint, entity: Entity) -> str:
        negated = "not " if one.negate else ""
        if one.any_of:
            if (alike := _one_test(one.any_of)) is not None:
                return negated + self.condition(alike, entity)
            return negated + " or ".join(self.condition(part, entity) for part in one.any_of)
        if one.concept is not None:
            return negated + self.pack.concept(one.concept).label
        field = entity.field(str(one.field))
        labels = {value.value: value.label or value.value for value in field.values}
        listed = one.value if isinstance(one.value, list) else [] if one.value is None else [one.value]
        if field.type == "text" and listed and one.operator in ("eq", "in") and not one.negate:
            if field.name == entity.name_field:
                return f"named {' or '.join(map(str, listed))}"
            if field.names in {known.name for known in self.pack.entities}:
                return f"on {' or '.join(map(str, listed))}"
            if "scope" in entity.roles:
                return " or ".join(f"{value} {field.label.title()}" for value in listed)
        if field.name == entity.name_field and one.operator == "ne" and not one.negate:
            return f"not named {listed[0]}"
        if one.operator in ("ne", "not_in") and field.type == "category" and not one.negate:
            none = [str(field.none_value)] == [str(value) for value in listed]
            others = " and not ".join(labels.get(str(value), shown(value)) for value in listed)
            return f"with {field.label}" if none else f"not {others}"
        if one.operator == "in" and (group := _group_said(field, listed)):
            return f"{negated}{field.label} {group}"
        joint = " and " if one.operator == "between" else " or "
        values = joint.join(labels.get(str(value), shown(value)) for value in listed)
        unit = f" {field.unit}" if field.unit and listed else ""
        return f"{negated}{field.label} {_OPERATORS[str(one.operator)].format(values)}{unit}"

    def group(self, one: Any) -> str:
        entity = self.pack.entity(self.parts[one.target_role].entity)
        if one.field is not None:
            return entity.field(one.field).label
        named = one.entity is not None
        return self.pack.entity(one.entity).label if named else str(one.time).replace("_", " ")

    def measure(self, name: str) -> str:
        """A measure with what it is of, where that is not what the row itself is."""
        request = next(one for one in self.frame.measures if name == (one.name or one.measure))
        counted = self.parts[str(request.target_role)]
        entity = self.pack.entity(counted.entity)
        known = next((one for one in self.pack.measures if one.name == request.measure), None)
        if request.field is not None:
            words = {"sum": "total", "mean": "average", "min": "minimum", "max": "maximum"}
            mean = (
                ""
                if request.measure in ("max", "min") and counted.role == "primary" and not self.frame.group_by
                else f"{words.get(request.measure, request.measure)} "
            )
            whose = f" of {self.thing(str(counted.id))}" if counted.role == "support" else ""
            return f"{mean}{entity.field(request.field).label}{whose if whose.endswith(')') else ''}"
        label = known.label if known else entity.plural
        if counted.role == "primary":
            return label
        thing = self.thing(str(counted.id)) if counted.id not in self.seen else entity.plural
        said = thing if label == entity.plural else f"{label} in {thing}"
        said = label if thing == entity.plural and label.endswith(f" {thing}") else said
        ties = [
            tie
            for tie in self.frame.spatial_constraints
            if counted.id in (tie.target_role, tie.reference_role)
        ]
        tie = next((tie for tie in ties if tie.distance_m is not None and self._rooted(tie)), None)
        return f"{said} within {distance(tie.distance_m)}" if tie is not None else said

    def _is_plain(self, request: MeasureRequest) -> bool:
        """Whether a measure counts all there is of the kind."""
        known = next((one for one in self.pack.measures if one.name == request.measure), None)
        return request.measure == "count" or (
            known is not None and known.kind == "count" and known.where is None
        )

    def _is_count(self, name: str) -> bool:
        """Whether a measure counts features or persons, of which there are most or fewest."""
        request = next(one for one in self.frame.measures if name == (one.name or one.measure))
        known = next((one for one in self.pack.measures if one.name == request.measure), None)
        return request.measure == "count" or (known is not None and known.kind != "weighted_count")

    def _rooted(self, tie: SpatialConstraint) -> bool:
        """Whether the constraint leads from the primary."""
        return "primary" in (self.parts[tie.target_role].role, self.parts[tie.reference_role].role)


def _one_test(parts: Sequence[AttributeConstraint]) -> AttributeConstraint | None:
    """Tests of one field for several values as one, None where they are of several."""
    first, values = parts[0], [part.value for part in parts]
    same = {(part.field, part.operator, part.negate) for part in parts} == {(first.field, "contains", False)}
    if first.field is None or not same or not all(isinstance(value, str) for value in values):
        return None
    return first.model_copy(update={"value": values})


def _group_said(field: EntityField, listed: Sequence[Any]) -> str:
    """What people call several values whose own names are codes, empty where there is no such word."""
    if not any("_" in str(value) for value in listed):
        return ""
    names = [name for name, members in field.groups.items() if set(members) == set(listed)]
    return next((word for name in names for word in field.group_synonyms.get(name, ())), "")
