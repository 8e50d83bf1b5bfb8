"""Anchors and scopes whose name is none: a kind of feature, or everywhere."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.model import Reference, SpatialConstraint, Target
from groundframe.frames.quantities import QuantityError, parse_number, parse_quantity
from groundframe.schema.model import Entity
from groundframe.schema.vocabulary import fold
from groundframe.validator.books import name_book
from groundframe.validator.context import Context
from groundframe.validator.findings import Add, Drop, Edit, Fill, Finding, Operation, Phase, Put, Rule

_AWAY = re.compile(
    r"(?:within|in|about|under|less than|up to)?\s*(\S.*?)\s+(?:of|from|around)\s+(.+)", re.IGNORECASE
)
_BEFORE = re.compile(
    r"^(?:(?:the|an?|any|all|every|some|nearby|near|close to|next to|around|each)\s+)+", re.IGNORECASE
)
_EVERYWHERE = frozenset(
    (
        "state",
        "statewide",
        "entire state",
        "whole state",
        "everywhere",
        "anywhere",
        "map",
        "area",
        "entire area",
    )
)
_WITHIN = ("within", "intersects")


def check(context: Context) -> Iterator[Finding]:
    """Make a kind of feature a filter, or the target that is there; leave out what is everywhere."""
    for path, part in context.parts():
        if len(part.names) != 1 or part.keys is not None:
            continue
        for finding in (
            _anchor(context, path, part) if isinstance(part, Reference) else _scope(context, path, part)
        ):
            yield finding
            if isinstance(finding, Issue):
                # Nothing is to be looked up under this name.
                yield Fill((Put(f"{path}/names", []),))


def _anchor(context: Context, path: str, part: Reference) -> Iterator[Finding]:
    if part.coordinates is not None or part.area is not None:
        return
    away, text = _apart(part.names[0])
    word = _bare(text)
    match = None if _is_name(context, part, text) else context.words.entities.match(word)
    kind = context.entity(match.word) if match and match.basis != "fuzzy" else None
    if _is_everywhere(context, part, text):
        yield from _everywhere(context, path, part)
    elif kind is not None:
        yield from _kind_of_feature(context, path, part, kind, away)
    elif away is not None:
        yield from _with_distance(context, path, part, text, away)


def _scope(context: Context, path: str, part: Target) -> Iterator[Finding]:
    if part.role == "scope" and _is_everywhere(context, part, part.names[0]):
        yield from _everywhere(context, path, part)


def _bare(text: str) -> str:
    """The text without the articles and the nearness before it."""
    return _BEFORE.sub("", text.strip(), count=1)


def _is_everywhere(context: Context, part: Reference | Target, text: str) -> bool:
    words = {*_EVERYWHERE, fold(context.pack.name)}
    return fold(_bare(text)) in words and not _is_name(context, part, text)


def _apart(text: str) -> tuple[float | None, str]:
    """The distance in metres and the rest of "500 m of schools"; None where there is no distance."""
    found = _AWAY.fullmatch(" ".join(text.split()))
    if found is None:
        return None, text
    try:
        parse_number(found[1])
    except QuantityError:
        try:
            return parse_quantity(found[1], "m"), found[2]
        except QuantityError:
            return None, text
    return None, text


def _is_name(context: Context, part: Reference | Target, text: str) -> bool:
    """Whether something in the dataset or the gazetteer bears it as its name."""
    pack, names = context.pack, context.names
    listed = [name for place in pack.gazetteer for name in (place.name, *place.aliases)]
    if name_book(listed, pack, "gazetteer").find(text, alike=False):
        return True
    kinds = {*pack.place_order, part.entity} & {e.name for e in pack.entities if e.name_field is not None}
    return names is not None and any(
        name_book(names.distinct_names(kind), pack, kind).find(text, alike=False) for kind in sorted(kinds)
    )


def _mentions(context: Context, part_id: str | None) -> list[tuple[str, SpatialConstraint]]:
    return [
        (f"/spatial_constraints/{number}", one)
        for number, one in enumerate(context.frame.spatial_constraints)
        if part_id in (one.target_role, one.reference_role)
    ]


def _everywhere(context: Context, path: str, part: Reference | Target) -> Iterator[Finding]:
    """A place that is all of the dataset restricts nothing."""
    mentions = _mentions(context, part.id)
    if any(one.negate or one.relation not in _WITHIN for _, one in mentions):
        message = f"'{part.names[0]}' is all of the dataset and no place in it."
        yield Issue("no_place", f"{path}/names/0", message, action="Name a place, or leave it out.")
        return
    message = f"'{part.names[0]}' is all of the dataset; it was left out."
    drops = (Drop(path), *(Drop(where) for where, _ in mentions))
    yield Edit(path, part.model_dump(mode="json", exclude_defaults=True), None, message, drops)


def _kind_of_feature(
    context: Context, path: str, part: Reference, kind: Entity, away: float | None
) -> Iterator[Finding]:
    owners = [target for target in context.frame.targets if target.entity == kind.name]
    # What is returned is not what it is to be near, nor is what is counted somewhere else; "the city" is the
    # scope, "cities" are not.
    named = _BEFORE.match(part.names[0]) is not None and fold(_bare(part.names[0])) != fold(kind.plural)
    absorbing = ("filter", "support", "scope") if named else ("filter", "support")
    other_role = any(
        owner.role not in absorbing or (owner.role == "support" and _mentions(context, owner.id))
        for owner in owners
    )
    before = part.model_dump(mode="json", exclude_defaults=True)
    where, primary = f"{path}/names/0", context.primary()
    if len(owners) > 1:
        message = f"'{part.names[0]}' is no place but a kind of feature, and several targets are of it."
        ids = tuple(str(owner.id) for owner in owners)
        yield Issue("no_place", where, message, ids, action="Name one of them in the constraint.")
    elif owners and not other_role:
        message = f"'{part.names[0]}' is no place but the target '{owners[0].id}'."
        operations = _pointed_at(context, part, owners[0], away)
        yield Edit(path, before, owners[0].id, message, (Drop(path), *operations))
    elif other_role or "scope" in kind.roles or "filter" not in kind.roles or primary is None:
        message = f"'{part.names[0]}' names no {kind.label}."
        yield Issue("no_place", where, message, action=f"Name the {kind.label}, or leave it out.")
    else:
        target = {"entity": kind.name, "role": "filter", "id": part.id}
        message = f"'{part.names[0]}' is no place but a kind of feature; it was made a filter."
        more: list[Operation] = [Drop(path), Add("/targets", target)]
        mentions = _mentions(context, part.id)
        if not mentions:
            ends = {"target_role": primary.id, "reference_role": part.id}
            more.append(
                Add("/spatial_constraints", {"relation": "within_distance", **ends, "distance_m": away})
            )
        more += _distances(mentions, away)
        yield Edit(path, before, target, message, tuple(more))


def _pointed_at(context: Context, part: Reference, owner: Target, away: float | None) -> list[Operation]:
    """The constraints on the anchor, on the target instead; what another constraint says already goes."""
    operations: list[Operation] = []
    for where, one in _mentions(context, part.id):
        ends = {
            end: owner.id if role == part.id else role
            for end, role in (("target_role", one.target_role), ("reference_role", one.reference_role))
        }
        distance = one.distance_m if one.distance_m is not None else away
        said = [
            other
            for other in context.frame.spatial_constraints
            if other is not one
            and {other.target_role, other.reference_role} == set(ends.values())
            and other.relation == one.relation
            and other.negate == one.negate
            and distance in (None, other.distance_m)
        ]
        if said or ends["target_role"] == ends["reference_role"]:
            operations.append(Drop(where))
        else:
            operations += [Put(f"{where}/{end}", role) for end, role in ends.items()]
            operations += [Put(f"{where}/distance_m", distance)] if distance != one.distance_m else []
    return operations


def _with_distance(context: Context, path: str, part: Reference, text: str, away: float) -> Iterator[Finding]:
    """A name with a distance before it: the distance belongs to the constraint."""
    mentions = _mentions(context, part.id)
    primary = context.primary()
    if primary is None or any(one.distance_m not in (None, away) for _, one in mentions):
        message = f"'{part.names[0]}' says a distance, and the constraint another."
        yield Issue(
            "no_place", f"{path}/names/0", message, action="Give the distance once, in the constraint."
        )
        return
    operations: list[Operation] = [Put(f"{path}/names", [text]), *_distances(mentions, away)]
    if not mentions:
        added: dict[str, Any] = {"relation": "within_distance", "target_role": primary.id}
        operations.append(
            Add("/spatial_constraints", added | {"reference_role": part.id, "distance_m": away})
        )
    message = f"'{part.names[0]}' is '{text}' and a distance of {away:g} m."
    yield Edit(f"{path}/names/0", part.names[0], text, message, tuple(operations))


def _distances(mentions: list[tuple[str, SpatialConstraint]], away: float | None) -> list[Operation]:
    """The distance, in the constraints that have none."""
    if away is None:
        return []
    return [Put(f"{where}/distance_m", away) for where, one in mentions if one.distance_m is None]


RULE = Rule(
    id="spurious_places",
    name="a place that is none",
    rationale=(
        "'Bus stops' are many, and are restricted by or counted like any kind of feature; the whole state "
        "restricts nothing."
    ),
    phase=Phase.NAMES,
    safety="safe",
    check=check,
)
