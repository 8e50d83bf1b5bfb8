"""The classes of questions, and the cases that are drawn of them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from random import Random
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, ConfigDict, Field

from groundframe.compiler.relations import TOLERANCE_M
from groundframe.errors import UsageError

__all__ = ["Case", "Catalogue", "ClassSpec", "Filter", "Ground", "cases", "load_catalogue"]

_SHORTEST, _ROUND = 0.4, 0.5


class _Model(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Filter(_Model):
    """A condition on events, in a frame, in SQL and in pandas."""

    frame: dict[str, list[dict[str, Any]]]
    sql: str
    pandas: str


class Values(_Model):
    """What a class takes: a radius in metres, a town, a point."""

    radius: float | None = None
    town: bool = False
    point: bool = False


class ByHand(_Model):
    """Statements on a dataset's tables: rows and counts, and both where they are quicker unfiltered."""

    rows: str
    counts: str
    unfiltered: str | None = None
    counts_unfiltered: str | None = None


class ClassSpec(_Model):
    """A class of questions, and how each contestant answers it."""

    name: str
    title: str
    answer: Annotated[tuple[str, ...], Field(min_length=1)]
    events: str
    values: Values
    frame: dict[str, Any]
    straightforward: str
    best: ByHand
    bound: str
    peers: dict[str, str]
    geopandas: dict[str, dict[str, Any]]


class Catalogue(_Model):
    """All classes, and what they share."""

    fragments: dict[str, str]
    filters: tuple[Filter, ...]
    towns: str
    points: str
    classes: tuple[ClassSpec, ...]
    plain: tuple[str, ...]
    events: str
    peer_tables: dict[str, str]

    def chosen(self, names: Sequence[str]) -> tuple[ClassSpec, ...]:
        """The classes whose names begin so; all of them where none is named.

        Examples
        --------
        >>> [spec.name for spec in load_catalogue().chosen(["D"])]
        ['D town', 'D state']
        """
        found = tuple(
            spec for spec in self.classes if not names or any(spec.name.startswith(name) for name in names)
        )
        for name in names:
            if not any(spec.name.startswith(name) for spec in found):
                known = ", ".join(spec.name for spec in self.classes)
                raise UsageError(f"There is no class '{name}'.", f"Classes: {known}.")
        return found


@dataclass(frozen=True, slots=True)
class Ground:
    """What cases are drawn from: towns by name, points as longitude, latitude, x and y."""

    towns: tuple[str, ...]
    points: tuple[tuple[float, float, float, float], ...]
    srid: int


@dataclass(frozen=True, eq=False)
class Case:
    """One question: a class with its values; each is only equal to itself.

    Attributes
    ----------
    variant : str
        ``fixed``, or what was drawn.
    values : mapping
        The bound parameters of statements.
    frame : mapping
        The question as a frame.
    """

    spec: ClassSpec
    variant: str
    values: Mapping[str, Any]
    frame: Mapping[str, Any]
    filter: Filter | None = None
    fragments: Mapping[str, str] = field(default_factory=dict, repr=False)

    def statement(self, text: str) -> str:
        """A statement of the catalogue with its fragments and the filter in their places."""
        parts = {**self.fragments, "filter": "true" if self.filter is None else self.filter.sql}
        return text.format(
            **{name: part.format(**parts) if "{" in part else part for name, part in parts.items()}
        )

    def where(self, condition: str = "") -> str:
        """A condition of pandas and the filter's."""
        return " and ".join(part for part in (condition, self.filter.pandas if self.filter else "") if part)


def load_catalogue() -> Catalogue:
    """The classes that come with groundframe."""
    text = files(__package__).joinpath("classes.yaml").read_text(encoding="utf-8")
    return Catalogue.model_validate(yaml.safe_load(text))


def cases(catalogue: Catalogue, spec: ClassSpec, ground: Ground, seed: int, drawn: int) -> Iterator[Case]:
    """The class with its own values, then with a radius, a place and filters that the seed draws.

    Radii go from two fifths of the class's own to all of it, in halves of a metre.
    """
    yield _case(catalogue, spec, "fixed", ground, spec.values.radius, 0, None)
    for number in range(drawn):
        random = Random(f"{seed} {spec.name} {number}")
        own = spec.values.radius
        radius = None if own is None else round(random.uniform(_SHORTEST * own, own) / _ROUND) * _ROUND
        # A second period would leave nothing of the class's own.
        fitting = [
            one
            for one in catalogue.filters
            if not set(one.frame) & {"temporal_constraints"} & set(spec.frame)
        ]
        chosen = random.choice([None, *fitting] if number else fitting)
        yield _case(catalogue, spec, f"drawn {number + 1}", ground, radius, random.randrange(1000), chosen)


def _case(
    catalogue: Catalogue,
    spec: ClassSpec,
    variant: str,
    ground: Ground,
    radius: float | None,
    place: int,
    chosen: Filter | None,
) -> Case:
    values: dict[str, Any] = {}
    if radius is not None:
        values |= {"radius": radius, "reach": radius + TOLERANCE_M}
    if spec.values.town:
        values["town"] = ground.towns[place % len(ground.towns)]
    if spec.values.point:
        at = ground.points[place % len(ground.points)]
        values |= dict(zip(("longitude", "latitude", "x", "y"), at, strict=True)) | {"srid": ground.srid}
    frame = _filled(spec.frame, values)
    for kind, conditions in (chosen.frame if chosen else {}).items():
        extra = [{"target_role": spec.events, **condition} for condition in conditions]
        frame[kind] = [*frame.get(kind, ()), *extra]
    return Case(spec, variant, values, json.loads(json.dumps(frame)), chosen, catalogue.fragments)


def _filled(part: Any, values: Mapping[str, Any]) -> Any:
    """A part of a frame with the values in the place of their names."""
    if isinstance(part, dict):
        return {key: _filled(value, values) for key, value in part.items()}
    if isinstance(part, list):
        return [_filled(value, values) for value in part]
    return values[part[1:]] if isinstance(part, str) and part.startswith("$") else part
