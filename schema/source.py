"""Sources of a pack: where rows come from and what they cover."""

from __future__ import annotations

from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict

__all__ = ["Coverage", "Source"]


class Coverage(BaseModel):
    """What a source covers, as its agency declares it.

    ``complete``: all features of the area and period; ``partial``: the agency had not finished; ``sample``: a selection.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    area: str
    first: date | None = None
    last: date | None = None
    completeness: Literal["complete", "partial", "sample"]
    breaks: tuple[str, ...] = ()


class Source(BaseModel):
    """One file format of one agency, and the rows that come from it.

    Parameters
    ----------
    name : str
        Goes before the native id in every key (``<source>:<native id>``) and is a filterable value.
    entity : str
        The entity that its rows are.
    provides : tuple of str
        The fields its rows can say something about; all others are absent, which differs from unknown.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    name: str
    title: str
    entity: str
    provides: tuple[str, ...]
    coverage: Coverage
    synthetic: bool = False
    licence: str = ""
    notice: str = ""
