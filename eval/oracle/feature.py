"""One feature as the oracle sees it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from shapely.geometry.base import BaseGeometry

__all__ = ["Feature"]


@dataclass(eq=False, slots=True)
class Feature:
    """One feature: values as they are effective, geometry in metres, keys of the linked features by link.

    `bases` says where carried values are from: ``reported``, the name of the link, or None for unknown ones.
    """

    entity: str
    key: str
    source: str
    geometry: BaseGeometry | None
    values: dict[str, Any]
    links: dict[str, str | None] = field(default_factory=dict)
    bases: dict[str, str | None] = field(default_factory=dict)
