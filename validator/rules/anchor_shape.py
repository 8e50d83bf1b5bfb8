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
_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_LETTERS = re.compile(r"[A-Za-z]{2,}")
_LABELS = re.compile(
    r"^\s*geo:|\b(?:latitude|lat|longitude|long|lon|lng)\b\.?\s*[:=]?|[()\[\]]", re.IGNORECASE
)
_SPACED = re.compile(r"(\d+)\s+(\d+)\s+(\d+(?:\.\d+)?)\s*([NSEW])\b", re.IGNORECASE)
_WKT = re.compile(
    r"\s*(?:SRID=4326;\s*)?POINT\s*\(\s*(?P<longitude>[-+.\d]+)\s+(?P<latitude>[-+.\d]+)\s*\)\s*",
    re.IGNORECASE,
)
# Typographic minus, quotes and primes as they are typed; two apostrophes are seconds.
_SIGNS = str.maketrans(
    {"\u2212": "-", "\u2019": "'", "\u2032": "'", "\u201d": '"', "\u2033": '"', "\u00ba": "\u00b0"}
)


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
            action = "Give 'names', 'coordinates' or 'area', or leave the reference out."
            yield Issue("anchor_kinds", path, message, action=action)
        elif not given and len(reference.names) == 1:
            yield from _position(context, path, reference)
        elif given != ["keys"] and given and context.entity(reference.entity) is not None:
            message = f"A position or an area is a Place, not a {reference.entity}."
            yield Edit(f"{path}/entity", reference.entity, PLACE, message, (Put(f"{path}/entity", PLACE),))


def _position(context: Context, path: str, reference: Reference) -> Iterator[Finding]:
    """A name that is a position in one of the usual spellings, latitude first."""
    text = reference.names[0]
    plain = text.translate(_SIGNS)
    if found := _WKT.fullmatch(plain):
        plain = f"{found['latitude']}, {found['longitude']}"
    plain = _SPACED.sub("\\1°\\2'\\3\" \\4", _LABELS.sub(" ", plain)).strip(" ,")
    numbers = len(_NUMBER.findall(plain))
    # geopy passes over numbers that it has no use for, so they are counted first.
    counted = numbers == 2 or (numbers in (4, 6) and plain.count("°") == 2)
    if not counted or len(_DIGITS.findall(plain)) < 4 or _LETTERS.search(plain):
        return
    # geopy takes a tenth of a second to import, which frames without such a name need not wait for.
    from geopy.point import Point

    try:
        point = Point.from_string(plain)
    except ValueError:
        return
    position = Coordinates(longitude=round(point.longitude, 7), latitude=round(point.latitude, 7))
    after = position.model_dump()
    message = f"'{text}' is the position at latitude {position.latitude}, longitude {position.longitude}."
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
