"""The types of the plan: what an operation takes and gives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from groundframe.schema.entity import GeometryType

__all__ = ["Features", "Groups", "OpType", "Pairs", "Region", "Scalar"]


@dataclass(frozen=True, slots=True)
class Features:
    """A set of features of one entity, each at most once."""

    entity: str
    geometry: tuple[GeometryType, ...]
    srid: int

    def __str__(self) -> str:
        return f"Features[{self.entity}, {'|'.join(self.geometry)}]"


@dataclass(frozen=True, slots=True)
class Region:
    """One constant geometry on the projected plane: a point or an area."""

    geometry: Literal["point", "polygon"]
    srid: int

    def __str__(self) -> str:
        return f"Region[{self.geometry}]"


@dataclass(frozen=True, slots=True)
class Pairs:
    """Pairs of keys: a feature on the left, a feature or the region on the right."""

    left: Features
    right: Features | Region

    def __str__(self) -> str:
        right = self.right.entity if isinstance(self.right, Features) else "Region"
        return f"Pairs[{self.left.entity}, {right}]"


@dataclass(frozen=True, slots=True)
class Groups:
    """Rows with keys and measures; with `features`, one row per feature of that set."""

    keys: tuple[str, ...]
    measures: tuple[str, ...]
    features: Features | None = None

    def __str__(self) -> str:
        return f"Groups[{', '.join(self.keys)}; {', '.join(self.measures)}]"


@dataclass(frozen=True, slots=True)
class Scalar:
    """One number."""

    unit: str

    def __str__(self) -> str:
        return f"Scalar[{self.unit}]"


OpType = Features | Region | Pairs | Groups | Scalar
