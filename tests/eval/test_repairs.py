"""The validator over mutated frames: how it is measured, and that nothing is repaired wrongly."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from groundframe.eval.published import published_frames
from groundframe.eval.repairs.grading import Graded, grade, meaning
from groundframe.eval.repairs.ground import Ground, HeldNames, WorldNames, synthetic_ground
from groundframe.eval.repairs.measuring import FAMILIES, SHIPPED, measure
from groundframe.eval.repairs.mutation import Change, Family, Mutant
from groundframe.eval.repairs.originals import original, written_originals
from groundframe.eval.repairs.place_names import mistyped_names, name_figures
from groundframe.eval.repairs.report import repair_report
from groundframe.eval.repairs.typos import typo
from groundframe.eval.repairs.value_families import FRACTIONS, METRES, MPH
from groundframe.eval.repairs.words import Sites
from groundframe.eval.subject import Subject
from groundframe.frames.names import NamedFeature
from groundframe.postgis.connect import Database
from groundframe.postgis.datasets import open_dataset
from groundframe.schema.packs import load_pack
from groundframe.validator.outcomes import Checked

LETTER = Family("letter", "typo", lambda _: None)


@pytest.fixture(scope="module")
def ground() -> Ground:
    return synthetic_ground(load_pack("massachusetts"))


@pytest.fixture(scope="module")
def shipped(ground: Ground) -> list[Graded]:
    return list(measure(ground))


def crashes_in(town: str, distance: Any = 500.0) -> dict[str, Any]:
    return {
        "targets": [
            {"entity": "Crash", "role": "primary"},
            {"entity": "School", "role": "filter"},
            {"entity": "Town", "role": "scope", "names": [town]},
        ],
        "spatial_constraints": [
            {
                "relation": "within_distance",
                "target_role": "primary",
                "reference_role": "filter",
                "distance_m": distance,
            }
        ],
    }


def graded(ground: Ground, before: dict[str, Any], after: dict[str, Any], clash: str = "") -> str:
    """The grade of a frame that was changed by hand."""
    known = original(ground, "test", before)
    assert known is not None
    mutant = Mutant(LETTER, "test", after, before, Change("", None, None, clash))
    return grade(ground, mutant, known).grade


def test_nothing_of_the_shipped_set_is_repaired_wrongly(shipped: list[Graded]) -> None:
    report = repair_report(shipped)
    assert [(one.grade, one.mutant.family.name, one.mutant.change, one.said) for one in report.wrong] == []


def test_most_single_changes_are_restored(shipped: list[Graded]) -> None:
    single = repair_report(shipped).single_changes
    assert single.n > 500
    assert single.share("restored", "unaffected") >= 0.9
    assert single.share("asked", "asked_in_vain") <= 0.08


def test_what_is_as_near_to_another_name_is_asked_back(shipped: list[Graded]) -> None:
    between = [one for one in shipped if one.mutant.family.name == "typo between places"]
    assert len(between) > 20
    assert {one.grade for one in between} == {"asked"}


def test_every_family_is_measured_equally_often(shipped: list[Graded]) -> None:
    counts = Counter(one.mutant.family.name for one in shipped)
    assert set(counts) == {family.name for family in FAMILIES}
    assert min(counts.values()) >= SHIPPED // len(FAMILIES) - 1


def test_a_mutant_differs_from_its_original(shipped: list[Graded]) -> None:
    assert all(one.mutant.frame != one.mutant.original for one in shipped)


def test_the_same_seed_draws_the_same_mutants(ground: Ground) -> None:
    def drawn(seed: str) -> list[str]:
        return [json.dumps(one.mutant.frame) for one in measure(ground, 70, seed)]

    assert drawn("a") == drawn("a") != drawn("b")


def test_the_originals_are_the_published_frames_and_the_examples(ground: Ground) -> None:
    sources = {one.source for one in written_originals(ground)}
    assert len(sources) >= len(published_frames())
    assert "example misspelt" not in sources  # what is wrong with it would be counted twice


def test_grades(ground: Ground) -> None:
    boston = crashes_in("Boston")
    assert graded(ground, boston, crashes_in("Bostn")) == "restored"
    assert (
        graded(ground, boston, {**boston, "spatial_constraints": boston["spatial_constraints"]})
        == "unaffected"
    )
    assert graded(ground, boston, crashes_in("Qzxv")) == "rejected"
    assert graded(ground, boston, crashes_in("Quincy")) == "wrong"
    assert graded(ground, boston, crashes_in("Quincy"), "other") == "other"
    assert graded(ground, boston, crashes_in("Bostn"), "as_near") == "guessed"
    assert graded(ground, boston, {**boston, "rolle": 1}) == "rejected"
    medford = crashes_in("Medford")
    assert graded(ground, medford, crashes_in("Redford")) == "asked"
    assert graded(ground, boston, crashes_in("Redford")) == "asked_in_vain"


def test_the_clash_of_a_typo(ground: Ground) -> None:
    frame = crashes_in("Medford")
    site = next(one for one in Sites(ground).of(frame) if one.kind == "place")
    assert site.clash("Mdford") == ""
    assert site.clash("Redford") == "as_near"
    assert site.clash("bedford") == "other"


def test_the_meaning_of_a_frame_knows_no_ids_or_order(ground: Ground) -> None:
    frame = crashes_in("Boston")
    called = json.loads(json.dumps(frame).replace('"role": "filter"', '"role": "filter", "id": "near"'))
    called["targets"].reverse()
    called["spatial_constraints"][0] |= {"target_role": "near", "reference_role": "primary"}
    assert read(ground, frame) == read(ground, called)
    assert read(ground, frame) != read(ground, crashes_in("Boston", 501))
    assert read(ground, frame) != read(ground, crashes_in("Quincy"))
    towns = {
        "targets": [
            {"entity": "Town", "role": "primary"},
            {"entity": "Town", "role": "scope", "names": ["Boston"]},
        ]
    }
    anchored = {"targets": towns["targets"][:1], "references": [{"entity": "Town", "names": ["Boston"]}]}
    assert read(ground, towns) != read(ground, anchored)


def read(ground: Ground, frame: dict[str, Any]) -> str:
    outcome = ground.check(frame)
    assert isinstance(outcome, Checked), outcome
    return meaning(outcome.frame)


def test_a_single_value_is_a_list_of_one(ground: Ground) -> None:
    def tested(operator: str, value: Any) -> dict[str, Any]:
        test = {"target_role": "primary", "field": "severity", "operator": operator, "value": value}
        return {"targets": [{"entity": "Crash", "role": "primary"}], "attribute_constraints": [test]}

    assert read(ground, tested("eq", "Fatal injury")) == read(ground, tested("in", ["Fatal injury"]))
    assert read(ground, tested("eq", "Fatal injury")) != read(ground, tested("ne", "Fatal injury"))


def test_typos_are_one_edit_and_leave_numbers_alone() -> None:
    for seed in range(300):
        typed = typo(Random(seed), "Route 128 North")
        assert typed is not None
        assert typed != "Route 128 North"
        assert "128" in typed
        assert abs(len(typed) - len("Route 128 North")) <= 1
    assert typo(Random(1), "128") is None


def test_the_units_that_mutations_use() -> None:
    # The international foot and yard are defined so, the mile as 5,280 feet.
    assert {METRES[" ft"], METRES[" yd"] / 3, METRES[" mi"] / 5280} == {0.3048}
    assert math.isclose(FRACTIONS["a quarter mile"], 5280 * 0.3048 / 4)
    assert math.isclose(MPH[" km/h"], 1000 / (5280 * 0.3048), abs_tol=1e-8)


def test_names_with_a_typo_are_read_right_or_asked_about(ground: Ground) -> None:
    found = list(mistyped_names(ground, ["Town", "School"]))
    figures = name_figures(found)
    assert figures["Town"]["n"] + figures["Town"]["other"] == 25
    assert all(one["wrong"] == 0 for one in figures.values())
    assert all(one["shares"]["right"] >= 0.9 for one in figures.values())
    assert all(one.typed != one.name for one in found)


@pytest.fixture
def small_demo(demo_url: str) -> Iterator[Subject]:
    with Database(demo_url) as database:
        yield Subject(open_dataset(database, "demo"))


def test_names_held_in_memory_are_the_dataset_s(small_demo: Subject) -> None:
    held = HeldNames(small_demo.names)
    for entity in small_demo.dataset.pack.entities:
        names = small_demo.names.distinct_names(entity.name)
        assert held.distinct_names(entity.name) == names
        assert held.features(entity.name, names[:20]) == small_demo.names.features(entity.name, names[:20])
        assert held.newest_date(entity.name) == small_demo.names.newest_date(entity.name)
        assert held.sources(entity.name) == small_demo.names.sources(entity.name)
    key = small_demo.names.features("Town", small_demo.names.distinct_names("Town"))[0].key
    assert held.keys_exist("Town", [key, "no such key"]) == {key}


def test_names_without_a_database_are_those_that_a_load_gives(small_demo: Subject) -> None:
    made, loaded = WorldNames(small_demo.world), small_demo.names
    for entity in ("Town", "School", "Road", "BusStop", "Crash"):
        names = loaded.distinct_names(entity)
        assert made.distinct_names(entity) == names
        one, other = made.features(entity, names), loaded.features(entity, names)
        assert [(f.key, f.name, f.town) for f in one] == [(f.key, f.name, f.town) for f in other]
        assert made.newest_date(entity) == loaded.newest_date(entity)
        assert made.sources(entity) == loaded.sources(entity)
        assert metres(made.nearest(entity, -71.06, 42.36)) == metres(loaded.nearest(entity, -71.06, 42.36))


def metres(found: tuple[NamedFeature, float] | None) -> tuple[str, float] | None:
    return (found[0].key, round(found[1], 2)) if found else None


def test_a_frame_of_the_report_can_be_validated_again(shipped: list[Graded], ground: Ground) -> None:
    report = json.loads(json.dumps(repair_report(shipped).as_dict()))
    assert report["total"]["n"] == sum(one.grade != "other" for one in shipped)
    assert report["not_restored"]
    for example in report["not_restored"]:
        assert not isinstance(ground.check(example["frame"]), Checked)
