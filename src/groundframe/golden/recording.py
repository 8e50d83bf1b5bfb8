"""What a golden file records of an answer."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from itertools import islice
from typing import TYPE_CHECKING, Any

from groundframe.compiler.explain import steps
from groundframe.formats.result import header
from groundframe.formats.sql import laid_out
from groundframe.golden.file import Golden, PackName, Result, Statement
from groundframe.postgis.rewrites import POSTGIS
from groundframe.serialise import plain

if TYPE_CHECKING:
    from groundframe.answer import Answer
    from groundframe.api import Connection
    from groundframe.compiler.plan import Plan
    from groundframe.query import Query

__all__ = ["GEOMETRY", "HEAD", "recorded"]

HEAD = 5
"""Rows that a file shows unless it shows more already."""

GEOMETRY = "geometry"
_LONGEST = 200


def recorded(
    gis: Connection, query: Query, frame: Mapping[str, Any], *, question: str = "", head: int = HEAD
) -> Golden:
    """Answer a query, and give all that a golden file holds of it.

    Parameters
    ----------
    frame : mapping
        The frame as it was written.
    question : str
        What is asked, where the frame does not say it.
    head : int
        How many rows to show.
    """
    answer = gis.execute(query)
    audit = answer.audit()
    return Golden(
        question=audit["question"] or question,
        dataset=gis.dataset.name,
        pack=PackName(name=gis.pack.name, version=gis.pack.version),
        program=f"groundframe {audit['versions']['groundframe']}",
        frame=dict(frame),
        choices=audit["choices"],
        repairs=audit["repairs"],
        anchors=[_anchor(anchor) for anchor in audit["anchors"]],
        checked_frame=_without(audit["checked_frame"], "question"),
        plan=_nodes(query.plan, audit["plan"]["nodes"]),
        sql={POSTGIS.engine: {name: _statement(part) for name, part in audit["sql"].items()}},
        data_version=audit["data_version"],
        result=_result(answer, query.plan.geometry, audit, head),
    )


def _anchor(anchor: Mapping[str, Any]) -> dict[str, Any]:
    """What a name was resolved to; the candidates that were not taken are left out."""
    parts = {name: anchor[name] for name in ("path", "asked", "basis", "origin")}
    return {**parts, "chosen": [candidate["label"] for candidate in anchor["chosen"]]}


def _nodes(plan: Plan, nodes: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """The nodes by their names, each with what it does in words; what is empty or not so is left out."""
    words = steps(plan)
    return {node["id"]: {"step": words[node["id"]], **_filled(_without(node, "id"))} for node in nodes}


def _filled(value: Any) -> Any:
    if isinstance(value, dict):
        parts = {name: _filled(part) for name, part in value.items()}
        return {name: part for name, part in parts.items() if part not in (None, False, "", [])}
    return [_filled(part) for part in value] if isinstance(value, list) else value


def _without(part: Mapping[str, Any], name: str) -> dict[str, Any]:
    return {key: value for key, value in part.items() if key != name}


def _statement(part: Mapping[str, Any]) -> Statement:
    parameters = {
        name: _shortened(part["parameters"][name]) for name in sorted(part["parameters"], key=_natural)
    }
    return Statement(text=laid_out(part["text"]), parameters=parameters)


def _natural(name: str) -> list[tuple[int, str]]:
    """Where a name stands in a list for people: p2 before p10."""
    return [(int(part), "") if part.isdigit() else (0, part) for part in re.split(r"(\d+)", name)]


def _shortened(value: Any) -> Any:
    """A shape of thousands of corners does not help a reader; the frame has it."""
    long = isinstance(value, str) and len(value) > _LONGEST
    return f"sha256:{hashlib.sha256(value.encode()).hexdigest()}" if long else value


def _result(answer: Answer, located: bool, audit: Mapping[str, Any], head: int) -> Result:
    rows = [
        [*(plain(value) for value in row[:-1]), *([_place(row[-1])] if located else [])]
        for row in islice(answer.rows(), head)
    ]
    columns = [*map(header, answer.columns), *([GEOMETRY] if located else [])]
    return Result(digest=audit["digest"], counts=audit["counts"], columns=columns, head=rows)


def _place(geometry: str | None) -> str | None:
    """A geometry in a word: a point by its position, any other by its kind and what tells it apart."""
    if geometry is None:
        return None
    content = json.loads(geometry)
    if content["type"] == "Point":
        return " ".join(str(number) for number in content["coordinates"])
    return f"{content['type']} {hashlib.sha256(geometry.encode()).hexdigest()[:8]}"
