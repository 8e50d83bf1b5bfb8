"""What the oracle answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

__all__ = ["OracleAnswer", "OracleRow", "Part"]


@dataclass(frozen=True, slots=True)
class OracleRow:
    """One row of an answer.

    Parameters
    ----------
    key : str or None
        The feature's key; None for a group.
    group : tuple
        The values that the row is grouped by, in the order of the frame; empty for a feature.
    rank : int or None
        Place in the ranking, None without one.
    measures : mapping
        Name of the measure to its value; None when nothing is known.
    split : mapping
        Per counted role, how many of its features have each value of the entity's split field.
    distance_m : float or None
        To the nearest reference feature of ``nearest_to``, rounded to the millimetre.
    """

    key: str | None
    group: tuple[object, ...] = ()
    rank: int | None = None
    measures: Mapping[str, float | int | None] = field(default_factory=dict)
    split: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    distance_m: float | None = None


@dataclass(frozen=True, slots=True)
class Part:
    """The features of one target that take part in an answer, counted."""

    sources: Mapping[str, int]
    split: Mapping[str, int]
    midnight: int | None


@dataclass(frozen=True, slots=True)
class OracleAnswer:
    """Rows in order, with the counts that go with them.

    Parameters
    ----------
    rows : tuple of OracleRow
        The rows returned.
    matched : int
        Features of the primary that meet everything.
    not_mapped : mapping
        Per target, features without geometry that meet all conditions but those that need one.
    unknown_left_out : mapping
        Per target, features that meet the spatial conditions and whose own conditions are unknown.
    taking_part : mapping
        Per target, the features that the answer is about: by source, by split value, and at exactly 00:00
        where hours are asked.
    ties_at_cut : bool
        Whether something that was cut off is level with the last that was kept.
    """

    rows: tuple[OracleRow, ...]
    matched: int
    not_mapped: Mapping[str, int]
    unknown_left_out: Mapping[str, int]
    taking_part: Mapping[str, Part]
    ties_at_cut: bool
