"""What a rule sees: the frame as it stands, the pack, the names of the dataset, the choices made so far."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.model import AttributeConstraint, Frame, Reference, Target
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Entity, EntityField, Pack
from groundframe.validator.findings import Finding, edit
from groundframe.validator.geocoder import Geocoder
from groundframe.validator.lexicon import Lexicon
from groundframe.validator.outcomes import Candidate, Choice
from groundframe.validator.vocabulary import Vocabulary, vocabulary

__all__ = ["Context", "as_reference", "ask_word", "match_word", "pointer_value"]


class Context:
    """The state of one validation, for rules to read; only the engine changes it."""

    def __init__(
        self,
        frame: Frame,
        pack: Pack,
        names: NameIndex | None,
        choices: Mapping[str, str],
        geocoder: Geocoder | None = None,
    ) -> None:
        self.frame = frame
        self.pack = pack
        self.names = names
        self.choices = choices
        self.asked: set[str] = set()
        self.geocoder = geocoder
        self.origins = Origins(frame)

    @property
    def words(self) -> Vocabulary:
        """The pack's words."""
        return vocabulary(self.pack)

    def choice(self, pointer: str) -> str | None:
        """The key that was chosen for what the pointer leads to, None where nothing was."""
        self.asked.add(pointer)
        return self.choices.get(pointer)

    def parts(self) -> Iterator[tuple[str, Target | Reference]]:
        """Targets and references with their pointers."""
        for number, target in enumerate(self.frame.targets):
            yield f"/targets/{number}", target
        for number, reference in enumerate(self.frame.references):
            yield f"/references/{number}", reference

    def part(self, name: str | None) -> Target | Reference | None:
        """The target or reference of that id, None when there is none."""
        return next((part for _, part in self.parts() if part.id == name), None)

    def primary(self) -> Target | None:
        """The one primary target, None when there is none or more than one."""
        found = [target for target in self.frame.targets if target.role == "primary"]
        return found[0] if len(found) == 1 else None

    def entity(self, name: str | None) -> Entity | None:
        """The entity of that canonical name, None when there is none."""
        return next((entity for entity in self.pack.entities if entity.name == name), None)

    def entity_of(self, part_id: str | None) -> Entity | None:
        """The entity of the target or reference of that id, None when either is unknown or is no entity."""
        part = self.part(part_id)
        return self.entity(part.entity) if part else None

    def field(self, constraint: AttributeConstraint, part_id: str | None) -> EntityField | None:
        """The field that a constraint tests, None when it is not known."""
        entity = self.entity_of(part_id)
        if entity is None or constraint.field is None:
            return None
        return next((f for f in entity.fields if f.name == constraint.field and not f.internal), None)

    def season(self, word: str) -> tuple[int, ...]:
        """The months of a part of the year that the pack has a name for; none for any other word."""
        match = self.words.periods.match(word)
        if match is None or match.basis == "fuzzy":
            return ()
        return next((one.months for one in self.pack.periods if one.name == match.word), ())

    def conditions(self) -> Iterator[tuple[str, AttributeConstraint, str | None]]:
        """Every attribute constraint, those of an ``any_of`` after it: pointer, constraint, target's id."""
        for number, constraint in enumerate(self.frame.attribute_constraints):
            yield from _conditions(f"/attribute_constraints/{number}", constraint, constraint.target_role)


def _conditions(
    path: str, constraint: AttributeConstraint, part_id: str | None
) -> Iterator[tuple[str, AttributeConstraint, str | None]]:
    own = constraint.target_role or part_id
    yield path, constraint, own
    for number, part in enumerate(constraint.any_of):
        yield from _conditions(f"{path}/any_of/{number}", part, own)


class Origins:
    """Where the elements of the frame's lists stood in the frame as received."""

    def __init__(self, frame: Frame) -> None:
        self._of: dict[str, list[str]] = {
            name: [str(number) for number in range(len(value))]
            for name in type(frame).model_fields
            if isinstance(value := getattr(frame, name), tuple)
        }

    def pointer(self, path: str) -> str:
        """The pointer in the frame as received; ``-`` stands for an element that was added."""
        steps = path.split("/")
        if len(steps) > 2 and steps[1] in self._of and steps[2].isdigit():
            steps[2] = self._of[steps[1]][int(steps[2])]
        return "/".join(steps)

    def add(self, name: str) -> None:
        """An element was added to the end of a list."""
        self._of[name].append("-")

    def drop(self, name: str, number: int) -> None:
        """An element was taken out of a list."""
        del self._of[name][number]


def as_reference(target: Target) -> dict[str, Any]:
    """The target as an anchor among the references."""
    keys = None if target.keys is None else list(target.keys)
    return {
        "entity": target.entity,
        "role": "anchor",
        "id": target.id,
        "names": list(target.names),
        "keys": keys,
    }


def match_word(
    context: Context, path: str, text: str, lexicon: Lexicon, kind: str, code: str, known: str = ""
) -> Iterator[Finding]:
    """Replace a word by the canonical one, or say that it is unknown.

    Parameters
    ----------
    kind : str
        What the word names, such as ``entity``, for messages.
    code : str
        Code of the issue.
    known : str
        Where the allowed words can be read, when they are too many to list.
    """
    match = lexicon.match(text)
    if match is None and (offered := lexicon.rivals(text)):
        yield from ask_word(context, path, text, offered, kind)
    elif match is None:
        allowed = lexicon.canonical if len(lexicon.canonical) <= 12 else ()
        action = f"`groundframe schema` lists {known}." if known and not allowed else ""
        yield Issue(code, path, f"There is no {kind} '{text}'.", allowed, lexicon.nearest(text), action)
    elif match.basis == "declared":
        yield edit(path, text, match.word, f"'{text}' means the {kind} '{match.word}'.", safety="declared")
    elif match.basis in ("plural", "fuzzy"):
        how = "the plural of" if match.basis == "plural" else "read as"
        yield edit(path, text, match.word, f"'{text}' is {how} the {kind} '{match.word}'.", score=match.score)


def ask_word(
    context: Context, path: str, text: str, offered: tuple[str, ...], kind: str
) -> Iterator[Finding]:
    """Take the word that the caller has chosen, or ask which of several is meant."""
    pointer = context.origins.pointer(path)
    chosen = context.choice(pointer)
    if chosen in offered:
        yield edit(path, text, chosen, f"'{chosen}' was chosen for '{text}'.", safety="chosen")
    elif chosen is not None:
        action = "Run the frame without this choice to see the candidates."
        message = f"'{chosen}' is none of the candidates for '{text}'."
        yield Issue("unknown_choice", path, message, offered, action=action)
    else:
        candidates = tuple(Candidate(word, word, kind) for word in offered)
        yield Choice(
            pointer, f"'{text}' is as near to {len(offered)} words. Which {kind} is meant?", candidates
        )


def pointer_value(document: Any, path: str) -> Any:
    """The value that a JSON pointer leads to."""
    value = document
    for step in path.split("/")[1:]:
        value = value[int(step)] if isinstance(value, list) else value[step]
    return value
