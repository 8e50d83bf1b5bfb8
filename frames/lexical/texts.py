"""Names of what has no features of its own: the school districts that schools state."""

from __future__ import annotations

from collections.abc import Sequence

from groundframe.frames.lexical.classes import words_of
from groundframe.frames.lexical.tokens import Token
from groundframe.frames.lexical.vocabulary import Sense
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["Texts"]

_MOST = 6
_LEADS = tuple(tuple(phrase.split()) for phrase in words_of("spare", "belonging"))


class Texts:
    """Texts of fields that are names, where the question says that they are meant as such.

    "Quincy Public Schools" are public schools in Quincy as well; they are the district where the field is
    named, or where something is said to belong to it.
    """

    def __init__(self, pack: Pack, names: NameIndex | None) -> None:
        self._pack = pack
        self._known: dict[str, Sense] = {}
        self._labels: frozenset[str] = frozenset()
        kinds = {entity.name for entity in pack.entities}
        for entity in pack.entities if names is not None else ():
            for field in entity.fields:
                if field.type != "text" or not field.names or field.names in kinds or "scope" in entity.roles:
                    continue
                for name in names.distinct_names(entity.name, field.name) if names is not None else ():
                    sense = Sense("value", entity.name, field.name, (name,))
                    self._known.setdefault(fold_name(name, pack), sense)
                self._labels |= {field.label.casefold(), f"{field.label.casefold()}s"}

    def find(
        self, question: str, tokens: Sequence[Token], start: int
    ) -> list[tuple[int, dict[str, tuple[Sense, ...]]]]:
        """The text that begins with this token, as what an item is made of."""
        if not self._known or not self._is_meant(tokens, start):
            return []
        for stop in range(min(len(tokens), start + _MOST), start + 1, -1):
            text = question[tokens[start].start : tokens[stop - 1].end]
            if text[-1].isalnum() and (sense := self._known.get(fold_name(text, self._pack))):
                return [(stop - start, {"senses": (sense,)})]
        return []

    def _is_meant(self, tokens: Sequence[Token], start: int) -> bool:
        if any(token.text in self._labels for token in tokens):
            return True
        before = [token.text for token in tokens[max(0, start - 4) : start] if token.text != "the"]
        return any(tuple(before[-len(lead) :]) == lead for lead in _LEADS)
