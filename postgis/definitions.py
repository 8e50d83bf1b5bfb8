"""What the rows of a dataset were made by: every part of a pack's definitions that a load has followed.

Words (labels, synonyms, descriptions, places, measures, …) are not among them: they may change while a
dataset stays as it is. Nor are concepts, which are worked out from the rows; those that are stored are told
apart by :attr:`groundframe.compiler.physical.Flag.digest`.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator, Mapping
from typing import Any

from groundframe.schema.model import EntityField, Link, Pack

__all__ = ["definitions", "first_difference", "readings"]

_DIGITS = 16
_ENTITY = ("table", "geometry", "name_field", "date_field", "time_field", "parent", "derived")
_FIELD = (
    "type",
    "unit",
    "unknown_values",
    "unknown_numbers",
    "minimum",
    "maximum",
    "null_means",
    "carries",
    "computed",
)
_LINK = ("to", "rule", "max_distance_m", "stated_field")
_NAMES = ("name_affixes", "name_abbreviations")


def definitions(pack: Pack) -> dict[str, str]:
    """Digests of what rows and links are made by, by what they are of: ``Crash``, ``Crash.severity``.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> pack = load_pack("massachusetts")
    >>> found = definitions(pack)
    >>> [name for name in found if name.startswith("Town")]
    ['Town', 'Town.name', 'Town.population', 'Town.county']
    >>> definitions(pack.model_copy(update={"title": "Another", "concepts": ()})) == found
    True
    """
    return {name: _digest(content) for name, content in _parts(pack)}


def readings(pack: Pack) -> dict[str, str]:
    """Digests of how the files of each source are read."""
    return {
        source.name: _digest([source.entity, source.read.model_dump(mode="json")])
        for source in pack.sources
        if source.read is not None
    }


def first_difference(stored: Mapping[str, str], wanted: Mapping[str, str]) -> str | None:
    """The first of what is wanted that is not stored just so; None when all is."""
    return next((name for name, digest in wanted.items() if stored.get(name) != digest), None)


def _parts(pack: Pack) -> Iterator[tuple[str, Any]]:
    yield "its plane", pack.model_dump(mode="json", include={"srid", "pipeline", "bounds", "timezone"})
    for entity in pack.entities:
        names = _names(pack, entity.name) if entity.derived else None
        yield entity.name, [entity.model_dump(mode="json", include=set(_ENTITY)), names]
        for field in entity.fields:
            yield f"{entity.name}.{field.name}", _field(field)
        for link in entity.links:
            yield f"{entity.name}.{link.name}_key", _link(pack, link)


def _field(field: EntityField) -> Any:
    # Which sources there are is noted with the rows.
    values = None if field.values_from == "sources" else field.canonical_values()
    return [field.model_dump(mode="json", include=set(_FIELD)), values]


def _link(pack: Pack, link: Link) -> Any:
    """A link that goes by names depends on what names mean the same."""
    names = _names(pack, link.to) if link.stated_field else None
    return [link.model_dump(mode="json", include=set(_LINK)), names]


def _names(pack: Pack, entity: str) -> Any:
    return [pack.model_dump(mode="json", include=set(_NAMES)), pack.name_aliases.get(entity, ())]


def _digest(content: Any) -> str:
    body = json.dumps(content, sort_keys=True, ensure_ascii=False)
    return hashlib.sha256(body.encode()).hexdigest()[:_DIGITS]
