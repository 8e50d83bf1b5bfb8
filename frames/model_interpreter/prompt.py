"""What a model is told: the words of the pack, examples like the question, and the question; never data."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rapidfuzz import fuzz

from groundframe.errors import Issue
from groundframe.frames.model_interpreter.hints import Hints
from groundframe.frames.model_interpreter.settings import Form
from groundframe.frames.model_interpreter.slots import SlotForm
from groundframe.frames.model_interpreter.strict import strict_frame_schema
from groundframe.schema.model import Pack
from groundframe.schema.packs import PACKS, read_yaml

__all__ = ["ALIKE", "CORE", "Prompt", "examples_of"]

CORE = 12
"""Examples that go with every question, the first of the bank: a server keeps them in memory."""

ALIKE = 3
"""Examples that are most like the question; they are read anew for each question."""

_SLOTS = """\
You turn a question of a planner into slots, as one JSON object. {omit} Copy names, numbers and distances \
from the question; add nothing that it does not say.
unsupported: only where the question cannot be answered by listing, counting or ranking these things \
(forecasts, advice, opinions, changes of data, other states): the reason, and nothing else.
asked_for: what the rows of the answer are. {entities}
only_number: true where "how many" of asked_for is all that is wanted.
in: names of the {area} that the question is about.
near, near_distance: a named place or a corner of two streets ("A & B"), and the distance to it.
other, how: things of another kind that must be near or on what is asked for, or must not be (without).
named: names of those other things, else of what is asked for, such as a street.
counted: what is counted for each row, where rows are compared by something else than their own fields.
distance: between the rows (or what is counted) and the other or counted things.
by, order, top_n: what a ranking goes by, highest or lowest first, and how many rows; order only where the \
question ranks. by alone: what is added up.
conditions, not_conditions: what must hold, what must not.
number_of, number_is, number: a limit on a number.
from, to: days as YYYY-MM-DD. last: such as "3 years". years, months (1-12), weekdays. \
hour_from, hour_to: HH:MM of 24 hours. period: a named time.
group_by: what the rows are divided by ("by year", "for each weekday").
Conditions:
{conditions}"""

_FRAME = """\
You turn a question of a planner into a semantic frame, as one JSON object; null or an empty list where the \
question says nothing. Copy names, numbers and distances from the question; add nothing that it does not say.
targets: primary is what the rows are, one of it; support is what is counted; scope is an area with names; \
filter restricts another. references: named places and corners. Constraints name targets by id.
A question that cannot be answered by listing, counting or ranking features has supported false, with the \
reason in notes.
Entities: {entities}
Concepts, better than fields where both fit: {concepts}
Values:
{conditions}"""

_AGAIN = """\
That does not say what the question says:
{issues}
Write the whole JSON object again with this put right; change nothing else. The question was: {question}"""


@dataclass(frozen=True)
class Prompt:
    """Prompts about one pack in one form.

    Parameters
    ----------
    every : bool
        Whether the reply has all keys; see :meth:`SlotForm.schema`.
    """

    slots: SlotForm
    form: Form
    every: bool

    @cached_property
    def version(self) -> str:
        """Changes whenever something else is said to the model."""
        parts = [self.system, _AGAIN, self.schema, [self.examples], CORE, ALIKE]
        said = json.dumps(parts, sort_keys=True)
        return f"{self.form}-{hashlib.sha256(said.encode()).hexdigest()[:12]}"

    @cached_property
    def schema(self) -> dict[str, Any]:
        """What the reply must keep."""
        if self.form == "slots":
            return self.slots.schema(every=self.every)
        return strict_frame_schema(self.slots.choices.pack)

    @cached_property
    def examples(self) -> tuple[tuple[str, str], ...]:
        """Questions with the reply that is right, in this form."""
        return tuple((question, self._reply(question, slots)) for question, slots in self._bank)

    @cached_property
    def system(self) -> str:
        """What is the same for every question; a server keeps it in memory."""
        choices = self.slots.choices
        things = [choices.pack.entity(name) for name in choices.entities]
        lines: dict[str, list[str]] = {}
        for label in choices.conditions:
            field, _, value = label.partition(": ")
            lines.setdefault(field, []).append(value)
        parts = {
            "entities": " ".join(f"{one.name}: {one.description or one.label}" for one in things),
            "area": choices.area.plural,
            "concepts": ", ".join(concept.name for concept in choices.pack.concepts),
            "conditions": "\n".join(
                f"{field}: {' | '.join(values)}" if any(values) else field for field, values in lines.items()
            ),
            "omit": f"{'Give null to' if self.every else 'Leave out'} what the question says nothing of.",
        }
        return (_SLOTS if self.form == "slots" else _FRAME).format(**parts)

    def messages(self, question: str) -> list[dict[str, str]]:
        """The conversation up to the question: instructions, examples, the most alike last."""
        messages = [{"role": "system", "content": self.system}]
        for asked, reply in (*self.examples[:CORE], *self._alike(question)):
            messages += [{"role": "user", "content": asked}, {"role": "assistant", "content": reply}]
        return [*messages, {"role": "user", "content": question}]

    def again(self, question: str, reply: str, issues: Sequence[Issue]) -> list[dict[str, str]]:
        """The conversation that goes on with what is wrong with a reply."""
        wrong = "\n".join(f"- {issue.sentence()}" for issue in issues[:10])
        said = _AGAIN.format(issues=wrong, question=question)
        return [{"role": "assistant", "content": reply}, {"role": "user", "content": said}]

    def _alike(self, question: str) -> list[tuple[str, str]]:
        words = question.casefold()

        def likeness(place: int) -> tuple[float, int]:
            asked = self.examples[place][0].casefold()
            score = fuzz.token_sort_ratio(words, asked) + fuzz.token_set_ratio(words, asked)
            return -score, place

        ranked = sorted(range(CORE, len(self.examples)), key=likeness)
        chosen = ranked[:ALIKE]
        for slot in sorted(self._hints.slots(question)):
            # What none of them shows, a small model leaves out.
            if not any(slot in self._bank[place][1] for place in chosen):
                showing = next((place for place in ranked if slot in self._bank[place][1]), chosen[-1])
                chosen = [*chosen[:-1], showing] if showing not in chosen else chosen
        return [self.examples[place] for place in reversed(chosen)]

    @cached_property
    def _hints(self) -> Hints:
        return Hints(self.slots.choices)

    @cached_property
    def _bank(self) -> tuple[tuple[str, dict[str, Any]], ...]:
        return examples_of(self.slots.choices.pack)

    def _reply(self, question: str, slots: dict[str, Any]) -> str:
        if self.form == "slots":
            names = self.schema["properties"]
            made: Any = {name: slots[name] for name in names if name in slots}
        elif "unsupported" in slots:
            made = {"supported": False, "notes": slots["unsupported"], "targets": []}
        else:
            made = self.slots.frame(slots).model_dump(mode="json", by_alias=True, exclude_defaults=True)
        return json.dumps(made, ensure_ascii=False, separators=(",", ":"))


def examples_of(pack: Pack) -> tuple[tuple[str, dict[str, Any]], ...]:
    """Questions with their slots that come with a pack, in the order of its file; none where it has none."""
    path = PACKS / pack.name / "examples.yaml"
    rows = read_yaml(path) if path.is_file() else []
    return tuple((row["question"], row["slots"]) for row in rows)
