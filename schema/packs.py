"""Finding, reading and checking schema packs."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path
from typing import Any

import yaml
from pydantic import ValidationError

from groundframe.errors import PackError, UsageError
from groundframe.schema.model import Entity, FieldValue, Pack

__all__ = ["PACKS", "load_pack", "only_pack", "pack_names", "read_pack", "read_yaml"]

PACKS = Path(__file__).resolve().parent / "packs"


# libyaml's parser reads a pack about ten times faster; both loaders are safe ones.
_SAFE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


class _Loader(_SAFE):  # type: ignore[misc]  # which of the two it is shows only here
    """Takes no key twice: the first of two would be lost without a word."""

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Any, Any]:
        seen = set[str]()
        for key, _ in node.value:
            if key.value in seen:
                where = f"line {key.start_mark.line + 1}, column {key.start_mark.column + 1}"
                raise yaml.YAMLError(f"'{key.value}' is written twice in one mapping; {where}")
            seen.add(str(key.value))
        made: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return made


# What decides how long an answer takes, and never what it is.
_NO_MEANING: Any = {"digest": True, "proximity": True, "entities": {"__all__": {"counted"}}}


def pack_names() -> tuple[str, ...]:
    """Names of the packs that come with groundframe, sorted."""
    return tuple(sorted(folder.name for folder in PACKS.iterdir() if (folder / "pack.yaml").is_file()))


def only_pack() -> str:
    """Name of the pack where none was named: the only one there is.

    Raises
    ------
    UsageError
        When there are several.
    """
    names = pack_names()
    if len(names) > 1:
        raise UsageError(f"There are several schema packs: {', '.join(names)}.", "Name the pack.")
    return names[0]


@cache
def load_pack(name: str) -> Pack:
    """The pack of that name.

    Raises
    ------
    PackError
        When there is no such pack, or its files are not a pack.

    Examples
    --------
    >>> load_pack("massachusetts").srid
    26986
    """
    if name not in pack_names():
        raise PackError(f"There is no schema pack '{name}'.", f"Packs: {', '.join(pack_names())}.")
    return read_pack(PACKS / name)


def read_pack(folder: Path) -> Pack:
    """Read and check the pack in `folder`.

    Raises
    ------
    PackError
        Names the file, the path in it and what is wrong.
    """
    content: dict[str, Any] = read_yaml(folder / "pack.yaml")
    for part in ("entities", "sources"):
        content[part] = [read_yaml(path) for path in sorted((folder / part).glob("*.yaml"))]
    for part in ("concepts", "measures", "periods", "gazetteer"):
        path = folder / f"{part}.yaml"
        content[part] = read_yaml(path) if path.is_file() else []
    try:
        pack = Pack.model_validate(content)
        entities = tuple(_with_values(pack, entity) for entity in pack.entities)
        pack = pack.model_copy(update={"entities": entities})
    except ValidationError as error:
        first = error.errors()[0]
        where = "/".join(str(step) for step in first["loc"])
        raise PackError(f"{folder.name}: {where}: {first['msg']}.") from None
    body = json.dumps(pack.model_dump(mode="json", exclude=_NO_MEANING), sort_keys=True, ensure_ascii=False)
    return pack.model_copy(update={"digest": hashlib.sha256(body.encode()).hexdigest()})


def _with_values(pack: Pack, entity: Entity) -> Entity:
    """The entity with every ``values_from`` filled in."""
    fields = []
    for field in entity.fields:
        if field.values_from == "sources":
            names = (source.name for source in pack.sources if source.entity == entity.name)
            field = field.model_copy(update={"values": tuple(FieldValue(value=name) for name in names)})
        elif field.values_from:
            like = entity.field(field.values_from)
            taken = {"values": like.values, "groups": like.groups, "group_synonyms": like.group_synonyms}
            field = field.model_copy(update=taken)
        fields.append(field)
    return entity.model_copy(update={"fields": tuple(fields)})


def read_yaml(path: Path) -> Any:
    """The content of one file of a pack.

    Raises
    ------
    PackError
        When it cannot be read or is not YAML.
    """
    try:
        text = path.read_text(encoding="utf-8")
        # A pack is read by people: no alias (and so no alias bomb) is taken.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)):
            raise yaml.YAMLError("aliases are not allowed")
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except OSError as error:
        raise PackError(f"{path.name}: cannot be read ({error.strerror}).") from None
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise PackError(f"{path.name}: is not YAML ({' '.join(str(error).split())}).") from None
