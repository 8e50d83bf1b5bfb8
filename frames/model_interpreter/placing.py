"""Names that a model copied into slots: areas, streets, sites and corners, each as what bears it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from groundframe.frames.inquiry import Inquiry, Spot, Thing, Tie
from groundframe.frames.model_interpreter.choices import Choices
from groundframe.frames.names import NameIndex
from groundframe.frames.terms import PLACE
from groundframe.schema.vocabulary import fold_name

__all__ = ["Placing"]

_AND = re.compile(r"\s*(?:&|@|/|\band\b)\s*", re.IGNORECASE)
_CORNER = re.compile(r"^(?:the\s+)?(?:corner|intersection|junction|crossing)\s+of\s+", re.IGNORECASE)


class Placing:
    """What names mean in one pack.

    Parameters
    ----------
    names : NameIndex, optional
        The names of the dataset; without it a name in the place of an area is one of the pack's areas.
    """

    def __init__(self, choices: Choices, names: NameIndex | None) -> None:
        self._choices, self._pack, self._names = choices, choices.pack, names

    def name(self, thing: Thing, names: Sequence[str]) -> bool:
        """Let a thing be one of these names; False where its kind has none."""
        entity = self._pack.entity(thing.entity)
        if entity.name_field is None:
            return False
        if "line" in entity.geometry:  # a street is all of its segments
            test = (
                {"operator": "eq", "value": names[0]}
                if len(names) == 1
                else {"operator": "in", "value": [*names]}
            )
            thing.conditions.append({"field": entity.name_field, **test})
        else:
            thing.names = [*names]
        return True

    def areas(self, made: Inquiry, names: Iterable[str]) -> None:
        """What is asked about lies in areas of these names, or in whatever else bears one of them."""
        kinds: dict[str, list[str]] = {}
        for name in names:
            kinds.setdefault(self._bearer(name), []).append(name)
        for kind, some in kinds.items():
            if kind == PLACE:
                made.ties += [Tie(None, Spot(PLACE, [name]), "near") for name in some]
            elif kind == made.primary.entity:
                self.name(made.primary, some)
            elif "scope" in self._pack.entity(kind).roles:
                made.others.append(Thing(kind, role="scope", names=some))
            else:
                thing = Thing(kind, role="filter")
                self.name(thing, some)
                made.others.append(thing)
                made.ties.append(Tie(None, thing, "with"))

    def spot(self, text: str) -> Spot:
        """A place by name or a corner of two streets, with its town behind a comma."""
        place, comma, town = text.rpartition(",")
        text = place.strip() if comma else text
        corners = (one.name for one in self._pack.entities if one.derived and "anchor" in one.roles)
        entity = next(corners, None)
        streets = _AND.split(_CORNER.sub("", text))
        if entity is not None and len(streets) == 2 and all(streets):
            return Spot(entity, streets, town.strip() if comma else "")
        return Spot(PLACE, [text], town.strip() if comma else "")

    def _bearer(self, name: str) -> str:
        """The kind of which a name is, areas first; the pack's areas where nothing bears it."""
        key = fold_name(name, self._pack)
        if self._names is None:
            return self._choices.area.name
        kinds = [one for one in self._pack.entities if one.name_field and not one.derived]
        kinds.sort(key=lambda one: (one is not self._choices.area, "scope" not in one.roles))
        for one in kinds:
            if any(fold_name(known, self._pack) == key for known in self._names.distinct_names(one.name)):
                return one.name
        listed = (known for one in self._pack.gazetteer for known in (one.name, *one.aliases))
        return (
            PLACE if any(fold_name(known, self._pack) == key for known in listed) else self._choices.area.name
        )
