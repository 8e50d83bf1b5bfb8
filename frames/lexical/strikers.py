"""Vehicles that only say what strikes, or who was struck: they are no condition of their own."""

from __future__ import annotations

from collections.abc import Sequence

from groundframe.frames.lexical.items import Item

__all__ = ["is_striker", "strikes"]


def strikes(items: Sequence[Item], place: int) -> bool:
    """Whether a vehicle only says what strikes, or is struck by: "car vs pole", "bike hit by a car"."""
    if not items[place].has("vehicle"):
        return False
    after, before = (
        items[place + 1 : place + 2],
        [one for one in items[:place] if not one.has("filler", "pronoun")],
    )
    if after and after[0].has("collide") and before and before[-1].of_kind("value", "concept"):
        return not before[-1].has("vehicle")  # "poles that cars ran into"
    for step in (-1, 1):
        near = place + step
        while 0 <= near < len(items) and items[near].has("filler") and not items[near].senses:
            near += step
        joint = items[near] if 0 <= near < len(items) else None
        done = (
            joint is not None
            and step == 1
            and joint.of_kind("value", "concept")
            and not joint.of_kind("entity")
        )
        if done and joint is not None and not joint.has("vehicle"):
            return True  # "cars get t-boned"
        far = near + step
        while 0 <= far < len(items) and items[far].has("filler", "pronoun") and not items[far].senses:
            far += step  # "cyclists who got hit by cars"
        other = items[far] if 0 <= far < len(items) else None
        if (
            joint is not None
            and joint.has("collide", "compare")
            and other is not None
            and other.of_kind("value", "concept")
        ):
            return not other.has("vehicle")
    return False


def is_striker(items: Sequence[Item], place: int) -> bool:
    """Whether somebody was struck by what an item says: "who was hit by a car while walking"."""
    led = [one for one in items[:place] if not one.has("filler") or one.has("collide")]
    by = bool(led) and led[-1].has("collide") and led[-1].text.endswith(" by")
    return by and items[place].has("vehicle")
