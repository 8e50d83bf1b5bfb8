"""Questions in plain words: read, held against the frame, answered, and said how they were read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from groundframe.answer import Answer
from groundframe.described import described
from groundframe.errors import (
    Issue,
    ModelError,
    NotUnderstoodError,
    UnsupportedError,
    UsageError,
)
from groundframe.frames.grounding import Grounding
from groundframe.frames.interpretation import Interpretation, Interpreter, Span
from groundframe.frames.lexical.classes import classes
from groundframe.frames.lexical.interpreter import LONGEST, LexicalInterpreter
from groundframe.frames.lexical.vocabulary import vocabulary
from groundframe.frames.model_interpreter.settings import HOW_TO_TURN_ON
from groundframe.frames.names import NameIndex
from groundframe.leaving_out import changes
from groundframe.offering import offers
from groundframe.outcomes import needs_choice, require_checked
from groundframe.refining import configured_model
from groundframe.schema.model import Pack
from groundframe.validator.outcomes import Candidate, Checked, Outcome, Rejected
from groundframe.validator.outcomes import Choice as ChoiceOf
from groundframe.wording import in_words, quoted

if TYPE_CHECKING:
    from groundframe.formats.result import Record
    from groundframe.frames.model import Frame
    from groundframe.postgis.datasets import Dataset

__all__ = [
    "INTERPRETERS",
    "Choice",
    "Reply",
    "asked",
    "asked_back",
    "checked_in_words",
    "chosen_question",
    "interpreted",
    "reading_of",
    "understood",
    "ungrounded",
]

QUESTION = "/question"
"""Where the choice of a question belongs among the choices."""
Choice = Literal["auto", "lexical", "model"]
Maker = Callable[[Pack, NameIndex], Interpreter | None]

INTERPRETERS: dict[str, Maker] = {"lexical": LexicalInterpreter, "model": configured_model}
"""The interpreters, in the order in which ``auto`` tries them; one that is not configured gives None."""


@dataclass(frozen=True)
class Reply:
    """A question with its answer.

    Attributes
    ----------
    understood : str
        How the question was read: what is asked, how it was measured, what the data cover.
    sentence : str
        The answer in one sentence.
    """

    interpretation: Interpretation
    answer: Answer
    understood: str
    sentence: str


def interpreted(question: str, choice: str, pack: Pack, names: NameIndex) -> Interpretation:
    """What the chosen interpreter, or the first that understands all of it, makes of a question.

    What is not understood comes with the questions that would be, where there are such.

    Raises
    ------
    UsageError
        When there is no such interpreter.
    ModelError
        When a model is wanted by name and none is configured, or it gives no usable reply.
    """
    found = _interpreted(question, choice, pack, names)
    too_long = len(question) > LONGEST
    if found.frame is not None or found.interpreter != LexicalInterpreter.name or too_long:
        return found
    return replace(found, offers=offers(found, pack, names))


def _interpreted(question: str, choice: str, pack: Pack, names: NameIndex) -> Interpretation:
    """What the chosen interpreter, or the first that understands all of it, makes of a question."""
    wanted = list(INTERPRETERS) if choice == "auto" else [choice]
    best: Interpretation | None = None
    for name in wanted:
        maker = INTERPRETERS.get(name)
        interpreter = maker(pack, names) if maker is not None else None
        if interpreter is None:
            if choice in INTERPRETERS:
                raise ModelError("No model is configured.", HOW_TO_TURN_ON, kind="not_configured")
            if choice != "auto":
                known = ", ".join(("auto", *INTERPRETERS))
                raise UsageError(f"There is no interpreter '{choice}'.", f"There are: {known}.")
            continue
        try:
            found = interpreter.interpret(question)
        except ModelError as error:
            if best is None:
                raise
            # What the grammar did not understand is worth more than that nobody else was there.
            return replace(best, model={"error": error.message})
        if found.frame is not None and (said := ungrounded(found, found.frame, pack, names)):
            found = replace(found, frame=None, draft=found.frame, leftovers=said)
        if found.frame is not None or _refused(found):
            return found
        best = best or found
    if best is None:
        raise UsageError("No interpreter is available.")
    return best


def _refused(found: Interpretation) -> bool:
    """Whether words of the question say that it is not answered, so that nobody else need be asked."""
    return bool(found.reason) and any(span.meaning == found.reason for span in found.leftovers)


def ungrounded(
    found: Interpretation,
    frame: Frame,
    pack: Pack,
    names: NameIndex,
    renamed: Mapping[str, str] | None = None,
) -> tuple[Span, ...]:
    """What only the question or only the frame says, as spans."""
    issues = Grounding(pack, names).check(found.question, frame, renamed)
    return tuple(Span(one.start, one.end, found.question[one.start : one.end], one.message) for one in issues)


def asked(interpretation: Interpretation, pack: Pack) -> Frame:
    """The frame of a question.

    Raises
    ------
    NotUnderstoodError
        When words are left over; the message names them, and what can be asked.
    NeedsChoiceError
        When there are questions that would be understood in its place.
    UnsupportedError
        When the question asks for what is not answered.
    """
    if interpretation.frame is not None:
        return interpretation.frame
    words = quoted(interpretation.question, interpretation.leftovers)
    if interpretation.offers:
        choice = asked_back(interpretation)
        raise needs_choice((choice,), choice.candidates[0].kind)
    if interpretation.reason:
        message = " ".join(_reasons(interpretation, pack))
        raise UnsupportedError.of([Issue("unsupported_question", "", message, action=_offer(pack))])
    said = [span.meaning for span in interpretation.leftovers if span.meaning]
    message = " ".join(said) or f"Not understood: {words}."
    if "error" in interpretation.model:
        message = f"{message} Nor could a model be asked: {interpretation.model['error']}"
    raise NotUnderstoodError.of([Issue("not_understood", "", message, action=_offer(pack))])


def _reasons(interpretation: Interpretation, pack: Pack) -> Iterator[str]:
    """Why a question is not answered, with the words that say so; what the data do not record comes last."""
    given = {span.meaning for span in interpretation.leftovers}
    beside = (one for one in dict.fromkeys(vocabulary(pack).reasons.values()) if one in given)
    others = () if interpretation.reason in classes().firm else beside
    for reason in dict.fromkeys((interpretation.reason, *others)):
        words = [one for one in interpretation.leftovers if one.meaning == reason]
        because = quoted(interpretation.question, words)
        yield f"{reason.rstrip('.')} ({because})." if because else reason


def asked_back(interpretation: Interpretation) -> ChoiceOf:
    """The question back: which of the questions that would be understood is meant; a key is its text."""
    unknown = [
        span
        for span in interpretation.leftovers
        if not span.meaning or (span.meaning == interpretation.reason and span.meaning.startswith("'"))
    ]
    words = quoted(interpretation.question, unknown)
    several = f"{words} can be read in several ways or not at all."
    told = [several if len(interpretation.offers) > 1 else f"Not understood: {words}."] if words else []
    told += dict.fromkeys(span.meaning for span in interpretation.leftovers if span not in unknown)
    text = f"{' '.join(told) or interpretation.reason} Which question is meant?"
    asked, left = interpretation.question, [span.text for span in interpretation.leftovers]
    candidates = tuple(Candidate(one, one, changes(asked, one, left)) for one in interpretation.offers)
    return ChoiceOf(QUESTION, text, candidates)


def chosen_question(
    found: Interpretation, choices: Mapping[str, str], read: Callable[[str], Interpretation]
) -> Interpretation:
    """The question that was chosen of those that were offered, as it is read; the same where none was.

    Raises
    ------
    UsageError
        When the choice is none of them.
    """
    meant = choices.get(QUESTION)
    if found.frame is not None or meant is None:
        return found
    if meant not in found.offers:
        offered = ", ".join(f"'{one}'" for one in found.offers) or "none"
        raise UsageError(f"'{meant}' is none of the questions that were offered.", f"They are: {offered}.")
    return read(meant)


def checked_in_words(interpretation: Interpretation, outcome: Outcome, pack: Pack) -> Checked:
    """The checked frame of a question; what is wrong with it is said of the question, not of the frame."""
    frame = interpretation.frame
    if isinstance(outcome, Rejected) and frame is not None:
        issues = tuple(in_words(issue, frame, pack) for issue in outcome.issues)
        outcome = replace(outcome, issues=issues)
    return require_checked(outcome)


def reading_of(interpretation: Interpretation) -> dict[str, Any]:
    """Who read a question and how, for the audit record: of a model its name, prompt and reply.

    Examples
    --------
    >>> reading_of(Interpretation("crashes", None, interpreter="lexical"))
    {'interpreter': 'lexical', 'corrections': {}}
    """
    told = {"interpreter": interpretation.interpreter, "corrections": dict(interpretation.corrections)}
    return {**told, "model": dict(interpretation.model)} if interpretation.model else told


def _offer(pack: Pack) -> str:
    kinds = [entity.plural for entity in pack.entities if "primary" in entity.roles and not entity.optional]
    return (
        f"Ask for {', '.join(kinds[:-1])} or {kinds[-1]}: in, near or on a place, with conditions and times, "
        "counted, grouped or ranked; 'groundframe schema' lists the words."
    )


def understood(answer: Answer, checked: Checked, dataset: Dataset, interpretation: Interpretation) -> str:
    """How the question was read, in one line: what is asked, how it is measured, what the data cover."""
    record, pack = answer.record(), dataset.pack
    parts = [f"I understood: {described(checked.frame, pack)}"]
    if any(one.distance_m is not None for one in checked.frame.spatial_constraints):
        parts.append("straight-line distances")
    periods = _periods(record, dataset)
    parts += [f"data on {plural} {first} to {last}" for plural, (first, last) in periods.items()]
    parts += _unlocated(record, dataset)
    parts += _unpaired(checked.frame, pack)
    parts += [f"{span.meaning or 'set aside'}: '{span.text}'" for span in interpretation.aside]
    parts += [f"'{word}' read as '{meant}'" for word, meant in interpretation.corrections.items()]
    return "; ".join(parts) + "."


def _unpaired(frame: Frame, pack: Pack) -> list[str]:
    """That of the nearest to each of several things it is not said to which of them they belong."""
    things = {str(one.id or one.role): pack.entity(one.entity) for one in frame.targets}
    return [
        f"each of the {things[near.target_role].plural} is listed once, without the "
        f"{things[near.reference_role].label} that it is nearest to"
        for near in frame.spatial_constraints
        if near.relation == "nearest_to"
        and not near.negate
        and {near.target_role, near.reference_role} <= {*things}
    ]


def _periods(record: Record, dataset: Dataset) -> dict[str, tuple[str, str]]:
    """First and last year of the data on the dated things of an answer, declared or there."""
    years: dict[str, list[str]] = {}
    for source in record["sources"]:
        if dataset.pack.entity(source["entity"]).date_field:
            coverage = source["coverage"] or {}
            years.setdefault(source["entity"], []).extend(
                str(coverage[end])[:4] for end in ("first", "last") if coverage.get(end)
            )
    sources = {(source["entity"], source["source"]) for source in record["sources"]}
    # Where no row answers: of all data on what is asked about.
    entities = {target["entity"] for target in record["targets"].values()} if not years else set()
    for one in dataset.report["sources"]:
        asked = one["entity"] in entities or (one["entity"], one["source"]) in sources
        if asked and one["first"] and dataset.pack.entity(one["entity"]).date_field:
            # What was added later may go beyond what the source declares.
            years.setdefault(one["entity"], []).extend((str(one["first"])[:4], str(one["last"])[:4]))
    return {
        dataset.pack.entity(name).plural: (min(found), max(found)) for name, found in years.items() if found
    }


def _unlocated(record: Record, dataset: Dataset) -> list[str]:
    """How many of the dated things of the answer have no place on the map."""
    parts = []
    for target in record["targets"].values():
        rows = [one for one in dataset.report["sources"] if one["entity"] == target["entity"]]
        total, located = sum(one["rows"] for one in rows), sum(one["located"] for one in rows)
        if dataset.pack.entity(target["entity"]).date_field and total > located:
            parts.append(f"{100 * (1 - located / total):.1f} % of {target['many']} without location")
    return list(dict.fromkeys(parts))
