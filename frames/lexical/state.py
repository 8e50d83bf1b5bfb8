"""What has been read of a question so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from groundframe.frames.inquiry import Rank, Spot, Thing, Tie
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.vocabulary import Sense, Vocabulary
from groundframe.schema.model import Pack

__all__ = ["Pending", "State"]


@dataclass
class Pending:
    """Words that wait for the word that they belong to; numbers in `at` say where they stand."""

    link: str = ""
    distance_m: float | None = None
    beyond: bool = False
    negate: bool = False
    without: bool = False
    conditions: list[tuple[tuple[str, ...], dict[str, Any], int]] = field(default_factory=list)
    times: list[tuple[dict[str, Any], int]] = field(default_factory=list)
    number: float | None = None
    operator: str = ""
    upper: float | None = None
    order: str = ""
    nearest: bool = False
    which: bool = False
    many: bool = False
    total: bool = False
    aggregate: str = ""
    quantified: bool = False
    each: bool = False
    at: dict[str, int] = field(default_factory=dict)

    def clear(self, *names: str) -> None:
        """Forget what has found its word."""
        blank = Pending()
        for name in names:
            setattr(self, name, getattr(blank, name))
            self.at.pop(name, None)

    def clear_link(self) -> None:
        """Forget how the next thing was to lie."""
        self.clear("link", "distance_m", "beyond", "negate", "without", "quantified", "each")


@dataclass
class State:
    """The inquiry in the making.

    Attributes
    ----------
    objects : set of int
        Ids of the things that another one lies near, in, on or with: they are not what is asked for.
    streets : set of int
        Ids of the things that are all segments of one name.
    wholes : set of int
        Ids of the things whose word means all that bears one name: streets, where the data hold segments.
    persons : tuple, optional
        The measure that a condition may stand for as well ("deaths"), and that condition.
    area : Thing, optional
        Areas that are taken together by a field, with what is counted in them.
    ahead : Thing, optional
        An area in which the things are that the next noun names.
    homes : list of Thing
        Areas named in a sentence about who asks.
    shown : list
        Fields that are asked for by themselves, by their owners and where they stand.
    comparative : int, optional
        Where the word stands that asks which of several named is the higher or lower.
    closed : set of int
        Ids of those whose words take in a place that follows ("all schools in …", "500 m of schools in …").
    leads : dict
        Where the preposition stands that leads to a thing, by the thing's id.
    left : dict
        Items that have found no meaning, by their number.
    notes : list of (int, str)
        What is to be said of how an item was read, by its number.
    reading : dict
        What each item was taken for, by its number.
    """

    pack: Pack
    words: Vocabulary
    question: str
    items: Sequence[Item]
    pending: Pending = field(default_factory=Pending)
    things: list[Thing] = field(default_factory=list)
    asked: Thing | None = None
    current: Thing | None = None
    counted: list[Thing] = field(default_factory=list)
    objects: set[int] = field(default_factory=set)
    closed: set[int] = field(default_factory=set)
    singular: set[int] = field(default_factory=set)
    streets: set[int] = field(default_factory=set)
    wholes: set[int] = field(default_factory=set)
    homes: list[Thing] = field(default_factory=list)
    shown: list[tuple[tuple[str, ...], int]] = field(default_factory=list)
    comparative: int | None = None
    numbers: dict[int, tuple[float, int]] = field(default_factory=dict)
    scopes: list[Thing] = field(default_factory=list)
    ties: list[Tie] = field(default_factory=list)
    persons: tuple[Sense, dict[str, Any]] | None = None
    area: Thing | None = None
    ahead: Thing | None = None
    spots: list[Spot] = field(default_factory=list)
    last_spot: Spot | None = None
    leads: dict[int, int] = field(default_factory=dict)
    mentioned: Thing | Spot | None = None
    nearest: tuple[Thing, int] | None = None
    fields_ranked: tuple[tuple[str, str], ...] = ()
    aggregated: tuple[str, tuple[tuple[str, str], ...]] | None = None
    rank: Rank | None = None
    default_metric: bool = False
    ranked_in_words: bool = False
    groups: list[tuple[str, str]] = field(default_factory=list)
    grouped_which: bool = False
    grouped_at: int = -1
    coordinated: bool = False
    grouped_entity: str = ""
    measures: list[tuple[str, str, str]] = field(default_factory=list)
    havings: list[tuple[str, Thing | None, str, float]] = field(default_factory=list)
    count: bool = False
    compare: int | None = None
    loose: list[tuple[float, bool, int]] = field(default_factory=list)
    joined: tuple[dict[str, Any], int] | None = None
    both: bool = False
    left: dict[int, str] = field(default_factory=dict)
    reading: dict[int, str] = field(default_factory=dict)
    notes: list[tuple[int, str]] = field(default_factory=list)
    problem: str = ""

    def item(self, place: int) -> Item | None:
        """The item of that number, None beyond the end."""
        return self.items[place] if 0 <= place < len(self.items) else None

    def skip(self, place: int, *classes: str) -> int:
        """The first item from here that is not just of these classes and fillers."""
        while (
            (item := self.item(place)) is not None
            and item.has("filler", *classes)
            and not (item.times or item.amount or item.place)
            and all(sense.kind == "field" for sense in item.senses)
        ):
            place += 1
        return place

    def take(self, start: int, stop: int, what: str) -> int:
        """Account for the items from `start` up to `stop`; the number of the next one."""
        for place in range(start, stop):
            self.reading.setdefault(place, what)
            self.left.pop(place, None)
        return stop

    def leave(self, place: int, why: str = "") -> None:
        """Nothing is known to do with an item."""
        self.left.setdefault(place, why)

    def drop_number(self) -> None:
        """A bounded number whose noun has not come is of nothing."""
        if self.pending.number is not None and self.pending.operator not in ("", "rank"):
            self.leave(self.pending.at.get("number", 0))
            self.pending.clear("number", "operator")

    def turn_to(self, thing: Thing) -> None:
        """What follows is about this thing; how it was to lie is settled."""
        self.current = self.mentioned = thing
        self.pending.clear_link()

    def has_field(self, entity: str, name: str) -> bool:
        """Whether the entity has the field."""
        return any(field.name == name and not field.internal for field in self.pack.entity(entity).fields)

    def is_counted(self, entity: str) -> bool:
        """Whether the pack has measures of the entity."""
        return any(measure.entity == entity for measure in self.pack.measures)

    def head(self, place: int) -> Thing | None:
        """What is asked for, where what came last is only counted for it.

        In "roads with 5 crashes and no sidewalk" these are the roads. What the order goes by keeps what is
        said of it, unless "and" stands between.
        """
        if self.current is None or self.current not in self.counted:
            return None
        since = next((at for at in range(place - 1, -1, -1) if self.items[at].of_kind("entity")), place)
        joined = any(one.has("and") or one.text == "but" for one in self.items[since + 1 : place])
        if not joined and not any(one is self.current for _, one, _, _ in self.havings):
            return None
        free = (one for one in self.things if id(one) not in self.objects and one not in self.counted)
        return next(free, None)

    def count_measure(self, entity: str) -> str:
        """The measure that counts all features of an entity."""
        own = [
            one.name
            for one in self.pack.measures
            if one.entity == entity and one.kind == "count" and one.where is None
        ]
        return own[0] if own else "count"

    def thing_of(self, entity: str) -> Thing | None:
        """The thing of that entity that was named last, None when there is none."""
        own = [self.current] if self.current is not None else []
        return next((one for one in (*own, *reversed(self.things)) if one.entity == entity), None)
