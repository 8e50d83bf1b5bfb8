"""A frame while it is being drawn."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from groundframe.eval.oracle.world import World
from groundframe.eval.random_frames.choices import Pick
from groundframe.schema.model import Entity, Pack

__all__ = ["Data", "Part", "Sketch"]

Data = dict[str, Any]


@dataclass(eq=False, slots=True)
class Part:
    """A target or a reference.

    Attributes
    ----------
    entity : Entity or None
        None for a position or an area.
    written : dict
        What the frame says of it.
    absent : bool
        Whether it, or something on the way to it, is what there must be none of.
    """

    role: str
    entity: Entity | None
    written: Data
    absent: bool = False

    @property
    def id(self) -> str:
        """By what constraints name it."""
        return str(self.written["id"])

    @property
    def known(self) -> Entity:
        """Its entity.

        Raises
        ------
        ValueError
            When it has none.
        """
        if self.entity is None:
            raise ValueError(f"{self.id} is a place")
        return self.entity

    @property
    def varies(self) -> bool:
        """Whether it is a set of features to which conditions can be put."""
        return self.role not in ("scope", "anchor")


@dataclass(slots=True)
class Sketch:
    """What is drawn so far, and what decides the rest."""

    world: World
    pick: Pick
    parts: list[Part] = field(default_factory=list)
    relations: list[Data] = field(default_factory=list)

    @property
    def pack(self) -> Pack:
        """The pack whose words the frame is made of."""
        return self.world.pack

    def often(self, in_ten: int) -> bool:
        """True about so many times in ten."""
        return bool(self.pick([False] * (10 - in_ten) + [True] * in_ten))

    def some(self, options: list[Any], most: int) -> list[Any]:
        """One or several different ones, sorted."""
        return sorted({self.pick(options) for _ in range(self.pick(range(1, most + 1)))})

    def between(self, one: Part, other: Part) -> list[Data]:
        """The constraints between two parts."""
        ends = {one.id, other.id}
        return [item for item in self.relations if {item["target_role"], item["reference_role"]} == ends]

    def is_chosen(self, part: Part) -> bool:
        """Whether its features are to be the nearest of something."""
        return any(
            one["relation"] == "nearest_to" and one["target_role"] == part.id for one in self.relations
        )

    def add(self, role: str, entity: Entity | None, written: Data) -> Part:
        """Add a target or a reference under the id that the validator would give it."""
        number = 1 + sum(part.role == role for part in self.parts)
        identity = role if number == 1 else f"{role}_{number}"
        part = Part(role, entity, {**written, "role": role, "id": identity})
        self.parts.append(part)
        return part
