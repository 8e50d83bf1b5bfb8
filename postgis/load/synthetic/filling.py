"""Columns from field plans."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import date, time, timedelta
from string import Formatter

import numpy as np

from groundframe.postgis.load.columns import Column, Ints
from groundframe.postgis.load.synthetic.columns import draw, shuffled_share
from groundframe.schema.demo import DatePart, DemoPlan, Draw, FieldPlan, Key, Layer, parse_value
from groundframe.schema.model import Entity, EntityField
from groundframe.schema.source import Coverage

__all__ = ["fill"]

Boost = Mapping[str, Mapping[Key, float]]

_WEEKDAYS = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")
# Reports give most times in steps of five minutes.
_FIVE_MINUTES = 4.0


def fill(
    plan: DemoPlan,
    layer: Layer,
    entity: Entity,
    coverage: Coverage,
    given: Mapping[str, Column],
    rng: np.random.Generator,
) -> dict[str, Column]:
    """The columns of a layer, in the order of its plan.

    Parameters
    ----------
    given : dict
        Attributes of the features; ``area`` must be among them.
    """
    columns = dict(given)
    fields = {field.name: field for field in entity.fields}
    made = _Filler(plan, layer, coverage, columns, rng)
    for name, field_plan in layer.fields.items():
        columns[name] = made.column(name, fields.get(name), field_plan)
    return columns


class _Filler:
    """Makes columns one after the other; later ones see the earlier."""

    def __init__(
        self,
        plan: DemoPlan,
        layer: Layer,
        coverage: Coverage,
        columns: dict[str, Column],
        rng: np.random.Generator,
    ) -> None:
        self._coverage = coverage
        self._columns = columns
        self._rng = rng
        area = columns["area"]
        self._count = len(area.codes)
        # Factors by field, and for each row the number of its hotspot in them; number 0 is everywhere else.
        spots = [spot for spot in plan.hotspots if layer.entity in spot.boost]
        self._boosts: list[Boost] = [{}, *(spot.boost[layer.entity] for spot in spots)]
        number = {spot.area: index for index, spot in enumerate(spots, start=1)}
        self._spot = np.array([number.get(str(name), 0) for name in area.table])[area.codes]

    def column(self, name: str, field: EntityField | None, plan: FieldPlan) -> Column:
        if plan.copy_of:
            made = self._copied(name, field, plan)
        elif plan.text:
            made = self._text(plan)
        elif plan.dates is not None:
            made = self._dates(plan)
            self._columns[f"{name}.month"] = Column.of(made.codes, [day.month for day in made.table[:-1]])
        elif plan.times is not None:
            made = self._times(plan, plan.times)
            self._columns[f"{name}.hour"] = Column.of(made.codes, [at.hour for at in made.table[:-1]])
        elif plan.per:
            _, first, group = np.unique(self._columns[plan.per].codes, return_index=True, return_inverse=True)
            made = self._drawn(name, field, plan, first).at(group)
        else:
            made = self._drawn(name, field, plan, np.arange(self._count))
        if plan.fixed:
            made = self._fixed(made, plan)
        return made.blanked(shuffled_share(plan.blank, self._count, self._rng))

    def _drawn(self, name: str, field: EntityField | None, plan: FieldPlan, rows: Ints) -> Column:
        """Draws for these rows, apart for each case and hotspot."""
        case = self._case(plan, rows)
        boosted = np.array([name in boost for boost in self._boosts])
        spot = np.where(boosted[self._spot[rows]], self._spot[rows], 0)
        draws: list[Draw] = [plan, *plan.cases]
        made = Column.of(np.full(len(rows), -1), ())
        group = case * len(self._boosts) + spot
        for number in np.flatnonzero(np.bincount(group)).tolist():
            members = np.flatnonzero(group == number)
            which, where = divmod(number, len(self._boosts))
            values = self._draw(field, draws[which], self._boosts[where].get(name, {}), len(members))
            made = made.replaced(members, values)
        return made

    def _draw(self, field: EntityField | None, plan: Draw, boost: Mapping[Key, float], count: int) -> Column:
        if plan.range is not None:
            low, high = np.log(plan.range)
            numbers = np.exp(self._rng.uniform(low, high, count)) / plan.step
            return Column.of_numbers(np.maximum(np.rint(numbers), 1) * plan.step)
        weights = np.array([weight * boost.get(key, 1.0) for key, weight in plan.weights.items()])
        values = [parse_value(field, key) if field else key for key in plan.weights]
        return Column.of(draw(weights, count, self._rng), values)

    def _case(self, plan: FieldPlan, rows: Ints) -> Ints:
        """For each row 0, or the number of the first case that holds."""
        if not plan.by:
            return np.zeros(len(rows), dtype=np.int64)
        column = self._columns[plan.by]
        number = np.zeros(len(column.table), dtype=np.int64)
        for code, value in enumerate(column.table[:-1]):
            leading = value[0] if isinstance(value, tuple) and value else value
            holding = (index for index, case in enumerate(plan.cases, start=1) if leading in case.values)
            number[code] = next(holding, 0)
        found: Ints = number[column.codes[rows]]
        return found

    def _copied(self, name: str, field: EntityField | None, plan: FieldPlan) -> Column:
        source = self._columns[plan.copy_of]
        values = source.table[:-1].tolist()
        if field is not None and field.type == "category_list":
            values = [value if isinstance(value, tuple) else (value,) for value in values]
        elif field is not None and field.type == "integer":
            values = [int(value) for value in values]
        made = Column.of(source.codes, values)
        changed = shuffled_share(plan.change, self._count, self._rng)
        if plan.weights:
            return made.replaced(changed, self._drawn(name, field, plan, changed))
        return made.replaced(changed, made.at(self._rng.integers(0, self._count, len(changed))))

    def _text(self, plan: FieldPlan) -> Column:
        names = [name for _, name, _, _ in Formatter().parse(plan.text) if name]
        parts = [self._columns[name].values() for name in names]
        codes = np.arange(self._count)
        for name in names:
            codes[self._columns[name].codes < 0] = -1
        # Keywords, because names of columns can hold a point, which a template takes for an attribute.
        template = plan.text
        for number, name in enumerate(names):
            template = template.replace(f"{{{name}}}", f"{{{number}}}")
        return Column.of(codes, [template.format(*row) for row in zip(*parts, strict=True)])

    def _fixed(self, made: Column, plan: FieldPlan) -> Column:
        """The column with each fixed value in one row of each of its areas."""
        area, taken = self._columns["area"], np.zeros(self._count, dtype=bool)
        if (ordinary := self._columns.get("ordinary")) is not None:
            taken[ordinary.codes == 0] = True
        for fixed in plan.fixed:
            value = Column.of(np.zeros(1, dtype=np.int64), [fixed.value])
            for name in fixed.areas:
                free = np.flatnonzero((area.table == name)[area.codes] & ~taken)[:1]
                taken[free] = True
                made = made.replaced(free, value.at(np.zeros(len(free), dtype=np.int64)))
        return made

    def _dates(self, plan: FieldPlan) -> Column:
        first, last = self._coverage.first or date.min, self._coverage.last or date.max
        days = [first + timedelta(number) for number in range((last - first).days + 1)]
        labels: dict[DatePart, list[Key]] = {
            "years": [day.year for day in days],
            "months": [day.month for day in days],
            "weekdays": [_WEEKDAYS[day.weekday()] for day in days],
            "days": [day.isoformat()[5:] for day in days],
        }
        weights = np.ones(len(days))
        for part, factors in (plan.dates or {}).items():
            weights *= [factors.get(label, 1.0) for label in labels[part]]
        return Column.of(draw(weights, self._count, self._rng), days)

    def _times(self, plan: FieldPlan, hours: tuple[float, ...]) -> Column:
        minutes = [time(number // 60, number % 60) for number in range(24 * 60)]
        weights = np.array([hours[at.hour] * (1 if at.minute % 5 else _FIVE_MINUTES) for at in minutes])
        weights[0] = 0
        weights[0] = plan.midnight / (1 - plan.midnight) * weights.sum()
        return Column.of(draw(weights, self._count, self._rng), minutes)
