"""Reading a frame: limits first, then JSON, then the shape; every problem at once, in a planner's words."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import accumulate
from pathlib import Path
from typing import Any, NoReturn

from pydantic import ValidationError

from groundframe.errors import FrameError, Issue
from groundframe.frames.model import Frame
from groundframe.frames.shape import kind_of, shape_issues

__all__ = ["LIMITS", "read_frame"]

LIMITS = {
    "bytes": 1_000_000,
    "depth": 32,
    "constraints": 100,
    "names": 500,
    "vertices": 10_000,
    "keys": 10_000,
    "digits": 30,
    "issues": 100,
}
"""Limits of a frame (DESIGN §3); the lengths of texts and lists are in the model."""

# An unclosed string counts as a string, so that the scan is linear whatever the input.
_STRING = re.compile(rb'"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_BRACKET = re.compile(rb"[\[\]{}]")
_UNPRINTABLE = re.compile("[\x00\ud800-\udfff]")


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
    document, issues = _document(_text(source))
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


def _text(source: str | bytes | Path | Mapping[str, Any]) -> str:
    """The JSON text of the source, within the limit of size and depth."""
    if isinstance(source, Mapping):
        source = _dumped(source)
    if isinstance(source, Path):
        source = _file(source)
    try:
        content = source.encode() if isinstance(source, str) else bytes(source)
    except UnicodeEncodeError:
        _refuse("not_unicode", "The frame holds text that is not valid Unicode.")
    if len(content) > LIMITS["bytes"]:
        size = f"{len(content) / 1e6:.1f} MB" if len(content) < 1e9 else "more than 1 GB"
        _refuse("too_large", f"The frame is {size} large; the limit is 1 MB.", "Is this the right file?")
    depth = max(
        accumulate(1 if b[0] in b"[{" else -1 for b in _BRACKET.findall(_STRING.sub(b"", content))), default=0
    )
    if depth > LIMITS["depth"]:
        _refuse("too_deep", f"The frame is nested {depth} levels deep; the limit is {LIMITS['depth']}.")
    try:
        text = content.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        action = "Save the file as UTF-8."
        _refuse("not_utf8", f"The frame is not UTF-8 text (byte {error.start + 1} is not).", action)
    if not text.strip():
        _refuse(
            "empty", "The frame is empty.", 'The smallest is {"targets": [{"entity": …, "role": "primary"}]}.'
        )
    return text


def _dumped(source: Mapping[str, Any]) -> str:
    try:
        return json.dumps(dict(source))
    except (TypeError, ValueError, RecursionError) as error:
        _refuse("not_json", f"The data cannot be written as JSON ({error}).", "Give only what JSON knows.")


def _file(path: Path) -> bytes:
    """The file's content, at most one byte more than is allowed, so that a huge one is not read."""
    try:
        with path.open("rb") as file:
            return file.read(LIMITS["bytes"] + 1)
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        _refuse("unreadable", f"{path} cannot be read ({reason}).", "Is it the right path?")


class _Object(dict[str, Any]):
    """A JSON object that remembers which keys it had twice."""

    doubled: tuple[str, ...] = ()


class _NoNumber(str):
    """A number that a frame cannot hold: NaN, Infinity, or too long."""

    __slots__ = ()


def _document(text: str) -> tuple[dict[str, Any], list[Issue]]:
    """The parsed document, with the issues of its keys and numbers."""
    try:
        parsed = json.loads(
            text, object_pairs_hook=_object, parse_constant=_NoNumber, parse_float=_float, parse_int=_int
        )
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        message = f"The frame is not JSON: {error.msg[:1].lower()}{error.msg[1:]} at {place}."
        _refuse("not_json", message)
    issues = list(_odd(parsed, ""))
    if not isinstance(parsed, dict):
        _refuse("not_an_object", f"A frame is a JSON object, and this is {kind_of(parsed)}.")
    return parsed, issues


def _object(pairs: list[tuple[str, Any]]) -> _Object:
    made = _Object(pairs)
    if len(made) < len(pairs):
        keys = [key for key, _ in pairs]
        made.doubled = tuple(dict.fromkeys(key for key in keys if keys.count(key) > 1))
    return made


def _float(text: str) -> float | int | _NoNumber:
    number = float(text)
    if not math.isfinite(number):
        return _NoNumber(text)
    # 5.0 is the whole number 5 in JSON Schema, too.
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def _int(text: str) -> int | _NoNumber:
    return int(text) if len(text) <= LIMITS["digits"] else _NoNumber(text)


def _odd(value: Any, path: str) -> Iterator[Issue]:
    """Keys given twice, numbers that are none, text that no database stores."""
    if isinstance(value, _NoNumber):
        shown = value if len(value) <= 20 else f"{value[:17]}…"
        yield Issue(
            "not_a_number",
            path,
            f"{shown} is not a number that a frame can hold.",
            action="Give a finite number.",
        )
    elif isinstance(value, str) and _UNPRINTABLE.search(value):
        yield Issue("not_unicode", path, "The text holds a NUL or half a character.", action="Remove it.")
    elif isinstance(value, _Object):
        for key in value.doubled:
            yield Issue(
                "doubled_key", f"{path}/{_step(key)}", f"The key '{key}' is given twice.", action="Keep one."
            )
        for key, part in value.items():
            if _UNPRINTABLE.search(key):
                yield Issue(
                    "not_unicode", path, "A key holds a NUL or half a character.", action="Remove it."
                )
            yield from _odd(part, f"{path}/{_step(key)}")
    elif isinstance(value, list):
        for number, part in enumerate(value):
            yield from _odd(part, f"{path}/{number}")


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


def _step(key: str) -> str:
    return key.replace("~", "~0").replace("/", "~1")


def _refuse(code: str, message: str, action: str = "") -> NoReturn:
    raise FrameError.of([Issue(code, "", message, action=action)]) from None
