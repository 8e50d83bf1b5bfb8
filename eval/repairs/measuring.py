"""Measuring the validator over many mutants, each family the same number of times."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from groundframe.eval.repairs.grading import Graded, grade
from groundframe.eval.repairs.ground import Ground
from groundframe.eval.repairs.mutation import Draw, Family, Mutant
from groundframe.eval.repairs.originals import Original, draw_original, original, written_originals
from groundframe.eval.repairs.paths import Data
from groundframe.eval.repairs.role_families import ROLE_FAMILIES
from groundframe.eval.repairs.shape_families import SHAPE_FAMILIES
from groundframe.eval.repairs.time_families import TIME_FAMILIES
from groundframe.eval.repairs.value_families import VALUE_FAMILIES
from groundframe.eval.repairs.word_families import WORD_FAMILIES
from groundframe.eval.repairs.words import Sites

__all__ = ["FAMILIES", "SHIPPED", "SHIPPED_SEED", "families_named", "measure"]

FAMILIES: tuple[Family, ...] = (
    *WORD_FAMILIES,
    *VALUE_FAMILIES,
    *TIME_FAMILIES,
    *ROLE_FAMILIES,
    *SHAPE_FAMILIES,
)
SHIPPED, SHIPPED_SEED = 2000, "shipped"
"""How many mutants the shipped set has, and what it is drawn from."""

TRIES = 200
DRAWN = 600


def families_named(name: str | None) -> tuple[Family, ...]:
    """The families of a group, or whose name begins so; all without a name."""
    return tuple(one for one in FAMILIES if name is None or name == one.group or one.name.startswith(name))


def measure(
    ground: Ground,
    count: int = SHIPPED,
    seed: str = SHIPPED_SEED,
    families: Sequence[Family] = FAMILIES,
) -> Iterator[Graded]:
    """Grade so many mutants, of the families in turn; the same arguments always give the same ones."""
    sites = Sites(ground)
    written = written_originals(ground)
    drawn = [
        draw_original(ground, Random(f"{seed} original {number}")) for number in range(min(DRAWN, count))
    ]
    for number in range(count):
        rng = Random(f"{seed} mutant {number}")
        made = _mutant(ground, sites, families[number % len(families)], written, drawn, rng)
        if made is not None:
            yield grade(ground, *made)


def _mutant(
    ground: Ground, sites: Sites, family: Family, written: list[Original], drawn: list[Original], rng: Random
) -> tuple[Mutant, Original] | None:
    """A mutant of the family, from the first of many originals that the family applies to."""
    for _ in range(TRIES):
        source = rng.choice(written if written and rng.random() < 0.4 else drawn)
        draw = Draw(rng, sites, _copy(source.frame), _copy(source.frame), _explicit(source))
        change = family.change(draw)
        if change is None or draw.frame == draw.original:
            continue
        truth = original(ground, source.source, draw.original) if draw.staged else source
        if truth is not None:
            return Mutant(family, source.source, draw.frame, draw.original, change), truth
    return None


def _copy(frame: Data) -> Data:
    copied: Data = json.loads(json.dumps(frame))
    return copied


def _explicit(source: Original) -> Data:
    """The checked frame with the names of the original, not yet looked up."""
    explicit: Data = source.truth.model_dump(mode="json", by_alias=True, exclude_defaults=True)
    for name in ("targets", "references"):
        given: list[Any] = source.frame.get(name, [])
        for part, asked in zip(explicit.get(name, ()), given, strict=False):
            if asked.get("names"):
                part["names"] = asked["names"]
                part["entity"] = asked.get("entity", part.get("entity"))
                for filled in ("keys", "coordinates"):
                    part.pop(filled, None)
    return _copy(explicit)
