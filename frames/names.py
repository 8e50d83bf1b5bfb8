"""What the validator needs to know of the data: names, keys and the newest dates.

The protocol is declared here so that validator and interpreters need no database; the database layer
implements it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import date
from typing import Protocol

__all__ = ["NameIndex", "NamedFeature"]


@dataclass(frozen=True, slots=True)
class NamedFeature:
    """One feature of the dataset that bears a name.

    ``longitude`` and ``latitude`` (WGS 84 degrees) are a point on the feature, None when it has no geometry;
    ``town`` is the name of the feature it is linked to by the entity's first link, ``""``
    when none.
    """

    entity: str
    key: str
    name: str
    town: str = ""
    longitude: float | None = None
    latitude: float | None = None


class NameIndex(Protocol):
    """Names in a dataset."""

    def distinct_names(self, entity: str, field: str = "") -> Sequence[str]:
        """Every name that a feature of the entity bears, each once, sorted by code point.

        With a field those in that field of text, such as the streets at which stops stand.
        """
        ...

    def features(self, entity: str, names: Collection[str]) -> Sequence[NamedFeature]:
        """The features that bear one of these names exactly, sorted by key."""
        ...

    def keys_exist(self, entity: str, keys: Collection[str]) -> frozenset[str]:
        """Those of the keys that exist."""
        ...

    def nearest(self, entity: str, longitude: float, latitude: float) -> tuple[NamedFeature, float] | None:
        """The named feature of the entity that is nearest to a point, and the metres to it.

        Metres are those of the pack's plane; None when no named feature has a geometry.
        """
        ...

    def oldest_date(self, entity: str) -> date | None:
        """The oldest date among the entity's rows, None when it has none."""
        ...

    def newest_date(self, entity: str) -> date | None:
        """The newest date among the entity's rows, None when it has none."""
        ...

    def has_rows(self, entity: str) -> bool:
        """Whether the dataset holds any feature of the entity."""
        ...

    def sources(self, entity: str) -> frozenset[str]:
        """Names of the sources that the entity's rows in the dataset come from."""
        ...
