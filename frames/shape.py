"""What is wrong with the shape of a document, in a planner's words instead of pydantic's."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any, get_args

from pydantic import BaseModel, ValidationError
from rapidfuzz import process
from rapidfuzz.distance import OSA

from groundframe.errors import Issue
from groundframe.frames.model import Frame

__all__ = ["kind_of", "shape_issues"]

_EXPECTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "int_parsing_size": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "bool_parsing": "true or false",
    "list_type": "a list",
    "tuple_type": "a list",
    "model_type": "an object",
    "model_attributes_type": "an object",
    "dict_type": "an object",
    "value_error": "a number, or a text with a unit,",
}
_ACTION = {"a list": "Put it in [ ].", "a whole number": "Write it without quotes and without decimals."}


def kind_of(value: object) -> str:
    """What a JSON value is, for a sentence.

    Examples
    --------
    >>> kind_of([1]), kind_of("x"), kind_of(None)
    ('a list', 'text', 'null')
    """
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case int() | float():
            return "a number"
        case str():
            return "text"
        case list():
            return "a list"
    return "an object"


def shape_issues(error: ValidationError, document: Mapping[str, Any], most: int) -> list[Issue]:
    """One issue per place in the document, at most `most`, those of the first places first."""
    places: dict[str, list[tuple[Mapping[str, Any], tuple[str | int, ...]]]] = {}
    for problem in error.errors(include_url=False, include_context=True, include_input=False):
        steps = tuple(_steps(problem["loc"], document, problem["type"]))
        pointer = "".join(f"/{str(step).replace('~', '~0').replace('/', '~1')}" for step in steps)
        if pointer not in places and len(places) >= most:
            break
        places.setdefault(pointer, []).append((problem, steps))
    # Where a part of a list is wrong, the other things that could stand for the list are no news.
    inner = {pointer.rpartition("/")[0] for pointer in places}
    kept = {
        p: found
        for p, found in places.items()
        if p not in inner or any(one["type"] not in _EXPECTED for one, _ in found)
    }
    return [_issue(pointer, found, document) for pointer, found in kept.items()]


def _steps(loc: tuple[str | int, ...], document: Mapping[str, Any], kind: str) -> Iterator[str | int]:
    """The steps of a location that lead through the document, without pydantic's names for alternatives."""
    value: Any = document
    for place, step in enumerate(loc):
        if (
            isinstance(value, dict)
            and isinstance(step, str)
            and (step in value or (kind == "missing" and place == len(loc) - 1))
        ):
            value = value.get(step)
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            value = value[step]
        else:
            continue
        yield step


def _issue(
    pointer: str, found: list[tuple[Mapping[str, Any], tuple[str | int, ...]]], document: Mapping[str, Any]
) -> Issue:
    problem, steps = found[0]
    value = _at(document, steps)
    match problem["type"]:
        case "missing":
            return Issue("missing_key", pointer, f"'{steps[-1]}' is missing.", action="Add it.")
        case "extra_forbidden":
            return _unknown_key(pointer, str(steps[-1]), steps)
        case "too_long" | "string_too_long":
            most = problem["ctx"].get("max_length")
            what = "characters" if isinstance(value, str) else "entries"
            size = f", and this has {len(value):,}" if isinstance(value, str | list) else ""
            return Issue("too_long", pointer, f"At most {most:,} {what} belong here{size}.")
        case "string_too_short":
            return Issue("empty_text", pointer, "Text belongs here, and this is empty.")
        case "literal_error":
            return Issue(
                "unknown_value",
                pointer,
                f"{problem['ctx']['expected']} belongs here, and this is {_shown(value)}.",
            )
        case "greater_than_equal" | "less_than_equal":
            bound = problem["ctx"].get("ge", problem["ctx"].get("le"))
            side = "at least" if problem["type"] == "greater_than_equal" else "at most"
            return Issue("out_of_range", pointer, f"This is {side} {bound:g}, and {_shown(value)} is not.")
    kinds = dict.fromkeys(_EXPECTED.get(one["type"], "") for one, _ in found)
    if "a number" in kinds:
        kinds.pop("a whole number", None)
    expected = " or ".join(kind for kind in kinds if kind)
    alone = next(iter(kinds)) if len(kinds) == 1 else ""
    return Issue(
        "wrong_type",
        pointer,
        f"{expected[:1].upper()}{expected[1:]} belongs here, and this is {_shown(value)}.",
        action=_ACTION.get(alone, ""),
    )


def _shown(value: object) -> str:
    if isinstance(value, str) and len(value) <= 40:
        return f"the text '{value}'"
    return f"{value}" if isinstance(value, int | float) and not isinstance(value, bool) else kind_of(value)


def _unknown_key(pointer: str, key: str, steps: tuple[str | int, ...]) -> Issue:
    known = _known_keys(steps[:-1])
    near = process.extract(key.casefold(), known, scorer=OSA.normalized_similarity, score_cutoff=0.5, limit=3)
    nearest = (
        tuple(name for name, _, _ in near)
        or tuple(name for name in known if name.startswith(key.casefold()))[:3]
    )
    shown = key if len(key) <= 60 else f"{key[:57]}…"
    return Issue(
        "unknown_key", pointer, f"A frame has no key '{shown}' here.", () if nearest else known, nearest
    )


def _known_keys(steps: tuple[str | int, ...]) -> tuple[str, ...]:
    """The keys that an object at this place may have."""
    model: type[BaseModel] | None = Frame
    for step in steps:
        if isinstance(step, str) and model is not None:
            field = next((f for name, f in model.model_fields.items() if (f.alias or name) == step), None)
            model = next(_models(field.annotation), None) if field else None
    return tuple(field.alias or name for name, field in model.model_fields.items()) if model else ()


def _models(annotation: Any) -> Iterator[type[BaseModel]]:
    """The models that an annotation mentions."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)


def _at(document: Any, steps: tuple[str | int, ...]) -> Any:
    for step in steps:
        document = document.get(step) if isinstance(document, dict) else document[step]
    return document
