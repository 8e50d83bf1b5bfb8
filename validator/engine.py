"""Running the rules, in order, on a copy of the frame."""

from __future__ import annotations

from collections.abc import Mapping
from time import perf_counter
from typing import Any

from groundframe.errors import Issue
from groundframe.frames.model import Frame
from groundframe.frames.names import NameIndex
from groundframe.schema.model import Pack
from groundframe.validator.context import Context, pointer_value
from groundframe.validator.findings import Add, Drop, Edit, Fill, Note, Operation, Put, Rule
from groundframe.validator.geocoder import Geocoder
from groundframe.validator.outcomes import Anchor, Checked, Choice, NeedsChoice, Outcome, Rejected, Repair
from groundframe.validator.rules import RULES

__all__ = ["validate"]


def validate(
    frame: Frame,
    pack: Pack,
    names: NameIndex | None = None,
    *,
    choices: Mapping[str, str] | None = None,
    geocoder: Geocoder | None = None,
) -> Outcome:
    """Check a frame, repair what can only mean one thing, and resolve its names.

    Parameters
    ----------
    frame : Frame
        As read by :func:`~groundframe.frames.reading.read_frame`; it is not changed.
    pack : Pack
        What exists and what its words mean.
    names : NameIndex, optional
        The names in the dataset. Without it names stay unresolved, and a note says so.
    choices : mapping, optional
        Answers to the questions of an earlier `NeedsChoice`: id of the choice to key of the candidate.
    geocoder : Geocoder, optional
        Asked for anchors and features that neither `names` nor the pack's gazetteer know.

    Returns
    -------
    Checked or NeedsChoice or Rejected
        Every issue is listed, not only the first.

    Examples
    --------
    >>> from groundframe.schema.packs import load_pack
    >>> frame = Frame.model_validate({"targets": [{"entity": "accidents", "role": "primary"}]})
    >>> outcome = validate(frame, load_pack("massachusetts"))
    >>> outcome.frame.targets[0].entity, outcome.repairs
    ('Crash', ())
    """
    run = _Run(Context(frame, pack, names, choices or {}, geocoder))
    for rule in RULES:
        run.apply(rule)
    return run.outcome()


class _Run:
    """One validation: the context that rules read, and what they found."""

    def __init__(self, context: Context) -> None:
        self.began = perf_counter()
        self.received = context.frame
        self.context = context
        self.document: dict[str, Any] = context.frame.model_dump(mode="json", by_alias=True)
        self.issues: list[tuple[str, Issue]] = []
        self.choices: list[Choice] = []
        self.records: list[Repair] = []
        self.anchors: list[Anchor] = []
        self.notes: list[str] = []

    def apply(self, rule: Rule) -> None:
        """Run one rule, then make its edits."""
        origin = self.context.origins.pointer
        operations: list[Operation] = []
        for finding in rule.check(self.context):
            match finding:
                case Edit():
                    operations += finding.operations
                    self.records.append(
                        Repair(
                            rule.id, origin(finding.path), finding.before, finding.after,
                            finding.safety, finding.score, finding.message,
                        )
                    )  # fmt: skip
                case Fill():
                    operations += finding.operations
                case Issue():
                    self.issues.append((rule.id, _moved(finding, origin(finding.path))))
                case Choice():
                    self.choices.append(finding)
                case Anchor():
                    self.anchors.append(finding)
                case Note():
                    self.notes.append(finding.text)
        if operations:
            self._change(operations)

    def _change(self, operations: list[Operation]) -> None:
        """Puts, then additions, then drops from the back, so that every pointer leads where it did."""
        for put in operations:
            if isinstance(put, Put):
                parent, _, last = put.path.rpartition("/")
                holder = pointer_value(self.document, parent)
                holder[int(last) if isinstance(holder, list) else last] = put.value
        for add in operations:
            if isinstance(add, Add):
                pointer_value(self.document, add.path).append(add.value)
                self.context.origins.add(add.path[1:])
        drops = {
            (name, int(number))
            for o in operations
            if isinstance(o, Drop)
            for name, number in [o.path[1:].split("/")]
        }
        for name, number in sorted(drops, reverse=True):
            del self.document[name][number]
            self.context.origins.drop(name, number)
        self.context.frame = Frame.model_validate(self.document)

    def outcome(self) -> Outcome:
        """The outcome; issues come before questions, questions before an answerable frame."""
        for path in sorted(set(self.context.choices) - self.context.asked):
            self.notes.append(f"Nothing is to be chosen at '{path}': the choice made for it changes nothing.")
        repairs = tuple(record for record in self.records if record.safety != "declared")
        choices = tuple(self.choices)
        if self.issues:
            issues = tuple(dict.fromkeys(issue for _, issue in self.issues))
            unsupported = all(issue.code.startswith("unsupported") for issue in issues)
            return Rejected(issues, self.received, unsupported, choices, repairs)
        if choices:
            return NeedsChoice(choices, self.received, repairs)
        return Checked(
            self.context.frame,
            self.received,
            repairs,
            tuple(record for record in self.records if record.safety == "declared"),
            tuple(self.anchors),
            tuple(dict.fromkeys(self.notes)),
            dict(self.context.choices),
            perf_counter() - self.began,
        )


def _moved(issue: Issue, path: str) -> Issue:
    return Issue(issue.code, path, issue.message, issue.allowed, issue.nearest, issue.action)
