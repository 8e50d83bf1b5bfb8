"""The flat form of a question: what a small model can fill in, and the frame that it means."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from groundframe.frames.model import Frame
from groundframe.frames.model_interpreter.choices import Choices
from groundframe.frames.model_interpreter.filling import BOUNDS, HOW, Filling
from groundframe.frames.names import NameIndex
from groundframe.frames.terms import ORDERS, WEEKDAYS
from groundframe.schema.model import Pack

__all__ = ["SlotForm"]


class SlotForm:
    """The slots of a pack: their JSON Schema, and what they mean.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> form = SlotForm(load_pack("massachusetts"))
    >>> form.schema()["properties"]["order"]
    {'anyOf': [{'type': 'string', 'enum': ['highest', 'lowest']}, {'type': 'null'}]}
    >>> form.frame({"asked_for": "Crash", "in": ["Lowell"], "years": [2023]}).temporal_constraints[0].years
    (2023,)
    """

    def __init__(self, pack: Pack, names: NameIndex | None = None) -> None:
        self.choices, self._names = Choices(pack), names

    def schema(self, *, every: bool = True) -> dict[str, Any]:
        """The JSON Schema of the slots.

        Parameters
        ----------
        every : bool
            Whether all slots have to be there, null where the question says nothing of it; hosted endpoints
            want that. Otherwise they are left out, which takes a small model less time.
        """
        text, whole, choices = {"type": "string"}, {"type": "integer"}, self.choices
        condition = _one_of(choices.conditions)
        slots: dict[str, Any] = {
            "unsupported": text,
            "asked_for": _one_of(choices.entities),
            "only_number": {"type": "boolean"},
            "in": _list_of(text),
            "near": text,
            "near_distance": text,
            "other": _one_of(choices.entities),
            "how": _one_of(HOW),
            "named": _list_of(text),
            "counted": _one_of(choices.entities),
            "distance": text,
            "by": _one_of((*choices.measures, *choices.numbers)),
            "order": _one_of(ORDERS),
            "top_n": whole,
            "conditions": _list_of(condition),
            "not_conditions": _list_of(condition),
            "number_of": _one_of((*choices.numbers, *choices.measures)),
            "number_is": _one_of(BOUNDS),
            "number": {"type": "number"},
            "from": text,
            "to": text,
            "last": text,
            "years": _list_of(whole),
            "months": _list_of(whole),
            "weekdays": _list_of(_one_of(WEEKDAYS)),
            "hour_from": text,
            "hour_to": text,
            "period": _one_of(choices.periods),
            "group_by": _one_of(choices.groups),
        }
        if every:
            slots = {name: {"anyOf": [slot, {"type": "null"}]} for name, slot in slots.items()}
        else:
            for slot in slots.values():
                if slot["type"] == "array":
                    slot["maxItems"] = _MOST[slot["items"] is condition]
        return {
            "type": "object",
            "properties": slots,
            "required": list(slots) if every else [],
            "additionalProperties": False,
        }

    def frame(self, slots: Mapping[str, Any], question: str | None = None) -> Frame:
        """The frame that slots mean; what they leave open is the validator's.

        Raises
        ------
        SlotsError
            When they do not fit together.
        """
        return (
            Filling(slots, self.choices, self._names, question).inquiry().frame(self.choices.pack, question)
        )


# Small models may repeat themselves without end; a strict schema of others may not say so.
_MOST = {False: 24, True: 6}


def _one_of(words: Iterable[str]) -> dict[str, Any]:
    return {"type": "string", "enum": list(dict.fromkeys(words))}


def _list_of(items: dict[str, Any]) -> dict[str, Any]:
    return {"type": "array", "items": items}
