"""Where words of a question belong, for a model that left them out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.scanner import scanner
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.frames.model_interpreter.choices import Choices

__all__ = ["Hints"]

Slots = dict[str, Any]


class Hints:
    """Tells the slots in which words of a pack stand.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> hints = Hints(Choices(load_pack("massachusetts")))
    >>> hints.of("fatal crashes")
    'Say it as "conditions":["fatal crash"].'
    >>> hints.of("in Lowell")
    ''
    >>> hints.certain("pedestrian crashes from 3 to 6 pm")
    {'conditions': ['pedestrian crash'], 'hour_from': '15:00', 'hour_to': '18:00'}
    """

    def __init__(self, choices: Choices) -> None:
        self._choices = choices

    def of(self, words: str) -> str:
        """One sentence; empty where the pack has no such words."""
        places = [
            json.dumps(one, separators=(",", ":"))[1:-1]
            for item in self._scan(words)
            for one in self._places(item)
        ]
        return f"Say it as {' or '.join(dict.fromkeys(places))}." if places else ""

    def certain(self, words: str) -> Slots:
        """What conditions and times of these words fill in; nothing where it is not certain."""
        found: Slots = {}
        for item in self._scan(words):
            if item.times or item.of_kind("concept", "value"):
                places = list(self._places(item))
                if len(places) != 1:
                    return {}
                for slot, value in places[0].items():
                    if isinstance(value, list):
                        found[slot] = list(dict.fromkeys([*found.get(slot, []), *value]))
                    elif found.setdefault(slot, value) != value:
                        return {}
        return found

    def slots(self, question: str) -> set[str]:
        """Slots that a question fills with conditions, and with what it says about when."""
        filled = (item for item in self._scan(question) if item.times or item.of_kind("concept", "value"))
        return {slot for item in filled for place in self._places(item) for slot in place}

    def _scan(self, words: str) -> list[Item]:
        return scanner(self._choices.pack, None).scan(words)[0]

    def _places(self, item: Item) -> Iterator[Slots]:
        """Every place that an item may have, as the slots that it fills there."""
        for sense in item.senses:
            yield from self._place(sense)
        if item.times and not item.of_kind("period"):
            yield _times(item.times)
        if item.amount is not None and item.amount.kind == "length":
            yield from ({slot: item.text} for slot in ("distance", "near_distance"))

    def _place(self, sense: Sense) -> Iterator[Slots]:
        choices = self._choices
        match sense.kind:
            case "concept" | "value":
                for label, meant in choices.conditions.items():
                    if sense.entity in meant and self._is(sense, meant[sense.entity]):
                        yield {"conditions": [label]}
            case "entity":
                yield {"other": sense.entity, "how": "near"}
            case "measure":
                yield from ({"by": label} for label, name in choices.measures.items() if name == sense.name)
            case "period":
                yield {"period": next(one.label for one in choices.pack.periods if one.name == sense.name)}
            case "field":
                for label, owners in choices.numbers.items():
                    if owners.get(sense.entity) == sense.name:
                        yield from ({slot: label} for slot in ("number_of", "by"))
                for label, meant in choices.conditions.items():
                    if meant.get(sense.entity, {}).get("field") == sense.name:
                        yield {"conditions": [label]}

    def _is(self, sense: Sense, condition: Mapping[str, str]) -> bool:
        """Whether a sense means what a condition says."""
        if sense.kind == "concept":
            return condition.get("concept") == sense.name
        if condition.get("field") != sense.name:
            return False
        groups = self._choices.pack.entity(sense.entity).field(sense.name).groups
        return frozenset(groups.get(condition["value"], (condition["value"],))) == frozenset(sense.values)


def _times(parts: Mapping[str, Any]) -> Slots:
    """The parts of a temporal constraint as slots."""
    slots = {name: part for name, part in parts.items() if name not in ("hours", "last")}
    if "last" in parts:
        slots["last"] = f"{parts['last']['count']} {parts['last']['unit']}s"
    if isinstance(hours := parts.get("hours"), Mapping):
        slots |= {"hour_from": hours["from"], "hour_to": hours["to"]}
    return slots
