"""A checked frame with its plan: everything that an answer needs but the data."""

from __future__ import annotations

from dataclasses import dataclass, field

from groundframe.compiler.columns import Column
from groundframe.compiler.plan import Plan
from groundframe.schema.model import Pack
from groundframe.validator.outcomes import Checked

__all__ = ["Query"]


@dataclass(frozen=True)
class Query:
    """A compiled frame, ready to be executed.

    Attributes
    ----------
    checked : Checked
        The checked frame with its repairs and what its names were resolved to.
    plan : Plan
        The typed graph of operations.
    pack : Pack
        The schema pack that gives the words their meaning.
    data_version : str
        The version of the data that its names and its plan are for; empty where it was made for none.
    seconds : float
        How long compiling took; no part of what makes two queries equal.
    """

    checked: Checked
    plan: Plan
    pack: Pack
    data_version: str = ""
    seconds: float = field(default=0.0, compare=False)

    @property
    def columns(self) -> tuple[Column, ...]:
        """The columns of the rows, without the geometry."""
        return self.plan.columns

    @property
    def id_index(self) -> int | None:
        """Which column identifies a feature; None when the rows are groups that are no features."""
        if not self.plan.geometry and self.checked.frame.group_by:
            return None
        keys = [index for index, column in enumerate(self.columns) if column.kind == "key"]
        return keys[0] if len(keys) == 1 else None
