"""The columns of an answer, made from the pack."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal

from groundframe.compiler.measures import Measured, pack_measure
from groundframe.compiler.ops import GroupKey
from groundframe.frames.model import MeasureRequest
from groundframe.schema.model import Entity, EntityField, Pack

__all__ = ["Column", "feature_columns", "group_columns", "measure_column"]

Kind = Literal["key", "label", "field", "link", "measure", "split", "rank", "distance", "basis", "group"]

_TIME_TYPES = {"year": "integer", "month_of_year": "integer", "hour": "integer", "date": "date"}


@dataclass(frozen=True, slots=True)
class Column:
    """One column of the rows.

    Parameters
    ----------
    name : str
        Unique in the answer.
    label : str
        What a reader sees above it.
    type : str
        A field type of the pack.
    unit : str
        Empty for pure numbers and for everything that is no number.
    kind : str
        What it is: ``key``, ``label`` (the feature's name), ``field``, ``link`` (the name of the linked
        feature), ``basis`` (where a carried value is from), ``measure``, ``split`` (of a count), ``rank``,
        ``distance``, ``group``.
    """

    name: str
    label: str
    type: str
    unit: str
    kind: Kind

    def as_dict(self) -> dict[str, Any]:
        """The column as JSON-ready data."""
        return asdict(self)


def feature_columns(entity: Entity, pack: Pack) -> tuple[Column, ...]:
    """What is shown of a feature: its key, name and fields, and the names of what it is linked to."""
    columns = [Column("key", "key", "text", "", "key")]
    for field in sorted(entity.fields, key=lambda field: field.name != entity.name_field):
        if field.internal:
            continue
        kind: Kind = "label" if field.name == entity.name_field else "field"
        columns.append(Column(field.name, field.label, field.type, field.unit, kind))
        if field.carries is not None:
            basis = f"{field.label}: reported, or from the {field.carries.link}"
            columns.append(Column(f"{field.name}_basis", basis, "text", "", "basis"))
    taken = {column.name for column in columns}
    columns.extend(
        Column(link.name, pack.entity(link.to).label, "text", "", "link")
        for link in entity.links
        if link.name not in taken
    )
    return tuple(columns)


def group_columns(keys: Iterable[tuple[GroupKey, Entity]], pack: Pack) -> tuple[Column, ...]:
    """The columns of groups; a linked feature has its key beside its name."""
    columns: list[Column] = []
    for key, entity in keys:
        if key.kind == "link":
            label = pack.entity(entity.link(key.field).to).label
            columns.append(Column(f"{key.name}_key", f"{label} key", "text", "", "key"))
            columns.append(Column(key.name, label, "text", "", "group"))
        elif key.kind in ("field", "list"):
            field = entity.field(key.field)
            kind = "category" if key.kind == "list" else field.type
            columns.append(Column(key.name, field.label, kind, field.unit, "group"))
        else:
            label = key.kind.replace("_", " ")
            columns.append(Column(key.name, label, _TIME_TYPES.get(key.kind, "category"), "", "group"))
    return tuple(columns)


def measure_column(request: MeasureRequest, item: Measured, entity: Entity, pack: Pack) -> Column:
    """The column of a measure, whatever name the frame gave it."""
    known = pack_measure(request, entity, pack)
    if known is not None:
        return Column(item.name, known.label, _type(item, entity), known.unit, "measure")
    if item.field is None:
        return Column(item.name, entity.plural, "integer", entity.plural, "measure")
    field = entity.field(item.field)
    return Column(item.name, f"{item.function} of {field.label}", _type(item, entity), field.unit, "measure")


def _type(item: Measured, entity: Entity) -> str:
    if item.function in ("count", "weighted_count") or item.field is None:
        return "integer"
    if item.function in ("mean", "median"):
        return "number"
    field: EntityField = entity.field(item.field)
    return field.type
