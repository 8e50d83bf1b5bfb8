"""A checked frame in words: what was understood, for a reader to agree or to disagree."""

from __future__ import annotations

import calendar
from collections.abc import Iterable
from typing import Any

from groundframe.frames.model import (
    AttributeConstraint,
    Frame,
    MeasureRequest,
    Reference,
    SpatialConstraint,
    Target,
    TemporalConstraint,
)
from groundframe.schema.entity import Entity
from groundframe.schema.model import Pack

__all__ = ["described", "measure_labels"]

_OPERATORS = {
    "eq": "{}", "ne": "not {}", "lt": "under {}", "lte": "at most {}", "gt": "over {}", "gte": "at least {}",
    "in": "{}", "not_in": "not {}", "contains": "{}", "between": "between {}",
    "is_null": "not recorded", "not_null": "recorded",
}  # fmt: skip
_MONTHS = calendar.month_name
_DAYS = {name.casefold()[:3]: name for name in calendar.day_name}
_SOME = 20
"""Years that are named; where there are more, those that are left out are."""
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
        for having in self.frame.having:
            bound = _OPERATORS[having.operator].format(_shown(having.value))
            said = f"{said} with {bound} {self.measure(having.measure)}"
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
            said = f"{said}; {', '.join(listed)}" if listed else said
        return said

    def thing(self, name: str) -> str:
        """A target or a reference with everything that is asked of it, scopes last."""
        self.seen.add(name)
        part = self.parts[name]
        entity = next((one for one in self.pack.entities if one.name == part.entity), None)
        said = ", ".join(part.names) or (entity.plural if entity else "the position")
        if entity is not None:
            own = [one for one in self.frame.attribute_constraints if one.target_role == name]
            if not part.names:
                said = self.called(own, entity) or f"{self.adjectives(own, entity)}{said}"
            facts = [self.condition(one, entity) for one in own]
            facts += [
                text
                for one in self.frame.temporal_constraints
                if one.target_role == name
                for text in _when(one)
            ]
            said += f" ({'; '.join(facts)})" if facts else ""
        ties = [
            one for one in self.frame.spatial_constraints if name in (one.target_role, one.reference_role)
        ]
        # Areas stand last: "crashes near schools in Quincy" would take the area to the schools.
        ties.sort(
            key=lambda one: any(
                getattr(self.parts[end], "role", "") == "scope"
                for end in (one.target_role, one.reference_role)
            )
        )
        for tie in ties:
            other = tie.reference_role if tie.target_role == name else tie.target_role
            if other in self.seen or self.parts[other].role == "support":
                continue
            if tie.relation == "nearest_to" and tie.target_role == name and not tie.negate:
                said = f"{tie.k} nearest {said} to {self.thing(other)}"
            else:
                said += f" {self.relation(tie, name)} {self.thing(other)}"
        return said

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
            return f"{'not ' if tie.negate else ''}within {_shown(tie.distance_m)} m of"
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
            return negated + " or ".join(self.condition(part, entity) for part in one.any_of)
        if one.concept is not None:
            return negated + self.pack.concept(one.concept).label
        field = entity.field(str(one.field))
        labels = {value.value: value.label or value.value for value in field.values}
        listed = one.value if isinstance(one.value, list) else [] if one.value is None else [one.value]
        if field.type == "text" and listed and one.operator in ("eq", "in") and not one.negate:
            if field.names and "scope" not in entity.roles:
                return f"on {' or '.join(map(str, listed))}"
            if "scope" in entity.roles:
                return " or ".join(f"{value} {field.label.title()}" for value in listed)
        if one.operator in ("ne", "not_in") and field.type == "category" and not one.negate:
            none = [str(field.none_value)] == [str(value) for value in listed]
            others = " and not ".join(labels.get(str(value), _shown(value)) for value in listed)
            return f"with {field.label}" if none else f"not {others}"
        joint = " and " if one.operator == "between" else " or "
        values = joint.join(labels.get(str(value), _shown(value)) for value in listed)
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
            return f"{mean}{entity.field(request.field).label}"
        label = known.label if known else entity.plural
        if counted.role == "primary":
            return label
        thing = self.thing(str(counted.id)) if counted.id not in self.seen else entity.plural
        said = thing if label == entity.plural else f"{label} in {thing}"
        ties = [
            tie
            for tie in self.frame.spatial_constraints
            if counted.id in (tie.target_role, tie.reference_role)
        ]
        tie = next((tie for tie in ties if tie.distance_m is not None and self._rooted(tie)), None)
        return f"{said} within {_shown(tie.distance_m)} m" if tie is not None else said

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


def _when(one: TemporalConstraint) -> Iterable[str]:
    if one.from_ or one.to:
        yield (
            f"{one.from_} to {one.to}"
            if one.from_ and one.to
            else f"from {one.from_}"
            if one.from_
            else f"to {one.to}"
        )
    if one.years and len(one.years) > _SOME:
        years = {int(year) for year in one.years}
        others = sorted(set(range(min(years), max(years))) - years)
        yield f"not {', '.join(map(str, others))}"
    elif one.years:
        yield ", ".join(map(str, one.years))
    if one.months:
        yield ", ".join(_MONTHS[int(month)] for month in one.months)
    if one.weekdays:
        yield ", ".join(_DAYS[day] for day in one.weekdays)
    if spans := one.spans():
        yield " and ".join(f"{span.from_}-{span.to}" for span in spans)


def _shown(value: Any) -> str:
    return (
        f"{value:g}"
        if isinstance(value, float)
        else f"{value:,}"
        if isinstance(value, int) and value > 9999
        else str(value)
    )
