"""The operations of a plan: frozen, typed, and impossible to build with the wrong inputs.

An operation holds its inputs in order, so that two edges between the same two nodes (schools near schools) stay two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from functools import cached_property
from hashlib import blake2b
from typing import Any, Literal

from groundframe.compiler.measures import Measured
from groundframe.compiler.predicates import Predicate
from groundframe.compiler.relations import Relation, is_link
from groundframe.compiler.types import Features, Groups, OpType, Pairs, Region, Scalar
from groundframe.errors import PlanError
from groundframe.schema.model import GeometryType

__all__ = [
    "Aggregate",
    "Attach",
    "Compose",
    "Constant",
    "Count",
    "CutTies",
    "Flip",
    "GroupKey",
    "Having",
    "Join",
    "JoinGroups",
    "Keep",
    "Nearest",
    "Op",
    "Rank",
    "Scan",
    "Semi",
    "Show",
    "Side",
    "Where",
    "rewrite",
]

Side = Literal["left", "right"]


@dataclass(frozen=True, eq=False, repr=False)
class Op:
    """An operation; its fields that are operations, or tuples of them, are its inputs.

    Operations of the same content are equal. They share inputs, so comparing and traversing them naively would take time
    exponential in their depth: equality goes by a digest, and :func:`rewrite` visits each once.
    """

    @cached_property
    def digest(self) -> str:
        """A hash of the whole content."""
        parts = [type(self).__name__, *(_content(getattr(self, field.name)) for field in fields(self))]
        return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Op) and self.digest == other.digest)

    def __hash__(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.digest[:8]}>"

    @cached_property
    def output(self) -> OpType:
        """The type of what it gives."""
        raise NotImplementedError

    @cached_property
    def inputs(self) -> tuple[Op, ...]:
        """What it takes, in order, as often as it takes it."""
        found: list[Op] = []
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Op):
                found.append(value)
            elif isinstance(value, tuple):
                found.extend(item for item in value if isinstance(item, Op))
        return tuple(found)

    def with_inputs(self, change: Callable[[Op], Op]) -> Op:
        """The same operation with ``change`` applied to every input."""
        before = self.inputs
        after = [change(item) for item in before]
        if all(new is old for new, old in zip(after, before, strict=True)):
            return self
        left = iter(after)
        changed: dict[str, Any] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Op):
                changed[field.name] = next(left)
            elif isinstance(value, tuple) and any(isinstance(item, Op) for item in value):
                changed[field.name] = tuple(next(left) if isinstance(item, Op) else item for item in value)
        return replace(self, **changed)


def _content(value: object) -> str:
    if isinstance(value, Op):
        return value.digest
    if isinstance(value, tuple):
        return "(" + ",".join(map(_content, value)) + ")"
    return repr(value)


def rewrite(root: Op, change: Callable[[Op], Op]) -> Op:
    """The plan in which `change` was applied to every operation, inputs first.

    What `change` makes is not visited again.
    """
    done: dict[Op, Op] = {}

    def visit(op: Op) -> Op:
        if op not in done:
            done[op] = change(op.with_inputs(visit))
        return done[op]

    return visit(root)


def _features(op: Op, what: str) -> Features:
    if not isinstance(op.output, Features):
        raise PlanError(f"{what} takes features, not {op.output}.")
    return op.output


def _pairs(op: Op, what: str) -> Pairs:
    if not isinstance(op.output, Pairs):
        raise PlanError(f"{what} takes pairs, not {op.output}.")
    return op.output


def _groups(op: Op, what: str) -> Groups:
    if not isinstance(op.output, Groups):
        raise PlanError(f"{what} takes groups, not {op.output}.")
    return op.output


@dataclass(frozen=True, eq=False, repr=False)
class Scan(Op):
    """All features of an entity."""

    entity: str
    geometry: tuple[GeometryType, ...]
    srid: int

    def __post_init__(self) -> None:
        if self.srid <= 0:
            raise PlanError(f"{self.entity} has no SRID.")

    @cached_property
    def output(self) -> Features:
        return Features(self.entity, self.geometry, self.srid)


@dataclass(frozen=True, eq=False, repr=False)
class Constant(Op):
    """A constant geometry, as well-known binary on the projected plane."""

    wkb: bytes
    geometry: Literal["point", "polygon"]
    srid: int

    def __post_init__(self) -> None:
        if self.srid <= 0 or not self.wkb:
            raise PlanError("A constant geometry needs a shape and an SRID.")

    @cached_property
    def output(self) -> Region:
        return Region(self.geometry, self.srid)


@dataclass(frozen=True, eq=False, repr=False)
class Where(Op):
    """The features for which the predicate is true."""

    input: Op
    predicate: Predicate

    def __post_init__(self) -> None:
        _features(self.input, "A filter")

    @cached_property
    def output(self) -> Features:
        return _features(self.input, "A filter")


@dataclass(frozen=True, eq=False, repr=False)
class Join(Op):
    """The pairs for which all relations hold: an inner join that yields keys."""

    left: Op
    right: Op
    relations: tuple[Relation, ...]
    distinct: bool = True
    """Leave out the pair of a feature with itself."""

    def __post_init__(self) -> None:
        _check_pair(self.left, self.right)
        if not self.relations:
            raise PlanError("A join without a relation is no join.")
        if isinstance(self.right.output, Region) and any(map(is_link, self.relations)):
            raise PlanError("A constant geometry has no links.")

    @cached_property
    def output(self) -> Pairs:
        return _pair_of(self.left.output, self.right.output)


def _check_pair(left: Op, right: Op) -> None:
    first, second = _features(left, "A join"), right.output
    if not isinstance(second, Features | Region):
        raise PlanError(f"A join takes features or a region on the right, not {second}.")
    if first.srid != second.srid:
        raise PlanError(f"SRID {first.srid} of {first} does not match SRID {second.srid} of {second}.")


def _pair_of(left: OpType, right: OpType) -> Pairs:
    if not isinstance(left, Features) or not isinstance(right, Features | Region):
        raise PlanError(f"{left} and {right} do not make pairs.")
    return Pairs(left, right)


@dataclass(frozen=True, eq=False, repr=False)
class Nearest(Op):
    """Pairs of each right feature with the `k` left ones nearest to it, by millimetres, then key.

    `relations` are tested on the chosen pairs.
    """

    left: Op
    right: Op
    k: int
    relations: tuple[Relation, ...] = ()
    distinct: bool = True

    def __post_init__(self) -> None:
        _check_pair(self.left, self.right)
        if self.k < 1:
            raise PlanError(f"The {self.k} nearest are none.")

    @cached_property
    def output(self) -> Pairs:
        return _pair_of(self.left.output, self.right.output)


@dataclass(frozen=True, eq=False, repr=False)
class Flip(Op):
    """The same pairs with their sides exchanged."""

    pairs: Op

    def __post_init__(self) -> None:
        if isinstance(_pairs(self.pairs, "An exchange of sides").right, Region):
            raise PlanError("A region cannot be the left of a pair.")

    @cached_property
    def output(self) -> Pairs:
        pairs = _pairs(self.pairs, "An exchange of sides")
        return _pair_of(pairs.right, pairs.left)


@dataclass(frozen=True, eq=False, repr=False)
class Keep(Op):
    """The pairs whose left is one of the features."""

    pairs: Op
    features: Op

    def __post_init__(self) -> None:
        if _pairs(self.pairs, "A choice of pairs").left != _features(self.features, "A choice of pairs"):
            raise PlanError(f"{self.features.output} is not the left of {self.pairs.output}.")

    @cached_property
    def output(self) -> Pairs:
        return _pairs(self.pairs, "A choice of pairs")


@dataclass(frozen=True, eq=False, repr=False)
class Compose(Op):
    """Pairs over a common middle: the right of `first` is the left of `second`."""

    first: Op
    second: Op

    def __post_init__(self) -> None:
        first, second = _pairs(self.first, "A chain"), _pairs(self.second, "A chain")
        if first.right != second.left:
            raise PlanError(f"A chain needs a common middle, not {first.right} and {second.left}.")

    @cached_property
    def output(self) -> Pairs:
        return Pairs(_pairs(self.first, "A chain").left, _pairs(self.second, "A chain").right)


@dataclass(frozen=True, eq=False, repr=False)
class Semi(Op):
    """The features that are the left of some pair (with `negate`: of none), each once.

    The left of the pairs holds the same features, or more of their entity. `drive` is a hint: the side that is
    probably smaller.
    """

    input: Op
    pairs: Op
    negate: bool = False
    drive: Side = "right"

    def __post_init__(self) -> None:
        if _features(self.input, "A semi-join") != _pairs(self.pairs, "A semi-join").left:
            raise PlanError(f"{self.input.output} is not the left of {self.pairs.output}.")

    @cached_property
    def output(self) -> Features:
        return _features(self.input, "A semi-join")


@dataclass(frozen=True, slots=True)
class GroupKey:
    """One key of groups, taken from the features on one side (`left` where there are no pairs).

    ``key``: the feature; ``link``: the linked feature; ``field``: a value, with those of `unknown` taken as the first of them;
    ``list``: each value of a list; otherwise a part of the date or the time in that field.
    """

    name: str
    kind: Literal["key", "link", "field", "list", "year", "quarter", "month", "date", "weekday", "hour"]
    field: str = ""
    side: Side = "left"
    unknown: tuple[str, ...] = ()


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

    @cached_property
    def output(self) -> Groups:
        return Groups(tuple(key.name for key in self.keys), tuple(item.name for item in self.measures))


@dataclass(frozen=True, eq=False, repr=False)
class Attach(Op):
    """One row per feature: measures of its own, and those of groups keyed by it; none is 0 (DESIGN §7.5)."""

    input: Op
    own: tuple[Measured, ...]
    groups: tuple[Op, ...]

    def __post_init__(self) -> None:
        _features(self.input, "Measures")
        for group in self.groups:
            if len(_groups(group, "Measures").keys) != 1:
                raise PlanError(f"{group.output} cannot be attached to single features.")

    @cached_property
    def output(self) -> Groups:
        names = [item.name for item in self.own]
        for group in self.groups:
            names.extend(_groups(group, "Measures").measures)
        return Groups(("key",), tuple(names), _features(self.input, "Measures"))


@dataclass(frozen=True, eq=False, repr=False)
class JoinGroups(Op):
    """The groups of `input`, with the measures of other groups of the same keys; none is 0."""

    input: Op
    others: tuple[Op, ...]

    def __post_init__(self) -> None:
        first = _groups(self.input, "A join of groups")
        for other in self.others:
            if _groups(other, "A join of groups").keys != first.keys:
                raise PlanError(f"{other.output} does not match {first}.")

    @cached_property
    def output(self) -> Groups:
        first = _groups(self.input, "A join of groups")
        names = list(first.measures)
        for other in self.others:
            names.extend(_groups(other, "A join of groups").measures)
        return Groups(first.keys, tuple(names))


@dataclass(frozen=True, eq=False, repr=False)
class Having(Op):
    """The rows whose measures meet every condition (measure, operator, value)."""

    input: Op
    conditions: tuple[tuple[str, str, float], ...]

    def __post_init__(self) -> None:
        known = _groups(self.input, "A condition on measures").measures
        for name, _, _ in self.conditions:
            if name not in known:
                raise PlanError(f"There is no measure '{name}' to compare.")

    @cached_property
    def output(self) -> Groups:
        return _groups(self.input, "A condition on measures")


@dataclass(frozen=True, eq=False, repr=False)
class Rank(Op):
    """Rows ordered by a measure, NULL last, then by their keys, and cut after `top_n`."""

    input: Op
    by: str
    order: Literal["highest", "lowest"]
    top_n: int | None = None
    include_ties: bool = False

    def __post_init__(self) -> None:
        if self.by not in _groups(self.input, "A ranking").measures:
            raise PlanError(f"There is no measure '{self.by}' to rank by.")
        if self.top_n is not None and self.top_n < 1:
            raise PlanError(f"The first {self.top_n} are none.")

    @cached_property
    def output(self) -> Groups:
        return _groups(self.input, "A ranking")


@dataclass(frozen=True, eq=False, repr=False)
class Show(Op):
    """What the answer shows of the rows: columns and geometry, joined last; `columns` are those of the plan."""

    input: Op
    columns: tuple[str, ...]
    ranked: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.input.output, Features | Groups):
            raise PlanError(f"{self.input.output} cannot be shown.")

    @cached_property
    def output(self) -> OpType:
        return self.input.output


@dataclass(frozen=True, eq=False, repr=False)
class Count(Op):
    """How many; features also by columns of theirs and by whether `test` is true."""

    input: Op
    by: tuple[str, ...] = ()
    test: Predicate | None = None

    @cached_property
    def output(self) -> Scalar:
        return Scalar("features" if isinstance(self.input.output, Features) else "rows")


@dataclass(frozen=True, eq=False, repr=False)
class CutTies(Op):
    """How many of the right features have a next candidate as near as their last chosen one."""

    nearest: Nearest

    @cached_property
    def output(self) -> Scalar:
        return Scalar("ties")
