"""The rows of a plan as texts that the database puts together: GeoJSON features, or whatever has places.

Only what every engine spells just as the program does: the bytes of an answer must not depend on who wrote
them.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import sqlalchemy as sa

from groundframe.compiler.columns import Column
from groundframe.compiler.lowering.constructs import (
    CodePoints,
    FilledText,
    JsonNumber,
    JsonPlain,
    JsonPlainList,
    JsonTime,
    JsonValue,
    JsonWhole,
)
from groundframe.compiler.lowering.lower import GEOMETRY, Lowered, lower
from groundframe.compiler.lowering.pairs import entity_of
from groundframe.compiler.lowering.tables import TableLowering
from groundframe.compiler.lowering.traits import NEUTRAL, Traits
from groundframe.compiler.ops import Scan
from groundframe.compiler.plan import Plan
from groundframe.compiler.types import Features, Groups, OpType
from groundframe.schema.entity import EntityField
from groundframe.schema.model import Pack
from groundframe.serialise import encode

__all__ = ["Template", "can_be_spelled", "feature_template", "lower_spelled", "lower_texts", "lower_written"]

Template = Sequence[str | int]
"""Constant parts of a text, and between them the numbers of columns; -1 is the geometry."""

_EXACT = 1e15
"""Up to this, every shortest text of a number is the same."""
_SPELL = {
    "text": JsonValue,
    "category": JsonValue,
    "category_list": JsonValue,
    "boolean": JsonValue,
    "date": JsonValue,
    "time_of_day": JsonTime,
    "integer": JsonWhole,
    "number": JsonNumber,
}
# Putting quotes around a text takes a third of the time that looking for what to escape does.
_SPELL_PLAIN = {"category": JsonPlain, "category_list": JsonPlainList}


def feature_template(columns: Sequence[Column], id_index: int | None) -> list[str | int]:
    """A GeoJSON feature: constant parts, and between them the columns; -1 is the geometry.

    Examples
    --------
    >>> key, name = Column("key", "key", "text", "", "key"), Column("name", "name", "text", "", "label")
    >>> feature_template([key, name], 0)
    ['{"type":"Feature",', '"id":', 0, ',', '"properties":{', '"name":', 1, '},"geometry":', -1, '}']
    """
    found: list[str | int] = ['{"type":"Feature",']
    if id_index is not None:
        found += ['"id":', id_index, ","]
    comma = '"properties":{'
    for index, column in enumerate(columns):
        if index != id_index:
            found += [comma, f"{encode(column.name)}:", index]
            comma = ","
    if comma != ",":
        found.append(comma)
    return [*found, '},"geometry":', -1, "}"]


def can_be_spelled(plan: Plan) -> bool:
    """Whether the rows are features, all of them wanted, with values that have one spelling only."""
    kind = plan.output.input.output
    features = kind.features if isinstance(kind, Groups) else kind
    rank = plan.ranking
    cut = rank is not None and rank.top_n is not None and not rank.include_ties
    if cut or not plan.geometry or not isinstance(features, Features):
        return False
    fields = _fields(plan.pack, features)

    def alike(column: Column) -> bool:
        if column.type != "number" or column.kind == "distance":
            return column.type in _SPELL
        field = fields.get(column.name) if column.kind == "field" else None
        # A table keeps to what its fields declare.
        ends = (None, None) if field is None else (field.minimum, field.maximum)
        return all(end is not None and abs(end) < _EXACT for end in ends)

    return all(map(alike, plan.columns))


def lower_spelled(
    plan: Plan, template: Template, traits: Traits = NEUTRAL, schema: str | None = None
) -> sa.Select[Any]:
    """The statement that gives each row as one text, in their order.

    Parameters
    ----------
    template : sequence of str and int
        Constant parts, and the columns whose values as JSON stand between them.
    """
    if isinstance(plan.output.input, Scan):
        # Nothing is searched for, so that the entity's own table is enough.
        plan = replace(plan, physical=None)
    lowered = lower(plan, traits, schema)
    text = _filled(plan, template, lowered).label(GEOMETRY)
    return lowered.rows.with_only_columns(text, maintain_column_froms=True)


def lower_texts(
    plan: Plan, template: Template, traits: Traits = NEUTRAL, schema: str | None = None, after: int = 0
) -> sa.Select[Any]:
    """What a load keeps of the texts of an entity's features: ``id``, ``key`` and ``text``, by key.

    Parameters
    ----------
    plan : Plan
        All features of the entity, by its own tables.
    after : int
        Those with larger numbers only.
    """
    lowered = lower(plan, traits, schema)
    key = _value(lowered.rows.selected_columns[0])
    number: sa.ColumnClause[int] = sa.column("id", sa.Integer())
    number.table = key.table
    text = _filled(plan, template, lowered)
    rows = lowered.rows.with_only_columns(
        number, key.label("key"), text.label("text"), maintain_column_froms=True
    )
    return rows.where(number > sa.literal_column(str(after))) if after else rows


def lower_written(
    plan: Plan, table: str, traits: Traits = NEUTRAL, schema: str | None = None
) -> sa.Select[Any]:
    """The statement that gives the features of a plan as the texts in a table, in their order."""
    op = plan.output.input
    lowering = TableLowering(plan.pack, traits, schema, plan.physical)
    names = ("id", "key", "text")
    kept = sa.table(table, *(sa.column(name, sa.Text()) for name in names), schema=schema)
    text = sa.select(kept.c.text)
    if isinstance(op, Scan):
        return text.order_by(CodePoints(kept.c.key).asc())
    use = lowering.use_entity(entity_of(op), given=kept.c.id)
    text = text.where(*lowering.restrict(op, use))
    step = use.step()
    if step is None:
        # What is known by its number alone is sorted by what is read of it anyway.
        return text.order_by(CodePoints(kept.c.key).asc())
    rows, same = step
    return text.select_from(kept.join(rows, same)).order_by(use.order.asc())


def _filled(plan: Plan, template: Template, lowered: Lowered) -> FilledText:
    *shown, geometry, _ = lowered.rows.selected_columns
    fields = _fields(plan.pack, plan.output.input.output)
    parts: list[sa.ColumnElement[Any]] = []
    text = ""
    for part in template:
        if isinstance(part, str):
            text += part.replace("%", "%%")
            continue
        text += "%s"
        if part < 0:
            none = sa.literal_column("'null'", sa.Text)
            parts.append(sa.func.coalesce(_value(geometry), none))
        else:
            column = plan.columns[part]
            field = fields.get(column.name) if column.kind == "field" else None
            parts.append(_as_json(column, field, _value(shown[part])))
    return FilledText(lowered.rows_binds.value(text), *parts)


def _fields(pack: Pack, kind: OpType) -> dict[str, EntityField]:
    """The fields of the features that are shown, by name."""
    features = kind.features if isinstance(kind, Groups) else kind
    known = pack.entity(features.entity).fields if isinstance(features, Features) else ()
    return {field.name: field for field in known}


def _as_json(
    column: Column, field: EntityField | None, value: sa.ColumnElement[Any]
) -> sa.ColumnElement[Any]:
    if field is not None and field.type in _SPELL_PLAIN and _is_plain(field.canonical_values()):
        return _SPELL_PLAIN[field.type](value)
    # A field's integers have four bytes; what is counted or added up may be larger.
    small = column.type == "integer" and field is not None
    return JsonValue(value) if small else _SPELL[column.type](value)


def _is_plain(values: Sequence[str]) -> bool:
    """Whether JSON has nothing to escape in these, which are all that a field can have.

    Examples
    --------
    >>> _is_plain(["Wet", "Sleet, hail"]), _is_plain(['Route "A"']), _is_plain([])
    (True, False, False)
    """
    return bool(values) and all(json.dumps(value, ensure_ascii=False) == f'"{value}"' for value in values)


def _value(column: Any) -> sa.ColumnElement[Any]:
    """What a column of a statement shows."""
    found: sa.ColumnElement[Any] = column.element
    return found
