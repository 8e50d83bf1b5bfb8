"""Distances in other units, missing, or beyond all reason."""

from __future__ import annotations

import math
from collections.abc import Iterator

from groundframe.errors import Issue
from groundframe.frames.quantities import QuantityError, parse_quantity
from groundframe.schema.model import Pack
from groundframe.validator.context import Context
from groundframe.validator.findings import Finding, Phase, Rule, edit

METRES_PER_DEGREE = 111_320.0


def check(context: Context) -> Iterator[Finding]:
    """Write every distance in metres; refuse what no two places of the jurisdiction are apart."""
    largest = extent_m(context.pack)
    for number, constraint in enumerate(context.frame.spatial_constraints):
        path = f"/spatial_constraints/{number}/distance_m"
        metres: str | float | None = constraint.distance_m
        if isinstance(metres, str):
            text = metres
            try:
                metres = parse_quantity(text, "m")
            except QuantityError as error:
                yield Issue(
                    "not_a_distance",
                    path,
                    f"{error}.",
                    action='Write metres as a number, or "500 ft", "0.5 mi".',
                )
                continue
            plain = text.strip().replace(".", "", 1).isdigit()
            yield edit(
                path, text, metres, f"'{text}' is {metres:g} m.", safety="safe" if plain else "declared"
            )
        if metres is not None and metres <= 0:
            message = f"A distance is more than 0 m, and this is {metres:g} m."
            yield Issue("distance_range", path, message, action="Give a distance in metres.")
        elif metres is not None and metres > largest:
            message = (
                f"{metres:g} m is more than the pack '{context.pack.name}' is across ({largest:,.0f} m)."
            )
            yield Issue("distance_range", path, message, action="Give a distance in metres.")


def extent_m(pack: Pack) -> float:
    """The diagonal of the pack's bounds in metres, rounded up to 10 km."""
    west, south, east, north = pack.bounds
    width = (east - west) * METRES_PER_DEGREE * math.cos(math.radians(min(abs(south), abs(north))))
    return math.ceil(math.hypot(width, (north - south) * METRES_PER_DEGREE) / 10_000) * 10_000.0


RULE = Rule(
    id="distances",
    name="a distance in another unit, or beyond all reason",
    rationale=(
        "Units convert exactly; a distance that is not positive or spans the whole state finds "
        "nothing or everything."
    ),
    phase=Phase.VALUES,
    safety="safe",
    check=check,
)
