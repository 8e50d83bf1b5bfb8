"""Places by the names that people use: shortened, with initials, corners in every spelling."""

from __future__ import annotations

import pytest

from groundframe.eval.repairs.ground import Ground, synthetic_ground
from groundframe.frames.lexical.interpreter import LexicalInterpreter
from groundframe.schema.packs import load_pack


@pytest.fixture(scope="module")
def ground() -> Ground:
    return synthetic_ground(load_pack("massachusetts"))


@pytest.mark.parametrize("kind", ["High", "Middle", "Elementary"])
def test_schools_are_named_without_the_word_and_by_initials(kind: str, ground: Ground) -> None:
    names = list(ground.names.distinct_names("School"))
    full = next(
        name
        for name in names
        if name.endswith(f" {kind} School")
        and sum(other.startswith(name.removesuffix(" School")) for other in names) == 1
    )
    interpreter = LexicalInterpreter(ground.pack, ground.names)
    bare = full.removesuffix(f" {kind} School")
    for said in (f"{bare} {kind}".lower(), f"{bare} {kind[0]}S"):
        frame = interpreter.interpret(f"crashes within 300 m of {said}").frame
        assert frame is not None, said
        assert [name.casefold() for name in frame.references[0].names] == [full.casefold()]


@pytest.mark.parametrize("joint", ["and", "&", "@", "/"])
def test_corners_are_two_streets_that_meet(joint: str, ground: Ground) -> None:
    streets = [name for name in ground.names.distinct_names("Road") if name.endswith(" Street")][:2]
    said = f"crashes at {f' {joint} '.join(streets)}"
    found = LexicalInterpreter(ground.pack, ground.names).interpret(said)
    assert found.frame is not None
    assert [reference.entity for reference in found.frame.references] == ["Intersection"]
    assert list(found.frame.references[0].names) == streets


def test_a_number_with_a_letter_is_another_route(ground: Ground) -> None:
    interpreter = LexicalInterpreter(ground.pack, ground.names)
    route = next(name for name in ground.names.distinct_names("Road") if name.split()[-1].isdecimal())
    frame = interpreter.interpret(f"crashes on {route}X").frame
    assert frame is None or all(one.value != route for one in frame.attribute_constraints)
