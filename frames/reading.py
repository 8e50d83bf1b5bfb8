"""Reading a frame: limits first, then JSON, then the shape; every problem at once, in a planner's words."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from groundframe.errors import FrameError, Issue
from groundframe.frames.model import Frame
from groundframe.frames.shape import kind_of, shape_issues
from groundframe.frames.strict_json import DocumentKind, read_object

__all__ = ["LIMITS", "read_frame"]

LIMITS = {
    "bytes": 1_000_000,
    "depth": 32,
    "constraints": 100,
    "names": 500,
    "vertices": 10_000,
    "keys": 10_000,
    "issues": 100,
}
"""Limits of a frame (DESIGN §3); the lengths of texts and lists are in the model."""

_FRAME = DocumentKind(
    "frame",
    LIMITS["bytes"],
    LIMITS["depth"],
    smallest='The smallest is {"targets": [{"entity": …, "role": "primary"}]}.',
)


def read_frame(source: str | bytes | Path | Mapping[str, Any]) -> Frame:
    """Read a frame from JSON text, a file, or data that is already parsed.

    Parameters
    ----------
    source : str, bytes, Path or mapping
        JSON text, UTF-8 bytes, the path of a file, or a mapping such as ``json.load`` gives.

    Raises
    ------
    FrameError
        When it is no frame; its ``issues`` list everything that is wrong, each with a JSON pointer.

    Examples
    --------
    >>> read_frame('{"targets": [{"entity": "Crash", "role": "primary"}]}').targets[0].role
    'primary'
    >>> read_frame('{"targets": [{"entity": "Crash", "rolle": "primary"}]}')
    Traceback (most recent call last):
    ...
    groundframe.errors.FrameError: /targets/0/role: 'role' is missing. Add it. (1 more)
    """
    document, issues = read_object(source, _FRAME)
    issues += _over_limits(document)
    if issues:
        raise FrameError.of(issues[: LIMITS["issues"]])
    spelt = _published(document)
    try:
        return Frame.model_validate_json(json.dumps(spelt), strict=True)
    except ValidationError as error:
        found = shape_issues(error, spelt, LIMITS["issues"])
        own = len(_list(document.get("spatial_constraints")))
        raise FrameError.of(_back(issue, own, document) for issue in found) from None


def _over_limits(document: Mapping[str, Any]) -> list[Issue]:
    """Limits that are counted over the whole frame."""
    issues = []
    keys = _keys(document)
    if keys > LIMITS["keys"]:
        message = f"The frame has {keys:,} keys; the limit is {LIMITS['keys']:,}."
        issues.append(Issue("too_many", "", message, action="Is this the right file?"))
    if not isinstance(document.get("relations", []), list):
        shown = kind_of(document["relations"])
        issues.append(Issue("wrong_type", "/relations", f"A list belongs here, and this is {shown}."))
    lists = ("spatial_constraints", "relations", "attribute_constraints", "temporal_constraints")
    constraints = sum(_constraints(document.get(name)) for name in lists)
    if constraints > LIMITS["constraints"]:
        message = f"The frame has {constraints:,} constraints; the limit is {LIMITS['constraints']}."
        issues.append(Issue("too_many", "", message, action="Ask in several frames."))
    parts = [
        part
        for name in ("targets", "references")
        for part in _list(document.get(name))
        if isinstance(part, dict)
    ]
    names = sum(len(_list(part.get("names"))) for part in parts)
    if names > LIMITS["names"]:
        message = f"The frame has {names:,} names; the limit is {LIMITS['names']}."
        issues.append(Issue("too_many", "", message, action="Ask in several frames."))
    for number, reference in enumerate(_list(document.get("references"))):
        area = reference.get("area") if isinstance(reference, dict) else None
        vertices = _vertices(area.get("coordinates")) if isinstance(area, dict) else 0
        if vertices > LIMITS["vertices"]:
            message = f"The area has {vertices:,} corners; the limit is {LIMITS['vertices']:,}."
            issues.append(Issue("too_many", f"/references/{number}/area", message, action="Simplify it."))
    return issues


def _keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_keys, value.values()))
    return sum(map(_keys, value)) if isinstance(value, list) else 0


def _constraints(value: Any) -> int:
    """How many constraints a list holds, those of an ``any_of`` included."""
    inner = (_constraints(part.get("any_of")) for part in _list(value) if isinstance(part, dict))
    return len(_list(value)) + sum(inner)


def _vertices(value: Any) -> int:
    if not isinstance(value, list):
        return 0
    if value and not any(isinstance(part, list) for part in value):
        return 1
    return sum(_vertices(part) for part in value)


def _list(value: Any) -> Sequence[Any]:
    return value if isinstance(value, list) else ()


def _published(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document with the published ``relations`` among the spatial constraints."""
    spelt = dict(document)
    relations = spelt.get("relations")
    if isinstance(relations, list) and isinstance(spelt.get("spatial_constraints"), list | None):
        del spelt["relations"]
        spelt["spatial_constraints"] = [*(spelt.get("spatial_constraints") or ()), *map(_relation, relations)]
    return spelt


def _relation(relation: Any) -> Any:
    """A published relation; its kind may be under ``type``."""
    if isinstance(relation, dict) and "type" in relation and "relation" not in relation:
        return {("relation" if key == "type" else key): value for key, value in relation.items()}
    return relation


def _back(issue: Issue, own: int, document: Mapping[str, Any]) -> Issue:
    """The issue with its pointer in the document as it came."""
    steps = issue.path.split("/")
    if (
        "relations" in document
        and len(steps) > 2
        and steps[1] == "spatial_constraints"
        and int(steps[2]) >= own
    ):
        steps[1:3] = ["relations", str(int(steps[2]) - own)]
    return Issue(issue.code, "/".join(steps), issue.message, issue.allowed, issue.nearest, issue.action)
