"""A change to a frame whose right reading is known."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from random import Random
from typing import Any

from groundframe.eval.repairs.paths import Data, Path, get, pointer, put
from groundframe.eval.repairs.words import Site, Sites

__all__ = ["Change", "Draw", "Family", "Mutant"]


@dataclass(frozen=True, slots=True)
class Change:
    """What was changed; ``clash`` says how the text comes near another meaning (:meth:`Site.clash`)."""

    path: str
    before: Any
    after: Any
    clash: str = ""


@dataclass(slots=True)
class Draw:
    """What a family works on: two copies of a frame, of which it changes the first.

    A family that needs something particular in the original puts it into both. ``explicit`` is the original
    as the validator wrote it out, with names in the place of keys.
    """

    rng: Random
    sites: Sites
    frame: Data
    original: Data
    explicit: Data
    staged: bool = field(default=False)

    def pick(self, kind: str, wanted: Callable[[Site], bool] = lambda _: True) -> Site | None:
        """One of the frame's words of a kind."""
        found = [one for one in self.sites.of(self.frame) if one.kind == kind and one.meaning and wanted(one)]
        return self.rng.choice(found) if found else None

    def stage(self, path: Path, value: Any) -> None:
        """Change the original too, so that it says what the family is about to say otherwise."""
        for frame in (self.frame, self.original):
            put(frame, path, value)
        self.staged = True

    def change(self, path: Path, after: Any, clash: str = "") -> Change:
        """Put a value into the mutant."""
        before = get(self.frame, path[:-1])
        old = before.get(path[-1]) if isinstance(before, dict) else before[path[-1]]
        put(self.frame, path, after)
        return Change(pointer(path), old, after, clash)

    def reword(self, site: Site, text: str) -> Change | None:
        """Put another text in the place of a word; None where that is no change."""
        return None if text == site.text or not text else self.change(site.path, text, site.clash(text))


@dataclass(frozen=True, slots=True)
class Family:
    """A kind of change; `group` is what its figures are added up under."""

    name: str
    group: str
    change: Callable[[Draw], Change | None]


@dataclass(frozen=True, slots=True)
class Mutant:
    """A changed frame with the original it should be read as."""

    family: Family
    source: str
    frame: Data
    original: Data
    change: Change
