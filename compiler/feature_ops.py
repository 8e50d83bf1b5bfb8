"""Operations that give features, a constant geometry, or pairs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from groundframe.compiler.op import Op, features_of, once, pairs_of
from groundframe.compiler.predicates import Predicate
from groundframe.compiler.relations import Relation, is_link
from groundframe.compiler.types import Features, OpType, Pairs, Region
from groundframe.errors import PlanError
from groundframe.schema.entity import GeometryType

__all__ = ["Compose", "Constant", "Flip", "Join", "Keep", "Nearest", "Scan", "Semi", "Side", "Where"]

Side = Literal["left", "right"]


@dataclass(frozen=True, eq=False, repr=False)
class Scan(Op):
    """All features of an entity; `dated` ones are events, of which there are many.

    Where they are only counted, they may come as a load has counted them: `grouped` is the table, see
    :attr:`~groundframe.compiler.physical.Narrow.groupings`.
    """

    entity: str
    geometry: tuple[GeometryType, ...]
    srid: int
    dated: bool = False
    grouped: str | None = None

    def __post_init__(self) -> None:
        if self.srid <= 0:
            raise PlanError(f"{self.entity} has no SRID.")

    @once
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

    @once
    def output(self) -> Region:
        return Region(self.geometry, self.srid)


@dataclass(frozen=True, eq=False, repr=False)
class Where(Op):
    """The features for which the predicate is true."""

    input: Op
    predicate: Predicate

    def __post_init__(self) -> None:
        features_of(self.input, "A filter")

    @once
    def output(self) -> Features:
        return features_of(self.input, "A filter")


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

    @once
    def output(self) -> Pairs:
        return _pair_of(self.left.output, self.right.output)


def _check_pair(left: Op, right: Op) -> None:
    first, second = features_of(left, "A join"), right.output
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

    @once
    def output(self) -> Pairs:
        return _pair_of(self.left.output, self.right.output)


@dataclass(frozen=True, eq=False, repr=False)
class Flip(Op):
    """The same pairs with their sides exchanged."""

    pairs: Op

    def __post_init__(self) -> None:
        if isinstance(pairs_of(self.pairs, "An exchange of sides").right, Region):
            raise PlanError("A region cannot be the left of a pair.")

    @once
    def output(self) -> Pairs:
        pairs = pairs_of(self.pairs, "An exchange of sides")
        return _pair_of(pairs.right, pairs.left)


@dataclass(frozen=True, eq=False, repr=False)
class Keep(Op):
    """The pairs whose left is one of the features."""

    pairs: Op
    features: Op

    def __post_init__(self) -> None:
        if pairs_of(self.pairs, "A choice of pairs").left != features_of(self.features, "A choice of pairs"):
            raise PlanError(f"{self.features.output} is not the left of {self.pairs.output}.")

    @once
    def output(self) -> Pairs:
        return pairs_of(self.pairs, "A choice of pairs")


@dataclass(frozen=True, eq=False, repr=False)
class Compose(Op):
    """Pairs over a common middle: the right of `first` is the left of `second`."""

    first: Op
    second: Op

    def __post_init__(self) -> None:
        first, second = pairs_of(self.first, "A chain"), pairs_of(self.second, "A chain")
        if first.right != second.left:
            raise PlanError(f"A chain needs a common middle, not {first.right} and {second.left}.")

    @once
    def output(self) -> Pairs:
        return Pairs(pairs_of(self.first, "A chain").left, pairs_of(self.second, "A chain").right)


@dataclass(frozen=True, eq=False, repr=False)
class Semi(Op):
    """The features that are the left of some pair (with `negate`: of none), each once.

    The left of the pairs holds the same features, or more of their entity. `drive` is a hint: the side that
    is probably smaller.
    """

    input: Op
    pairs: Op
    negate: bool = False
    drive: Side = "right"

    def __post_init__(self) -> None:
        if features_of(self.input, "A semi-join") != pairs_of(self.pairs, "A semi-join").left:
            raise PlanError(f"{self.input.output} is not the left of {self.pairs.output}.")

    @once
    def output(self) -> Features:
        return features_of(self.input, "A semi-join")
