"""Stored pairs of features that are near each other."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from groundframe.schema.model import Entity, Pack

__all__ = ["MANY", "Near", "declared_pairs", "noted_pairs"]

MANY = 1_000_000
"""How many there are taken to be of what is not counted yet."""


@dataclass(frozen=True, slots=True)
class Near:
    """Pairs of two entities up to `metres`: in ``a`` and ``b`` their numbers, in ``m`` the metres.

    Attributes
    ----------
    held : tuple of str
        More columns: codes of the features, which need not be looked up for them. Each is named by its side
        and by its column in the narrow table.
    counted : bool
        Whether it is stored in `counts` how many pairs each feature of ``a`` has.
    """

    a: str
    b: str
    metres: float
    table: str
    rows: int = 0
    held: tuple[str, ...] = ()
    counted: bool = False

    def counts(self, flag: str = "") -> str:
        """The table of ``n``, how many pairs there are, by ``id``; or those of a concept of ``b``."""
        return f"{self.table}_n{flag and '_'}{flag}"

    def codes(self, side: str) -> dict[str, str]:
        """Columns of a side's narrow table and what they are called here.

        Examples
        --------
        >>> Near("School", "Crash", 500, "near_school_crash", held=("b_severity_code",)).codes("b")
        {'severity_code': 'b_severity_code'}
        """
        return {name[2:]: name for name in self.held if name[:2] == f"{side}_"}


def declared_pairs(pack: Pack) -> Iterator[Near]:
    """The pairs that a load makes."""
    entities = {entity.name: entity for entity in pack.entities}
    for one in pack.proximity:
        between = [entities[name] for name in one.between if name in entities]
        table = "_".join(["near", *(entity.table[:27] for entity in between)])
        held = (_split(side, entity) for side, entity in zip("ab", between, strict=False))
        yield Near(
            *one.between, one.within_m, table, MANY, tuple(name for name in held if name), counted=True
        )


def _split(side: str, entity: Entity) -> str:
    """The column of pairs for what an entity's features are counted by beside the rows; empty for none."""
    name = entity.split_field
    coded = name is not None and entity.field(name).type == "category"
    return f"{side}_{name}_code" if coded else ""


def noted_pairs(listed: Mapping[str, Any]) -> Iterator[Near]:
    """The pairs that a load has noted, by table."""
    for table, found in listed.items():
        a, b = found["between"]
        held, counted = tuple(found.get("held", ())), found.get("counted", False)
        yield Near(a, b, found["within_m"], table, found["rows"], held, counted)
