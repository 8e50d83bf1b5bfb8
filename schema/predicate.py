"""Predicates as a pack writes them: conditions on the fields of one entity."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

__all__ = ["OPERATORS", "Condition", "Operator", "Scalar", "Value"]

Operator = Literal[
    "eq", "ne", "in", "not_in", "lt", "lte", "gt", "gte", "between", "contains", "is_null", "not_null"
]
"""The operators of attribute constraints and of pack predicates."""

OPERATORS: tuple[Operator, ...] = Operator.__args__  # type: ignore[attr-defined]

Scalar = str | bool | int | float | date
Value = Scalar | list[Scalar] | None


class Condition(BaseModel):
    """One condition, or an *or* / *and* of conditions, optionally negated.

    Exactly one of ``field``, ``any_of``, ``all_of`` is given. In a concept's definition a condition on a
    field that the row's source does not provide is skipped (see :class:`~groundframe.schema.model.Concept`).
    """

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False)

    field: str | None = None
    operator: Operator = "eq"
    value: Annotated[Value, Field(union_mode="smart")] = None
    any_of: tuple[Condition, ...] = ()
    all_of: tuple[Condition, ...] = ()
    negate: bool = False

    @model_validator(mode="after")
    def _one_kind(self) -> Condition:
        kinds = sum((self.field is not None, bool(self.any_of), bool(self.all_of)))
        if kinds != 1:
            raise ValueError("give exactly one of 'field', 'any_of', 'all_of'")
        return self

    def fields(self) -> tuple[str, ...]:
        """Names of the fields it tests, in order, each once."""
        own = (self.field,) if self.field is not None else ()
        below = tuple(name for part in (*self.any_of, *self.all_of) for name in part.fields())
        return tuple(dict.fromkeys(own + below))
