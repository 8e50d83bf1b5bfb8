"""The JSON Schema of frames for one pack: the shape of the model, the names of the pack."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from groundframe.frames.model import Frame
from groundframe.frames.terms import (
    AGGREGATES,
    ORDERS,
    OUTPUTS,
    PERIOD_UNITS,
    PLACE,
    RELATIONS,
    TARGET_ROLES,
    TIME_BUCKETS,
    WEEKDAYS,
)
from groundframe.schema.model import Entity, EntityField, Pack
from groundframe.schema.predicate import OPERATORS

__all__ = ["DIALECT", "frame_schema", "tidy"]

DIALECT = "https://json-schema.org/draft/2020-12/schema"


def frame_schema(pack: Pack) -> dict[str, Any]:
    """The JSON Schema (2020-12) of frames about the entities of a pack, in canonical spelling.

    A document that validates is read without an issue, and every checked frame validates. Frames may say more
    than the schema lists: synonyms, aliases and published names, which the validator replaces.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> frame_schema(load_pack("massachusetts"))["$defs"]["SpatialConstraint"]["properties"]["relation"][
    ...     "enum"
    ... ][0]
    'within_distance'
    """
    schema = tidy(Frame.model_json_schema(by_alias=True))
    parts = schema["$defs"]
    anchors = [entity for entity in pack.entities if "anchor" in entity.roles]
    fields = [(entity, field) for entity in pack.entities for field in entity.fields if not field.internal]
    measures = (*(measure.name for measure in pack.measures), *AGGREGATES)

    _only(parts["Target"], "entity", (entity.name for entity in pack.entities), _glossary(pack.entities))
    _only(parts["Target"], "role", TARGET_ROLES)
    _only(parts["Reference"], "entity", (PLACE, *(entity.name for entity in anchors)))
    _only(parts["Reference"], "role", ("anchor",))
    _only(parts["SpatialConstraint"], "relation", RELATIONS)
    _only(parts["AttributeConstraint"], "field", (field.name for _, field in fields), _fields(fields))
    _only(parts["AttributeConstraint"], "operator", OPERATORS)
    _only(parts["AttributeConstraint"], "concept", (concept.name for concept in pack.concepts))
    _only(
        parts["AttributeConstraint"],
        "variant",
        (name for concept in pack.concepts for name in concept.variants),
    )
    parts["AttributeConstraint"]["allOf"] = list(_values(fields))
    _only(parts["MeasureRequest"], "measure", measures)
    _only(parts["MeasureRequest"], "field", (f.name for _, f in fields if f.type in ("number", "integer")))
    _only(parts["GroupBy"], "field", (field.name for _, field in fields))
    _only(parts["GroupBy"], "time", TIME_BUCKETS)
    _only(parts["GroupBy"], "entity", (entity.name for entity in pack.entities))
    _only(parts["Ranking"], "order", ORDERS)
    _only(parts["Last"], "unit", PERIOD_UNITS)
    parts["Ranking"]["properties"]["metric"]["examples"] = list(measures)
    _count(parts["Ranking"], "top_n", 10_000)
    _count(parts["SpatialConstraint"], "k", 10_000)
    _count(parts["Last"], "count", None)
    parts["TemporalConstraint"]["properties"]["weekdays"]["items"] = {"enum": list(WEEKDAYS)}
    parts["TemporalConstraint"]["properties"]["months"]["items"] = {
        "type": "integer",
        "minimum": 1,
        "maximum": 12,
    }
    schema["properties"]["outputs"]["items"] = {"enum": list(OUTPUTS)}
    return {
        "$schema": DIALECT,
        **schema,
        "title": f"Semantic frame for {pack.title} (pack {pack.name} {pack.version})",
    }


def _only(part: dict[str, Any], name: str, values: Iterable[str], description: str = "") -> None:
    """Restrict a property to these values, or null where it may be null."""
    old = part["properties"][name]
    allowed: list[str | None] = list(dict.fromkeys(values))
    if any(option.get("type") == "null" for option in old.get("anyOf", ())):
        allowed.append(None)
    kept = {key: old[key] for key in ("default",) if key in old}
    part["properties"][name] = {
        "enum": allowed,
        **kept,
        **({"description": description} if description else {}),
    }


def _count(part: dict[str, Any], name: str, most: int | None) -> None:
    """Have a count written as one, though a text for it is understood."""
    old = part["properties"][name]
    kept = {key: old[key] for key in ("default",) if key in old}
    number = {"type": "integer", "minimum": 1, **({} if most is None else {"maximum": most})}
    options = [number, *(option for option in old["anyOf"] if option == {"type": "null"})]
    part["properties"][name] = {**(number if len(options) == 1 else {"anyOf": options}), **kept}


def _glossary(entities: Iterable[Entity]) -> str:
    return " ".join(f"{entity.name}: {entity.description or entity.label}" for entity in entities)


def _fields(fields: Iterable[tuple[Entity, EntityField]]) -> str:
    owners: dict[str, list[str]] = {}
    for entity, field in fields:
        owners.setdefault(entity.name, []).append(f"{field.name}{f' ({field.unit})' if field.unit else ''}")
    return " ".join(f"{entity}: {', '.join(names)}." for entity, names in owners.items())


def _values(fields: Iterable[tuple[Entity, EntityField]]) -> Iterable[dict[str, Any]]:
    """For every category field, what its value may be: canonical values and the names of groups."""
    words: dict[str, list[str]] = {}
    for _, field in fields:
        if field.type.startswith("category"):
            words.setdefault(field.name, []).extend((*field.canonical_values(), *field.groups))
    others = {field.name for _, field in fields if not field.type.startswith("category")}
    for name, values in words.items():
        if name in others:
            continue  # another entity has a field of that name with values of its own kind
        one = {"enum": list(dict.fromkeys(values))}
        allowed = {"anyOf": [one, {"type": "array", "items": one}, {"type": "null"}]}
        given = {"properties": {"field": {"const": name}}, "required": ["field"]}
        yield {"if": given, "then": {"properties": {"value": allowed}}}


def tidy(value: Any) -> Any:
    """The schema without pydantic's titles, which repeat the names."""
    if isinstance(value, dict):
        return {
            key: tidy(part) for key, part in value.items() if not (key == "title" and isinstance(part, str))
        }
    return [tidy(part) for part in value] if isinstance(value, list) else value
