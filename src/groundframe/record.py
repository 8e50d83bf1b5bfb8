"""The record of an answer: which data, which rules, what was counted and what was left out.

It holds nothing that changes from one run to the next: no times, no names of databases.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib.metadata import version
from typing import Any

from groundframe.coverage import coverage_warnings, taken_for_absent
from groundframe.formats.result import Record
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.execute import Tally
from groundframe.query import Query
from groundframe.schema.model import Entity

__all__ = ["make_record"]

_BY_SHAPE = {
    "within": "covered by their shape, border included",
    "contains": "covering their shape, border included",
    "intersects": "touching or crossing",
}


def make_record(query: Query, dataset: Dataset, tally: Tally) -> Record:
    """The record of one execution."""
    pack, checked, rules = query.pack, query.checked, query.plan.rules
    sources = _sources(query, dataset, tally)
    row, rows = _row_words(query)
    return {
        "warnings": [*_synthetic(dataset), *_uneven(query, dataset, sources)],
        **({"question": checked.received.question} if checked.received.question else {}),
        "rows": rows if tally.returned != 1 else row,
        "targets": {target: _words(_entity(query, target)) for target in rules["targets"]},
        "grouped": bool(checked.frame.group_by),
        "counts": tally.as_dict() | {"split": _split(query, tally)},
        "counted": list(rules["measures"]),
        "rules": {**rules, "in_words": list(_in_words(query))},
        "sources": sources,
        "repairs": [repair.as_dict() for repair in checked.repairs],
        "notes": list(checked.notes),
        "pack": {"name": pack.name, "title": pack.title, "version": pack.version, "digest": pack.digest},
        "data_version": dataset.data_version,
        "synthetic": dataset.synthetic,
        "notices": list(pack.notices),
        "program": f"groundframe {version('groundframe')}",
    }


def _synthetic(dataset: Dataset) -> list[str]:
    return ["Synthetic data: everything here is invented."] if dataset.synthetic else []


def _uneven(query: Query, dataset: Dataset, contributed: list[dict[str, Any]]) -> list[str]:
    """The warnings about coverage."""
    frame, loaded = query.checked.frame, dataset.report["sources"]
    # What is absent contributes nothing: every loaded source of it counts.
    absent = [
        {"target": target, **item}
        for target in sorted(taken_for_absent(frame))
        for item in loaded
        if item["entity"] == _entity(query, target).name
    ]
    # The areas that everything is divided into: who covers them covers everything.
    dividing = {
        entity.name for entity in query.pack.entities if "scope" in entity.roles and not entity.optional
    }
    whole = {item["coverage"]["area"] for item in loaded if item["entity"] in dividing and item["coverage"]}
    return coverage_warnings(frame, [*contributed, *absent], whole)


def _entity(query: Query, target: str) -> Entity:
    return query.pack.entity(query.plan.rules["targets"][target])


def _words(entity: Entity) -> dict[str, str]:
    return {"entity": entity.name, "one": entity.label, "many": entity.plural}


def _row_words(query: Query) -> tuple[str, str]:
    """What one row is, and what several are."""
    if query.checked.frame.group_by:
        by = ", ".join(column.label for column in query.columns if column.kind == "group")
        return f"group by {by}", f"groups by {by}"
    primary = next(target.id for target in query.checked.frame.targets if target.role == "primary")
    entity = _entity(query, primary or "")
    return entity.label, entity.plural


def _split(query: Query, tally: Tally) -> list[dict[str, Any]]:
    """The features that took part, by the field that the pack names for it (DESIGN §7.12)."""
    found = []
    for target, values in tally.split.items():
        entity = _entity(query, target)
        if entity.split_field is not None:
            label = entity.field(entity.split_field).label
            found.append({"target": target, "by": label, "values": dict(values)})
    return found


def _sources(query: Query, dataset: Dataset, tally: Tally) -> list[dict[str, Any]]:
    """The sources that contributed, with the features of each that took part and what it covers."""
    known = {(item["entity"], item["source"]): item for item in dataset.report["sources"]}
    found = []
    for target, counts in tally.sources.items():
        entity = _entity(query, target)
        for name, features in counts.items():
            item = known.get((entity.name, name), {})
            parts = {part: item.get(part) for part in ("title", "coverage", "licence", "notice")}
            found.append(
                {"target": target, "entity": entity.name, "source": name, "features": features, **parts}
            )
    return found


def _in_words(query: Query) -> Iterator[str]:
    """The rules as sentences."""
    rules = query.plan.rules
    for relation in rules["relations"]:
        yield _relation(query, relation)
    for concept in rules["concepts"]:
        yield f"{concept['label']}: {concept['definition']}."
    if any("distance_m" in relation or "nearest" in relation for relation in rules["relations"]):
        yield f"Distances are metres on EPSG:{rules['srid']}."


def _relation(query: Query, relation: dict[str, Any]) -> str:
    near, far = (_said(query, part) for part in relation["between"])
    how = []
    if "nearest" in relation:
        how.append(f"the {relation['nearest']} nearest")
    if "distance_m" in relation:
        how.append(f"within {relation['distance_m']:g} m")
    if "link" in relation:
        how.append(f"by their {relation['link']}, as linked at load")
    if "geometry" in relation:
        how.append(_BY_SHAPE[relation["geometry"]])
    if relation.get("counted"):
        what = f"{far} counted for {near}"
    else:
        what = f"{near} related to {'no ' if relation.get('negate') else ''}{far}"
    return f"{what[0].upper()}{what[1:]}: {', '.join(how)}."


def _said(query: Query, part: str) -> str:
    """A target or a reference in words."""
    if part in query.plan.rules["targets"]:
        named = next((target.names for target in query.checked.frame.targets if target.id == part), ())
        return ", ".join(named) or _entity(query, part).plural
    for reference in query.checked.frame.references:
        if reference.id == part:
            return " & ".join(reference.names) or ("the area" if reference.area else "the position")
    return part
