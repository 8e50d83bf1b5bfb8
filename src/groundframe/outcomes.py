"""What a validation ended in, as errors and as data."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from typing import Any

from groundframe.errors import NeedsChoiceError, RejectedError, UnsupportedError
from groundframe.validator.outcomes import Checked, Choice, NeedsChoice, Outcome, Rejected

__all__ = ["needs_choice", "outcome_as_dict", "require_checked"]


def require_checked(outcome: Outcome) -> Checked:
    """The checked frame, or the error that says why there is none."""
    if isinstance(outcome, Checked):
        return outcome
    if isinstance(outcome, Rejected):
        raise (UnsupportedError if outcome.unsupported else RejectedError).of(outcome.issues)
    raise needs_choice(outcome.choices)


def needs_choice(choices: Sequence[Choice], note: str = "") -> NeedsChoiceError:
    """The error that asks which is meant and says how to answer; `note` is what the first one changes."""
    first = choices[0]
    path, key = first.id, first.candidates[0].key
    option = shlex.quote(f"{path}={key}") + (f" ({note})" if note else "")
    python = f"choices={{{path!r}: {key!r}}}"
    return NeedsChoiceError(
        first.text,
        f"Choose one, for instance: --choose {option}, or {python} from Python.",
        choices=tuple(choice.as_dict() for choice in choices),
    )


def outcome_as_dict(outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON-ready data; ``status`` says which it is."""
    if isinstance(outcome, NeedsChoice):
        return {"status": "needs_choice", "choices": [choice.as_dict() for choice in outcome.choices]}
    if isinstance(outcome, Rejected):
        return {
            "status": "unsupported" if outcome.unsupported else "rejected",
            "issues": [issue.as_dict() for issue in outcome.issues],
            "choices": [choice.as_dict() for choice in outcome.choices],
        }
    return {
        "status": "checked",
        "frame": outcome.frame.model_dump(mode="json", exclude_defaults=True),
        "repairs": [repair.as_dict() for repair in outcome.repairs],
        "normalised": [repair.as_dict() for repair in outcome.normalised],
        "anchors": [anchor.as_dict() for anchor in outcome.anchors],
        "notes": list(outcome.notes),
    }
