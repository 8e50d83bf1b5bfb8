"""Where words of a question belong, for a model that left them out."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from groundframe.frames.lexical.items import scanner
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.frames.model_interpreter.choices import Choices

__all__ = ["Hints"]


class Hints:
    """Tells the slots in which words of a pack stand.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> hints = Hints(Choices(load_pack("massachusetts")))
    >>> hints.of("fatal crashes")
    'Say it as "conditions":["fatal crash"].'
    >>> hints.of("from 3 to 6 pm")
    'Say it as "hour_from":"15:00","hour_to":"18:00".'
    >>> hints.of("in Lowell")
    ''
    """

    def __init__(self, choices: Choices) -> None:
        self._choices = choices

    def of(self, words: str) -> str:
        """One sentence; empty where the pack has no such words."""
        items, _ = scanner(self._choices.pack, None).scan(words)
        places = [place for item in items for sense in item.senses for place in self._places(sense)]
        for item in items:
            if item.times and not item.of_kind("period"):
                places.append(_times(item.times))
            if item.amount is not None and item.amount.kind == "length":
                places += [f'"distance":"{item.text}"', f'"near_distance":"{item.text}"']
        return f"Say it as {' or '.join(dict.fromkeys(places))}." if places else ""

    def slots(self, question: str) -> set[str]:
        """Slots that a question certainly fills: conditions, and what it says about when."""
        items, _ = scanner(self._choices.pack, None).scan(question)
        found: set[str] = set()
        for item in items:
            if item.of_kind("period"):
                found.add("period")
            else:
                found |= {"hour_from" if part == "hours" else part for part in item.times}
            found |= {"conditions" for _ in item.of_kind("concept", "value")}
        return found

    def _places(self, sense: Sense) -> Iterator[str]:
        choices = self._choices
        match sense.kind:
            case "concept" | "value":
                for label, meant in choices.conditions.items():
                    if sense.entity in meant and self._is(sense, meant[sense.entity]):
                        yield f'"conditions":["{label}"]'
            case "entity":
                yield f'"other":"{sense.entity}","how":"near"'
            case "measure":
                yield from (
                    f'"by":"{label}"' for label, name in choices.measures.items() if name == sense.name
                )
            case "period":
                label = next(one.label for one in choices.pack.periods if one.name == sense.name)
                yield f'"period":"{label}"'
            case "field":
                for label, owners in choices.numbers.items():
                    if owners.get(sense.entity) == sense.name:
                        yield f'"number_of":"{label}"'
                        yield f'"by":"{label}"'
                for label, meant in choices.conditions.items():
                    if meant.get(sense.entity, {}).get("field") == sense.name:
                        yield f'"conditions":["{label}"]'

    def _is(self, sense: Sense, condition: dict[str, str]) -> bool:
        """Whether a sense means what a condition says."""
        if sense.kind == "concept":
            return condition.get("concept") == sense.name
        if condition.get("field") != sense.name:
            return False
        groups = self._choices.pack.entity(sense.entity).field(sense.name).groups
        return frozenset(groups.get(condition["value"], (condition["value"],))) == frozenset(sense.values)


def _times(parts: Mapping[str, Any]) -> str:
    """The parts of a temporal constraint as slots."""
    slots = {name: part for name, part in parts.items() if name not in ("hours", "last")}
    if "last" in parts:
        slots["last"] = f"{parts['last']['count']} {parts['last']['unit']}s"
    if isinstance(hours := parts.get("hours"), Mapping):
        slots |= {"hour_from": hours["from"], "hour_to": hours["to"]}
    return json.dumps(slots, separators=(",", ":"))[1:-1]
