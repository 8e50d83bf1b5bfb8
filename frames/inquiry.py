"""What is asked, before it is a frame: things, how they lie to each other, and what is counted of them.

Interpreters of every kind build an inquiry, from words or from the slots of a model; how it is written as a
frame stands here only.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any, Literal

from groundframe.frames.model import Frame
from groundframe.frames.terms import PLACE
from groundframe.schema.model import Entity, Link, Pack

__all__ = ["Inquiry", "Nearness", "Rank", "Spot", "Thing", "Tie", "link_between"]

Role = Literal["primary", "support", "filter", "scope"]
Nearness = Literal["near", "on", "in", "with", "nearest"]


@dataclass(eq=False)
class Thing:
    """Features of one entity, with what must hold for them.

    ``conditions`` and ``times`` are constraints without their target; ``each`` says that every one of them is
    asked about by itself.
    """

    entity: str
    role: Role | None = None
    names: list[str] = field(default_factory=list)
    conditions: list[dict[str, Any]] = field(default_factory=list)
    times: list[dict[str, Any]] = field(default_factory=list)
    each: bool = False


@dataclass(eq=False)
class Spot:
    """A place by name: an anchor."""

    entity: str
    names: list[str]
    town: str = ""


@dataclass(eq=False)
class Tie:
    """How two things lie to each other; ``base`` None is the one that is asked for.

    ``with`` leaves the relation open: a link where there is one, nearness otherwise.
    """

    base: Thing | None
    far: Thing | Spot
    nearness: Nearness
    distance_m: float | None = None
    negate: bool = False
    k: int = 1


@dataclass
class Rank:
    """An order, and what it goes by: a measure's name, ``of`` a field for a mean, or the primary's field."""

    order: str = "highest"
    top_n: int | None = None
    measure: str = ""
    counted: Thing | None = None
    of: str = ""
    field: str = ""
    every: bool = False


@dataclass
class Inquiry:
    """Everything that is asked; `frame` writes it down."""

    primary: Thing
    others: list[Thing] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    rank: Rank | None = None
    measures: list[tuple[str, Thing, str]] = field(default_factory=list)
    groups: list[tuple[str, str]] = field(default_factory=list)
    havings: list[tuple[str, Thing, str, float]] = field(default_factory=list)
    outputs: list[str] = field(default_factory=list)

    def frame(self, pack: Pack, question: str | None = None) -> Frame:
        """The inquiry as a frame in canonical names; what it leaves open is the validator's.

        Examples
        --------
        >>> from groundframe.schema.packs import load_pack
        >>> crash, town = Thing("Crash"), Thing("Town", role="scope", names=["Quincy"])
        >>> Inquiry(crash, [town]).frame(load_pack("massachusetts")).targets[1].names
        ('Quincy',)
        """
        return _Writer(self, pack).frame(question)


def link_between(pack: Pack, one: str, other: str) -> tuple[Link, bool] | None:
    """The one link that joins two entities, and whether it leads from the first to the second.

    Nothing is linked to a place that is only known by its name.
    """
    if PLACE in (one, other):
        return None
    forward = [(link, True) for link in pack.entity(one).links_to(other)]
    back = [(link, False) for link in pack.entity(other).links_to(one)]
    found = [*forward, *back]
    return found[0] if len(found) == 1 else None


class _Writer:
    """One inquiry on its way into a frame."""

    def __init__(self, inquiry: Inquiry, pack: Pack) -> None:
        self.inquiry = inquiry
        self.pack = pack
        self.ids: dict[int, str] = {}
        self.taken: Counter[str] = Counter()
        self.document: dict[str, Any] = {}

    def frame(self, question: str | None) -> Frame:
        inquiry = self.inquiry
        if question is not None:
            self.document["question"] = question
        inquiry.primary.role = "primary"
        counted = {id(thing) for _, thing, _ in inquiry.measures} | {id(one[1]) for one in inquiry.havings}
        if inquiry.rank is not None and inquiry.rank.counted is not None:
            counted.add(id(inquiry.rank.counted))
        for thing in (inquiry.primary, *inquiry.others):
            if thing.role is None:
                thing.role = "support" if id(thing) in counted else "filter"
            self._target(thing)
        for tie in inquiry.ties:
            self._tie(tie)
        for thing in inquiry.others:
            self._untied(thing)
        self._measures()
        if inquiry.groups:
            primary = self.ids[id(inquiry.primary)]
            self.document["group_by"] = [
                {"target_role": primary, kind: name} for kind, name in inquiry.groups
            ]
        if inquiry.outputs:
            self.document["outputs"] = list(inquiry.outputs)
        return Frame.model_validate(self.document)

    def _id(self, part: object, role: str) -> str:
        self.taken[role] += 1
        name = role if self.taken[role] == 1 else f"{role}_{self.taken[role]}"
        self.ids[id(part)] = name
        return name

    def _target(self, thing: Thing) -> None:
        name = self._id(thing, str(thing.role))
        target: dict[str, Any] = {"entity": thing.entity, "role": thing.role, "id": name}
        if thing.names:
            target["names"] = list(thing.names)
        self._add("targets", target)
        for condition in thing.conditions:
            self._add("attribute_constraints", {"target_role": name, **condition})
        for time in thing.times:
            self._add("temporal_constraints", {"target_role": name, **time})

    def _tie(self, tie: Tie) -> None:
        base = tie.base or self.inquiry.primary
        if isinstance(tie.far, Spot):
            name = self._id(tie.far, "anchor")
            reference: dict[str, Any] = {
                "entity": tie.far.entity,
                "role": "anchor",
                "id": name,
                "names": tie.far.names,
            }
            if tie.far.town:
                reference["town"] = tie.far.town
            self._add("references", reference)
        far, near = self.ids[id(tie.far)], self.ids[id(base)]
        made: dict[str, Any] = {"relation": "within_distance", "target_role": near, "reference_role": far}
        if isinstance(tie.far, Thing) and tie.far.role == "support":
            made |= {"target_role": far, "reference_role": near}
        made |= self._relation(base, tie, far, near)
        if tie.distance_m is not None and made["relation"] == "within_distance":
            made["distance_m"] = tie.distance_m
        if tie.negate:
            made["negate"] = True
        self._add("spatial_constraints", made)

    def _relation(self, base: Thing, tie: Tie, far: str, near: str) -> dict[str, Any]:
        """The relation in the frame's words where it is not nearness by distance."""
        link = link_between(self.pack, base.entity, tie.far.entity)
        if tie.nearness == "nearest":
            return {"relation": "nearest_to", "target_role": near, "reference_role": far, "k": tie.k}
        if tie.distance_m is not None or tie.nearness == "near":
            return {}
        if tie.nearness == "in":
            return {"relation": "within", "target_role": near, "reference_role": far}
        if link is None:
            return {}
        relation = "within" if link[0].rule == "covering" else "on"
        ends = (near, far) if link[1] else (far, near)
        return {"relation": relation, "target_role": ends[0], "reference_role": ends[1]}

    def _untied(self, thing: Thing) -> None:
        """What nothing ties and no link joins is near, by the pack's default."""
        tied = {id(tie.far) for tie in self.inquiry.ties} | {
            id(tie.base) for tie in self.inquiry.ties if tie.base
        }
        primary = self.inquiry.primary
        if (
            thing.role == "scope"
            or id(thing) in tied
            or link_between(self.pack, thing.entity, primary.entity)
        ):
            return
        ends = {"target_role": self.ids[id(thing)], "reference_role": self.ids[id(primary)]}
        self._add("spatial_constraints", {"relation": "within_distance", **ends})

    def _measures(self) -> None:
        inquiry, rank = self.inquiry, self.inquiry.rank
        ranked = [] if rank is None or rank.counted is None or rank.of else [(rank.measure, rank.counted)]
        asked = [(measure, id(thing)) for measure, thing, of in inquiry.measures if not of]
        asked += [(measure, id(thing)) for measure, thing, _, _ in inquiry.havings]
        asked += [(measure, id(thing)) for measure, thing in ranked]
        owners = Counter(measure for measure, _ in set(asked))
        names: dict[tuple[str, int, str], str] = {}

        def name_of(measure: str, thing: Thing, of: str = "") -> str:
            """What a measure is called, which is added; by its thing where several have it."""
            key, role = (measure, id(thing), of), self.ids[id(thing)]
            if key not in names:
                part = {"measure": measure, "target_role": role}
                if of:
                    part |= {"field": of, "name": f"{of}_{measure}"}
                elif owners[measure] > 1:
                    part["name"] = f"{measure}_of_{role}"
                names[key] = part.get("name", measure)
                self._add("measures", part)
            return names[key]

        for measure, thing in ranked:
            if owners[measure] > 1:
                name_of(measure, thing)  # what decides the order comes first
        for measure, thing, of in inquiry.measures:
            name_of(measure, thing, of)
        for measure, thing, operator, value in inquiry.havings:
            self._add("having", {"measure": name_of(measure, thing), "operator": operator, "value": value})
        if rank is None:
            return
        made: dict[str, Any] = {"metric": rank.measure, "target_role": "primary", "order": rank.order}
        if rank.every:
            made["top_n"] = None
        elif rank.top_n is not None:
            made["top_n"] = rank.top_n
        else:
            made["top_n"] = self.pack.defaults.top_n
        if rank.field:
            made["metric"] = f"{rank.field}_max"
            column = {"measure": "max", "target_role": "primary", "field": rank.field, "name": made["metric"]}
            self._add("measures", column)
        elif rank.counted is not None:
            known = (rank.measure, id(rank.counted), rank.of) in names
            supports = [one for one in inquiry.others if one.role == "support"]
            if known or len(supports) > 1 or rank.counted is inquiry.primary:
                made["metric"] = name_of(rank.measure, rank.counted, rank.of)
        self.document["ranking"] = made

    def _add(self, name: str, part: dict[str, Any]) -> None:
        self.document.setdefault(name, []).append(part)


def measured_entity(pack: Pack) -> Entity:
    """What is counted where nothing else is named: the entity of the pack's first measure."""
    return pack.entity(pack.measures[0].entity)
