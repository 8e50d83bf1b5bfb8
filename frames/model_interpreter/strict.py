"""The JSON Schema of frames as endpoints with strict schemas take it, and back."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from groundframe.frames.json_schema import frame_schema
from groundframe.schema.model import Pack

__all__ = ["strict_frame_schema", "without_fillers", "without_nulls"]

# What a strict schema may not say, and what the validator checks in any case.
_LIMITS = {"maxItems", "maxLength", "minItems", "minLength"}
_DROPPED = _LIMITS | {"$schema", "allOf", "default", "examples", "title"}
# Geometry and keys are not for a model to make up; the question is known.
_NOT_ASKED = {"area", "keys", "coordinates", "frame_version", "question"}
_NULL = {"type": "null"}
# What models write where there is nothing to say.
_NOTHING: tuple[Any, ...] = (None, "", [], False)
_FILLERS = {"", "unknown", "none", "null", "any", "n/a", "not specified"}


def strict_frame_schema(pack: Pack) -> dict[str, Any]:
    """The schema of a pack's frames in which every key is required, null where there is nothing to say.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> ranking = strict_frame_schema(load_pack("massachusetts"))["$defs"]["Ranking"]
    >>> ranking["required"], ranking["additionalProperties"]
    (['metric', 'target_role', 'order', 'top_n', 'include_ties'], False)
    """
    schema = _strict(frame_schema(pack))
    parts = schema.pop("$defs")
    kept = {name: part for name, part in parts.items() if name not in ("Area", "Coordinates")}
    return {**schema, "$defs": kept}


def _strict(schema: dict[str, Any]) -> dict[str, Any]:
    made = {word: part for word, part in schema.items() if word not in _DROPPED}
    if "enum" in made and "type" not in made:
        made["type"] = ["string", "null"] if None in made["enum"] else "string"
    if "anyOf" in made:
        made["anyOf"] = [_strict(part) for part in made["anyOf"]]
    if "items" in made:
        made["items"] = _strict(made["items"])
    if "$defs" in made:
        made["$defs"] = {name: _strict(part) for name, part in made["$defs"].items()}
    if "properties" in made:
        asked = {name: _strict(part) for name, part in made["properties"].items() if name not in _NOT_ASKED}
        needed = made.get("required", ())
        made["properties"] = {
            name: part if name in needed else _or_null(part) for name, part in asked.items()
        }
        made |= {"required": list(asked), "additionalProperties": False}
    return made


def _or_null(part: dict[str, Any]) -> dict[str, Any]:
    if part.get("type") == ["string", "null"] or _NULL in part.get("anyOf", ()):
        return part
    return {"anyOf": [*part.get("anyOf", (part,)), _NULL]}


def without_nulls(value: Any) -> Any:
    """What a model wrote without the keys it had nothing to say to; a null that means something stays.

    Examples
    --------
    >>> without_nulls({"metric": "crashes", "order": None, "top_n": None})
    {'metric': 'crashes', 'top_n': None}
    """
    if isinstance(value, dict):
        return {
            name: without_nulls(part) for name, part in value.items() if part is not None or name == "top_n"
        }
    return [without_nulls(part) for part in value] if isinstance(value, list) else value


def without_fillers(slots: Mapping[str, Any]) -> dict[str, Any]:
    """Slots without those that say nothing, in whatever words.

    Examples
    --------
    >>> without_fillers({"in": ["Unknown"], "near": "none", "top_n": 5, "only_number": False})
    {'top_n': 5}
    """
    return {name: said for name, slot in slots.items() if (said := _said(slot)) not in _NOTHING}


def _said(slot: Any) -> Any:
    if isinstance(slot, list):
        return [one for one in slot if _said(one) not in _NOTHING]
    return None if isinstance(slot, str) and slot.strip().casefold() in _FILLERS else slot
