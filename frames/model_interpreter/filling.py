"""Slots that a model filled in, on their way into an inquiry."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.inquiry import Inquiry, Rank, Thing, Tie, link_between
from groundframe.frames.model_interpreter.choices import Choices
from groundframe.frames.model_interpreter.placing import Placing
from groundframe.frames.model_interpreter.strict import without_fillers
from groundframe.frames.names import NameIndex
from groundframe.frames.quantities import QuantityError, parse_quantity

__all__ = ["BOUNDS", "HOW", "Filling", "SlotsError"]

BOUNDS = {"over": "gt", "under": "lt", "at least": "gte", "at most": "lte", "exactly": "eq"}
HOW = ("near", "on", "without")


class SlotsError(Exception):
    """The slots do not fit together; the issues name them as their paths."""

    def __init__(self, *issues: Issue) -> None:
        super().__init__(issues[0].message)
        self.issues = issues


class Filling:
    """What a model wrote into the slots."""

    def __init__(
        self,
        slots: Mapping[str, Any],
        choices: Choices,
        names: NameIndex | None = None,
        question: str | None = None,
    ) -> None:
        self.choices, self.pack = choices, choices.pack
        self._placing, self._question = Placing(choices, names), question or ""
        self.slots = without_fillers(slots)
        self.issues: list[Issue] = []

    def inquiry(self) -> Inquiry:
        """The inquiry.

        Raises
        ------
        SlotsError
            With every slot that does not fit.
        """
        primary = Thing(self._entity("asked_for"))
        made = Inquiry(primary)
        counted = self._counted(made)
        other = self._other(made, counted)
        self._conditions([one for one in (counted, primary, other) if one is not None], other)
        self._named(primary, other)
        self._drop_carried(made, counted or primary, other)
        self._placing.areas(made, map(str, self._list("in")))
        self._area_behind(made, other)
        self._near(made, counted)
        self._times([one for one in (counted, primary, other) if one is not None])
        self._number(made, counted, other)
        self._shown(made, counted)
        if self.issues:
            raise SlotsError(*self.issues)
        return made

    def _wrong(self, slot: str, message: str) -> None:
        self.issues.append(Issue("wrong_slot", f"/{slot}", message))

    def _entity(self, slot: str) -> str:
        name = self.slots.get(slot)
        if name in self.choices.entities:
            return str(name)
        self._wrong(slot, f"'{slot}' must say what is asked for: one of {', '.join(self.choices.entities)}.")
        raise SlotsError(*self.issues)

    def _distance(self, slot: str) -> float | None:
        text = self.slots.get(slot)
        if text is None:
            return None
        try:
            return parse_quantity(str(text), "m")
        except QuantityError as error:
            self._wrong(slot, f"{error}.")
            return None

    # Things and how they lie to each other ---------------------------------------------------------------

    def _counted(self, made: Inquiry) -> Thing | None:
        """What is counted for each of the things asked for."""
        name = self.slots.get("counted")
        measure = self.choices.measures.get(str(self.slots.get("by", "")))
        measure = measure or self.choices.measures.get(str(self.slots.get("number_of", "")))
        if name is None and measure is not None:
            name = self.pack.measure(measure).entity
        if name is None or name == made.primary.entity:
            return None
        thing = Thing(str(name), role="support")
        made.others.append(thing)
        # With a third thing the distance is to that one, unless nothing else joins the first two.
        linked = link_between(self.pack, thing.entity, made.primary.entity) is not None
        if not ("other" in self.slots and linked) and (distance := self._distance("distance")) is not None:
            made.ties.append(Tie(None, thing, "near", distance))
        return thing

    def _other(self, made: Inquiry, counted: Thing | None) -> Thing | None:
        name = self.slots.get("other")
        if name is None or (counted is not None and name == counted.entity):
            return None
        if name == made.primary.entity and self.slots.get("how") != "near":
            return None
        if name == self.choices.area.name and self.slots.get("how") != "without":
            return None  # areas are in slots of their own
        thing = Thing(str(name), role="filter")
        made.others.append(thing)
        how = self.slots.get("how", "near")
        linked = counted is not None and link_between(self.pack, counted.entity, made.primary.entity)
        base = counted if linked else None
        distance = None if counted is not None and not linked else self._distance("distance")
        nearness = "near" if how == "near" else "with"
        made.ties.append(Tie(base, thing, nearness, distance, negate=how == "without"))  # type: ignore[arg-type]
        return thing

    def _named(self, primary: Thing, other: Thing | None) -> None:
        names = [str(name) for name in self._list("named")]
        if not names:
            return
        holder = other or primary
        if not self._placing.name(holder, names):
            self._wrong("named", f"No {self.pack.entity(holder.entity).label} has a name.")

    def _area_behind(self, made: Inquiry, other: Thing | None) -> None:
        """Behind a distance an area is that of the things at this distance: "within 90 m of stops in …"."""
        tie = next((one for one in made.ties if one.far is other and one.base is None), None)
        scope = next((one for one in made.others if one.role == "scope"), None)
        if other is None or scope is None or tie is None or tie.distance_m is None or tie.negate:
            return
        said = "".join(self._question.casefold().split())
        distance, area = (
            "".join(text.casefold().split()) for text in (self.slots["distance"], scope.names[0])
        )
        if distance in said and area in said.partition(distance)[2]:
            made.ties.append(Tie(other, scope, "in"))

    def _drop_carried(self, made: Inquiry, holder: Thing, other: Thing | None) -> None:
        """A thing whose only limit is a number that another one carries ("on roads over …") adds nothing."""
        number = self.choices.numbers.get(str(self.slots.get("number_of", "")), {})
        if other is None or other.conditions or other.names or self.slots.get("how") != "on":
            return
        if self._link_of(holder, number.get(holder.entity, "")) == other.entity:
            made.others.remove(other)
            made.ties = [tie for tie in made.ties if tie.far is not other]

    def _carried(self, holder: Thing, other: Thing | None, meant: Mapping[str, dict[str, Any]]) -> bool:
        """Whether a condition is of the thing that the other lies on: "crashes on roads without …"."""
        if other is None or other.entity not in meant or self.slots.get("how") != "on":
            return False
        return self._link_of(holder, str(meant[holder.entity].get("field", ""))) == other.entity

    def _link_of(self, holder: Thing, field: str) -> str:
        """The entity from which a feature carries a field, empty where it is its own."""
        entity = self.pack.entity(holder.entity)
        carries = next((one.carries for one in entity.fields if one.name == field), None)
        return entity.link(carries.link).to if carries is not None else ""

    def _near(self, made: Inquiry, counted: Thing | None) -> None:
        text = str(self.slots.get("near", "")).strip()
        if text:
            # What is counted in areas is what lies near a place, not the areas.
            base = counted if made.primary.entity == self.choices.area.name else None
            made.ties.append(Tie(base, self._placing.spot(text), "near", self._distance("near_distance")))

    # Conditions and times --------------------------------------------------------------------------------

    def _conditions(self, things: list[Thing], other: Thing | None) -> None:
        for slot, negate in (("conditions", False), ("not_conditions", True)):
            for label in self._list(slot):
                meant = self.choices.conditions.get(str(label), {})
                holder = next((thing for thing in things if thing.entity in meant), None)
                if holder is not None and self._carried(holder, other, meant):
                    holder = other
                if holder is None:
                    if not self._invented(str(label)):
                        self._wrong(slot, f"Nothing in the question can be '{label}'.")
                    continue
                condition = dict(meant[holder.entity])
                if negate:
                    condition["negate"] = True
                self._add(holder, condition)

    def _invented(self, label: str) -> bool:
        """Whether no word of a condition is in the question; said in others, grounding would miss it."""
        words = re.findall(r"[a-z]{4,}", label.rpartition(":")[2].casefold())
        return bool(self._question) and not any(word[:4] in self._question.casefold() for word in words)

    def _add(self, holder: Thing, condition: dict[str, Any]) -> None:
        """A condition beside the others; several values of one field are any of them."""
        for place, old in enumerate(holder.conditions):
            same = old.get("field") == condition.get("field") and old.get("negate") == condition.get("negate")
            if "field" in condition and same and "operator" in old and old["operator"] != "contains":
                values = old["value"] if isinstance(old["value"], list) else [old["value"]]
                if condition["value"] not in values:
                    old = {**old, "operator": "in", "value": [*values, condition["value"]]}
                holder.conditions[place] = old
                return
        if condition not in holder.conditions:
            holder.conditions.append(condition)

    def _times(self, things: list[Thing]) -> None:
        time = dict(self._time_parts())
        if not time:
            return
        holder = next((one for one in things if self.pack.entity(one.entity).date_field), None)
        if holder is None:
            self._wrong(next(iter(time)), "Nothing in the question has a date.")
        else:
            holder.times.append(time)

    def _time_parts(self) -> Iterator[tuple[str, Any]]:
        named = self.choices.periods.get(str(self.slots.get("period", "")), {})
        yield from named.items()
        for name in ("from", "to"):
            if name in self.slots:
                yield name, str(self.slots[name])
        if "last" in self.slots:
            text = str(self.slots["last"])
            yield "last", text if text.casefold().startswith(("last", "past")) else f"last {text}"
        for name in ("years", "months", "weekdays"):
            if (found := self._list(name)) and name not in named:
                yield name, found
        if "hour_from" in self.slots and "hour_to" in self.slots and "hours" not in named:
            yield "hours", {"from": str(self.slots["hour_from"]), "to": str(self.slots["hour_to"])}

    def _number(self, made: Inquiry, counted: Thing | None, other: Thing | None) -> None:
        label, number = str(self.slots.get("number_of", "")), self.slots.get("number")
        if not label or not isinstance(number, int | float):
            return
        operator = BOUNDS.get(str(self.slots.get("number_is", "exactly")), "eq")
        fields = self.choices.numbers.get(label, {})
        measure = self.choices.measures.get(label)
        if measure is not None and counted is not None:
            made.havings.append((measure, counted, operator, float(number)))
            return
        for thing in (made.primary, counted, other):
            if thing is not None and thing.entity in fields:
                thing.conditions.append(
                    {"field": fields[thing.entity], "operator": operator, "value": number}
                )
                return
        self._wrong("number_of", f"Nothing in the question has '{label}'.")

    # What is shown ---------------------------------------------------------------------------------------

    def _shown(self, made: Inquiry, counted: Thing | None) -> None:
        by, primary = str(self.slots.get("by", "")), made.primary
        measure = self.choices.measures.get(by)
        group = self.choices.groups.get(str(self.slots.get("group_by", "")))
        if group is not None and group not in (
            ("entity", primary.entity),
            ("entity", (counted or primary).entity),
        ):
            made.groups.append(group)
        holder = counted or primary
        if measure is not None and self.pack.measure(measure).entity != holder.entity:
            measure = None
        if order := self.slots.get("order"):
            rank = Rank(str(order))
            top_n = self.slots.get("top_n")
            rank.top_n, rank.every = (top_n, False) if isinstance(top_n, int) and top_n > 0 else (None, True)
            field = self.choices.numbers.get(by, {}).get(primary.entity)
            if measure is None and field is not None:
                rank.field = field
            else:
                rank.measure, rank.counted = measure or self.choices.count_of(holder.entity), holder
            made.rank = rank
        elif measure is not None and not made.havings:
            made.measures.append((measure, holder, ""))
            self._divide(made, holder)
        elif counted is not None and not made.havings:
            made.measures.append((self.choices.count_of(counted.entity), counted, ""))
        elif made.groups:
            made.measures.append((self.choices.count_of(primary.entity), primary, ""))
        if self.slots.get("only_number") and not made.groups and not made.measures and made.rank is None:
            made.outputs.append("count")

    def _divide(self, made: Inquiry, holder: Thing) -> None:
        """A sum over everything needs rows: the areas asked about, or the years."""
        if made.groups or holder is not made.primary:
            return
        scoped = any(one.role == "scope" for one in made.others)
        made.groups.append(("entity", self.choices.area.name) if scoped else ("time", "year"))

    def _list(self, slot: str) -> list[Any]:
        found = self.slots.get(slot, [])
        return found if isinstance(found, list) else [found]
