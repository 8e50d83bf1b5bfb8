"""The record of an answer: which data, which rules, what was counted and what was left out.

It holds nothing that changes from one run to the next: no times, no names of databases.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.metadata import version
from typing import Any

from groundframe.coverage import coverage_warnings, covered, taken_for_absent
from groundframe.described import measure_labels
from groundframe.formats.result import Record
from groundframe.group_notes import group_notes
from groundframe.postgis.datasets import Dataset
from groundframe.postgis.execute import Tally
from groundframe.query import Query
from groundframe.schema.model import Entity
from groundframe.validator.outcomes import Checked

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
    return {
        "warnings": [
            *_synthetic(dataset),
            *_unknown(query, tally),
            *_nothing(query, dataset, tally),
            *_uneven(query, dataset, tally, sources),
        ],
        **({"question": checked.received.question} if checked.received.question else {}),
        "rows": _row_words(query),
        "compared": tally.compared,
        "targets": {target: _words(_entity(query, target)) for target in rules["targets"]},
        "grouped": bool(checked.frame.group_by),
        "counts": tally.as_dict() | {"split": _split(query, tally)},
        "counted": list(_counted(query)),
        "rules": {**rules, "in_words": list(_in_words(query))},
        "sources": sources,
        "repairs": [repair.as_dict() for repair in checked.repairs],
        "anchors": [anchor.as_dict() for anchor in checked.anchors],
        "notes": [*checked.notes, *group_notes(checked.frame, pack)],
        "pack": {"name": pack.name, "title": pack.title, "version": pack.version, "digest": pack.digest},
        "data_version": dataset.data_version,
        "synthetic": dataset.synthetic,
        "notices": list(dict.fromkeys((*filter(None, (dataset.outdated,)), *pack.notices, *_terms(checked)))),
        "program": f"groundframe {version('groundframe')}",
    }


def _counted(query: Query) -> Iterator[dict[str, Any]]:
    """What was measured; what is called the same is told apart by what it is of."""
    measures = query.plan.rules["measures"]
    labels = Counter(item["label"] for item in measures)
    told = measure_labels(query.checked.frame, query.pack) if any(n > 1 for n in labels.values()) else {}
    yield from ({**item, "label": told.get(item["name"], item["label"])} for item in measures)


def _terms(checked: Checked) -> Iterator[str]:
    """The terms of those who told where places are."""
    return (anchor.notice for anchor in checked.anchors if anchor.notice)


def _synthetic(dataset: Dataset) -> list[str]:
    return ["Synthetic data: everything here is invented."] if dataset.synthetic else []


def _unknown(query: Query, tally: Tally) -> Iterator[str]:
    """The warning that a zero, or an empty answer, may be one for want of values only."""
    for target, left_out in tally.unknown_left_out.items():
        if left_out and _is_missing(query, tally, target):
            entity = _entity(query, target)
            features = f"1 {entity.label} lacks" if left_out == 1 else f"{left_out:,} {entity.plural} lack"
            asked = ", ".join(dict.fromkeys(_asked(query, target, entity)))
            yield f"Not known, which is not none: {features} a value that was asked for ({asked})."


def _asked(query: Query, target: str, entity: Entity) -> Iterator[str]:
    """What the frame asks of a target, in words."""
    frame = query.plan.frame
    conditions = [one for one in frame.attribute_constraints if one.target_role == target]
    for condition in (part for one in conditions for part in (one, *one.any_of)):
        if condition.field is not None:
            yield entity.field(condition.field).label
        elif condition.concept is not None:
            yield query.pack.concept(condition.concept).label
    for when in (one for one in frame.temporal_constraints if one.target_role == target):
        if when.hours is not None and entity.time_field is not None:
            yield entity.field(entity.time_field).label
        if entity.date_field is not None and (
            when.from_ or when.to or when.years or when.months or when.weekdays
        ):
            yield entity.field(entity.date_field).label


def _is_missing(query: Query, tally: Tally, target: str) -> bool:
    """Whether there should be features of the target and no one takes part."""
    wanted = target not in taken_for_absent(query.checked.frame)
    return wanted and not sum(tally.sources.get(target, {}).values())


def _nothing(query: Query, dataset: Dataset, tally: Tally) -> Iterator[str]:
    """The reason for an empty answer: which features there are none of, and what is loaded of them."""
    if tally.returned:
        return
    for target in (str(one.id) for one in query.checked.frame.targets if one.role != "scope"):
        if _is_missing(query, tally, target):
            entity = _entity(query, target)
            loaded = [item for item in dataset.report["sources"] if item["entity"] == entity.name]
            own = "; ".join(covered(item["title"], item["coverage"]) for item in loaded)
            plural = entity.plural
            yield f"No {plural} are like that. Loaded {plural}: {own or 'none'}."


def _uneven(query: Query, dataset: Dataset, tally: Tally, contributed: list[dict[str, Any]]) -> list[str]:
    """The warnings about coverage."""
    frame, loaded = query.plan.frame, dataset.report["sources"]
    # What is absent, or counted as nought, contributes nothing: every loaded source of it counts.
    counted = {str(one.target_role) for one in frame.measures} if tally.returned else set()
    nought = {target for target in counted if not tally.sources.get(target)}
    absent = [
        {"target": target, **item}
        for target in sorted(taken_for_absent(frame) | nought)
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


def _row_words(query: Query) -> dict[str, str]:
    """What one row is, and what several are."""
    if query.checked.frame.group_by:
        by = ", ".join(column.label for column in query.columns if column.kind == "group")
        return {"one": f"group by {by}", "many": f"groups by {by}"}
    primary = next(target.id for target in query.checked.frame.targets if target.role == "primary")
    entity = _entity(query, primary or "")
    return {"one": entity.label, "many": entity.plural}


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
    """The sources that contributed, with the features of each that took part and what it covers.

    All sources of what must be absent contribute: it is they that would hold it.
    """
    known = {(item["entity"], item["source"]): item for item in dataset.report["sources"]}
    contributed: dict[str, Mapping[str, int]] = {
        target: {name: 0 for owner, name in known if owner == _entity(query, target).name}
        for target in sorted(taken_for_absent(query.checked.frame))
    }
    found = []
    for target, counts in {**contributed, **tally.sources}.items():
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
    labels = {item["name"]: item["label"] for item in _counted(query)}
    for condition in query.checked.frame.having:
        rows = _row_words(query)["many"]
        yield (
            f"Only some {rows} are kept, by their number of {labels[condition.measure]}: "
            "what took part and what was left out is counted before that."
        )


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
        what = f"{near} {'not ' if relation.get('negate') else ''}related to {far}"
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
