"""Relations between the two features of a pair; left and right are the sides of the pair."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

__all__ = [
    "TOLERANCE_M",
    "Contains",
    "Intersects",
    "LinksFrom",
    "LinksTo",
    "Listed",
    "Relation",
    "Within",
    "WithinDistance",
    "inverse",
    "is_link",
]

TOLERANCE_M = 0.0005
"""Half a millimetre: "within r" is d ≤ r + this (DESIGN §7.1), so that no engine's last bits decide."""


@dataclass(frozen=True, slots=True)
class WithinDistance:
    """At most `metres` apart on the projected plane."""

    metres: float


@dataclass(frozen=True, slots=True)
class Listed:
    """At most `metres` apart, as the pairs in `table` say; `left` is the column with the left's numbers."""

    metres: float
    table: str
    left: Literal["a", "b"]


@dataclass(frozen=True, slots=True)
class Within:
    """The left is covered by the right, border included."""


@dataclass(frozen=True, slots=True)
class Contains:
    """The left covers the right, border included."""


@dataclass(frozen=True, slots=True)
class Intersects:
    """They have a point in common."""


@dataclass(frozen=True, slots=True)
class LinksTo:
    """The left's `link` is the right."""

    link: str


@dataclass(frozen=True, slots=True)
class LinksFrom:
    """The right's `link` is the left."""

    link: str


Relation = WithinDistance | Listed | Within | Contains | Intersects | LinksTo | LinksFrom


def inverse(relation: Relation) -> Relation:
    """The same relation with left and right exchanged."""
    match relation:
        case Listed(metres, table, left):
            return Listed(metres, table, "b" if left == "a" else "a")
        case Within():
            return Contains()
        case Contains():
            return Within()
        case LinksTo(link):
            return LinksFrom(link)
        case LinksFrom(link):
            return LinksTo(link)
        case _:
            return relation


def is_link(relation: Relation) -> bool:
    """Whether the relation compares keys and needs no geometry."""
    return isinstance(relation, LinksTo | LinksFrom)
