"""Numbers about a set of features: the pack's measures and aggregates of a field."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from statistics import median

from groundframe.eval.oracle.checked import given
from groundframe.eval.oracle.conditions import meets_condition
from groundframe.eval.oracle.feature import Feature
from groundframe.frames.model import MeasureRequest
from groundframe.schema.model import Measure, Pack

__all__ = ["Number", "measure_of", "split_of"]

Number = float | int | None

AGGREGATES: Mapping[str, Callable[[Sequence[float]], float]] = {
    "sum": sum,
    "min": min,
    "max": max,
    "mean": lambda values: sum(values) / len(values),
    "median": median,
}


def measure_of(pack: Pack, request: MeasureRequest, features: Sequence[Feature]) -> Number:
    """The measure over features, each looked at once; None when an aggregate has no known value."""
    for measure in pack.measures:
        if measure.name == request.measure:
            return _pack_measure(pack, measure, features)
    if request.measure == "count":
        return len(features)
    values = _known_numbers(features, given(request.field))
    return AGGREGATES[request.measure](values) if values or request.measure == "sum" else None


def _pack_measure(pack: Pack, measure: Measure, features: Sequence[Feature]) -> Number:
    counted = [
        feature
        for feature in features
        if measure.where is None or meets_condition(pack, feature, measure.where) is True
    ]
    if measure.kind == "count":
        return len(counted)
    if measure.kind == "sum":
        return sum(_known_numbers(counted, given(measure.field)))
    field = given(measure.weight_field)
    return sum(measure.weights.get(feature.values.get(field, ""), 0) for feature in counted)


def _known_numbers(features: Sequence[Feature], field: str) -> list[float]:
    return [feature.values[field] for feature in features if feature.values.get(field) is not None]


def split_of(pack: Pack, features: Sequence[Feature]) -> dict[str, int]:
    """How many features have each value of the split field; all that is unknown is one value."""
    if not features:
        return {}
    entity = pack.entity(features[0].entity)
    if entity.split_field is None:
        return {}
    field = entity.field(entity.split_field)
    counts: Counter[str] = Counter()
    for feature in features:
        value = feature.values.get(field.name)
        counts[field.unknown_values[0] if value is None or value in field.unknown_values else value] += 1
    return dict(counts)
