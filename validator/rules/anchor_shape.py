"""References that say where they are in no way, in two ways, or as a position in the text of a name."""

from __future__ import annotations

import re
from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.model import Coordinates, Reference
from groundframe.frames.terms import PLACE
from groundframe.validator.context import Context
from groundframe.validator.findings import Edit, Finding, Phase, Put, Rule

_DIGITS = re.compile(r"\d")
_LETTERS = re.compile(r"[A-Za-z]{2,}")


def check(context: Context) -> Iterator[Finding]:
    """See that each reference is one of names, keys, a position, an area; read positions in names."""
    for number, reference in enumerate(context.frame.references):
        path = f"/references/{number}"
        given = [name for name in ("keys", "coordinates", "area") if getattr(reference, name) is not None]
        if len(given) > 1:
            message = f"A reference is one thing; this one has {' and '.join(given)}."
            yield Issue("anchor_kinds", path, message, action="Keep one of them.")
        elif not given and not reference.names:
            message = "A reference needs a name, coordinates or an area."
            yield Issue("anchor_kinds", path, message)
        elif not given and len(reference.names) == 1:
            yield from _position(context, path, reference)
        elif given != ["keys"] and given and context.entity(reference.entity) is not None:
            message = f"A position or an area is a Place, not a {reference.entity}."
            yield Edit(f"{path}/entity", reference.entity, PLACE, message, (Put(f"{path}/entity", PLACE),))


def _position(context: Context, path: str, reference: Reference) -> Iterator[Finding]:
    """A name that is a position in one of the usual spellings, latitude first."""
    # geopy takes a tenth of a second to import, which frames without such a name need not wait for.
    text = reference.names[0]
    if len(_DIGITS.findall(text)) < 4 or (
        _LETTERS.search(text) and not re.search(r"\d\s*°?\s*[NSEWnsew]\b", text)
    ):
        return
    from geopy.point import Point

    try:
        point = Point.from_string(text)
    except ValueError:
        return
    position = Coordinates(longitude=round(point.longitude, 7), latitude=round(point.latitude, 7))
    after = position.model_dump()
    message = f"'{text}' is a position: {position.latitude} north, {position.longitude} east."
    puts = (Put(f"{path}/names", []), Put(f"{path}/coordinates", after), Put(f"{path}/entity", PLACE))
    yield Edit(f"{path}/names/0", text, after, message, puts, "declared")


RULE = Rule(
    id="anchor_shape",
    name="an anchor that is nowhere, or in two places",
    rationale=(
        "An anchor is exactly one of named features, a position and an area; a position in a name is "
        "still a position."
    ),
    phase=Phase.STRUCTURE,
    safety="safe",
    check=check,
)
