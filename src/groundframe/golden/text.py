"""YAML of golden frames: as exact as JSON when it is read, good to read as a diff when it is written.

Words such as ``on`` and ``no``, dates and times of day stay text, since a frame is JSON. A mapping stands on
one line where it fits, and never moves to another place.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from pathlib import Path
from typing import Any

import yaml

from groundframe.errors import GoldenError
from groundframe.serialise import encode

__all__ = ["Line", "read_text", "written"]

LARGEST = 10_000_000
WIDTH = 96
"""Characters that a mapping or list may take to stand on one line."""

_BASE: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_ODD = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff]")
_NUMERIC = re.compile(r"[-+.]?[0-9][-+0-9._eExX]*")
_TAG = "tag:yaml.org,2002:"


class Line(list[Any]):
    """A list that stands on one line however long it is, such as a row of a table."""


class _Loader(_BASE):  # type: ignore[misc]  # one of two classes
    """The safe loader without what YAML 1.1 makes of words, dates and times; keys stand once."""

    yaml_implicit_resolvers: dict[str, Any] = {}  # noqa: RUF012 - as the base class has it

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Hashable, Any]:
        """A mapping whose keys are texts, each given once."""
        keys: set[str] = set()
        for key, _ in node.value:
            if key.tag != f"{_TAG}str":
                raise yaml.MarkedYAMLError(None, None, "a key that is no text", key.start_mark)
            if key.value in keys:
                raise yaml.MarkedYAMLError(
                    None, None, f"the key '{key.value}' is given twice", key.start_mark
                )
            keys.add(key.value)
        found: dict[Hashable, Any] = super().construct_mapping(node, deep)
        return found


for _kind, _pattern, _first in (
    ("null", r"(?:null|~|)$", ["n", "~", ""]),
    ("bool", r"(?:true|false)$", ["t", "f"]),
    ("int", r"-?(?:0|[1-9][0-9]*)$", list("-0123456789")),
    ("float", r"-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$", list("-0123456789")),
):
    _Loader.add_implicit_resolver(_TAG + _kind, re.compile(_pattern), _first)


def read_text(path: Path) -> Any:
    """The content of a golden file.

    Raises
    ------
    GoldenError
        When it cannot be read or is not YAML; in one sentence, with the line.
    """
    try:
        if path.stat().st_size > LARGEST:
            raise GoldenError(f"This is larger than {LARGEST / 1e6:g} MB.", "Is it the right file?")
        text = path.read_text(encoding="utf-8-sig")
        # As in a pack: no alias, and so no alias bomb.
        if any(isinstance(event, yaml.AliasEvent) for event in yaml.parse(text, Loader=_Loader)):
            raise yaml.YAMLError("aliases are not allowed")
        return yaml.load(text, Loader=_Loader)  # noqa: S506 - a safe loader
    except OSError as error:
        raise GoldenError(f"It cannot be read ({error.strerror}).") from None
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f" at line {mark.line + 1}, column {mark.column + 1}" if mark else ""
        raise GoldenError(f"This is not YAML: {error.problem or error.context}{where}.") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        reason = " ".join(str(error).split())[:120]
        raise GoldenError(f"This is not YAML: {reason}.") from None


def written(content: Mapping[str, Any]) -> str:
    r"""A mapping as YAML text, in its own order.

    Examples
    --------
    >>> frame = {"targets": [{"entity": "Crash", "role": "primary"}]}
    >>> print(written({"frame": frame, "sql": {"rows": "SELECT\n  a"}}), end="")
    frame:
      targets:
        - {entity: Crash, role: primary}
    sql:
      rows: |-
        SELECT
          a
    """
    text: str = yaml.dump(
        _prepared(content, 0),
        Dumper=_Dumper,
        default_flow_style=False,
        sort_keys=False,
        allow_unicode=True,
        width=float("inf"),
    )
    return text


class _Inline(dict[str, Any]):
    """A mapping that stands on one line."""


class _Lines(str):
    """A text of several lines."""

    __slots__ = ()


def _prepared(value: Any, depth: int) -> Any:
    """The value with everything marked that does not stand one part a line."""
    if isinstance(value, Mapping):
        # The sections of the file, and their parts, always stand below each other.
        if depth > 1 and _short(value):
            return _Inline(value)
        return {key: _prepared(part, depth + 1) for key, part in value.items()}
    if isinstance(value, list) and not isinstance(value, Line):
        nested = any(isinstance(part, Mapping | list) for part in value)
        return [_prepared(part, depth + 1) for part in value] if nested or not _short(value) else Line(value)
    several = isinstance(value, str) and "\n" in value and not _ODD.search(value)
    return _Lines(value) if several else value


def _short(value: Any) -> bool:
    text = encode(value)
    return len(text) <= WIDTH and "\\n" not in text


def _quotes(value: str) -> str | None:
    """Quotes for what a reader takes for a number or a line break, or where quotes stand inside."""
    if _NUMERIC.fullmatch(value):
        return "'"
    return '"' if value.startswith("'") or _ODD.search(value) else None


class _Dumper(yaml.SafeDumper):
    """The emitter written in Python: that of libyaml breaks lines elsewhere."""

    def increase_indent(self, flow: bool = False, indentless: bool = False) -> None:
        """Items of a list stand further right than its key."""
        super().increase_indent(flow, False)

    def ignore_aliases(self, data: Any) -> bool:
        """What occurs twice is written twice."""
        return True


_Dumper.add_representer(Line, lambda dumper, value: dumper.represent_sequence(f"{_TAG}seq", value, True))
_Dumper.add_representer(_Inline, lambda dumper, value: dumper.represent_mapping(f"{_TAG}map", value, True))
_Dumper.add_representer(
    str, lambda dumper, value: dumper.represent_scalar(f"{_TAG}str", value, _quotes(value))
)
_Dumper.add_representer(_Lines, lambda dumper, value: dumper.represent_scalar(f"{_TAG}str", value, "|"))
