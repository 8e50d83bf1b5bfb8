"""Places in a frame's JSON, as tuples of keys and positions."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

__all__ = ["CONSTRAINTS", "Data", "Path", "conditions", "drop", "get", "parts", "pointer", "put", "resolve"]

Data = dict[str, Any]
Path = tuple[str | int, ...]
CONSTRAINTS = ("spatial_constraints", "attribute_constraints", "temporal_constraints")


def get(frame: Data, path: Path) -> Any:
    """The value at a place."""
    value: Any = frame
    for step in path:
        value = value[step]
    return value


def put(frame: Data, path: Path, value: Any) -> None:
    """Put a value at a place."""
    get(frame, path[:-1])[path[-1]] = value


def drop(frame: Data, path: Path) -> Any:
    """Take out what is at a place, and give it."""
    return get(frame, path[:-1]).pop(path[-1])


def pointer(path: Path) -> str:
    """The place as a JSON pointer."""
    return "".join(f"/{step}" for step in path)


def parts(frame: Data) -> Iterator[tuple[Path, Data]]:
    """Targets and references."""
    for name in ("targets", "references"):
        for number, part in enumerate(frame.get(name, ())):
            yield (name, number), part


def conditions(frame: Data) -> Iterator[tuple[Path, Data, str | None]]:
    """Every attribute condition, those of an ``any_of`` included, with the role it is about."""
    for number, condition in enumerate(frame.get("attribute_constraints", ())):
        yield from _conditions(("attribute_constraints", number), condition, None)


def _conditions(path: Path, condition: Data, outer: str | None) -> Iterator[tuple[Path, Data, str | None]]:
    role = condition.get("target_role", outer)
    yield path, condition, role
    for number, inner in enumerate(condition.get("any_of", ())):
        yield from _conditions((*path, "any_of", number), inner, role)


def resolve(frame: Data, mention: str | None) -> Data | None:
    """The one target or reference that an id or a role means; None when there are none or several."""
    found = [part for _, part in parts(frame) if part.get("id", part.get("role", "anchor")) == mention]
    found = found or [part for _, part in parts(frame) if part.get("role", "anchor") == mention]
    return found[0] if len(found) == 1 else None
