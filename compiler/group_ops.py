"""Operations that give groups, ranked rows and counts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from groundframe.compiler.feature_ops import Nearest, Side
from groundframe.compiler.measures import Measured
from groundframe.compiler.op import Op, features_of, groups_of, once
from groundframe.compiler.predicates import Predicate
from groundframe.compiler.types import Features, Groups, OpType, Pairs, Scalar
from groundframe.errors import PlanError

__all__ = [
    "Aggregate",
    "Attach",
    "Complete",
    "Count",
    "CutTies",
    "GroupKey",
    "Having",
    "JoinGroups",
    "Rank",
    "Show",
    "Together",
]


_PARTS = {"year": "year", "month_of_year": "month", "weekday": "weekday", "hour": "hour"}
"""Groups that are by a part of the date or time, which may be stored; a month of one year is by two."""


@dataclass(frozen=True, slots=True)
class GroupKey:
    """One key of groups, taken from the features on one side (`left` where there are no pairs).

    ``key``: the feature; ``link``: the linked feature; ``field``: a value, with those of `unknown` taken as
    the first of them;
    ``list``: each value of a list; otherwise a part of the date or the time in that field.
    """

    name: str
    kind: Literal[
        "key", "link", "field", "list", "year", "quarter", "month", "month_of_year", "date", "weekday", "hour"
    ]
    field: str = ""
    side: Side = "left"
    unknown: tuple[str, ...] = ()

    @property
    def part(self) -> str:
        """The part of the date or time that groups are by; empty where they are by none alone."""
        return _PARTS.get(self.kind, "")


@dataclass(frozen=True, eq=False, repr=False)
class Aggregate(Op):
    """Groups of features, or of pairs, with measures over the distinct features on the `counted` side."""

    input: Op
    keys: tuple[GroupKey, ...]
    measures: tuple[Measured, ...]
    counted: Side = "left"

    def __post_init__(self) -> None:
        kind = self.input.output
        if not isinstance(kind, Features | Pairs):
            raise PlanError(f"Groups are made of features or pairs, not of {kind}.")
        if not self.keys:
            raise PlanError("Groups need a key.")
        names = [key.name for key in self.keys] + [measure.name for measure in self.measures]
        if len(set(names)) < len(names):
            raise PlanError(f"Two columns of a group have one name: {', '.join(names)}.")

    @once
    def output(self) -> Groups:
        return Groups(tuple(key.name for key in self.keys), tuple(item.name for item in self.measures))


@dataclass(frozen=True, eq=False, repr=False)
class Attach(Op):
    """One row per feature: measures of its own, and those of groups keyed by it; none is 0 (DESIGN §7.5).

    Where several groups have the same measure, it is the smallest: how far it is to the nearest of all.
    """

    input: Op
    own: tuple[Measured, ...]
    groups: tuple[Op, ...]

    def __post_init__(self) -> None:
        features_of(self.input, "Measures")
        for group in self.groups:
            if len(groups_of(group, "Measures").keys) != 1:
                raise PlanError(f"{group.output} cannot be attached to single features.")

    @once
    def output(self) -> Groups:
        names = [item.name for item in self.own]
        for group in self.groups:
            names.extend(groups_of(group, "Measures").measures)
        return Groups(("key",), tuple(dict.fromkeys(names)), features_of(self.input, "Measures"))


@dataclass(frozen=True, eq=False, repr=False)
class JoinGroups(Op):
    """The groups of `input`, with the measures of other groups of the same keys; none is 0."""

    input: Op
    others: tuple[Op, ...]

    def __post_init__(self) -> None:
        first = groups_of(self.input, "A join of groups")
        for other in self.others:
            if groups_of(other, "A join of groups").keys != first.keys:
                raise PlanError(f"{other.output} does not match {first}.")

    @once
    def output(self) -> Groups:
        first = groups_of(self.input, "A join of groups")
        names = list(first.measures)
        for other in self.others:
            names.extend(groups_of(other, "A join of groups").measures)
        return Groups(first.keys, tuple(names))


@dataclass(frozen=True, eq=False, repr=False)
class Having(Op):
    """The rows whose measures meet every condition (measure, operator, value)."""

    input: Op
    conditions: tuple[tuple[str, str, float], ...]

    def __post_init__(self) -> None:
        known = groups_of(self.input, "A condition on measures").measures
        for name, _, _ in self.conditions:
            if name not in known:
                raise PlanError(f"There is no measure '{name}' to compare.")

    @once
    def output(self) -> Groups:
        return groups_of(self.input, "A condition on measures")


@dataclass(frozen=True, slots=True)
class Bound:
    """What a count cannot exceed: the ``n`` of a table by ``id``, which a load has counted.

    Parameters
    ----------
    first : int
        How many of the highest are counted to begin with.
    exact : bool
        Whether it is the count itself.
    """

    table: str
    first: int
    exact: bool = False


@dataclass(frozen=True, eq=False, repr=False)
class Rank(Op):
    """Rows ordered by a measure, NULL last, then by their keys, and cut after `top_n`.

    With a `bound` of the measure only those are counted that may be among the first.
    """

    input: Op
    by: str
    order: Literal["highest", "lowest"]
    top_n: int | None = None
    include_ties: bool = False
    bound: Bound | None = None

    def __post_init__(self) -> None:
        if self.by not in groups_of(self.input, "A ranking").measures:
            raise PlanError(f"There is no measure '{self.by}' to rank by.")
        if self.top_n is not None and self.top_n < 1:
            raise PlanError(f"The first {self.top_n} are none.")

    @once
    def output(self) -> Groups:
        return groups_of(self.input, "A ranking")


@dataclass(frozen=True, eq=False, repr=False)
class Complete(Op):
    """The rows of a ranking of features with more measures, which are worked out for these rows alone.

    Like :class:`Attach`, but for what is left when all others are cut off.
    """

    input: Op
    own: tuple[Measured, ...]
    groups: tuple[Op, ...]

    def __post_init__(self) -> None:
        if not isinstance(self.input, Rank) or self.input.output.features is None:
            raise PlanError(f"{self.input.output} is no ranking of features.")
        for group in self.groups:
            if len(groups_of(group, "Measures").keys) != 1:
                raise PlanError(f"{group.output} cannot be attached to single features.")

    @once
    def output(self) -> Groups:
        first = groups_of(self.input, "More measures")
        names = [*first.measures, *(item.name for item in self.own)]
        for group in self.groups:
            names.extend(groups_of(group, "More measures").measures)
        return Groups(first.keys, tuple(names), first.features)


@dataclass(frozen=True, eq=False, repr=False)
class Show(Op):
    """What the answer shows of the rows: the plan's `columns` and the geometry, joined last."""

    input: Op
    columns: tuple[str, ...]
    ranked: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.input.output, Features | Groups):
            raise PlanError(f"{self.input.output} cannot be shown.")

    @once
    def output(self) -> OpType:
        return self.input.output


@dataclass(frozen=True, eq=False, repr=False)
class Count(Op):
    """How many; features also by columns of theirs and by whether `test` is true.

    Attributes
    ----------
    role : str
        The target of the frame that they are counted for.
    stored : str or None
        What a load calls such features, if it has counted them.
    known : Predicate or None
        Those for which it is not true, which are those for which it is unknown, are counted apart.
    """

    input: Op
    by: tuple[str, ...] = ()
    test: Predicate | None = None
    role: str = ""
    stored: str | None = None
    known: Predicate | None = None

    @once
    def output(self) -> Scalar:
        return Scalar("features" if isinstance(self.input.output, Features) else "rows")


@dataclass(frozen=True, eq=False, repr=False)
class Together(Op):
    """What one frame asks for, so that passes visit once what its parts have in common; in no plan."""

    parts: tuple[Op, ...]


@dataclass(frozen=True, eq=False, repr=False)
class CutTies(Op):
    """How many of the right features have a next candidate as near as their last chosen one."""

    nearest: Nearest

    @once
    def output(self) -> Scalar:
        return Scalar("ties")
