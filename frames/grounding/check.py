"""The grounding check: question and frame, held against each other in both directions."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from groundframe.frames.grounding.apart import apart
from groundframe.frames.grounding.doubts import doubts
from groundframe.frames.grounding.facts import facts_of
from groundframe.frames.grounding.invented import Invented
from groundframe.frames.grounding.missing import Missing
from groundframe.frames.grounding.proper import of_the_area, proper
from groundframe.frames.grounding.said import Said, Ungrounded, doubtful
from groundframe.frames.grounding.slips import slips
from groundframe.frames.grounding.streets import beside_corner, elsewhere, half_named, namesakes
from groundframe.frames.grounding.unsaid import unsaid
from groundframe.frames.lexical.items import Item
from groundframe.frames.lexical.scanner import scanner
from groundframe.frames.model import Frame
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack

__all__ = ["Grounding", "Ungrounded"]

_FEW = 3
"""So many areas are named; of more it is said how many they are."""


class Grounding:
    """Holds frames against the questions that they are to answer, whoever wrote them.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> grounding = Grounding(load_pack("massachusetts"))
    >>> frame = Frame.model_validate({"targets": [{"entity": "Crash", "role": "primary"}]})
    >>> [one.message for one in grounding.check("fatal crashes in 2023", frame)]
    ["'fatal crashes' is not in the frame.", "'in 2023' is not in the frame."]
    """

    def __init__(self, pack: Pack, names: NameIndex | None = None) -> None:
        self._pack = pack
        self._missing, self._invented = Missing(pack), Invented(pack)
        self._scanner, self._names = scanner(pack, names), names

    def check(
        self, question: str, frame: Frame, renamed: Mapping[str, str] | None = None
    ) -> tuple[Ungrounded, ...]:
        """What only one of the two says.

        Parameters
        ----------
        frame : Frame
            Received or, better, checked.
        renamed : mapping, optional
            What the validator made of names: the name in a checked frame to how it was asked for.
        """
        items, _ = self._scanner.scan(question)
        said, facts = Said.of(items), facts_of(frame, self._pack)
        return (
            *self._missing.check(said, facts, renamed or {}),
            *self._invented.check(question, said, facts, renamed or {}),
            *doubts(said, frame, self._pack),
            *slips(question, said, frame),
            *apart(said, frame, self._pack),
            *unsaid(said, frame, self._pack),
            *self._several(question, said, frame),
        )

    def _several(self, question: str, said: Said, frame: Frame) -> Iterator[Ungrounded]:
        """Names that may be of several things."""
        half = half_named(said, frame, self._pack)
        if half is not None:
            yield doubtful(half, f"'{half.text}' meets several.")
        beside = beside_corner(said, frame, self._pack)
        if beside is not None:
            yield doubtful(
                beside,
                f"Whether '{beside.text}' is to be there as well, or tells which corner, is not clear.",
            )
        found = self._namesakes(said, frame)
        if found is not None:
            item, areas = found
            yield doubtful(item, f"{len(areas)} areas have a street of the name '{item.text}'.")
        away = None if self._names is None else elsewhere(said, frame, self._pack, self._names)
        if away is not None:
            street, area = (question[one.start : one.end] for one in (away.street, away.area))
            more = f"{len(away.areas)} others have" if len(away.areas) > _FEW else _listed(away.areas)
            yield doubtful(away.street, f"{area} has no street of the name '{street}'; {more} one.")
        name = None if self._names is None else proper(question, said, frame, self._pack)
        if name is not None:
            message = (
                f"No {name.entity.label} of the name '{question[name.start : name.end]}' is in the data."
            )
            yield Ungrounded("doubtful", message, "", name.start, name.end)

    def _namesakes(self, said: Said, frame: Frame) -> tuple[Item, list[str]] | None:
        return None if self._names is None else namesakes(said, frame, self._pack, self._names)

    def areas(self, question: str, frame: Frame) -> tuple[int, int, list[str]]:
        """Where in the question an area may be named of those that have the street, and these.

        Between the two places stands the area that has none.
        """
        said = Said.of(self._scanner.scan(question)[0])
        found = self._namesakes(said, frame)
        if found is not None:
            return found[0].end, found[0].end, found[1]
        away = None if self._names is None else elsewhere(said, frame, self._pack, self._names)
        return (0, 0, []) if away is None else (away.area.start, away.area.end, away.areas)

    def instead_of_name(self, question: str, frame: Frame) -> tuple[int, int, list[str]]:
        """Where in the question words read like a name that nothing bears, and what may be meant by them."""
        found = proper(question, Said.of(self._scanner.scan(question)[0]), frame, self._pack)
        if found is None or self._names is None:
            return 0, 0, []
        area = question[found.area.start : found.area.end]
        return found.start, found.end, of_the_area(found, area, self._pack, self._names)


def _listed(areas: list[str]) -> str:
    """Areas in a row, with the verb: "A and B have"."""
    *others, last = areas
    return f"{', '.join(others)} and {last} have" if others else f"{last} has"
