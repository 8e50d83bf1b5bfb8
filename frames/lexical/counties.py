"""Areas that have no features of their own, by their name alone: "Middlesex" for "Middlesex County"."""

from __future__ import annotations

from collections.abc import Sequence

from groundframe.frames.lexical.places import Places
from groundframe.frames.lexical.tokens import Token
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name

__all__ = ["Counties"]


class Counties:
    """Texts that areas state of themselves, such as the county of a town, where no place bears the name."""

    def __init__(self, pack: Pack, names: NameIndex | None, places: Places) -> None:
        self._pack = pack
        self._places = places
        self._fields: dict[str, str] = {}
        for entity in pack.entities if names is not None else ():
            for field in entity.fields if "scope" in entity.roles else ():
                if field.names and field.name != entity.name_field:
                    for name in names.distinct_names(entity.name, field.name) if names is not None else ():
                        self._fields.setdefault(fold_name(name, pack), field.label.casefold())

    def written_out(self, question: str, tokens: Sequence[Token]) -> tuple[Token, ...]:
        """The tokens with the word for what it is behind a name that nothing else bears."""
        made: list[Token] = []
        for place, token in enumerate(tokens):
            made.append(token)
            label = self._fields.get(token.text)
            if not label or self._places.find(question, tokens, place) is not None:
                continue
            before = [one.stem for one in tokens[max(0, place - 2) : place]]
            if label in before or "&" in before[-1:]:
                continue  # "county of Middlesex"
            after = tokens[place + 1] if place + 1 < len(tokens) else None
            glued = after is not None and (after.start == token.end and after.text not in ",.?!;:)")
            named = after is not None and question[after.start].isupper() and question[token.start].isupper()
            if not glued and not named and (after is None or after.stem not in (label, "&")):
                made.append(Token(label, token.end, token.end))
        return tuple(made)
