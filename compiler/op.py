"""What every operation is: frozen, typed, equal by content, with its inputs in order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cache
from hashlib import blake2b
from operator import is_
from typing import Any, Generic, TypeVar, overload

from groundframe.compiler.types import Features, Groups, OpType, Pairs
from groundframe.errors import PlanError

__all__ = ["Op", "features_of", "field_names", "groups_of", "once", "pairs_of", "rewrite"]

T_co = TypeVar("T_co", covariant=True)
K = TypeVar("K", bound="Op")


class once(Generic[T_co]):  # noqa: N801 - used like property
    """A property that is worked out when it is first asked for; that of `functools` may take a lock."""

    def __init__(self, make: Callable[[Any], T_co]) -> None:
        self._make, self.__doc__ = make, make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, part: None, owner: type) -> once[T_co]: ...
    @overload
    def __get__(self, part: object, owner: type) -> T_co: ...
    def __get__(self, part: object | None, owner: type) -> once[T_co] | T_co:
        if part is None:
            return self
        value = part.__dict__[self._name] = self._make(part)
        return value


def field_names(part: Any) -> tuple[str, ...]:
    """Names of the fields of an operation, or of another dataclass."""
    kind: Any = type(part)
    return _names_of(kind)


@cache
def _names_of(kind: Any) -> tuple[str, ...]:
    return tuple(field.name for field in fields(kind))


_BITS: dict[type[Op], int] = {}
"""A bit for each kind of operation, so that the kinds in a plan are quickly compared."""


@dataclass(frozen=True, eq=False, repr=False)
class Op:
    """An operation; its fields that are operations, or tuples of them, are its inputs.

    Operations of the same content are equal. They share inputs, so comparing and traversing them naively
    would take time exponential in their depth: equality goes by a digest, and :func:`rewrite` visits each
    once.
    """

    def __init_subclass__(cls) -> None:
        _BITS[cls] = 1 << len(_BITS)

    @once
    def digest(self) -> str:
        """A hash of the whole content."""
        parts = [type(self).__name__, *[_content(getattr(self, name)) for name in field_names(self)]]
        return blake2b("\0".join(parts).encode(), digest_size=16).hexdigest()

    def __eq__(self, other: object) -> bool:
        return self is other or (isinstance(other, Op) and self.digest == other.digest)

    def __hash__(self) -> int:
        return self._hash

    @once
    def _hash(self) -> int:
        return hash(self.digest)

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self.digest[:8]}>"

    @once
    def output(self) -> OpType:
        """The type of what it gives."""
        raise NotImplementedError

    @once
    def inputs(self) -> tuple[Op, ...]:
        """What it takes, in order, as often as it takes it."""
        found: list[Op] = []
        for name in field_names(self):
            value = getattr(self, name)
            if isinstance(value, Op):
                found.append(value)
            elif isinstance(value, tuple):
                found.extend(item for item in value if isinstance(item, Op))
        return tuple(found)

    @once
    def kinds(self) -> int:
        """The kinds of operations that it is made of, its own among them; a bit for each."""
        found = _BITS[type(self)]
        for one in self.inputs:
            found |= one.kinds
        return found

    def with_inputs(self, change: Callable[[Op], Op], **changed: Any) -> Op:
        """The same operation with ``change`` applied to every input, and some of its own fields changed."""
        before = self.inputs
        after = [change(item) for item in before]
        if not changed and all(map(is_, after, before)):
            return self
        left = iter(after)
        values: dict[str, Any] = {}
        for name in field_names(self):
            value = getattr(self, name)
            if isinstance(value, Op):
                value = next(left)
            elif isinstance(value, tuple) and any(isinstance(item, Op) for item in value):
                value = tuple([next(left) if isinstance(item, Op) else item for item in value])
            values[name] = value
        # What it was has been checked; what it is now is checked again.
        return type(self)(**{**values, **changed})


def _content(value: object) -> str:
    if isinstance(value, Op):
        return value.digest
    if isinstance(value, tuple):
        return "(" + ",".join(map(_content, value)) + ")"
    return repr(value)


def rewrite(root: Op, change: Callable[[K], Op], kind: type[K], *kinds: type[K]) -> Op:
    """The plan in which `change` was applied to every operation of these kinds, inputs first.

    What `change` makes is not visited again.
    """
    sought = 0
    for one in (kind, *kinds):
        sought |= _BITS[one]
    # By identity: a digest of every step between would take longer than what equal operations save.
    done: dict[int, Op] = {}

    def visit(op: Op) -> Op:
        if not op.kinds & sought:
            return op
        found = done.get(id(op))
        if found is None:
            made: Any = op.with_inputs(visit) if op.inputs else op
            found = done[id(op)] = change(made) if _BITS[type(op)] & sought else made
        return found

    return visit(root)


def features_of(op: Op, what: str) -> Features:
    """The type of an input that has to be features; `what` takes it."""
    if not isinstance(op.output, Features):
        raise PlanError(f"{what} takes features, not {op.output}.")
    return op.output


def pairs_of(op: Op, what: str) -> Pairs:
    """The type of an input that has to be pairs; `what` takes it."""
    if not isinstance(op.output, Pairs):
        raise PlanError(f"{what} takes pairs, not {op.output}.")
    return op.output


def groups_of(op: Op, what: str) -> Groups:
    """The type of an input that has to be groups; `what` takes it."""
    if not isinstance(op.output, Groups):
        raise PlanError(f"{what} takes groups, not {op.output}.")
    return op.output
