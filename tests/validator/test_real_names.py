"""Names of the real towns and schools: misspelt ones are found or asked about, namesakes offered."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Collection
from datetime import date
from pathlib import Path

import pyogrio
import pytest

from groundframe.frames.names import NamedFeature, NameIndex
from groundframe.frames.reading import read_frame
from groundframe.schema.model import Pack
from groundframe.schema.vocabulary import fold_name
from groundframe.validator.engine import validate
from groundframe.validator.outcomes import Checked, NeedsChoice, Outcome

pytestmark = [pytest.mark.shared_data, pytest.mark.slow]
LETTERS = "abcdefghijklmnopqrstuvwxyz"


class RealNames:
    """Town and school names as the state's files have them."""

    def __init__(self, folder: Path) -> None:
        _, towns = pyogrio.read_arrow(folder / "towns" / "TOWNS_POLYM.shp", read_geometry=False)
        _, schools = pyogrio.read_arrow(folder / "schools" / "SCHOOLS_PT.shp", read_geometry=False)
        self._by_name: dict[str, dict[str, list[NamedFeature]]] = {"Town": {}, "School": {}}
        for number, name in enumerate(sorted(set(towns["TOWN"].to_pylist()))):
            self._add(NamedFeature("Town", f"t{number:03}", name.title()))
        places = zip(schools["NAME"].to_pylist(), schools["TOWN"].to_pylist(), strict=True)
        for number, (name, town) in enumerate(places):
            self._add(NamedFeature("School", f"s{number:04}", name, town.title()))

    def _add(self, feature: NamedFeature) -> None:
        self._by_name[feature.entity].setdefault(feature.name, []).append(feature)

    def distinct_names(self, entity: str, field: str = "") -> list[str]:
        return [] if field else sorted(self._by_name.get(entity, {}))

    def features(self, entity: str, names: Collection[str]) -> list[NamedFeature]:
        found = [one for name in set(names) for one in self._by_name[entity].get(name, ())]
        return sorted(found, key=lambda feature: feature.key)

    def keys_exist(self, entity: str, keys: Collection[str]) -> frozenset[str]:
        known = {feature.key for group in self._by_name[entity].values() for feature in group}
        return frozenset(keys) & known

    def nearest(self, entity: str, longitude: float, latitude: float) -> None:
        return None

    def oldest_date(self, entity: str) -> date | None:
        return None

    def newest_date(self, entity: str) -> date | None:
        return None

    def has_rows(self, entity: str) -> bool:
        return True

    def sources(self, entity: str) -> frozenset[str]:
        return frozenset({"here"})

    def unique(self, entity: str, pack: Pack) -> list[NamedFeature]:
        """Features whose name no other bears, not even with other dots and capitals."""
        folded: dict[str, list[NamedFeature]] = {}
        for name, group in sorted(self._by_name[entity].items()):
            folded.setdefault(fold_name(name, pack), []).extend(group)
        return [group[0] for group in folded.values() if len(group) == 1]


@pytest.fixture(scope="module")
def real(shared_data: Path) -> RealNames:
    return RealNames(shared_data / "massachusetts")


def typo(name: str, chance: random.Random) -> str:
    """The name with a letter lost, added, changed or swapped with its neighbour."""
    while True:
        at, letter = chance.randrange(len(name)), chance.choice(LETTERS)
        changed = chance.choice(
            (name[:at] + name[at + 1 :], name[:at] + letter + name[at:], name[:at] + letter + name[at + 1 :],
             name[:at] + name[at : at + 2][::-1] + name[at + 2 :])
        )  # fmt: skip
        if changed != name:
            return changed


def school(name: str, pack: Pack, names: NameIndex, town: str | None = None) -> Outcome:
    targets = [{"entity": "School", "role": "primary", "names": [name]}]
    scope = [{"entity": "Town", "role": "scope", "names": [town]}] if town else []
    return validate(read_frame({"targets": targets + scope}), pack, names)


def town(name: str, pack: Pack, names: NameIndex) -> Outcome:
    targets = [{"entity": "Town", "role": "primary", "names": [name]}]
    return validate(read_frame({"targets": targets}), pack, names)


@pytest.mark.parametrize(("entity", "ask", "rounds"), [("Town", town, 3), ("School", school, 1)])
def test_one_typo(
    entity: str, ask: Callable[[str, Pack, NameIndex], Outcome], rounds: int, pack: Pack, real: RealNames
) -> None:
    chance = random.Random(20)
    found: Counter[str] = Counter()
    for feature in real.unique(entity, pack) * rounds:
        outcome = ask(typo(feature.name, chance), pack, real)
        right = isinstance(outcome, Checked) and outcome.frame.targets[0].keys == (feature.key,)
        found["right" if right else "wrong" if isinstance(outcome, Checked) else "open"] += 1
    assert found["right"] / found.total() >= 0.9
    assert found["wrong"] / found.total() < 0.005


@pytest.mark.parametrize("entity", ["Town", "School"])
def test_every_name_as_it_is(entity: str, pack: Pack, real: RealNames) -> None:
    ask = town if entity == "Town" else school
    for feature in real.unique(entity, pack):
        outcome = ask(feature.name, pack, real)
        assert isinstance(outcome, Checked), feature
        assert (outcome.frame.targets[0].keys, outcome.repairs) == ((feature.key,), ())


@pytest.mark.parametrize(("name", "count"), [("Abraham Lincoln School", 3), ("Memorial School", 8)])
def test_namesakes_are_offered_with_their_towns(name: str, count: int, pack: Pack, real: RealNames) -> None:
    outcome = school(name, pack, real)
    assert isinstance(outcome, NeedsChoice)
    candidates = outcome.choices[0].candidates
    assert len(candidates) == count
    assert len({candidate.town for candidate in candidates}) == count
    for candidate in candidates:
        narrowed = school(name, pack, real, candidate.town)
        assert isinstance(narrowed, Checked)
        assert narrowed.frame.targets[0].keys == (candidate.key,)
        chosen = {outcome.choices[0].id: candidate.key}
        answered = validate(outcome.received, pack, real, choices=chosen)
        assert isinstance(answered, Checked)
        assert answered.frame.targets[0].keys == (candidate.key,)
        assert answered.anchors[0].basis == "chosen"
        assert answered.anchors[0].offered == candidates
